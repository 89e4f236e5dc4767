package ledger

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
)

// change holds the state of applying a docid.Change. It never modifies the docid.Change. plan does all reads and refusals
// before the first write, so write only fails if the engine fails.
type change struct {
	docid.Entry // the entry as it will be logged
	ix          *index
	b           *writes
	c           *docid.Change
	receipt     docid.Receipt
	waits       *docid.Article // article that is delivered to the sinks
	effect      docid.KeptEffect
	restores    bool // the change is replayed to restore a lost index
	rows        []row
	memory      []func() // updates of the memtable, which readers see only after publish
	after       []func() // run once the change is durable
}

func newChange(ix *index, b *writes, c *docid.Change, seq uint64) *change {
	t := &change{Entry: c.Entry, ix: ix, b: b, c: c}
	t.Seq = seq
	return t
}

// row is a write. A nil value deletes.
type row struct{ key, value []byte }

func (t *change) set(key []byte, values ...any) {
	t.rows = append(t.rows, row{key: key, value: sealed(key, values...)})
}
func (t *change) del(key []byte)                     { t.rows = append(t.rows, row{key: key}) }
func (t *change) key(space byte, n ...uint64) []byte { return t.ix.key(space, n...) }

// apply checks a change and writes it. The returned function is nil if nothing was written.
func (t *change) apply() (func(), error) {
	replayed, err := t.plan()
	if err != nil || replayed {
		return nil, err
	}
	if t.waits != nil && t.ix.full(t.c.Backlog) {
		return nil, docid.ErrBacklog
	}
	t.write()
	return t.publish, nil
}

// write writes the planned rows and the log entry.
func (t *change) write() {
	t.receipt = docid.Receipt{Entry: t.Entry, Epoch: t.ix.epochOf(t.Leader)}
	t.set(t.key(spaceLog, t.Seq), &t.Entry)
	if (t.waits != nil || t.effect != docid.KeptSame) && len(t.ix.sinks) > 0 && !t.restores {
		t.set(t.key(spaceOutbox, t.Seq), &waiting{t.effect, t.waits})
	}
	for _, r := range t.rows {
		r.write(t.b)
	}
	for _, do := range t.memory {
		do()
	}
	t.ix.head = t.Seq
}

func (r row) write(b *writes) {
	if r.value == nil {
		b.Delete(r.key)
	} else {
		b.Set(r.key, r.value)
	}
}

func (t *change) publish() {
	t.ix.publishing.Lock()
	defer t.ix.publishing.Unlock()
	for _, do := range t.after {
		do()
	}
	t.ix.durable.Store(t.Seq)
	t.ix.freeze()
}

func publishAll(all []*change) func() {
	return func() {
		for _, t := range all {
			t.publish()
		}
	}
}

func (t *change) plan() (replayed bool, err error) {
	switch t.Kind {
	case docid.KindNew, docid.KindDuplicate:
		return t.planSubmission()
	case docid.KindUpdate:
		return false, t.planUpdate()
	case docid.KindDelete:
		return false, t.planDelete()
	case docid.KindEnd, docid.KindExpire:
		return false, t.planEnd()
	case docid.KindForget:
		return false, t.planForget()
	case docid.KindCorrect:
		return false, t.planCorrect()
	case docid.KindRule:
		return false, t.planRule()
	}
	return false, fmt.Errorf("%w: unknown kind of change %q", docid.ErrInvalid, t.Kind)
}

func (t *change) planSubmission() (bool, error) {
	if t.c.Article == nil || (t.Kind == docid.KindNew) != (t.c.NewLeader != nil) {
		return false, fmt.Errorf("%w: submission without an article", docid.ErrInvalid)
	}
	if t.restores {
		if t.ix.checkLeader(t.c) != nil {
			return false, fmt.Errorf("%w: docId %d does not exist", docid.ErrInvalid, t.Leader)
		}
	} else if replayed, err := t.validate(); replayed || err != nil {
		return replayed, err
	}
	if t.NID == "" {
		t.NID = docid.AnonymousNID(t.Seq)
	}
	a := *t.c.Article
	a.ID, a.Heat = t.NID, t.Heat
	if t.Kind == docid.KindNew {
		t.Leader = t.Seq
		t.addLeader()
	}
	if err := t.addNames(); err != nil {
		return false, err
	}
	t.waits = &a
	return false, t.addMember(a)
}

// validate validates a submission against the current state. It looks for an earlier answer, checks the judgement
// for conflicts, and updates the leaders' nids.
func (t *change) validate() (replayed bool, err error) {
	asked := docid.ReplayKey{Idempotency: t.Idempotency, NID: t.NID, Request: t.Request}
	t.receipt, err = t.ix.findReplay(t.b, asked)
	if !errors.Is(err, docid.ErrNotFound) {
		return err == nil, err
	}
	if err := t.checkConflicts(); err != nil {
		return false, err
	}
	return false, t.name()
}

// findReplay returns the receipt of an earlier identical request, found by idempotency key or nid. It returns
// ErrNotFound if there is none.
func (ix *index) findReplay(r Reader, a docid.ReplayKey) (docid.Receipt, error) {
	var m docid.Member
	for _, by := range []struct {
		name  string
		key   []byte
		get   any
		other error
	}{
		{a.Idempotency, idemKey(ix.id, a.Idempotency), &m.Seq, docid.ErrMismatch},
		{a.NID, nidKey(ix.id, a.NID), &m, docid.ErrTaken},
	} {
		if by.name == "" || (by.other == docid.ErrTaken && !ix.nids.has(by.name)) {
			continue
		}
		if ok, err := read(r, by.key, by.get); err != nil {
			return docid.Receipt{}, err
		} else if ok {
			return ix.replay(r, m.Seq, a.Request, by.other)
		}
	}
	return docid.Receipt{}, docid.ErrNotFound
}

// name replaces a leader's nid in the evidence if that nid no longer names the article that made the docId.
func (t *change) name() (err error) {
	e := &t.Evidence
	if t.Kind == docid.KindDuplicate {
		e.LeaderNID, t.Leader, err = t.ix.leaderNID(t.b, t.Leader, e.LeaderNID)
	} else if e.Variant != 0 {
		e.VariantNID, _, err = t.ix.leaderNID(t.b, e.Variant, e.VariantNID)
	}
	return err
}

// leaderNID returns the nid of the article that made a docId, and the current docId of that article. If the article was
// deleted, it returns the anonymous nid, because another article may have the nid now.
func (ix *index) leaderNID(r Reader, leader uint64, nid string) (name string, home uint64, err error) {
	var m docid.Member
	ok, err := read(r, nidKey(ix.id, nid), &m)
	if ok && m.Own() == leader {
		return nid, m.Leader, nil
	}
	return docid.AnonymousNID(leader), leader, err
}

// replay returns the receipt of an earlier change if it was the same request.
func (ix *index) replay(r Reader, seq uint64, request [16]byte, other error) (docid.Receipt, error) {
	e, err := ix.entry(r, seq)
	if err != nil {
		return docid.Receipt{}, err
	}
	if e.Request != request {
		return docid.Receipt{}, other
	}
	var m docid.Member
	if _, err := read(r, nidKey(ix.id, e.NID), &m); err != nil {
		return docid.Receipt{}, err
	}
	answer := docid.Receipt{Entry: e, Replayed: true}
	if m.Seq == seq {
		answer.Moved = m.Correction
	}
	answer.Epoch = ix.epochOf(answer.Home())
	return answer, nil
}

// maxLeaders is the highest number of leaders in memory.
var maxLeaders = math.MaxUint32

// checkConflicts returns ErrConflict if newer changes could alter the judgement.
func (t *change) checkConflicts() error {
	if err := t.ix.checkLeader(t.c); err != nil {
		return err
	}
	q := t.c.Query
	if err := t.ruledSince(func(a, _ string) bool { return t.c.NID == a }); err != nil {
		return err
	}
	if t.Kind == docid.KindNew && t.ix.posts.leaders.len() >= maxLeaders {
		return fmt.Errorf("%w: too many docIds (want at most %d)", docid.ErrFull, maxLeaders)
	}
	if err := t.ix.checkNewer(func(work func(Reader) error) error { return work(t.b) }, &q); err != nil {
		return err
	}
	common, err := t.ix.common(t.b, &q, t.ix.docIDs)
	if err == nil && !slices.EqualFunc(q.Rated, common, func(r docid.Rated, is bool) bool { return r.Common == is }) {
		err = docid.ErrConflict
	}
	return err
}

// checkLeader returns ErrEnded for a duplicate whose docId has ended.
func (ix *index) checkLeader(c *docid.Change) error {
	if c.Kind == docid.KindDuplicate && ix.posts.living(c.Leader, math.MaxUint64) == nil {
		return docid.ErrEnded
	}
	return nil
}

// checkNewer returns ErrConflict if a change after the query posted a living leader under one of its names or keys.
func (ix *index) checkNewer(src source, q *docid.Query) error {
	newer := error(nil)
	look := func(key uint64) error {
		if ix.posts.recent.none(key, q.Since) {
			return nil
		}
		err := ix.posts.each(src, key, q.Since, math.MaxUint64, func(*leader) bool {
			newer = docid.ErrConflict
			return false
		})
		return errors.Join(err, newer)
	}
	for _, n := range q.Names {
		if err := look(nameHash(n)); err != nil {
			return err
		}
	}
	for _, s := range q.KeySets {
		for _, k := range s.Keys {
			if err := look(k); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *change) addLeader() {
	f, ix := t.c.NewLeader, t.ix
	material := f.Material
	material.NID = t.NID
	r := leaderRow{leaderHead{t.Time, t.Expires, f.Sketch}, neardup.DigestOf(f.Material.Text), f.Keys}
	t.set(t.key(spaceLeader, t.Seq), &r)
	t.set(t.key(spaceText, t.Seq), &material)
	if t.Expires != 0 {
		t.set(expiryKey(ix.id, t.Expires, t.Seq))
	}
	t.memory = append(t.memory, func() {
		ix.docIDs++
		ix.posts.post(t.Seq, ix.posts.lead(t.Seq, f.Sketch, t.Time), f.Keys...)
	})
	t.after = append(t.after, func() { ix.leaders.Add(1) })
}

// addNames posts those names that do not yet lead to the docId.
func (t *change) addNames() error {
	var fresh []uint64
	for i, n := range t.c.Names {
		key := nameKey(t.ix.id, t.Leader, n)
		known, err := t.has(key)
		if err != nil {
			return err
		}
		if known || slices.Contains(t.c.Names[:i], n) {
			continue
		}
		t.set(key, &t.Seq)
		t.set(aliasKey(t.ix.id, n, t.Leader))
		fresh = append(fresh, nameHash(n))
	}
	if len(fresh) > 0 {
		t.memory = append(t.memory, func() {
			n, _ := t.ix.posts.find(t.Leader)
			t.ix.posts.post(t.Seq, n, fresh...)
		})
	}
	return nil
}

// has reports whether a row of the docId exists. A new docId has none.
func (t *change) has(key []byte) (bool, error) {
	if t.Kind == docid.KindNew {
		return false, nil
	}
	v, err := t.b.Get(key)
	return v != nil, err
}

// addMember writes the article under its nid and in its group. It stores the whole article if it is the
// hottest.
func (t *change) addMember(a docid.Article) error {
	m := docid.Member{Article: a, Leader: t.Leader, Seq: t.Seq, Disagrees: t.Evidence.Disagrees}
	m.Text = ""
	t.set(nidKey(t.ix.id, t.NID), &m)
	t.memory = append(t.memory, func() { t.ix.nids.add(t.NID) })
	t.set(t.key(spaceMember, t.Leader, t.Seq), &t.NID)
	if t.Idempotency != "" {
		t.set(idemKey(t.ix.id, t.Idempotency), &t.Seq)
	}
	t.resize(t.Leader, 1)
	return t.keep(a)
}

// resize changes the member count once the change is durable.
func (t *change) resize(leader uint64, by int64) {
	ix := t.ix
	t.after = append(t.after, func() {
		ix.members.Add(by)
		if _, l := ix.posts.find(leader); l != nil {
			l.size.Add(by)
		}
	})
}

// keep makes an article the kept copy if there is none or it is hotter, unless it contradicts its leader.
func (t *change) keep(a docid.Article) error {
	if t.Evidence.Disagrees {
		return nil
	}
	key := t.key(spaceKept, t.Leader)
	old := keptRow{Contested: t.Kind != docid.KindNew}
	if t.Kind != docid.KindNew {
		if ok, err := read(t.b, key, &old); err != nil || (ok && a.Heat <= old.Article.Heat) {
			return err
		}
	}
	t.setKept(keptRow{t.Seq, a, old.Contested})
	t.effect = docid.KeptReplaced
	return nil
}

func (t *change) setKept(r keptRow) {
	t.set(t.key(spaceKept, t.Leader), &r)
}

// entry reads a log entry.
func (ix *index) entry(r Reader, seq uint64) (docid.Entry, error) {
	e := docid.Entry{Seq: seq}
	ok, err := read(r, ix.key(spaceLog, seq), &e)
	if err == nil && !ok {
		err = fmt.Errorf("%w: change %d is missing in the log", docid.ErrCorrupt, seq)
	}
	return e, err
}
