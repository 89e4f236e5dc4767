package main

import (
	"github.com/spf13/cobra"
)

func checkCommand(a *app) *cobra.Command {
	var f streamFlags
	var v verification
	cmd := &cobra.Command{
		Use:   "check {--data DIR [--log URL] | --log URL --snapshots URL | --server URL [flags] INPUT...}",
		Short: "Prove a store undamaged, or ask a server about articles without storing them",
		Long: `With --data: reads every row of a store that no server has open and proves
checksums, that log, docIds and articles tell one story, that no number is
missing or given twice, that each duplicate names an older leader, and that the
store wrote every file in its folder. Prints what is wrong, and exits with 1 if
anything is.

With --log: also makes every row again from the log that the store follows, in a
folder in --tmp, and compares both: from the newest of --snapshots that is not past
the store, or from the first entry of a log that was never trimmed. Names the first
rows that differ, and since which entry. Without --data the newest of --snapshots is
proven, from the one before, while all servers run; so is a backup of one, as --data.

With --server: reads documents from INPUT and asks what the server would answer
to each, storing nothing. Documents of the input are not compared with each
other.

` + exitHelp,
		Example: `  neardup check --data news
  neardup check --data news --log redis://127.0.0.1:6379
  neardup check --log redis://127.0.0.1:6379 --snapshots /mnt/snapshots
  neardup check --server http://127.0.0.1:8080 today.jsonl --answers -`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch err := v.valid(f.remote.server != "", args); {
			case err != nil:
				return err
			case f.remote.server == "":
				return v.run(cmd.Context(), a)
			}
			inputs, err := a.inputs(args)
			if err != nil {
				return err
			}
			return f.send(cmd.Context(), a, inputs, checkAll)
		},
	}
	v.add(cmd.Flags())
	f.add(cmd.Flags())
	return cmd
}
