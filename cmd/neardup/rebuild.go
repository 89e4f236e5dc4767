package main

import (
	"context"
	"fmt"

	"github.com/neardup/neardup/store/pebble"
	"github.com/spf13/cobra"
)

func rebuildCommand(a *app) *cobra.Command {
	var data string
	cmd := &cobra.Command{
		Use:   "rebuild --data DIR",
		Short: "Make every derived row of a store again from its sources",
		Long: `Throws away what follows from the log, the leaders and the articles (lookups by
name, sizes, what is due) and makes it again, in a folder that no server has
open. For a store in which neardup check found damage of that kind; damage of
the sources themselves is refused, restore a backup then.

` + exitHelp,
		Example: `  neardup rebuild --data news`,
		Args:    arguments(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return rebuild(cmd.Context(), a, data)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder of a server that does not run")
	return cmd
}

func rebuild(ctx context.Context, a *app, data string) error {
	if err := thereIs(data); err != nil {
		return err
	}
	if err := pebble.Rebuild(ctx, storeDir(data), pebble.Options{}); err != nil {
		return err
	}
	sum, err := pebble.Digest(ctx, storeDir(data), pebble.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "rebuilt, digest %s\n", sum)
	return nil
}
