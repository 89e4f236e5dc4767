package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/neardup/neardup/docid"
	"github.com/spf13/cobra"
)

func logCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "log",
		Short: "Begin the log that several servers share, or leave it",
		Args:  cobra.ArbitraryArgs,
		RunE:  needs("a command, begin, adopt or leave"),
	}
	cmd.AddCommand(beginCommand(a), adoptCommand(a), leaveCommand(a))
	return cmd
}

func beginCommand(a *app) *cobra.Command {
	var f storeFlags
	cmd := &cobra.Command{
		Use:   "begin --log URL",
		Short: "Begin an empty log for servers without an index",
		Long: `Begins an empty log, once, before the first server starts. A server never does so
itself: should the log be lost, a new index would answer in place of the old one.
A log that has entries is refused.

` + exitHelp,
		Example: `  neardup log begin --log redis://127.0.0.1:6379`,
		Args:    expects(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return f.withLog(cmd.Context(), func(log docid.Log) error {
				err := beginLog(cmd.Context(), log)
				if err == nil {
					fmt.Fprintln(a.stdout, "the log has begun")
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&f.log, "log", "", "address of the log, as neardup serve has it")
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
	cmd := &cobra.Command{
		Use:   "leave --data DIR",
		Short: "Have a store be served alone that has followed a log",
		Long: `Has a store that no server has open be served without the log, with every docId.
It begins a new epoch: should others go on with the log, no docId is given twice.

` + exitHelp,
		Example: `  neardup log leave --data news`,
		Args:    expects(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := closedIn(data)
			if err != nil {
				return err
			}
			return store.leave(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder of a server that does not run")
	return cmd
}

func adoptCommand(a *app) *cobra.Command {
	var f storeFlags
	var data string
	cmd := &cobra.Command{
		Use:   "adopt --data DIR --log URL",
		Short: "Begin an empty log with the store of a server",
		Long: `Has a store that no server has open go on with an empty log: one that was served
alone until now, with every docId, or the one that is furthest of several whose
log is lost. Then a new epoch begins: what was answered after the last entry that
the store has is lost, and no docId of that is given again.

Every other server goes on with a copy of DIR (neardup backup). A log that has
entries is refused. One that is to be given up is emptied first, while no server
runs: in Redis with DEL neardup:log, in Kafka by deleting the topic.

` + exitHelp,
		Example: `  neardup log adopt --data news --log redis://127.0.0.1:6379`,
		Args:    expects(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return adoptLog(cmd.Context(), a, data, &f)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder of a server that does not run")
	cmd.Flags().StringVar(&f.log, "log", "", "address of the log, as neardup serve has it")
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
