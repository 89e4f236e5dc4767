package main

import (
	"github.com/spf13/cobra"
)

func checkCommand(a *app) *cobra.Command {
	var f streamFlags
	var v verification
	cmd := verb("check", nil, func(cmd *cobra.Command, args []string) error {
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
	})
	v.add(cmd.Flags())
	f.add(cmd.Flags())
	return cmd
}
