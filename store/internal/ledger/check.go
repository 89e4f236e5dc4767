package ledger

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
)

// Problem describes one defect that Check found.
type Problem struct {
	Tenant string
	Row    string // the key, in hex
	File   string // or a file in the folder
	What   string
}

// Report is the result of Check. A sound store has no problems.
type Report struct {
	Rows     int
	Problems []Problem
}

// maxProblems limits the listed problems.
const maxProblems = 1000

// Check reads every row and verifies everything that a scan can verify. It verifies checksums, and that log, leaders,
// articles, names and epochs agree. The log must have no gap and no number or epoch twice (I-6). Each duplicate must name
// an older leader that lived (I-3). No change that a witness recorded may be missing. It needs about 100 bytes for each
// living docId and article. progress may be nil.
func Check(ctx context.Context, kv KV, progress func(rows int)) (report Report, err error) {
	err = atSnapshot(kv, func(v Snapshot) error {
		if _, err := version(v); err != nil {
			return err
		}
		c := &checker{ctx: ctx, r: &firstFailure{Reader: v}, progress: progress}
		if w, ok := kv.(Witnessed); ok {
			c.witnessed = w.Heads()
		}
		err := c.store()
		report = c.Report
		return err
	})
	return report, err
}

func (c *checker) store() error {
	if _, err := marked(c.r); err != nil {
		c.bad(copyKey(), "%v", err)
	}
	c.followed()
	all := eachIndex(c.r, func(ix *index, damaged error) error {
		c.row()
		c.ix = ix
		if damaged != nil {
			c.bad(ix.row(), "%v", damaged)
			return nil
		}
		return c.index()
	})
	for _, h := range c.witnessed {
		c.bad([]byte{spaceIndex}, "no index of tenant %q (its witness has %d changes)", h.Tenant, h.Seq)
	}
	return all
}

// followed checks the position in the log and the heartbeats.
func (c *checker) followed() {
	if there, err := read(c.r, positionKey(), new(logPosition)); err != nil {
		c.bad(positionKey(), "%v", err)
	} else if there {
		c.row()
	}
	if _, _, err := heartbeats(c.r); err != nil {
		c.bad([]byte{spaceBeat}, "%v", err)
	}
}

type checker struct {
	Report
	ctx       context.Context
	progress  func(rows int)
	witnessed []Head // of indexes that are not checked yet
	r         *firstFailure
	ix        *index
	head      uint64
	leaders   map[uint64]int64  // living docId -> its time of expiry, according to the log
	members   map[string]joined // articles that were not deleted, according to the log
	epochs    map[uint64]uint64 // first change of an epoch -> its number, according to the log
	pending   uint64            // some sink still needs the changes after this one
}

// firstFailure reads rows until a read fails, and returns that error from then on. The engine takes a third of a second for
// each read of a damaged block.
type firstFailure struct {
	Reader
	err error
}

// Get returns a value, or the first error of a read.
func (f *firstFailure) Get(key []byte) (v []byte, err error) {
	if f.err == nil {
		v, f.err = f.Reader.Get(key)
	}
	return v, f.err
}

// joined records the change that added an article, and its docId.
type joined struct{ seq, leader uint64 }

// progressEvery is the number of rows between two calls of progress.
const progressEvery = 10_000

func (c *checker) row() {
	c.Rows++
	if c.progress != nil && c.Rows%progressEvery == 0 {
		c.progress(c.Rows)
	}
}

// holds reports a problem if the index holds less than its witness recorded.
func (c *checker) holds() error {
	got := Head{c.ix.tenant, c.head, int64(len(c.leaders)), int64(len(c.members))}
	c.witnessed = slices.DeleteFunc(c.witnessed, func(want Head) bool {
		if want.Tenant == got.Tenant && got.lacks(want) {
			c.bad(c.ix.key(spaceLog), "%d changes, %d docIds and %d articles (want %d, %d and %d, as in the witness)",
				got.Seq, got.Leaders, got.Members, want.Seq, want.Leaders, want.Members)
		}
		return want.Tenant == got.Tenant
	})
	return nil
}

func (c *checker) bad(key []byte, format string, args ...any) {
	if len(c.Problems) < maxProblems {
		tenant := ""
		if c.ix != nil {
			tenant = c.ix.tenant
		}
		c.Problems = append(c.Problems, Problem{Tenant: tenant, Row: rowName(key), What: fmt.Sprintf(format, args...)})
	}
}

// each visits the rows of a space. It reports and skips rows that cannot be decoded.
func (c *checker) each(space byte, get any, visit func(key []byte)) error {
	return scan(c.r, c.ix.key(space), func(k, v []byte) error {
		c.row()
		if err := decode(k, v, get); err != nil {
			c.bad(k, "%v", err)
		} else {
			visit(k)
		}
		if c.r.err != nil {
			return c.r.err
		}
		return c.ctx.Err()
	})
}

func (c *checker) index() error {
	c.head, c.leaders, c.members = 0, map[uint64]int64{}, map[string]joined{}
	c.epochs = map[uint64]uint64{}
	for _, step := range []func() error{c.checkLog, c.holds, c.leaderRows, c.texts, c.kept, c.names, c.nids, c.derived, c.segments, c.sinks, c.waiting} {
		if err := step(); err != nil {
			return err
		}
		if c.r.err != nil {
			return c.r.err
		}
	}
	return nil
}

// checkLog replays the log to find which docIds and articles must exist.
func (c *checker) checkLog() error {
	groups := map[uint64][]string{}
	return scan(c.r, c.ix.key(spaceLog), func(k, v []byte) error {
		c.row()
		e, err := loggedEntry(k, v)
		before := c.head
		c.head = e.Seq
		if err != nil {
			c.bad(k, "%v", err)
			return nil
		}
		if e.Seq != before+1 && e.Kind != docid.KindEpoch {
			c.bad(k, "change %d follows change %d", e.Seq, before)
		}
		c.replay(k, e, groups)
		return c.ctx.Err()
	})
}

func (c *checker) replay(k []byte, e docid.Entry, groups map[uint64][]string) {
	_, lives := c.leaders[e.Leader]
	switch e.Kind {
	case docid.KindNew:
		if e.Leader != e.Seq {
			c.bad(k, "new article: leader %d (want %d)", e.Leader, e.Seq)
		}
		c.leaders[e.Seq] = e.Expires
	case docid.KindDuplicate, docid.KindEnd, docid.KindExpire:
		if !lives {
			c.bad(k, "%s: leader %d does not exist", e.Kind, e.Leader)
		}
	case docid.KindDelete:
		delete(c.members, e.NID)
	case docid.KindUpdate, docid.KindForget, docid.KindRule:
	case docid.KindCorrect:
		c.correct(k, e, groups)
	case docid.KindEpoch:
		if slices.Contains(slices.Collect(maps.Values(c.epochs)), e.Leader) || e.Leader == 0 {
			c.bad(k, "epoch %016x: used before, or zero", e.Leader)
		}
		c.epochs[e.Seq] = e.Leader
	default:
		c.bad(k, "unknown kind of change %q", e.Kind)
	}
	if submission(e.Kind) {
		c.members[e.NID] = joined{e.Seq, e.Leader}
		groups[e.Leader] = append(groups[e.Leader], e.NID)
	}
	if e.Kind == docid.KindEnd || e.Kind == docid.KindExpire {
		c.end(e, groups)
	}
}

// correct moves an article to another docId. No other kind of change does that.
func (c *checker) correct(k []byte, e docid.Entry, groups map[uint64][]string) {
	m := c.members[e.NID]
	_, lives := c.leaders[e.Leader]
	switch {
	case m.seq == 0 || e.Ruling == nil || m.leader != e.Ruling.Before:
		c.bad(k, "correction of %q: wrong earlier docId", e.NID)
	case e.Leader != e.Seq && !lives:
		c.bad(k, "correction of %q: leader %d does not exist", e.NID, e.Leader)
	}
	if e.Leads() {
		c.leaders[e.Seq] = e.Expires
	}
	c.members[e.NID] = joined{m.seq, e.Leader}
	groups[e.Leader] = append(groups[e.Leader], e.NID)
}

// end removes a docId and the articles that still belong to it.
func (c *checker) end(e docid.Entry, groups map[uint64][]string) {
	for _, nid := range groups[e.Leader] {
		if c.members[nid].leader == e.Leader {
			delete(c.members, nid)
		}
	}
	delete(groups, e.Leader)
	delete(c.leaders, e.Leader)
}

// living reports whether a docId lives. If it does not, it reports a problem with the row that names it.
func (c *checker) living(k []byte, leader uint64) bool {
	_, ok := c.leaders[leader]
	if !ok {
		c.bad(k, "leader %d does not exist", leader)
	}
	return ok
}

func (c *checker) leaderRows() error {
	n := 0
	var row leaderRow
	err := c.each(spaceLeader, &row, func(k []byte) {
		seq := number(k, 0)
		if !c.living(k, seq) {
			return
		}
		n++
		if row.Expires != c.leaders[seq] {
			c.bad(k, "wrong time of expiry (want that of the log)")
		}
		var m docid.Material
		key := c.ix.key(spaceText, seq)
		ok, err := read(c.r, key, &m)
		switch {
		case err != nil: // checking the texts reports it
		case !ok:
			c.bad(key, "text of leader %d: missing", seq)
		case neardup.DigestOf(m.Text) != row.Digest:
			c.bad(key, "not the text of leader %d", seq)
		}
	})
	c.missing(spaceLeader, "leaders", len(c.leaders)-n)
	return err
}

// missing reports n rows that must exist but do not.
func (c *checker) missing(space byte, what string, n int) {
	if n > 0 {
		c.bad(c.ix.key(space), "%d %s: missing or damaged", n, what)
	}
}

func (c *checker) texts() error {
	return c.each(spaceText, new(docid.Material),
		func(k []byte) { c.living(k, number(k, 0)) })
}

func (c *checker) kept() error {
	var row keptRow
	return c.each(spaceKept, &row, func(k []byte) {
		if c.living(k, number(k, 0)) && c.members[row.Article.ID].leader != number(k, 0) {
			c.bad(k, "kept article %q: does not belong to this docId", row.Article.ID)
		}
	})
}

func (c *checker) names() error {
	var seq uint64
	return c.each(spaceName, &seq, func(k []byte) {
		leader := number(k, 0)
		if c.living(k, leader) && (seq > c.head || seq < leader) {
			c.bad(k, "posted by change %d: out of range (want %d to %d)", seq, leader, c.head)
		}
	})
}

func (c *checker) nids() error {
	n := 0
	var m docid.Member
	err := c.each(spaceNID, &m, func(k []byte) {
		switch {
		case c.members[string(k[5:])] != joined{m.Seq, m.Leader}:
			c.bad(k, "change %d (want %d, as in the log)", m.Seq, c.members[string(k[5:])].seq)
			return
		case !c.living(k, m.Leader):
			return
		}
		n++
	})
	c.missing(spaceNID, "articles", len(c.members)-n)
	return err
}

// derived compares the derived rows with those that Rebuild would make.
func (c *checker) derived() error {
	forgot, err := c.ix.forgot(c.r)
	if err != nil {
		c.bad(c.ix.key(spaceForgot), "%v", err)
	}
	for _, d := range derived {
		want := map[uint64]struct{}{} // hashes of key and value
		err := scan(c.r, c.ix.key(d.from), func(k, v []byte) error {
			if key, value, err := d.row(c.ix, forgot, k, v); err == nil && key != nil { // other checks report errors
				want[checksum(key, value)] = struct{}{}
			}
			return c.ctx.Err()
		})
		if err != nil {
			return err
		}
		err = scan(c.r, c.ix.key(d.space), func(k, v []byte) error {
			c.row()
			h := checksum(k, v)
			if _, follows := want[h]; !follows {
				c.bad(k, "does not match the row that it is derived from")
			}
			delete(want, h)
			return c.ctx.Err()
		})
		if err != nil {
			return err
		}
		c.missing(d.space, "rows", len(want))
	}
	return nil
}
