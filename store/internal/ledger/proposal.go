package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/neardup/neardup/docid"
)

// proposal changes a store: the start of a log, its heartbeat, a new index, a change of one, or an operation on
// a sink. One function, fold, applies it, and depends on the proposal and the rows alone. So servers that apply
// the same proposals in the same order to the same rows get the same rows.
type proposal struct {
	genesis   *genesis
	restart   *restart
	heartbeat *heartbeat
	tenant    string
	identity  *docid.Identity // creates the index unless it exists
	change    *docid.Change
	past      uint64 // for a change that begins an epoch, see docid.Index
	sink      *sinkChange
}

// outcome is what fold returns for a proposal, which it never changes. So a server applies its own proposals as
// they are, and decodes only those of other servers.
type outcome struct {
	receipt docid.Receipt
	has     uint64 // after an attach, what the sink has
	held    bool   // whether the proposer holds the lease
	trim    uint64 // after a heartbeat, the first offset to keep, or 0
	wanted  uint64 // after a heartbeat, the first offset that a server may lack on disk
	publish func() // runs once the batch is durable; nil if nothing was written
}

func wrote() {} // publishes nothing

// sinkChange is an operation on a sink. It takes no number.
type sinkChange struct {
	what  sinkVerb
	name  string
	upTo  uint64 // for an acknowledgement
	lease lease  // turn is the last that the server has seen
}

type sinkVerb byte

const (
	sinkAttach sinkVerb = iota + 1
	sinkDetach
	sinkAcknowledge
	sinkClaim
	sinkRelease
)

// lease is the lease of the server that feeds a sink. Each renewal adds a turn. A server that has seen a turn
// for long enough may take the next, so clocks need not agree.
type lease struct {
	who  string
	turn uint64
}

// propose applies a proposal durably, through the log if the store follows one.
func (s *Store) propose(ctx context.Context, p *proposal) (outcome, error) {
	if s.follower != nil {
		return s.follower.propose(ctx, p)
	}
	made := new(outcome)
	err := s.do(ctx, func(b Batch) (_ func(), err error) {
		*made, err = s.fold(b, p)
		return made.publish, err
	})
	if err != nil { // the writer may still set the outcome
		return outcome{}, err
	}
	return *made, nil
}

// maxPast exceeds every number of changes, because numbers have 48 bits.
const maxPast = 1 << 48

// fold applies a proposal in the writer. After an error it has written nothing.
func (s *Store) fold(b Batch, p *proposal) (o outcome, err error) {
	if p.identity != nil {
		o.publish, err = s.createIndex(b, p.tenant, *p.identity, false)
		return o, err
	}
	ix := s.index(p.tenant)
	switch {
	case ix == nil:
		return o, fmt.Errorf("index of tenant %q: %w", p.tenant, docid.ErrNotFound)
	case p.sink != nil:
		return ix.foldSink(b, p.sink)
	case p.change.Kind != docid.KindEpoch:
		t := newChange(ix, b, p.change, ix.head+1)
		o.publish, err = t.apply()
		o.receipt = t.receipt
		return o, err
	case ix.head > p.past:
		return o, nil
	case p.past >= maxPast:
		return o, fmt.Errorf("%w: an epoch after change %d", docid.ErrInvalid, p.past)
	}
	t := newChange(ix, b, p.change, p.past+1)
	o.publish = t.publish
	return o, t.logEpoch()
}

// refusals lists the errors of fold that follow from proposal and rows. Other errors come from the engine.
var refusals = []error{
	docid.ErrInvalid, docid.ErrNotFound, docid.ErrConflict, docid.ErrEnded, docid.ErrMismatch, docid.ErrTaken, docid.ErrBehind, docid.ErrBacklog,
}

func refused(err error) bool {
	return slices.ContainsFunc(refusals, func(r error) bool { return errors.Is(err, r) })
}

// encode encodes a proposal, with texts last.
func (p *proposal) encode() []byte {
	var c coder
	if p.change != nil && p.change.Article != nil {
		c.b = make([]byte, 0, 1024+len(p.change.Article.Text))
	}
	p.fields(&c)
	return c.b
}

// decodeProposal reads what encode wrote. It returns ErrCorrupt if that fails.
func decodeProposal(b []byte) (*proposal, error) {
	p := &proposal{}
	return p, decoded(b, p.fields)
}

func (p *proposal) fields(c *coder) {
	kind := 6
	switch {
	case p.genesis != nil:
		kind = 1
	case p.heartbeat != nil:
		kind = 2
	case p.restart != nil:
		kind = 3
	case p.identity != nil:
		kind = 4
	case p.sink != nil:
		kind = 5
	}
	uints(c, &kind)
	texts(c, &p.tenant)
	switch {
	case present(c, &p.genesis, kind == 1):
		p.genesis.fields(c)
	case present(c, &p.heartbeat, kind == 2):
		p.heartbeat.fields(c)
	case present(c, &p.restart, kind == 3):
		p.restart.fields(c)
	case present(c, &p.identity, kind == 4):
		identityFields(c, new(uint32), p.identity, new(bool))
	case present(c, &p.sink, kind == 5):
		p.sink.fields(c)
	case present(c, &p.change, kind == 6):
		uints(c, &p.past)
		changeFields(c, p.change)
	default:
		c.fail(fmt.Sprintf("is a proposal of kind %d", kind))
	}
}

func (s *sinkChange) fields(c *coder) {
	uints(c, &s.what)
	texts(c, &s.name)
	uints(c, &s.upTo)
	s.lease.fields(c)
}

func (l *lease) fields(c *coder) {
	texts(c, &l.who)
	uints(c, &l.turn)
}

// changeFields codes a change. It omits the methods of the query and the bounds of its look-up.
func changeFields(c *coder, ch *docid.Change) {
	q := &ch.Query
	entryFields(c, &ch.Entry)
	uints(c, &q.Since, &q.Ruled, &q.Share, &ch.Backlog)
	list(c, &q.Names, len(docid.Name{}), nameFields)
	switch {
	case c.has(!slices.Equal(q.Names, ch.Names)):
		list(c, &ch.Names, len(docid.Name{}), nameFields)
	case c.reads:
		ch.Names = q.Names
	}
	list(c, &q.KeySets, 1, func(c *coder, s *docid.KeySet) { list(c, &s.Keys, 8, (*coder).fixed) })
	if present(c, &ch.SetHeat, c.has(ch.SetHeat != nil)) {
		ints(c, ch.SetHeat)
	}
	text := ""
	if present(c, &ch.Article, c.has(ch.Article != nil)) {
		articleFields(c, ch.Article)
		text = ch.Article.Text
	}
	if present(c, &ch.NewLeader, c.has(ch.NewLeader != nil)) {
		newLeaderFields(c, ch.NewLeader, q, text)
	}
	list(c, &q.Rated, len(docid.Name{})+1, func(c *coder, r *docid.Rated) {
		c.raw(r.Name[:])
		c.bool(&r.Common)
	})
}

// newLeaderFields codes a new leader. Its keys are usually those of the query.
func newLeaderFields(c *coder, f *docid.NewLeader, q *docid.Query, text string) {
	var probed []uint64
	for _, s := range q.KeySets {
		probed = append(probed, s.Keys...)
	}
	switch {
	case c.has(!slices.Equal(probed, f.Keys)):
		list(c, &f.Keys, 8, (*coder).fixed)
	case c.reads:
		f.Keys = probed
	}
	c.fixed(&f.Sketch)
	texts(c, &f.Material.NID, &f.Material.Title)
	extrasFields(c, &f.Material.Extras)
	derivedText(c, text, &f.Material.Text)
}

func nameFields(c *coder, n *docid.Name) { c.raw(n[:]) }
