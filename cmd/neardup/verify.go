package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/neardup/neardup/docid"
	"github.com/spf13/pflag"
)

// errDamaged says that a check of a store found something.
var errDamaged = errors.New("the store is damaged")

// errApart says that a store is not what its log makes.
var errApart = errors.New("store and log differ, or the store is damaged")

// rowsRead tells how many rows were read.
func rowsRead(w io.Writer) func(int) {
	return nowAndThen(w, func(rows int, _ time.Duration) string { return grouped(int64(rows)) + " rows read" })
}

// nowAndThen tells how far something is, and how long it was told last: once a second on a terminal, every ten
// seconds in a log.
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

// verification is of a store that no server has open, or of a snapshot.
type verification struct {
	data, tmp string
	stores    storeFlags
}

func (v *verification) add(fs *pflag.FlagSet) {
	bind(fs, "check", flags{"data": &v.data, "log": &v.stores.log, "snapshots": &v.stores.snapshots, "tmp": &v.tmp})
}

func (v *verification) valid(server bool, args []string) error {
	stored := v.data != "" || v.stores.log != "" || v.stores.snapshots != ""
	switch {
	case stored == server, v.data == "" && stored && (v.stores.log == "" || v.stores.snapshots == ""):
		return usage("give --data, or --log and --snapshots, or --server")
	case stored && len(args) > 0:
		return usage("--data and --log take no inputs")
	case v.stores.log == "" && (v.stores.snapshots != "" || v.tmp != ""):
		return usage("--snapshots and --tmp go with --log")
	}
	return v.stores.known()
}

// run checks it and prints what is wrong.
func (v *verification) run(ctx context.Context, a *app) (err error) {
	store := closedStore("") // the newest snapshot
	if v.data != "" {
		if store, err = closedIn(v.data); err != nil {
			return err
		}
	}
	var p proof
	if v.stores.log != "" {
		p, err = v.prove(ctx, a, store)
	} else {
		p, err = store.check(ctx, rowsRead(a.stderr))
	}
	if err != nil {
		return err
	}
	for _, row := range p.Problems {
		where := fmt.Sprintf("tenant %s, row %s", row.Tenant, row.Row)
		if row.File != "" {
			where = "file " + row.File
		}
		fmt.Fprintf(a.stdout, "%s: %s\n", oneLine(where), oneLine(row.What))
	}
	if p.At > 0 {
		what, from := v.data, "its first entry"
		if store == "" {
			what = "the newest of --snapshots"
		}
		if p.From > 0 {
			from = fmt.Sprintf("the snapshot of entry %d", p.From)
		}
		fmt.Fprintf(a.stdout, "%s, with digest %016x, beside the log from %s to entry %d of %d\n", what, p.Digest, from, p.At, p.End)
	}
	fmt.Fprintf(a.stdout, "%s, %s\n", counted(int64(p.Rows), "row"), counted(int64(len(p.Problems)), "problem"))
	switch {
	case len(p.Problems) == 0:
		return nil
	case p.At > 0:
		return errApart
	}
	return errDamaged
}

// prove holds a store to its log.
func (v *verification) prove(ctx context.Context, a *app, store closedStore) (p proof, err error) {
	if v.tmp == "" && v.data != "" {
		v.tmp = filepath.Dir(filepath.Clean(v.data))
	}
	scratch, remove, err := heldFolder(v.tmp, "neardup-check-")
	if err != nil {
		return p, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if p, err = store.prove(ctx, &v.stores, scratch, rowsRead(a.stderr)); errors.Is(err, docid.ErrLocked) {
		err = fmt.Errorf("%w; prove the newest of --snapshots without --data, or a backup (neardup backup --server)", err)
	}
	return p, err
}
