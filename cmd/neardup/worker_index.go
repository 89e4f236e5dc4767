package main

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/internal/webhdfs"
	"github.com/neardup/neardup/worker"
)

// onFolder is onIndex for a folder of this machine or of HDFS.
func onFolder(ctx context.Context, name string, fn func(*reference.Index) error) error {
	if !webhdfs.Is(name) {
		return onIndex(name, fn)
	}
	folder, err := webhdfs.Open(ctx, name)
	if err != nil {
		return err
	}
	x, err := reference.OpenFS(folder, name)
	if err != nil {
		return err
	}
	return errors.Join(fn(x), x.Close())
}

// heldIndex is what a driver must know of an index.
type heldIndex struct {
	AsOf      string   `json:"asOf"`
	Documents uint32   `json:"documents"`
	Method    []string `json:"method"` // the flags to decide against it
}

type workerIndex struct {
	*app
	method methodFlags
}

func (v *workerIndex) do(ctx context.Context, args []string) error {
	return onFolder(ctx, args[0], func(x *reference.Index) error {
		if err := v.method.restore(x.Header().Settings); err != nil {
			return err
		}
		method, clean, err := v.method.inOrder()
		if err != nil {
			return err
		}
		if err := (&worker.Stages{Method: method, Clean: clean}).Use(x, ""); err != nil {
			return err
		}
		return json.NewEncoder(v.stdout).Encode(heldIndex{x.AsOf(), x.Numbers(), v.method.asFlags()})
	})
}

// asFlags are flags that give the settings again.
func (f *methodFlags) asFlags() []string {
	given := f.remembered()
	name := given["method"]
	if name == "" {
		name = f.cfg.Name
	}
	spec, flags := "--method="+name, []string{}
	for _, setting := range slices.Sorted(maps.Keys(given)) {
		value := given[setting]
		switch {
		case setting == "method":
		case setting == normalizeSetting || slices.Contains(ofFiles, setting):
			flags = append(flags, "--"+setting+"="+value)
		default:
			spec += " " + setting + "=" + value
		}
	}
	return append(flags, spec)
}
