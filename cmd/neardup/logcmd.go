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
		RunE:  needs("a command, adopt or leave"),
	}
	cmd.AddCommand(adoptCommand(a), leaveCommand(a))
	return cmd
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
			if f.log == "" {
				return usage("--log is missing")
			}
			return adoptLog(cmd.Context(), a, data, &f)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder of a server that does not run")
	cmd.Flags().StringVar(&f.log, "log", "", "address of the log, as neardup serve has it")
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
