package ledger

import (
	"errors"
	"fmt"
	"slices"

	"github.com/neardup/neardup/docid"
)

// planUpdate changes the heat or the text of a member. Only the text of the kept copy is stored. So a member that becomes
// hotter than the kept copy replaces it only if the change has its text.
func (t *change) planUpdate() error {
	m, err := t.ix.member(t.b, t.NID)
	if err != nil {
		return err
	}
	if t.c.Article != nil && t.Leader != m.Leader {
		return docid.ErrConflict
	}
	if t.c.SetHeat != nil {
		m.Heat = *t.c.SetHeat
	}
	t.Leader, t.Heat = m.Leader, m.Heat
	whole := t.c.Article != nil
	a := m.Article
	if whole {
		a.Text, m.Disagrees = t.c.Article.Text, t.Evidence.Disagrees
		t.waits = &a
	}
	t.set(nidKey(t.ix.id, m.ID), &m)
	return t.elect(m, a, whole)
}

// elect makes an updated article the kept copy, or records that another member may now be hotter than the kept copy.
func (t *change) elect(m docid.Member, a docid.Article, whole bool) error {
	kept := keptRow{Contested: true}
	ok, err := read(t.b, t.key(spaceKept, m.Leader), &kept)
	if err != nil {
		return err
	}
	own := ok && kept.Article.ID == m.ID
	switch {
	case own && whole && m.Disagrees:
		t.del(t.key(spaceKept, m.Leader))
		t.effect = docid.KeptRemoved
	case own:
		kept.Contested = kept.Contested || m.Heat < kept.Article.Heat
		kept.Article.Heat = m.Heat
		if whole {
			kept.Seq, kept.Article.Text = t.Seq, a.Text
		}
		t.setKept(kept)
		t.waits, t.effect = &kept.Article, docid.KeptReheated
		if whole {
			t.effect = docid.KeptReplaced
		}
	case m.Disagrees:
	case whole && (!ok || m.Heat > kept.Article.Heat):
		t.setKept(keptRow{t.Seq, a, kept.Contested})
		t.effect = docid.KeptReplaced
	case ok && m.Heat > kept.Article.Heat && !kept.Contested:
		kept.Contested = true
		t.setKept(kept)
	}
	return nil
}

// planDelete removes a member and its texts. The keys and the text by which the docId is found and verified remain.
func (t *change) planDelete() error {
	m, err := t.ix.member(t.b, t.NID)
	if err != nil {
		return err
	}
	t.Leader = m.Leader
	t.del(nidKey(t.ix.id, m.ID))
	t.del(t.key(spaceMember, m.Leader, m.Seq))
	t.resize(m.Leader, -1)

	key := t.key(spaceKept, m.Leader)
	var kept keptRow
	ok, err := read(t.b, key, &kept)
	if err == nil && ok && kept.Article.ID == m.ID {
		t.del(key)
		t.effect = docid.KeptRemoved
	}
	return err
}

// planEnd removes a docId with all its rows, one by one, because in Pebble a range deletion slows later reads
// until the next flush. O(members).
func (t *change) planEnd() error {
	ix, seq := t.ix, t.Leader
	_, l := ix.posts.find(seq)
	switch {
	case l != nil && l.ended.Load() != 0:
		return docid.ErrEnded
	case l == nil:
		return ix.absent(t.b, seq)
	}
	var r leaderRow
	if ok, err := read(t.b, t.key(spaceLeader, seq), &r); err != nil {
		return err
	} else if !ok {
		return fmt.Errorf("%w: leader %d has no row", docid.ErrCorrupt, seq)
	}
	members, err := t.endMembers(seq)
	if err := errors.Join(err, t.endNames(seq)); err != nil {
		return err
	}
	for _, space := range []byte{spaceLeader, spaceText, spaceKept} {
		t.del(t.key(space, seq))
	}
	t.effect = docid.KeptRemoved
	if r.Expires != 0 {
		t.del(expiryKey(ix.id, r.Expires, seq))
	}
	t.memory = append(t.memory, func() { l.ended.Store(t.Seq); ix.docIDs-- })
	t.after = append(t.after, func() {
		ix.leaders.Add(-1)
		ix.members.Add(-members)
	})
	return nil
}

// endNames removes the names of a docId.
func (t *change) endNames(leader uint64) error {
	return scan(t.b, t.key(spaceName, leader), func(k, _ []byte) error {
		t.del(aliasOf(t.ix.id, k))
		t.del(slices.Clone(k))
		return nil
	})
}

// endMembers removes the members of a docId and counts them.
func (t *change) endMembers(leader uint64) (int64, error) {
	var n int64
	err := scan(t.b, t.key(spaceMember, leader), func(k, v []byte) error {
		var nid string
		if err := decode(k, v, &nid); err != nil {
			return err
		}
		t.del(nidKey(t.ix.id, nid))
		t.del(slices.Clone(k))
		n++
		return nil
	})
	return n, err
}

// planForget drops the idempotency keys of changes up to c.Leader.
func (t *change) planForget() error {
	t.Leader = min(t.Leader, t.ix.head)
	from, to := t.key(spaceLog, 0), t.key(spaceLog, t.Leader+1)
	forgot, err := t.ix.forgot(t.b)
	if err != nil {
		return err
	}
	if forgot > 0 {
		from = t.key(spaceLog, forgot+1)
	}
	err = t.b.Scan(from, to, func(k, v []byte) error {
		e, err := loggedEntry(k, v)
		if err != nil {
			return err
		}
		if e.Idempotency != "" && submission(e.Kind) {
			t.del(idemKey(t.ix.id, e.Idempotency))
		}
		return nil
	})
	forgot = max(forgot, t.Leader)
	t.set(t.key(spaceForgot), &forgot)
	return err
}

// forgot returns the last change whose idempotency key was dropped.
func (ix *index) forgot(r Reader) (uint64, error) {
	var seq uint64
	_, err := read(r, ix.key(spaceForgot), &seq)
	return seq, err
}

func submission(k docid.Kind) bool { return k == docid.KindNew || k == docid.KindDuplicate }
