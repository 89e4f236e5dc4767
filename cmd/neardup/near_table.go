package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/internal/textlines"
	"github.com/neardup/neardup/simhash"
	"github.com/valyala/fastjson"
)

// checkTable checks the flags of a table, and whether it is searched.
func (n *near) checkTable(args []string) (search bool, err error) {
	search = n.query != "" || len(args) > 0
	switch {
	case n.table == "":
		err = usage("--add needs --table FILE")
	case n.fingerprints != "":
		err = usage("--table and --fingerprints exclude each other: --add puts a file into the table")
	case n.query != "" && len(args) > 0:
		err = usage("--query and fingerprints in hex exclude each other")
	case !search && n.more == "":
		err = usage("--query FILE, fingerprints in hex or --add FILE is needed")
	case n.query == corpus.Stdin && n.more == corpus.Stdin:
		err = usage("--query and --add cannot both read standard input")
	case search:
		err = n.checkOut(n.table, n.query, n.more)
	}
	return search, err
}

// inTable searches a table of fingerprints, then adds to it.
func (n *near) inTable(ctx context.Context, args []string, asked bool) (err error) {
	k, err := n.k()
	if err != nil {
		return err
	}
	search, err := n.checkTable(args)
	if err != nil {
		return err
	}
	var added fingerprintList
	if n.more != "" {
		if added, err = readFingerprints(n.app, n.more, n.binary); err != nil {
			return err
		}
		unlock, bad := n.lock()
		if bad != nil {
			return bad
		}
		defer func() { err = errors.Join(err, unlock()) }()
	}
	t, err := n.open(k, added.spec)
	if err != nil {
		return err
	}
	n.sum.Distance = k
	switch {
	case !asked:
		n.sum.Distance = t.K()
	case n.more != "" && !search && k != t.K():
		return usage("--distance %d, and table %s is for %d", k, n.table, t.K())
	}
	all := fingerprintList{List: t.List(), path: n.table, spec: t.Spec()}
	if err := added.alike(all); err != nil {
		return err
	}
	var files outputs
	defer files.abort()
	if search {
		if err := n.search(ctx, t, all, args, &files); err != nil {
			return err
		}
	}
	if err := n.grow(t, added, &files); err != nil {
		return err
	}
	if err := files.commit(); err != nil {
		return err
	}
	n.sum.Fingerprints = int64(t.List().Len())
	return n.summarize()
}

// errLocked says that another process has a lock.
var errLocked = errors.New("locked")

// lock keeps other commands from adding to the table until unlock: of two that
// read it and wrote it anew, the first would have added nothing.
func (n *near) lock() (unlock func() error, err error) {
	path := n.table
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // as it is written
	}
	dir, base := filepath.Split(path)
	unlock, err = lockFile(filepath.Join(dir, "."+base+".lock"))
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("table %s: another command adds to it now; nothing was changed", n.table)
	}
	var reason *fs.PathError
	if errors.As(err, &reason) {
		err = reason.Err // not the name of the lock
	}
	if err != nil {
		return nil, fmt.Errorf("table %s: %w", n.table, err)
	}
	return unlock, nil
}

// open reads the table, or begins one where there is none and --add is given.
func (n *near) open(k int, spec string) (*simhash.Table, error) {
	f, err := os.Open(n.table)
	if errors.Is(err, fs.ErrNotExist) && n.more != "" {
		return simhash.NewTable(k, spec)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	var r io.Reader = in
	if open, bad := textlines.Unpack(in); bad != nil {
		return nil, fmt.Errorf("%s: %w", n.table, bad)
	} else if open != nil {
		defer open.Close()
		r = open
	}
	t, err := simhash.ReadTable(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", n.table, err)
	}
	return t, nil
}

// grow adds a list, if there is one, and writes the table.
func (n *near) grow(t *simhash.Table, added fingerprintList, files *outputs) error {
	if added.List == nil {
		return nil
	}
	for i, fp := range added.Fingerprints {
		err := error(nil)
		if added.Named() {
			err = t.Put(added.ID(i), fp)
		} else {
			err = t.Add(fp)
		}
		if err != nil {
			return fmt.Errorf("%s: fingerprint %d: %w", added.path, i, err)
		}
	}
	out := files.open(n.table)
	if files.err != nil {
		return files.err
	}
	_, err := t.WriteTo(out)
	return err
}

// search writes what is near each query; answers to lines of standard input as they
// come.
func (n *near) search(ctx context.Context, t *simhash.Table, all fingerprintList, args []string, files *outputs) error {
	if n.query == corpus.Stdin && !n.binary {
		out := bufio.NewWriter(n.stdout)
		flush := out.Flush
		if n.to = out; n.out != corpus.Stdin {
			if err := n.begin(files); err != nil {
				return err
			}
			flush = func() error { return nil }
		} else if _, err := out.WriteString("a\tb\tdistance\n"); err != nil {
			return err
		}
		return n.stream(ctx, t, all, flush)
	}
	if err := n.begin(files); err != nil {
		return err
	}
	queries, err := n.queries(args)
	if err == nil {
		err = queries.alike(all)
	}
	if err != nil {
		return err
	}
	return n.answer(ctx, t, queries)
}

// answer writes what is near the queries of a list, the nearest first.
func (n *near) answer(ctx context.Context, t *simhash.Table, queries fingerprintList) error {
	var found []simhash.Neighbor
	for i, fp := range queries.Fingerprints {
		if err := ctx.Err(); err != nil {
			return err
		}
		var err error
		if found, err = t.Near(found[:0], fp, n.sum.Distance); err != nil {
			return err
		}
		n.sum.Queries++
		for _, b := range found {
			if err := n.pair(queries.ID(i), t.List().ID(int(b.ID)), b.Distance); err != nil {
				return err
			}
		}
	}
	return nil
}

// stream answers lines as they come: whoever waits for an answer before the
// next question gets it.
func (n *near) stream(ctx context.Context, t *simhash.Table, all fingerprintList, flush func() error) error {
	in := bufio.NewReaderSize(n.stdin, 1<<20)
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("standard input: line %d: %w", number, err)
		}
		q, bad := parseQuery(line, number-1)
		if bad != nil {
			return fmt.Errorf("standard input: line %d: %w", number, bad)
		}
		if bad := errors.Join(q.alike(all), n.answer(ctx, t, q)); bad != nil {
			return bad
		}
		if err != nil || in.Buffered() == 0 {
			if bad := flush(); bad != nil || err != nil {
				return bad
			}
		}
	}
}

// parseQuery reads a line of JSON or text; where it has no id, its number is one.
func parseQuery(line []byte, number int) (q fingerprintList, err error) {
	q = fingerprintList{List: &simhash.List{}, path: "standard input"}
	if line = bytes.TrimSpace(line); bytes.HasPrefix(line, []byte("{")) {
		v, err := fastjson.ParseBytes(line)
		if err != nil {
			return q, fmt.Errorf("%w: %w", simhash.ErrSyntax, err)
		}
		return q, q.addJSON(v)
	}
	if len(line) == 0 {
		return q, nil
	}
	id, hex, named := bytes.Cut(line, []byte{'\t'})
	if !named {
		id, hex = strconv.AppendInt(nil, int64(number), 10), line
	}
	fp, err := simhash.ParseHex(string(hex))
	q.AddID(string(id), fp)
	return q, err
}
