package pebble

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/zeebo/xxh3"
)

// seal returns a row with its checksum.
func seal(key, fields []byte) []byte {
	return binary.BigEndian.AppendUint64(slices.Clone(fields), xxh3.HashSeed(fields, xxh3.Hash(key)))
}

// followed returns a closed store that has added articles over a log, with a snapshot after two thirds of them.
// A third are copies of earlier ones.
func followed(t *testing.T, articles int, log docid.Log, beat time.Duration) *vfs.MemFS {
	t.Helper()
	fs := vfs.NewMem()
	s, err := serve(t, fs, log)
	ok(t, err)
	for n := range articles {
		text := storetest.Base(n - n%3/2)
		if _, err := s.add(t, fmt.Sprint(n), text); err != nil {
			t.Fatal(err)
		}
		if n == articles*2/3 {
			ok(t, fs.MkdirAll("snapshots", 0o700))
			ok(t, snapshotsIn(fs, "snapshots").Save(t.Context(), s.Applied(), 1, func(dir string) error { return s.Snapshot(t.Context(), dir) }))
		}
	}
	if beat > 0 { // wait for some votes
		ok(t, s.Close())
		s, err = serveWith(t, Options{FS: fs, Log: log, beat: beat})
		ok(t, err)
		for at := s.Applied(); s.Applied() < at+8; time.Sleep(beat) {
		}
	}
	ok(t, s.Close())
	return fs
}

// edit changes rows of a closed store.
func edit(t *testing.T, fs vfs.FS, dir string, change func(b *batch)) {
	t.Helper()
	kv, err := openRows(dir, Options{FS: fs})
	ok(t, err)
	b := kv.Batch()
	change(b.(*batch))
	ok(t, b.Commit())
	b.Close()
	ok(t, kv.Close())
}

// row returns the n-th row of a space.
func (b *batch) row(space byte, n int) (key, value []byte) {
	_ = b.Scan([]byte{space}, []byte{space + 1}, func(k, v []byte) error {
		n--
		if n == -1 {
			key, value = bytes.Clone(k), bytes.Clone(v)
		}
		return nil
	})
	return key, value
}

// TestProveRows checks that Prove lists exactly the rows that differ from the log, with the entry. A later
// change must also be found from the snapshot and the tail.
func TestProveRows(t *testing.T) {
	for _, c := range []struct {
		what   string
		change func(b *batch) // the defect
		rows   []string       // spaces of the reported rows
		says   string
	}{
		{what: "as it is"},
		{"a kept text has another byte, and the checksum for it", func(b *batch) {
			k, v := b.row('k', 5)
			v[len(v)-12] ^= 1
			ok(t, b.Set(k, seal(k, v[:len(v)-8])))
		}, []string{"k"}, "since entry "},
		{"a row is lost", func(b *batch) {
			k, _ := b.row('t', 5)
			ok(t, b.Delete(k))
		}, []string{"t"}, "missing (want "},
		{"an article has the docId of another", func(b *batch) {
			k, _ := b.row('n', 8)
			_, v := b.row('n', 0)
			ok(t, b.Set(k, seal(k, v[:len(v)-8])))
		}, []string{"n"}, " from byte "},
		{"a row nobody has written", func(b *batch) {
			k := append([]byte("q\x00\x00\x00\x01"), "key"...)
			ok(t, b.Set(k, seal(k, []byte{3})))
		}, []string{"q"}, "(want missing, as in the log)"},
		{"the digest of all answers", func(b *batch) {
			k, v := b.row('z', 0)
			v[len(v)-9] ^= 1
			ok(t, b.Set(k, seal(k, v[:len(v)-8])))
		}, []string{"z"}, " from byte "},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			log := storetest.Begin(t, storetest.NewLog())
			fs := followed(t, 12, log, 0)
			o := Options{FS: fs, Log: log}
			if c.change != nil {
				edit(t, fs, "d", c.change)
			}
			for _, snapshots := range []SnapshotStore{nil, snapshotsIn(fs, "snapshots")} {
				o.Snapshots = snapshots
				p, err := Prove(t.Context(), "d", o, "scratch")
				ok(t, err)
				if p.At != 14 || p.End != 14 || (p.From == 0) != (snapshots == nil) {
					t.Errorf("entries %d to %d of %d", p.From, p.At, p.End)
				}
				var named []string
				for _, problem := range p.Problems {
					if strings.Contains(problem.What, " from byte ") {
						named = append(named, problem.Row[:1])
					}
					if strings.Contains(problem.What, " from byte ") && snapshots == nil && !strings.Contains(problem.What, c.says) {
						t.Errorf("it says %q", problem.What)
					}
				}
				if !slices.Equal(named, c.rows) {
					t.Errorf("from %d: %v", p.From, p.Problems)
				}
			}
		})
	}
}

// TestProveLog checks that Prove detects a log entry changed after it was applied. It must refuse a log that
// lacks applied entries or the start of the replay.
func TestProveLog(t *testing.T) {
	log := storetest.Begin(t, storetest.NewLog())
	fs := followed(t, 12, log, 20*time.Millisecond)
	snapshots := snapshotsIn(fs, "snapshots")
	var all [][]byte
	ok(t, storetest.CopyLog(t.Context(), log, storetest.NewLog(), func(_ uint64, e []byte) []byte { all = append(all, e); return e }))
	altered := func(n uint64, alter func(e []byte) []byte) *storetest.Log {
		to := storetest.NewLog()
		ok(t, storetest.CopyLog(t.Context(), log, to, func(at uint64, e []byte) []byte {
			if at == n {
				e = alter(slices.Clone(e))
			}
			return e
		}))
		return to
	}
	trimmed := func(before uint64) *storetest.Log {
		to := log.Before(uint64(len(all)))
		ok(t, to.Trim(t.Context(), before))
		return to
	}
	other := func(e []byte) []byte { return append(e[:16:16], all[4][16:]...) } // an entry of another article
	for _, c := range []struct {
		what      string
		log       docid.Log
		dir       string
		snapshots SnapshotStore
		err       error
		says      string // text of the error or first problem
	}{
		{what: "as it was", log: log, dir: "d"},
		{what: "the snapshot, from the first entry", log: log, snapshots: snapshots},
		{"the last article is another", altered(uint64(14), other), "d", nil, nil, "other answers than most servers gave"},
		{"an article of the snapshot is another", altered(8, other), "", snapshots, nil, "as in the log"},
		{"an article is one that the snapshot has", altered(8, other), "d", snapshots, nil, ""},
		{"trimmed", trimmed(8), "d", nil, docid.ErrLogLost, "want a snapshot at or before entry"},
		{"trimmed, with a snapshot", trimmed(8), "d", snapshots, nil, ""},
		{"trimmed after the snapshot", trimmed(13), "d", snapshots, docid.ErrLogLost, "replay the log after entry "},
		{"shorter", log.Before(13), "d", nil, docid.ErrLogLost, "ends at entry 13"},
		{"another", altered(uint64(len(all)), func(e []byte) []byte { e[0]++; return e }), "d", nil, docid.ErrLogLost, "which the store has applied"},
		{"of other rules", altered(9, func([]byte) []byte { return []byte(written(t, 99, "")) }), "d", nil, docid.ErrNewerFormat, "newer format"},
		{"no snapshot", log, "", snapshotsIn(fs, "none"), docid.ErrNotFound, "no snapshot"},
	} {
		t.Run(c.what, func(t *testing.T) {
			ok(t, fs.RemoveAll("scratch"))
			p, err := Prove(t.Context(), c.dir, Options{FS: fs, Log: c.log, Snapshots: c.snapshots}, "scratch")
			says := fmt.Sprint(err)
			if err == nil {
				says = ""
				for _, problem := range p.Problems {
					says += problem.What
				}
			}
			if !errors.Is(err, c.err) || !strings.Contains(says, c.says) || (c.says == "" && says != "") {
				t.Errorf("it says %q, %v", says, p)
			}
		})
	}
	alone := vfs.NewMem()
	s, err := Open(t.Context(), "d", Options{FS: alone})
	ok(t, err)
	ok(t, s.Close())
	if _, err := Prove(t.Context(), "d", Options{FS: alone, Log: log}, "scratch"); !errors.Is(err, docid.ErrInvalid) {
		t.Errorf("a store without a log: %v", err)
	}
}
