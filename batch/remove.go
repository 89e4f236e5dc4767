package batch

import (
	"container/heap"
	"context"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch/reference"
	"github.com/neardup/neardup/internal/external"
)

// Removal counts what Remove did.
type Removal struct {
	Removed int64 `json:"removed"`
	// Judged counts the documents that were decided again, because a near leader was removed or added. Changed counts those
	// whose decision changed.
	Judged  int64  `json:"judged"`
	Changed int64  `json:"changed"`
	Digest  string `json:"digest"` // digest of all remaining decisions
}

// Remove removes the documents of an index for which gone returns true. It decides again, in order, those that had a
// removed leader, and all documents that depend on them. The result equals an index that was decided without the removed
// documents. Remove calls changed with each new decision. Of cfg it uses Method, Clean, Memory and Tmp. The removal takes
// effect when the Outputs of w are committed.
func Remove(ctx context.Context, w *reference.Writer, cfg Config, gone func(id string, time int64) bool, changed func(neardup.Decision) error) (*Removal, error) {
	cfg.Reference = w.Index
	j, err := newJob(cfg)
	if err != nil {
		return nil, err
	}
	defer j.disk.Close()
	r := &removing{
		job: j, w: w, finder: w.Finder(),
		heads: external.NewTypedArray[uint32, uint32](j.disk, j.memory(100)), nexts: external.NewTypedArray[uint32, uint32](j.disk, j.memory(100)),
		rows: external.NewTypedArray[uint32, uint32](j.disk, j.memory(100)), changed: external.NewArray[reference.Row](j.disk, j.memory(100)),
		waits: newBitset(int(w.Numbers())),
	}
	r.digest, err = ParseResultDigest(w.Digest())
	if err != nil {
		return nil, err
	}
	if err := r.take(ctx, gone); err != nil {
		return nil, err
	}
	for len(r.queue) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := r.judge(heap.Pop(&r.queue).(uint32), changed); err != nil {
			return nil, err
		}
	}
	r.done.Digest = r.digest.String()
	return &r.done, w.Rewrite(ctx, r.done.Digest, func(doc uint32, row *reference.Row) (err error) {
		*row, err = r.row(doc, *row)
		return err
	})
}

// removing decides documents again, in order and each once. When it decides a document, all decisions that may affect it
// are final.
type removing struct {
	*job
	w      *reference.Writer
	finder *reference.Finder
	digest *ResultDigest
	done   Removal

	// heads maps a leader to its last duplicate or variant. nexts maps each of these to the previous one. Both store
	// numbers plus 1.
	heads, nexts external.TypedArray[uint32, uint32]
	// rows maps changed rows to their index in `changed` plus 1.
	rows    external.TypedArray[uint32, uint32]
	changed *external.Array[reference.Row]
	queue   numbers
	waits   bitset // documents that are or were in the queue
}

// numbers is a min-heap.
type numbers []uint32

func (n numbers) Len() int           { return len(n) }
func (n numbers) Less(i, j int) bool { return n[i] < n[j] }
func (n numbers) Swap(i, j int)      { n[i], n[j] = n[j], n[i] }
func (n *numbers) Push(one any)      { *n = append(*n, one.(uint32)) }
func (n *numbers) Pop() any {
	last := (*n)[len(*n)-1]
	*n = (*n)[:len(*n)-1]
	return last
}

// take removes documents and queues those that had a removed leader.
func (r *removing) take(ctx context.Context, gone func(id string, time int64) bool) error {
	n := int(r.w.Numbers())
	for _, t := range []external.TypedArray[uint32, uint32]{r.heads, r.nexts, r.rows} {
		if err := t.Grow(n); err != nil {
			return err
		}
	}
	return r.w.Each(func(doc uint32, row *reference.Row) error {
		if doc&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		id, err := r.w.ID(row)
		if err != nil {
			return err
		}
		if row.Kind != reference.New {
			if err := r.follow(doc, row.Leader); err != nil {
				return err
			}
		}
		if !gone(id, row.Time) {
			if row.Kind == reference.New {
				return nil
			}
			leader, err := r.current(row.Leader)
			if err == nil && leader.Removed {
				r.wait(doc)
			}
			return err
		}
		r.done.Removed++
		d, err := r.w.Decision(doc, row)
		if err != nil {
			return err
		}
		r.digest.subtract(d)
		row.Removed = true
		return r.set(doc, *row)
	})
}

func (r *removing) follow(doc, leader uint32) error {
	var before uint32
	err := r.heads.Update(leader, func(head *uint32) { before, *head = *head, doc+1 })
	if err != nil {
		return err
	}
	return r.nexts.Update(doc, func(next *uint32) { *next = before })
}

func (r *removing) wait(doc uint32) {
	if !r.waits.has(doc) {
		r.waits.set(doc)
		heap.Push(&r.queue, doc)
	}
}

// set changes the row of a document.
func (r *removing) set(doc uint32, row reference.Row) error {
	n, err := r.changed.Add(row)
	if err != nil {
		return err
	}
	return r.rows.Update(doc, func(at *uint32) { *at = uint32(n) + 1 })
}

// row returns the current row of a document; was is its row in the index.
func (r *removing) row(doc uint32, was reference.Row) (reference.Row, error) {
	at, err := r.rows.Get(doc)
	if err != nil || at == 0 {
		return was, err
	}
	return r.changed.Get(int(at) - 1)
}

func (r *removing) current(doc uint32) (reference.Row, error) {
	row, err := r.w.Row(doc)
	if err != nil {
		return row, err
	}
	return r.row(doc, row)
}

// judge decides a document against the current leaders before it.
func (r *removing) judge(doc uint32, changed func(neardup.Decision) error) error {
	was, err := r.current(doc)
	if err != nil || was.Removed {
		return err
	}
	r.done.Judged++
	clean, err := r.w.Text(&was)
	if err != nil {
		return err
	}
	own := Text{Clean: clean, Prepared: r.cfg.Method.Prepare(clean)}
	var rec neardup.Record
	r.cfg.Method.Record(clean, &rec)
	now, err := r.bestLeader(doc, was, own, &rec)
	if err != nil {
		return err
	}
	if now == was {
		return nil
	}
	if err := r.change(doc, was, now, changed); err != nil {
		return err
	}
	switch {
	case !was.Leads() && now.Leads():
		return r.alert(doc, own, &rec)
	case was.Leads() && !now.Leads():
		return r.release(doc)
	}
	return nil
}

// others calls fn once with each document that shares a key with a text and has the given role.
func (r *removing) others(doc uint32, clean string, sketch uint64, keys []uint64, role Role, fn func(uint32, *reference.Row) error) error {
	if len(keys) == 0 {
		keys = []uint64{neardup.DigestOf(clean).Key()}
	}
	seen := map[uint32]bool{doc: true}
	for _, key := range keys {
		err := r.finder.Find(key, func(p reference.Posting) error {
			if Role(p.Role)&role == 0 || seen[p.Doc] || (role == Indexed) != (p.Doc < doc) {
				return nil
			}
			seen[p.Doc] = true
			row, err := r.current(p.Doc)
			if err != nil || row.Removed || (row.Sketch != sketch && !r.cfg.Method.Plausible(sketch, row.Sketch)) {
				return err
			}
			return fn(p.Doc, &row)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// bestLeader finds the best leader.
func (r *removing) bestLeader(doc uint32, was reference.Row, own Text, rec *neardup.Record) (reference.Row, error) {
	var best Edge
	err := r.others(doc, own.Clean, was.Sketch, rec.Probes(), Indexed, func(other uint32, row *reference.Row) error {
		if !row.Leads() {
			return nil
		}
		m, err := r.compare(own, row, false)
		if e := (Edge{Earlier: Ordinal(other), Later: Ordinal(doc), Match: m}); err == nil && (m.Near || m.Variant) && e.Stronger(best) {
			best = e
		}
		return err
	})
	now := was
	now.Leader, now.Distance, now.Similarity, now.Kind, now.Basis = doc, -1, 0, reference.New, 0
	if err != nil || best.strength().grade == none {
		return now, err
	}
	now.Leader = uint32(best.Earlier)
	switch gradeOf(best.Match) {
	case variant:
		now.Kind = reference.Variant
	case unsure:
		now.Kind = reference.Unsure
	case contained, near, equal:
		now.Kind, now.Similarity, now.Distance = reference.Near, best.Similarity, int32(max(best.Distance, -1))
		if best.Basis == neardup.BasisEqual {
			now.Kind = reference.Equal
		}
		now.Basis, err = r.w.Basis(best.Method, best.Basis)
	}
	return now, err
}

// compare verifies a text against the text of a row. If leads is set, the first text is the leader, otherwise the second.
func (r *removing) compare(own Text, row *reference.Row, leads bool) (neardup.Match, error) {
	clean, err := r.w.Text(row)
	if err != nil {
		return neardup.Match{}, err
	}
	a, b := own, Text{Clean: clean, Prepared: r.cfg.Method.Prepare(clean)}
	if leads {
		a, b = b, a
	}
	return Verify(r.cfg.Method, a, b), nil
}

// change records a new decision.
func (r *removing) change(doc uint32, was, now reference.Row, changed func(neardup.Decision) error) error {
	r.done.Changed++
	before, err := r.w.Decision(doc, &was)
	if err != nil {
		return err
	}
	r.digest.subtract(before)
	if err := r.set(doc, now); err != nil {
		return err
	}
	after, err := r.w.Decision(doc, &now)
	if err != nil {
		return err
	}
	r.digest.Add(after)
	return changed(after)
}

// alert queues the later documents that are near a new leader, or variants of it.
func (r *removing) alert(doc uint32, own Text, rec *neardup.Record) error {
	return r.others(doc, own.Clean, rec.Sketch, rec.Index, Probing, func(other uint32, row *reference.Row) error {
		m, err := r.compare(own, row, true)
		if err == nil && (m.Near || m.Variant) {
			r.wait(other)
		}
		return err
	})
}

// release queues the documents of a document that stopped being a leader.
func (r *removing) release(doc uint32) error {
	at, err := r.heads.Get(doc)
	for at > 0 && err == nil {
		r.wait(at - 1)
		at, err = r.nexts.Get(at - 1)
	}
	return err
}
