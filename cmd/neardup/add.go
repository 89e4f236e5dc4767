package main

import "context"

type add struct {
	*app
	stream streamFlags
}

func (v *add) do(ctx context.Context, inputs []string) error {
	return v.stream.send(ctx, v.app, inputs, addAll)
}
