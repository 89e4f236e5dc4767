package docid

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/internal/inorder"
)

// Rebuild rebuilds an index from a source. It repeats every change of the history, with the original docIds. It computes
// the keys of leaders from their texts.
type Rebuild struct {
	Store interface { // the store of the rebuilt index
		Restore(ctx context.Context, tenant string, id Identity) (Restoration, error)
	}
	Source   Source
	Tenant   string
	Settings Settings // the settings that the index was served with
	// Rejudge rebuilds with these settings even if the index was served with others. It keeps the seed, the key and the
	// table, so the docIds stay. It returns ErrUnlike if the settings clean texts differently, because the index only
	// stores clean texts. Call Detector.Rejudge afterwards.
	Rejudge bool
	// AsStored takes keys from the source instead of computing them, or leaves them to the store. Of Settings it only uses
	// Clean.
	AsStored bool
	// Drained states that the source had every change when the index was lost. Then no change is lost, and no epoch begins.
	Drained bool
	// Page limits the changes that are read and repeated at a time; 0 means 500. If texts are long, it is fewer.
	Page int
	// Progress is called with the number of changes made so far. May be nil.
	Progress func(made int)

	identity Identity
	cascade  cascade
	ids      DocIDs
	target   Restoration
	sum      Rebuilt
	reading
}

// reading is the state of reading the source.
type reading struct {
	texts uint64          // the last change whose texts the source has
	size  int             // size of the next page
	read  digest          // digest of the entries read
	bare  map[uint64]bool // submissions whose article the source lacks
}

// Rebuilt describes the result of a rebuild.
type Rebuilt struct {
	From, Seq uint64 // the rebuilt changes are those after From up to Seq
	Digest    string // digest of the log up to Seq; see Detector.LogDigest
	// Textless counts docIds whose text the source lacked. Articles only find them by url and title. Some of them may have
	// ended since.
	Textless int
	// Missing counts those of Textless whose text the source has lost.
	Missing int
	// Keptless counts kept copies whose text the source lacked.
	Keptless int
	// Rowless counts articles that the source has lost although they were never deleted.
	Rowless int
	Epoch   bool // an epoch began
	Changed bool // the settings changed
	Stats
}

// Run rebuilds the index. After an error or a crash it continues where it stopped. Errors: neardup.ErrUnlike if the
// settings are not those of the index, ErrOccupied if there is an index already, ErrUndrained, ErrCorrupt, ErrUnavailable.
func (r *Rebuild) Run(ctx context.Context) (Rebuilt, error) {
	if err := r.prepare(ctx); err != nil {
		return r.sum, err
	}
	if err := r.changes(ctx); err != nil {
		return r.sum, fmt.Errorf("rebuild the index of tenant %q: %w", r.Tenant, err)
	}
	if err := r.verify(ctx); err != nil {
		return r.sum, fmt.Errorf("verify the index of tenant %q: %w", r.Tenant, err)
	}
	past := uint64(0)
	r.sum.Epoch = !r.Drained
	if r.sum.Epoch {
		past = Beyond(max(r.sum.Seq, r.texts), r.cascade.now())
	}
	return r.sum, r.target.Finish(ctx, past)
}

// prepare opens the source and the index, and determines how far the rebuild is.
func (r *Rebuild) prepare(ctx context.Context) (err error) {
	if r.Page <= 0 {
		r.Page = 500
	}
	r.read, r.bare = newDigest(), map[uint64]bool{}
	r.identity, err = r.Source.Identity(ctx, r.Tenant)
	if err != nil {
		return err
	}
	if err := r.makeCascade(); err != nil {
		return err
	}
	r.ids, err = newDocIDs(r.identity, r.Tenant)
	if err != nil {
		return err
	}
	r.sum.Seq, r.texts, err = r.Source.Cursors(ctx, r.Tenant)
	if err != nil {
		return err
	}
	if r.Drained && r.texts != r.sum.Seq {
		return fmt.Errorf("%w: one has changes of tenant %q up to %d, the other up to %d", ErrUndrained, r.Tenant, r.sum.Seq, r.texts)
	}
	r.target, err = r.Store.Restore(ctx, r.Tenant, r.identity)
	if err != nil {
		return err
	}
	if r.target.Catalog() == nil {
		return nil
	}
	st, err := r.target.Catalog().Stats(ctx)
	if err != nil {
		return err
	}
	epochs, err := r.target.Catalog().Epochs(ctx)
	r.ids.learn(epochs)
	r.sum.From = st.Seq
	return err
}

// makeCascade makes the cascade of the rebuilt index.
func (r *Rebuild) makeCascade() (err error) {
	if r.AsStored {
		r.cascade.Clean = r.Settings.Clean
		return nil
	}
	r.cascade, err = r.Settings.ofIndex(r.Tenant, r.identity)
	r.cascade.nameKey = derive(r.identity, "name")
	r.sum.Changed = errors.Is(err, neardup.ErrUnlike)
	if !r.sum.Changed || !r.Rejudge {
		return err
	}
	was, is := cleanOf(r.identity.Spec), cleanOf(r.cascade.spec())
	r.identity.Spec = r.cascade.spec()
	if was != is {
		return fmt.Errorf("%w: the texts of tenant %q were normalised by %q and cannot be changed to %q", neardup.ErrUnlike, r.Tenant, was, is)
	}
	return nil
}

// changes repeats every change that the index lacks. While it writes one page, it reads the next and makes its keys.
func (r *Rebuild) changes(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	r.size = min(firstPage, r.Page)
	made, p := 0, r.readPage(ctx, r.sum.From)
	for len(p.changes) > 0 {
		next := make(chan past, 1)
		go func() { next <- r.readPage(ctx, p.changes[len(p.changes)-1].Seq) }()
		err := r.target.Append(ctx, p.changes)
		made += len(p.changes)
		if err != nil {
			stop()
		} else if r.Progress != nil {
			r.Progress(made)
		}
		p = <-next
		if err != nil {
			return err
		}
	}
	return p.err
}

// past is a page of the history, which is empty at the end or after an error.
type past struct {
	changes []*Change
	err     error
}

// Pages begin small. They are halved if their texts are longer than this.
const (
	firstPage = 16
	pageBytes = 16 << 20
)

// readPage reads the page after a change.
func (r *Rebuild) readPage(ctx context.Context, at uint64) (p past) {
	if at >= r.sum.Seq {
		return p
	}
	ds, err := r.Source.History(ctx, r.Tenant, at, r.size)
	if err == nil && len(ds) == 0 {
		err = fmt.Errorf("%w: the history ends at change %d of %d", ErrCorrupt, at, r.sum.Seq)
	}
	if err != nil {
		return past{err: err}
	}
	p.changes, p.err = r.page(ctx, ds)
	switch bytes := bytesOf(p.changes); {
	case bytes > pageBytes:
		r.size = max(1, r.size/2)
	case bytes < pageBytes/4:
		r.size = min(2*r.size, r.Page)
	}
	return p
}

// bytesOf returns the total length of the texts of a page.
func bytesOf(page []*Change) (n int) {
	for _, c := range page {
		if c.Article != nil {
			n += len(c.Article.Text)
		}
		if c.NewLeader != nil {
			n += len(c.NewLeader.Material.Text)
		}
	}
	return n
}

// page converts deliveries to changes.
func (r *Rebuild) page(ctx context.Context, ds []Delivery) ([]*Change, error) {
	var wanted []*Delivery
	once := map[uint64]bool{}
	for i := range ds {
		d := &ds[i]
		r.read.add(&d.Entry)
		switch d.Kind {
		case KindEpoch:
			r.ids.learn(append(slices.Clone(*r.ids.epochs.Load()), Epoch{First: d.Seq, Number: d.Leader}))
		case KindForget, KindRule:
		default:
			d.DocID = r.ids.DocID(d.Leader)
		}
		if needsText := d.Leads() || d.Backfilled || d.Kept.Replaces(); needsText && !once[d.Leader] {
			once[d.Leader] = true
			wanted = append(wanted, d)
		}
	}
	texts, err := r.Source.Texts(ctx, wanted)
	if err != nil {
		return nil, err
	}
	page := make([]*Change, len(ds))
	var leaders []*NewLeader
	for i := range ds {
		page[i] = r.change(&ds[i], texts[ds[i].Leader])
		if f := page[i].NewLeader; f != nil {
			leaders = append(leaders, f)
		}
	}
	if !r.AsStored {
		err = r.cascade.keys(ctx, leaders)
	}
	return page, err
}

// change returns the change to repeat for a delivery, without the keys of a leader.
func (r *Rebuild) change(d *Delivery, t Texts) *Change {
	c := &Change{Entry: d.Entry, Names: d.Names}
	if r.Rejudge && d.Article != nil && d.Kind != KindUpdate {
		c.Names = append(c.Names, r.cascade.namesOf(d.Article)...)
	}
	switch d.Kind {
	case KindNew, KindDuplicate, KindCorrect:
		r.sum.Members++
		c.Article = d.Article
		if c.Article == nil { // the article is deleted later
			c.Article, r.bare[d.Seq] = &Article{}, d.Kind != KindCorrect
		}
	case KindUpdate:
		heat := d.Heat
		c.SetHeat = &heat
		if d.Revises() {
			c.Article = &Article{}
		}
	default:
		return c
	}
	if c.Article != nil && t.Kept != nil && t.Kept.ID == d.NID {
		c.Article.Text = t.Kept.Text
	} else if superseded := t.KeptSeq > d.Seq && t.KeptSeq <= r.sum.Seq; d.Kept.Replaces() && !superseded && !t.Ended {
		r.sum.Keptless++
	}
	if d.Leads() {
		r.sum.Leaders++
		c.NewLeader = &NewLeader{Keys: t.Keys, Sketch: t.Sketch}
		switch {
		case t.Material != nil:
			c.NewLeader.Material = *t.Material
		case !t.Ended && d.Article != nil && !r.cascade.Titled: // the clean text may not be the original one, because it includes the title
			c.NewLeader.Material.Title, c.NewLeader.Material.Extras = r.cascade.clean(d.Article.Title), d.Article.Extras
		}
		if t.Material == nil && !t.Ended {
			r.sum.Textless++
			if d.Seq <= r.texts {
				r.sum.Missing++
			}
		}
		c.NewLeader.Material.NID = d.NID
	}
	return c
}

// cleanOf returns the cleaning that a spec names.
func cleanOf(spec string) string {
	_, rest, _ := strings.Cut(spec, " clean=")
	kept, _, _ := strings.Cut(rest, " url=")
	return kept
}

// keys makes the keys and sketches of leaders from their texts, on all processors.
func (c *cascade) keys(ctx context.Context, leaders []*NewLeader) error {
	return inorder.Each(ctx, 0, len(leaders), func(i int) error {
		f := leaders[i]
		s := c.subject(f.Material.Title, f.Material.Text)
		s.prepare()
		f.Keys, f.Sketch = s.keys, s.sketch
		return nil
	})
}

// verify compares the entries that this run added to the log with those of the source. It counts the articles of the
// index, and those that the source has lost.
func (r *Rebuild) verify(ctx context.Context) (err error) {
	catalog := r.target.Catalog()
	if catalog == nil {
		r.sum.Rowless = len(r.bare)
		return nil
	}
	r.sum.Stats, err = catalog.Stats(ctx)
	if err != nil {
		return err
	}
	if r.sum.Stats.Seq != r.sum.Seq {
		return fmt.Errorf("%w: the index has changes up to %d, the history up to %d", ErrCorrupt, r.sum.Stats.Seq, r.sum.Seq)
	}
	all, made := newDigest(), newDigest()
	err = eachEntry(ctx, catalog, r.sum.Seq, func(e *Entry) error {
		all.add(e)
		if e.Seq > r.sum.From {
			made.add(e)
		}
		if !r.bare[e.Seq] {
			return nil
		}
		m, err := catalog.Member(ctx, e.NID)
		if err == nil && m.Seq == e.Seq {
			r.sum.Rowless++
		}
		return gone(err)
	})
	r.sum.Digest = all.String()
	if err == nil && made.String() != r.read.String() {
		err = fmt.Errorf("%w: the log differs from the history that it repeats", ErrCorrupt)
	}
	return err
}

// LogDigest returns a SHA-256 of the log up to a change. Two indexes with one digest decided the same in the
// same order. O(changes).
func (d *Detector) LogDigest(ctx context.Context, upTo uint64) (string, error) {
	sum := newDigest()
	err := eachEntry(ctx, d.index.Catalog(), upTo, func(e *Entry) error {
		sum.add(e)
		return nil
	})
	return sum.String(), err
}

// eachEntry visits the log up to a change.
func eachEntry(ctx context.Context, c Catalog, upTo uint64, visit func(*Entry) error) error {
	for at := uint64(0); at < upTo; {
		entries, err := c.Log(ctx, at, 1000)
		if err != nil {
			return fmt.Errorf("read the log: %w", err)
		}
		if len(entries) == 0 {
			return fmt.Errorf("%w: the log ends at change %d of %d", ErrBehind, at, upTo)
		}
		for i := range entries {
			at = entries[i].Seq
			if at > upTo {
				break
			}
			if err := visit(&entries[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// digest is the SHA-256 of entries, each as a line of JSON.
type digest struct {
	hash.Hash
	lines *json.Encoder
}

func newDigest() digest {
	h := sha256.New()
	return digest{h, json.NewEncoder(h)}
}

func (d digest) add(e *Entry) {
	e2 := *e
	if len(e2.Evidence.Conflicts) == 0 {
		e2.Evidence.Conflicts = []neardup.Conflict{} // stores differ in whether an empty list is nil
	}
	_ = d.lines.Encode(&e2) // numbers and strings always marshal, and writing to a hash never fails
}

// String returns the digest of the added entries.
func (d digest) String() string { return hex.EncodeToString(d.Sum(nil)) }
