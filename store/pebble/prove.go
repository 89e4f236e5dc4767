package pebble

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
)

// Proof is the result of Prove.
type Proof struct {
	Report // result of Check, including the rows that differ from the replay
	// From is the last entry of the snapshot at which the replay began, or 0 for the start of the log. At is the last entry
	// of the store, and End that of the log.
	From, At, End uint64
	// Digest covers the outcomes of the entries up to At, as the store keeps it.
	Digest uint64
}

// maxDiffering limits the listed rows that differ.
const maxDiffering = 10

// Prove checks a folder that no process has open. It also replays the folder's log, o.Log, in the folder scratch, and
// compares all rows. The replay starts from the newest snapshot in o.Snapshots that is not newer than the folder, or from
// the first entry. If dir is "", the newest snapshot is checked against the previous one. Only scratch changes. It returns
// ErrLogLost if the log lacks an applied entry or the entries of the replay.
func Prove(ctx context.Context, dir string, o Options, scratch string) (Proof, error) {
	p := &prover{Options: o, log: o.Log}
	p.Log, p.Snapshots = nil, nil
	if p.FS == nil {
		p.FS = private{vfs.Default}
	}
	p.dir, p.subject = p.FS.PathJoin(scratch, "replay"), ^uint64(0)
	if o.Snapshots != nil {
		offsets, err := o.Snapshots.Offsets(ctx)
		if err != nil {
			return Proof{}, fmt.Errorf("list the snapshots: %w", err)
		}
		p.snapshots, p.offsets = o.Snapshots, offsets
	}
	if dir == "" {
		if len(p.offsets) == 0 {
			return Proof{}, fmt.Errorf("%w: no snapshot", docid.ErrNotFound)
		}
		p.subject, dir = p.offsets[len(p.offsets)-1], p.FS.PathJoin(scratch, "snapshot")
		if err := loadSnapshot(ctx, p.snapshots, p.FS, p.subject, dir); err != nil {
			return Proof{}, err
		}
	}
	err := reading(dir, p.Options, func(kv *engine) (err error) {
		p.Report, err = kv.check(ctx, p.Options)
		if err == nil {
			err = p.prove(ctx, kv)
		}
		return err
	})
	return p.Proof, err
}

type prover struct {
	Options
	Proof
	log       docid.Log
	snapshots SnapshotStore
	offsets   []uint64
	subject   uint64 // the checked snapshot, which must not start a replay
	dir       string // folder of the replay
}

func (p *prover) prove(ctx context.Context, kv *engine) error {
	at, digest, err := ledger.AnchorAt(kv)
	if err != nil {
		return err
	}
	p.At, p.Digest = at.Offset, digest
	if err := p.has(ctx, at); err != nil {
		return err
	}
	if err := p.replay(ctx, nil); errors.Is(err, ledger.ErrDiffers) {
		p.Problems = append(p.Problems, Problem{Row: "log", What: "a replay gives other answers than most servers gave: entries were altered, or the snapshot is wrong"})
		return nil
	} else if err != nil {
		return err
	}
	var keys, values [][]byte
	var found []Problem
	more := 0
	err = reading(p.dir, p.Options, func(made *engine) error {
		_, err := ledger.Compare(ctx, kv, made, p.Progress, func(row Problem, key, has, makes []byte) {
			if len(found) == maxDiffering {
				more++
				return
			}
			row.What = fmt.Sprintf("%s (want %s, as in the log)", shown(has, makes), shown(makes, has))
			keys, values, found = append(keys, bytes.Clone(key)), append(values, bytes.Clone(makes)), append(found, row)
		})
		return err
	})
	if err != nil || len(found) == 0 {
		return err
	}
	p.date(ctx, keys, values, found)
	p.Problems = append(p.Problems, found...)
	if more > 0 {
		p.Problems = append(p.Problems, Problem{Row: "log", What: fmt.Sprintf("%d more rows differ", more)})
	}
	return nil
}

// date replays the log again, to find the entries that set the rows to their values.
func (p *prover) date(ctx context.Context, keys, values [][]byte, found []Problem) {
	since, was := make([]uint64, len(keys)), make([]bool, len(keys))
	for i, v := range values {
		was[i] = v == nil
	}
	err := p.replay(ctx, func(r ledger.Reader, entry uint64) {
		for i, key := range keys {
			v, err := r.Get(key)
			same := err == nil && bytes.Equal(v, values[i])
			if same && !was[i] {
				since[i] = entry
			}
			was[i] = same
		}
	})
	for i, entry := range since {
		if err == nil && entry > p.From { // earlier entries are unknown
			found[i].What += fmt.Sprintf(", since entry %d", entry)
		}
	}
}

// shown formats a value, starting at the first byte that differs from the other value.
func shown(v, other []byte) string {
	if v == nil {
		return "missing"
	}
	same := 0
	for same < min(len(v), len(other)) && v[same] == other[same] {
		same++
	}
	from := max(0, min(same, len(v)-1)-4)
	return fmt.Sprintf("%d bytes, %[3]x from byte %[2]d on", len(v), from, v[from:min(len(v), from+24)])
}

// has returns an error unless the log has the entries that the store has applied.
func (p *prover) has(ctx context.Context, at docid.Anchor) (err error) {
	p.End, err = p.log.Durable(ctx)
	if err != nil {
		return err
	}
	if p.End < at.Offset {
		return fmt.Errorf("%w: the store has applied entry %d, but the log ends at entry %d", docid.ErrLogLost, at.Offset, p.End)
	}
	if _, err := p.log.Read(ctx, at); err != nil {
		return fmt.Errorf("find entry %d, which the store has applied, in the log: %w", at.Offset, err)
	}
	return nil
}

// replay makes the rows of the store again, in its own folder.
func (p *prover) replay(ctx context.Context, watch func(ledger.Reader, uint64)) (err error) {
	p.From, err = p.begin(ctx, watch)
	if err != nil {
		return err
	}
	o := p.Options
	o.Log, o.beat, o.watch = upTo{p.log, p.At}, time.Hour, watch
	s, err := Open(ctx, p.dir, o)
	switch {
	case errors.Is(err, docid.ErrLogLost) && p.From == 0:
		return fmt.Errorf("replay the log from its first entry: the log was trimmed (want a snapshot at or before entry %d): %w", p.At, err)
	case err != nil:
		return fmt.Errorf("replay the log after entry %d: %w", p.From, err)
	}
	return s.Close()
}

// begin loads the newest snapshot that is not newer than the store for the replay. It returns the snapshot's
// last entry, or 0.
func (p *prover) begin(ctx context.Context, watch func(ledger.Reader, uint64)) (from uint64, err error) {
	for _, offset := range slices.Backward(p.offsets) {
		if offset > p.At || offset >= p.subject {
			continue
		}
		if err := p.FS.RemoveAll(p.dir); err != nil {
			return 0, err
		}
		if err := loadSnapshot(ctx, p.snapshots, p.FS, offset, p.dir); err != nil {
			return 0, fmt.Errorf("load the snapshot at entry %d: %w", offset, err)
		}
		var at docid.Anchor
		err := reading(p.dir, p.Options, func(kv *engine) error {
			v, err := kv.Snapshot()
			if err != nil {
				return err
			}
			defer v.Close()
			at, _, err = ledger.AnchorAt(kv)
			if err == nil && watch != nil {
				watch(v, at.Offset)
			}
			return err
		})
		if err != nil || at.Offset <= p.At {
			return at.Offset, err
		}
	}
	return 0, p.FS.RemoveAll(p.dir)
}

// upTo is a log in its state after end entries. Nothing can be appended to it.
type upTo struct {
	docid.Log
	end uint64
}

// Append returns an error.
func (upTo) Append(context.Context, docid.Anchor, []byte) (uint64, error) {
	return 0, fmt.Errorf("%w: the log is read-only", docid.ErrUnavailable)
}

// Incarnation returns "", because the log is only read.
func (upTo) Incarnation(context.Context) (string, error) { return "", nil }

// Trim does nothing.
func (upTo) Trim(context.Context, uint64) error { return nil }

// Durable returns the end.
func (l upTo) Durable(context.Context) (uint64, error) { return l.end, nil }

// Read returns no entry past the end.
func (l upTo) Read(ctx context.Context, anchor docid.Anchor) ([][]byte, error) {
	entries, err := l.Log.Read(ctx, anchor)
	return entries[:min(uint64(len(entries)), l.end-anchor.Offset)], err
}
