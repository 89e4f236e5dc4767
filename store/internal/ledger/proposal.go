package ledger

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/neardup/neardup/docid"
)

// proposal changes a store: the start of a log, its heartbeat, a new index, a change of one, or an operation on a sink. The
// function fold applies it, and depends only on the proposal and the rows. So servers that apply the same proposals in the
// same order get the same rows.
type proposal struct {
	genesis   *genesis
	restart   *restart
	heartbeat *heartbeat
	tenant    string
	identity  *docid.Identity // the identity to create the index with, unless it exists
	change    *docid.Change
	past      uint64 // for a change that begins an epoch; see docid.Index
	sink      *sinkChange
}

// outcome is the result of fold. fold never changes the proposal, so a server applies its own proposals without decoding
// them.
type outcome struct {
	receipt docid.Receipt
	has     uint64 // after an attach: the last change that the sink has
	held    bool   // the proposer holds the lease
	trim    uint64 // after a heartbeat: the first offset to keep, or 0
	wanted  uint64 // after a heartbeat: the first offset that some server may not have on disk
	publish func() // called once the batch is durable; nil if nothing was written
}

func wrote() {} // does nothing

// sinkChange is an operation on a sink. It takes no number.
type sinkChange struct {
	What  sinkVerb
	Name  string
	UpTo  uint64 // for an acknowledgement: the last change
	Lease lease  // its turn is the last one that the server has seen
}

type sinkVerb byte

const (
	sinkAttach sinkVerb = iota + 1
	sinkDetach
	sinkAcknowledge
	sinkClaim
	sinkRelease
)

// lease is the lease of the server that feeds a sink. Each renewal adds a turn. A server that has seen the same turn for
// long enough may take the next one, so clocks need not agree.
type lease struct {
	Who  string
	Turn uint64
}

// propose applies a proposal durably, through the log if the store follows one.
func (s *Store) propose(ctx context.Context, p *proposal) (outcome, error) {
	if s.follower != nil {
		return s.follower.propose(ctx, p)
	}
	made := new(outcome)
	err := s.do(ctx, func(b *writes) (_ func(), err error) {
		*made, err = s.fold(b, p)
		return made.publish, err
	})
	if err != nil { // the writer may still change the outcome
		return outcome{}, err
	}
	return *made, nil
}

// maxPast exceeds every number of changes, because numbers have 48 bits.
const maxPast = 1 << 48

// fold applies a proposal in the writer. After an error it has written nothing.
func (s *Store) fold(b *writes, p *proposal) (o outcome, err error) {
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
	case p.change == nil:
		return o, fmt.Errorf("%w: empty proposal", docid.ErrInvalid)
	case p.change.Kind != docid.KindEpoch:
		t := newChange(ix, b, p.change, ix.head+1)
		o.publish, err = t.apply()
		o.receipt = t.receipt
		return o, err
	case ix.head > p.past:
		return o, nil
	case p.past >= maxPast:
		return o, fmt.Errorf("%w: epoch after change %d: too late", docid.ErrInvalid, p.past)
	}
	t := newChange(ix, b, p.change, p.past+1)
	o.publish = t.publish
	t.logEpoch()
	return o, nil
}

// refusals lists the errors of fold that depend only on the proposal and the rows. Other errors come from the engine.
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

// decodeProposal decodes the output of encode. It returns ErrCorrupt for anything else.
func decodeProposal(b []byte) (*proposal, error) {
	p, c := &proposal{}, &coder{b: b, reads: true}
	p.fields(c)
	return p, c.close(nil)
}

func (p *proposal) fields(c *coder) {
	c.all([]any{&p.tenant, &p.genesis, &p.restart, &p.heartbeat, &p.identity, &p.sink, &p.past})
	if there := c.has(p.change != nil); there {
		if c.reads {
			p.change = new(docid.Change)
		}
		changeFields(c, p.change)
	}
}

// changeFields codes a change. The text of a new leader is coded relative to that of the article.
func changeFields(c *coder, ch *docid.Change) {
	leader := ch.NewLeader
	if leader != nil {
		textless := *leader
		textless.Material.Text = ""
		leader = &textless
	}
	c.all([]any{&ch.Entry, &ch.Query, &ch.Names, &ch.SetHeat, &ch.Backlog, &ch.Article, &leader})
	if c.reads {
		ch.NewLeader = leader
	}
	if leader != nil {
		text := ""
		if ch.Article != nil {
			text = ch.Article.Text
		}
		derivedText(c, text, &ch.NewLeader.Material.Text)
	}
}
