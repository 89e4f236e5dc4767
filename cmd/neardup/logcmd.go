package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/neardup/neardup/docid"
	"github.com/spf13/cobra"
)

func logCommand(a *app) *cobra.Command {
	cmd := verb("log", nil, needs("a command, adopt or leave"))
	cmd.AddCommand(adoptCommand(a), leaveCommand(a))
	return cmd
}

func leaveCommand(*app) *cobra.Command {
	var data string
	cmd := verb("log leave", expects(), func(cmd *cobra.Command, _ []string) error {
		store, err := closedIn(data)
		if err != nil {
			return err
		}
		return store.leave(cmd.Context())
	})
	bind(cmd.Flags(), "log", flags{"data": &data})
	return cmd
}

func adoptCommand(a *app) *cobra.Command {
	var f storeFlags
	var data string
	cmd := verb("log adopt", expects(), func(cmd *cobra.Command, _ []string) error {
		if f.log == "" {
			return usage("--log is missing")
		}
		return adoptLog(cmd.Context(), a, data, &f)
	})
	bind(cmd.Flags(), "log", flags{"data": &data, "log": &f.log})
	return cmd
}

func adoptLog(ctx context.Context, a *app, data string, f *storeFlags) (err error) {
	store, err := closedIn(data)
	if err != nil {
		return err
	}
	log, closeLog, err := f.openLog(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLog()) }()
	if err := store.lead(ctx, log); errors.Is(err, docid.ErrLogLost) {
		return fmt.Errorf("--log %s is not empty: %w", where(f.log), err)
	} else if err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "the log begins with %s; other servers go on with a copy of it\n", data)
	return nil
}
