//go:build full

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/server/api"
	"github.com/neardup/neardup/store"
	"github.com/neardup/neardup/store/pebble"
)

// closedIn returns the folder of the closed store in a data folder. It reports a missing folder, because
// opening a store would create it.
func closedIn(data string) (string, error) {
	if data == "" {
		return "", usage("--data is missing")
	}
	if _, err := os.Stat(storeDir(data)); err != nil {
		return "", fmt.Errorf("--data %s: no store: %w", data, err)
	}
	return storeDir(data), nil
}

type backup struct {
	*app
	data   string
	remote remoteFlags
}

func (b *backup) do(ctx context.Context, args []string) error {
	name := args[0]
	if b.data != "" {
		store, err := closedIn(b.data)
		switch {
		case err != nil:
			return err
		case within(name, store):
			return usage("%s: inside the store (want another folder)", name)
		}
		err = snapshot(name, func(to string) error { return pebble.Backup(ctx, store, to, pebble.Options{}) })
		if err == nil {
			fmt.Fprintf(b.stdout, "backup %s holds all of %s; neardup serve --data %s serves it\n", name, b.data, name)
		}
		return err
	}
	c, err := b.remote.client(b.stderr)
	if err != nil {
		return err
	}
	defer c.Close()
	done, err := c.Backup(ctx, name)
	var refused *api.Problem
	switch {
	case errors.As(err, &refused) && refused.Code() == api.CodeNotFound:
		err = fmt.Errorf("%w: the server was started without --backups DIR", err)
	case err == nil:
		fmt.Fprintf(b.stdout, "backup %s holds every change up to %d\n", done.Name, done.Seq)
	}
	return err
}

func within(path, dir string) bool {
	if path == "" {
		return false
	}
	path, dir = resolved(path), resolved(dir)
	rest, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rest)
}

// resolved returns the absolute path with the symbolic links of its existing part resolved.
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

func snapshot(data string, copyTo func(store string) error) error {
	if err := os.MkdirAll(filepath.Dir(data), 0o700); err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	// Only the backup that creates the folder may remove it: a concurrent backup of the same name must not
	// remove it when it fails.
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

// check checks a store that no server has open, or a snapshot, or articles by a server.
type check struct {
	*app
	stream    streamFlags
	data, tmp string
	stores    storeFlags `flags:"log snapshots"`
}

func (v *check) do(ctx context.Context, args []string) error {
	if v.stream.remote.server == "" {
		return v.stored(ctx)
	}
	inputs, err := v.inputs(args)
	if err != nil {
		return err
	}
	return v.stream.send(ctx, v.app, inputs, func(ctx context.Context, c *api.Client, entries []api.BatchEntry) ([]api.EntryReply, error) {
		return each(entries, func(e *api.BatchEntry) (api.Answer, error) { return c.Check(ctx, e.Submission) })
	})
}

var errDamaged = errors.New("the store is damaged")

var errApart = errors.New("store and log differ, or the store is damaged")

// nowAndThen returns a function that prints progress every second on a terminal, or every ten seconds otherwise. line
// receives the time since the last line.
func nowAndThen(w io.Writer, line func(at int, since time.Duration) string) func(at int) {
	every, format := 10*time.Second, "%s\n"
	if onTerminal(w) {
		every, format = time.Second, "\r\x1b[K%s\r"
	}
	told := time.Now()
	return func(at int) {
		if since := time.Since(told); since >= every {
			told = time.Now()
			fmt.Fprintf(w, format, line(at, since))
		}
	}
}

func (v *check) stored(ctx context.Context) (err error) {
	if err := v.stores.known(); err != nil {
		return err
	}
	store := "" // "" means the newest snapshot
	if v.data != "" {
		store, err = closedIn(v.data)
		if err != nil {
			return err
		}
	}
	progress := nowAndThen(v.stderr, func(rows int, _ time.Duration) string { return grouped(int64(rows)) + " rows read" })
	var p pebble.Proof
	if v.stores.log != "" {
		p, err = v.prove(ctx, store, progress)
	} else {
		p.Report, err = pebble.Check(ctx, store, pebble.Options{Progress: progress})
	}
	if err != nil {
		return err
	}
	for _, row := range p.Problems {
		where := fmt.Sprintf("tenant %s, row %s", row.Tenant, row.Row)
		if row.File != "" {
			where = "file " + row.File
		}
		fmt.Fprintf(v.stdout, "%s: %s\n", oneLine(where), oneLine(row.What))
	}
	if p.At > 0 {
		what, from := v.data, "its first entry"
		if store == "" {
			what = "the newest of --snapshots"
		}
		if p.From > 0 {
			from = fmt.Sprintf("the snapshot of entry %d", p.From)
		}
		fmt.Fprintf(v.stdout, "%s, with digest %016x, and the log from %s to entry %d of %d\n", what, p.Digest, from, p.At, p.End)
	}
	fmt.Fprintf(v.stdout, "%s, %s\n", counted(int64(p.Rows), "row"), counted(int64(len(p.Problems)), "problem"))
	switch {
	case len(p.Problems) == 0:
		return nil
	case p.At > 0:
		return errApart
	}
	return errDamaged
}

func (v *check) prove(ctx context.Context, folder string, progress func(rows int)) (p pebble.Proof, err error) {
	if v.tmp == "" && v.data != "" {
		v.tmp = filepath.Dir(filepath.Clean(v.data))
	}
	scratch, remove, err := heldFolder(v.tmp, "neardup-check-")
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	snapshots, err := v.stores.openSnapshots(ctx, filepath.Join(scratch, "bucket"))
	if err != nil {
		return p, err
	}
	log, err := v.stores.openLog(ctx)
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	p, err = pebble.Prove(ctx, folder, pebble.Options{Log: log, Snapshots: snapshots, Progress: progress}, scratch)
	if errors.Is(err, docid.ErrLocked) {
		err = fmt.Errorf("%w (check the newest snapshot without --data, or a backup made by neardup backup --server)", err)
	}
	return p, err
}

type logBegin struct {
	*app
	stores storeFlags `flags:"log"`
}

func (v *logBegin) do(ctx context.Context, _ []string) error {
	return v.stores.withLog(ctx, func(log docid.Log) error {
		err := store.BeginLog(ctx, log)
		if err == nil {
			fmt.Fprintln(v.stdout, "the log has begun")
		}
		return err
	})
}

func (f *storeFlags) withLog(ctx context.Context, work func(docid.Log) error) (err error) {
	log, err := f.openLog(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	err = work(log)
	if errors.Is(err, docid.ErrLogLost) {
		err = fmt.Errorf("--log %s is not empty: %w", where(f.log), err)
	}
	return err
}

type logLeave struct {
	data string
}

func (v *logLeave) do(ctx context.Context, _ []string) error {
	store, err := closedIn(v.data)
	if err != nil {
		return err
	}
	return pebble.Leave(ctx, store, pebble.Options{})
}

type logAdopt struct {
	*app
	data   string
	stores storeFlags `flags:"log"`
}

func (v *logAdopt) do(ctx context.Context, _ []string) error {
	return adoptLog(ctx, v.app, v.data, &v.stores)
}

func adoptLog(ctx context.Context, a *app, data string, f *storeFlags) error {
	return f.withLog(ctx, func(log docid.Log) error {
		store, err := closedIn(data)
		if err == nil {
			err = pebble.Lead(ctx, store, log, pebble.Options{})
		}
		if err == nil {
			fmt.Fprintf(a.stdout, "the log begins with %s; start the other servers with copies of it\n", data)
		}
		return err
	})
}
