package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

func rebuildCommand(a *app) *cobra.Command {
	var data string
	var copied bool
	cmd := &cobra.Command{
		Use:   "rebuild --data DIR",
		Short: "Make every derived row of a store again from its sources",
		Long: `Throws away what follows from the log, the leaders and the articles (lookups by
name, sizes, what is due) and makes it again, in a folder that no server has
open. For a store in which neardup check found damage of that kind; damage of
the sources themselves is refused, restore a backup then.

A copy that neardup backup made knows that it is one. One made otherwise, an
image of a disk or a snapshot of a file system, must be told with --new-epoch
before it is served in the place of the original: the numbers after those it
holds were given already, and docIds follow from numbers. What is served next
then gives other docIds.

` + exitHelp,
		Example: `  neardup rebuild --data news
  neardup rebuild --data news-from-image --new-epoch`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return rebuild(cmd.Context(), a, data, copied)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder of a server that does not run")
	cmd.Flags().BoolVar(&copied, "new-epoch", false, "the folder is a copy that neardup backup did not make")
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
