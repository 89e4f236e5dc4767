package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store"
	"github.com/spf13/cobra"
)

func logCommand(a *app) *cobra.Command {
	cmd := verb("log", nil, needs("a command, begin, adopt or leave"))
	cmd.AddCommand(beginCommand(a), adoptCommand(a), leaveCommand(a))
	return cmd
}

func beginCommand(a *app) *cobra.Command {
	var f storeFlags
	cmd := verb("log begin", expects(), func(cmd *cobra.Command, _ []string) error {
		return f.withLog(cmd.Context(), func(log docid.Log) error {
			err := store.BeginLog(cmd.Context(), log)
			if err == nil {
				fmt.Fprintln(a.stdout, "the log has begun")
			}
			return err
		})
	})
	bind(cmd.Flags(), "log", flags{"log": &f.log})
	return cmd
}

// withLog works with the log of the address.
func (f *storeFlags) withLog(ctx context.Context, work func(docid.Log) error) (err error) {
	if f.log == "" {
		return usage("--log is missing")
	}
	log, closeLog, err := f.openLog(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLog()) }()
	if err = work(log); errors.Is(err, docid.ErrLogLost) {
		err = fmt.Errorf("--log %s is not empty: %w", where(f.log), err)
	}
	return err
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
		return adoptLog(cmd.Context(), a, data, &f)
	})
	bind(cmd.Flags(), "log", flags{"data": &data, "log": &f.log})
	return cmd
}

func adoptLog(ctx context.Context, a *app, data string, f *storeFlags) error {
	return f.withLog(ctx, func(log docid.Log) error {
		store, err := closedIn(data)
		if err == nil {
			err = store.lead(ctx, log)
		}
		if err == nil {
			fmt.Fprintf(a.stdout, "the log begins with %s; other servers go on with a copy of it\n", data)
		}
		return err
	})
}
