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
	genesis  *genesis
	restart  *restart
	beat     *beat
	tenant   string
	identity *docid.Identity // creates the index unless it exists
	change   *docid.Change
	past     uint64 // for a change that begins an epoch, see docid.Index
	sink     *sinkChange
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
	claim claim  // turn is the last that the server has seen
}

type sinkVerb byte

const (
	sinkAttach sinkVerb = iota + 1
	sinkDetach
	sinkAcknowledge
	sinkClaim
	sinkRelease
)

// claim is the lease of the server that feeds a sink. Each renewal adds a turn. A server that has seen a turn
// for long enough may take the next, so clocks need not agree.
type claim struct {
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
	return encoded(func(e *encoder) {
		if p.change != nil && p.change.Article != nil {
			e.b = make([]byte, 0, 1024+len(p.change.Article.Text))
		}
		switch {
		case p.genesis != nil:
			e.uint(1)
			p.genesis.put(e)
			return
		case p.beat != nil:
			e.uint(2)
			p.beat.put(e)
			return
		case p.restart != nil:
			e.uint(4)
			p.restart.put(e)
			return
		}
		e.uint(3)
		e.string(p.tenant)
		switch {
		case p.identity != nil:
			e.uint(1)
			putIdentity(e, 0, p.identity, false)
		case p.sink != nil:
			e.uint(2)
			p.sink.put(e)
		default:
			e.uint(3)
			e.uint(p.past)
			putChange(e, p.change)
		}
	})
}

// decodeProposal reads what encode wrote. It returns ErrCorrupt if that fails.
func decodeProposal(b []byte) (*proposal, error) {
	p := &proposal{}
	err := decoded(b, func(d *decoder) {
		switch about := d.uint(); about {
		case 1:
			p.genesis = &genesis{}
			p.genesis.get(d)
			return
		case 2:
			p.beat = &beat{}
			p.beat.get(d)
			return
		case 4:
			p.restart = &restart{}
			p.restart.get(d)
			return
		case 3:
		default:
			d.fail(fmt.Sprintf("is about %d", about))
		}
		p.tenant = d.string()
		switch kind := d.uint(); kind {
		case 1:
			var n uint32
			p.identity = &docid.Identity{}
			getIdentity(d, &n, p.identity)
		case 2:
			p.sink = &sinkChange{}
			p.sink.get(d)
		case 3:
			p.past, p.change = d.uint(), &docid.Change{}
			getChange(d, p.change)
		default:
			d.fail(fmt.Sprintf("is a proposal of kind %d", kind))
		}
	})
	return p, err
}

func (s *sinkChange) put(e *encoder) {
	e.uint(uint64(s.what))
	e.string(s.name)
	e.uint(s.upTo)
	s.claim.put(e)
}

func (s *sinkChange) get(d *decoder) {
	s.what, s.name, s.upTo = sinkVerb(d.uint()), d.string(), d.uint()
	s.claim.get(d)
}

func (c claim) put(e *encoder) {
	e.string(c.who)
	e.uint(c.turn)
}

func (c *claim) get(d *decoder) { c.who, c.turn = d.string(), d.uint() }

// putChange encodes a change. It omits the methods of the query and the bounds of its look-up.
func putChange(e *encoder, c *docid.Change) {
	var entry encoder
	putEntry(&entry, &c.Entry)
	e.string(string(entry.b)) // later formats may append fields
	q := &c.Query
	e.uint(q.Since)
	e.uint(q.Ruled)
	e.uint(0) // unused since an older version
	e.uint(c.Backlog)
	putNames(e, q.Names)
	putUnless(e, slices.Equal(q.Names, c.Names), func() { putNames(e, c.Names) })
	e.uint(uint64(len(q.KeySets)))
	var probed []uint64
	for _, s := range q.KeySets {
		putKeys(e, s.Keys)
		probed = append(probed, s.Keys...)
	}
	e.bool(c.SetHeat != nil)
	if c.SetHeat != nil {
		e.int(*c.SetHeat)
	}
	text := ""
	e.bool(c.Article != nil)
	if c.Article != nil {
		putArticle(e, c.Article)
		text = c.Article.Text
	}
	e.bool(c.NewLeader != nil)
	if f := c.NewLeader; f != nil {
		putUnless(e, slices.Equal(probed, f.Keys), func() { putKeys(e, f.Keys) })
		e.fixed(f.Sketch)
		e.string(f.Material.NID)
		e.string(f.Material.Title)
		putDerived(e, text, f.Material.Text)
	}
	putExtrasOf(e, c)
}

func getChange(d *decoder, c *docid.Change) {
	entry := &decoder{b: []byte(d.string())}
	if getEntry(entry, &c.Entry); entry.err != nil || entry.more() {
		d.fail("has a bad entry")
	}
	q := &c.Query
	q.Since, q.Ruled = d.uint(), d.uint()
	_, c.Backlog = d.uint(), d.uint()
	q.Names = getNames(d)
	if c.Names = q.Names; d.bool() {
		c.Names = getNames(d)
	}
	q.KeySets = make([]docid.KeySet, d.count(1))
	var probed []uint64
	for i := range q.KeySets {
		q.KeySets[i].Keys = getKeys(d)
		probed = append(probed, q.KeySets[i].Keys...)
	}
	if d.bool() {
		heat := d.int()
		c.SetHeat = &heat
	}
	text := ""
	if d.bool() {
		c.Article = &docid.Article{}
		getArticle(d, c.Article)
		text = c.Article.Text
	}
	if d.bool() {
		f := &docid.NewLeader{Keys: probed}
		if c.NewLeader = f; d.bool() {
			f.Keys = getKeys(d)
		}
		f.Sketch = d.fixed()
		f.Material = docid.Material{NID: d.string(), Title: d.string(), Text: getDerived(d, text)}
	}
	if d.more() {
		getExtrasOf(d, c)
	}
}

// putUnless writes a flag, and then the value unless it equals an earlier one.
func putUnless(e *encoder, same bool, put func()) {
	if e.bool(!same); !same {
		put()
	}
}

func putNames(e *encoder, names []docid.Name) {
	e.uint(uint64(len(names)))
	for _, n := range names {
		e.raw(n[:])
	}
}

func getNames(d *decoder) []docid.Name {
	names := make([]docid.Name, d.count(len(docid.Name{})))
	for i := range names {
		copy(names[i][:], d.raw(len(names[i])))
	}
	return names
}

func putKeys(e *encoder, keys []uint64) {
	e.uint(uint64(len(keys)))
	for _, k := range keys {
		e.fixed(k)
	}
}

func getKeys(d *decoder) []uint64 {
	keys := make([]uint64, d.count(8))
	for i := range keys {
		keys[i] = d.fixed()
	}
	return keys
}
