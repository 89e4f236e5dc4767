package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/neardup/neardup/server/api"
	"github.com/spf13/cobra"
)

type backup struct {
	*app
	data   string
	remote remoteFlags
}

func backupCommand(a *app) *cobra.Command {
	b := &backup{app: a}
	cmd := verb("backup", expects("the folder to back up to"), func(cmd *cobra.Command, args []string) error { return b.do(cmd.Context(), args[0]) })
	bind(cmd.Flags(), "backup", flags{"data": &b.data})
	b.remote.add(cmd.Flags())
	return cmd
}

func (b *backup) do(ctx context.Context, name string) error {
	if (b.data == "") == (b.remote.server == "") {
		return usage("give either --data or --server")
	}
	if b.data != "" {
		return b.offline(ctx, name)
	}
	c, err := b.remote.client(b.stderr)
	if err != nil {
		return err
	}
	defer c.Close()
	done, err := c.Backup(ctx, name)
	var refused *api.Problem
	if errors.As(err, &refused) && refused.Code() == api.CodeNotFound {
		return fmt.Errorf("%w: it was started without --backups DIR", err)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(b.stdout, "backup %s holds every change up to %d\n", done.Name, done.Seq)
	return nil
}

func (b *backup) offline(ctx context.Context, name string) error {
	store, err := closedIn(b.data)
	if err != nil {
		return err
	}
	if within(name, storeDir(b.data)) {
		return usage("%s lies in the store itself: give another folder", name)
	}
	if err := snapshot(name, func(to string) error { return store.backup(ctx, to) }); err != nil {
		return err
	}
	fmt.Fprintf(b.stdout, "backup %s holds all of %s; neardup serve --data %s serves it\n", name, b.data, name)
	return nil
}

// within reports whether a path lies in a folder, or is it.
func within(path, dir string) bool {
	if path == "" {
		return false
	}
	path, dir = resolved(path), resolved(dir)
	rest, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rest)
}

// resolved is where a path leads, as far as it is there.
func resolved(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	if dir := filepath.Dir(path); dir != path {
		return filepath.Join(resolved(dir), filepath.Base(path))
	}
	return path
}

// snapshot makes a new folder of data and has a store copied into it.
func snapshot(data string, copyTo func(store string) error) error {
	if err := os.MkdirAll(filepath.Dir(data), 0o700); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	// Whoever makes the folder owns it: another backup of that name, at the
	// same moment too, must not remove it when it fails.
	if err := os.Mkdir(data, 0o700); errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("backup %s: %w", data, fs.ErrExist)
	} else if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	if err := copyTo(storeDir(data)); err != nil {
		return errors.Join(err, os.RemoveAll(data))
	}
	return nil
}
