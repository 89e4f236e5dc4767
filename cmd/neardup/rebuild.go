package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func rebuildCommand(a *app) *cobra.Command {
	g := &again{serve: serve{app: a}}
	var copied bool
	cmd := verb("rebuild", expects(), func(cmd *cobra.Command, _ []string) error {
		switch {
		case cmd.Flags().Changed("method") && copied:
			return usage("--method and --new-epoch exclude each other: the first begins an epoch")
		case !g.asked(cmd.Flags()):
			if name := g.unread(cmd.Flags()); name != "" {
				return usage("--%s has no effect without --method, or --map and --articles", name)
			}
			return rebuild(cmd.Context(), a, g.data, copied)
		case copied:
			return usage("--new-epoch is for a copy in --data")
		}
		return g.run(cmd.Context(), cmd.Flags())
	})
	g.add(cmd)
	bind(cmd.Flags(), "rebuild", flags{"new-epoch": &copied})
	return cmd
}

func rebuild(ctx context.Context, a *app, data string, copied bool) error {
	store, err := closedIn(data)
	if err != nil {
		return err
	}
	sum, err := store.rebuild(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "rebuilt, digest %s\n", sum)
	if !copied {
		return nil
	}
	if err := store.markCopy(ctx); err != nil {
		return err
	}
	fmt.Fprintln(a.stdout, "marked as a copy: a new epoch begins when it is next served")
	return nil
}
