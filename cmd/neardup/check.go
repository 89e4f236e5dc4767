package main

import (
	"github.com/spf13/cobra"
)

func checkCommand(a *app) *cobra.Command {
	var f streamFlags
	var data string
	cmd := &cobra.Command{
		Use:   "check {--data DIR | --server URL [flags] INPUT...}",
		Short: "Prove a store undamaged, or ask a server about articles without storing them",
		Long: `With --data: reads every row of a store that no server has open and proves
checksums, that log, docIds and articles tell one story, that no number is
missing or given twice, and that each duplicate names an older leader. Prints
what is wrong, and exits with 1 if anything is.

With --server: reads documents from INPUT and asks what the server would answer
to each, storing nothing. Documents of the input are not compared with each
other.

` + exitHelp,
		Example: `  neardup check --data news
  neardup check --server http://127.0.0.1:8080 today.jsonl --answers -`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case (data == "") == (f.remote.server == ""):
				return usage("give either --data or --server")
			case data != "" && len(args) > 0:
				return usage("--data takes no inputs")
			case data != "":
				return verify(cmd.Context(), a, data)
			}
			inputs, err := a.inputs(args)
			if err != nil {
				return err
			}
			return f.run(cmd.Context(), a, inputs, checkAll)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder of a server that does not run: prove its store undamaged")
	f.add(cmd.Flags())
	return cmd
}
