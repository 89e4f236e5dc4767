package main

import (
	"context"

	"github.com/spf13/cobra"
)

func addCommand(a *app) *cobra.Command {
	var f streamFlags
	cmd := verb("add", nil, a.onInputs(func(ctx context.Context, inputs []string) error { return f.send(ctx, a, inputs, addAll) }))
	f.add(cmd.Flags())
	return cmd
}
