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

	"github.com/neardup/neardup"
)

// Rebuild rebuilds a lost index from two sinks. It repeats every change of the history, with the original
// docIds. Leaders are found under the keys of their texts.
type Rebuild struct {
	Store    Store
	History  History
	Library  Library
	Tenant   string
	Settings Settings // those that the index was served with
	// Anew rebuilds with these settings even if the index was served with others. See Settings.Rekey; call
	// Detector.Rejudge afterwards.
	Anew bool
	// Drained states that both sinks had every change when the index was lost. Then nothing is lost, and no
	// epoch begins.
	Drained bool
	// Page bounds the changes read and repeated at a time; it is fewer if texts are long. 0: 500.
	Page int
	// If Progress is not nil, it gets the number of changes made so far.
	Progress func(made int)

	identity Identity
	cascade  cascade
	ids      DocIDs
	target   Restoration
	sum      Rebuilt
	library  uint64 // the cursor of the library
}

// Rebuilt reports what was rebuilt.
type Rebuilt struct {
	From, Seq uint64 // the changes after From, up to Seq
	Digest    string // of the log up to Seq: see LogDigest
	// Textless counts docIds whose text the library lacked. Articles find them by url and title only. Some of
	// them may have ended since.
	Textless int
	// Missing counts those of them whose changes the library has, so it lost their texts.
	Missing int
	// Keptless are kept copies whose text the library did not have.
	Keptless int
	// Rowless counts articles that were never deleted but that the history has lost.
	Rowless int
	Epoch   bool // one began
	Stats
}

// Run rebuilds the index. After an error or a crash it continues where it was. Errors: neardup.ErrUnlike if the
// settings are not those of the index, ErrOccupied if there is an index already, ErrUndrained, ErrCorrupt,
// ErrUnavailable.
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
	if r.sum.Epoch = !r.Drained; r.sum.Epoch {
		past = Beyond(max(r.sum.Seq, r.library), r.cascade.now())
	}
	return r.sum, r.target.Finish(ctx, past)
}

// prepare opens everything and finds out how far it is.
func (r *Rebuild) prepare(ctx context.Context) (err error) {
	if r.Page <= 0 {
		r.Page = 500
	}
	if r.identity, err = r.History.Identity(ctx, r.Tenant); err != nil {
		return err
	}
	if r.Anew {
		as, err := r.Settings.Rekey(r.Tenant, r.identity)
		if err != nil {
			return err
		}
		r.cascade, r.identity.Spec = as.cascade, as.Spec
	} else if r.cascade, err = r.Settings.ofIndex(r.Tenant, r.identity); err != nil {
		return err
	}
	if r.ids, err = newDocIDs(r.identity, r.Tenant); err != nil {
		return err
	}
	if r.sum.Seq, err = r.History.Cursor(ctx, r.Tenant); err != nil {
		return err
	}
	if r.library, err = r.Library.Cursor(ctx, r.Tenant); err != nil {
		return err
	}
	if r.Drained && r.library != r.sum.Seq {
		return fmt.Errorf("%w: one has changes of tenant %q up to %d, the other up to %d", ErrUndrained, r.Tenant, r.sum.Seq, r.library)
	}
	if r.target, err = r.Store.Restore(ctx, r.Tenant, r.identity); err != nil {
		return err
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

// changes makes every change again that is not there. While a page is written,
// the next is read and its keys are made.
func (r *Rebuild) changes(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	pages := make(chan []*Change, 1)
	read := make(chan error, 1) // what it ends with is there before pages is closed
	go func() {
		defer close(pages)
		read <- r.read(ctx, pages)
	}()
	var failed error
	made := 0
	for page := range pages { // to the end, so that the reading goroutine has ended
		if failed != nil {
			continue
		}
		if failed = r.target.Append(ctx, page); failed != nil {
			stop()
		} else if r.Progress != nil {
			made += len(page)
			r.Progress(made)
		}
	}
	if err := <-read; failed == nil {
		return err
	}
	return failed
}

// Pages begin small, and are halved where their texts are longer than this.
const (
	firstPage = 16
	pageBytes = 16 << 20
)

// read makes changes of the history, page by page.
func (r *Rebuild) read(ctx context.Context, pages chan<- []*Change) error {
	size := min(firstPage, r.Page)
	for at := r.sum.From; at < r.sum.Seq; {
		ds, err := r.History.History(ctx, r.Tenant, at, size)
		if err != nil {
			return err
		}
		if len(ds) == 0 {
			return fmt.Errorf("%w: the history ends with change %d of %d", ErrCorrupt, at, r.sum.Seq)
		}
		page, err := r.page(ctx, ds)
		if err != nil {
			return err
		}
		select {
		case pages <- page:
		case <-ctx.Done():
			return ctx.Err()
		}
		at = ds[len(ds)-1].Seq
		switch bytes := bytesOf(page); {
		case bytes > pageBytes:
			size = max(1, size/2)
		case bytes < pageBytes/4:
			size = min(2*size, r.Page)
		}
	}
	return nil
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

// page makes changes of deliveries.
func (r *Rebuild) page(ctx context.Context, ds []Delivery) ([]*Change, error) {
	var wanted []string
	once := map[string]bool{}
	for i := range ds {
		d := &ds[i]
		switch d.Kind {
		case KindEpoch:
			r.ids.learn(append(slices.Clone(*r.ids.epochs.Load()), Epoch{First: d.Seq, Number: d.Leader}))
		case KindForget, KindRule:
		default:
			d.DocID = r.ids.DocID(d.Leader)
		}
		if needsText := d.Leads() || d.Backfilled || d.Kept.Replaces(); needsText && !once[d.DocID] {
			once[d.DocID] = true
			wanted = append(wanted, d.DocID)
		}
	}
	texts, err := r.Library.Texts(ctx, wanted)
	if err != nil {
		return nil, err
	}
	page := make([]*Change, len(ds))
	var leaders []*NewLeader
	for i := range ds {
		page[i] = r.change(&ds[i], texts[ds[i].DocID])
		if f := page[i].NewLeader; f != nil {
			leaders = append(leaders, f)
		}
	}
	r.cascade.keys(leaders)
	return page, nil
}

// change returns a change as it is repeated, without the keys of a leader.
func (r *Rebuild) change(d *Delivery, t Texts) *Change {
	c := &Change{Entry: d.Entry, Names: d.Names}
	switch d.Kind {
	case KindNew, KindDuplicate, KindCorrect:
		if c.Article = d.Article; c.Article == nil { // it is deleted later
			c.Article = &Article{}
		}
	case KindUpdate:
		heat := d.Heat
		if c.SetHeat = &heat; d.Revises() {
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
		c.NewLeader = &NewLeader{}
		switch {
		case t.Material != nil:
			c.NewLeader.Material = *t.Material
		case !t.Ended && d.Article != nil && !r.cascade.Titled: // a title alone is not what it was
			c.NewLeader.Material.Title, c.NewLeader.Material.Extras = r.cascade.clean(d.Article.Title), d.Article.Extras
		}
		if t.Material == nil && !t.Ended {
			r.sum.Textless++
			if d.Seq <= r.library {
				r.sum.Missing++
			}
		}
		c.NewLeader.Material.NID = d.NID
	}
	return c
}

// verify holds the log that was made to the history, entry by entry, and counts the articles that the
// history has lost.
func (r *Rebuild) verify(ctx context.Context) (err error) {
	if r.sum.Stats, err = r.target.Catalog().Stats(ctx); err != nil {
		return err
	}
	if r.sum.Stats.Seq != r.sum.Seq {
		return fmt.Errorf("%w: it has changes up to %d, the history up to %d", ErrCorrupt, r.sum.Stats.Seq, r.sum.Seq)
	}
	if r.sum.Digest, err = LogDigest(ctx, r.target.Catalog(), r.sum.Seq); err != nil {
		return err
	}
	told := newDigest()
	for at := uint64(0); at < r.sum.Seq; {
		ds, err := r.History.History(ctx, r.Tenant, at, r.Page)
		if err != nil || len(ds) == 0 {
			return errors.Join(err, ctx.Err())
		}
		for i := range ds {
			told.add(&ds[i].Entry)
			if d := &ds[i]; d.Article == nil && (d.Kind == KindNew || d.Kind == KindDuplicate) {
				m, err := r.target.Catalog().Member(ctx, d.NID)
				if err == nil && m.Seq == d.Seq {
					r.sum.Rowless++
				}
				if gone(err) != nil {
					return err
				}
			}
		}
		at = ds[len(ds)-1].Seq
	}
	if sum := told.String(); sum != r.sum.Digest {
		return fmt.Errorf("%w: the digest of its log is %s, that of the history %s", ErrCorrupt, r.sum.Digest, sum)
	}
	return nil
}

// LogDigest returns a SHA-256 of the log up to a change. Two indexes with one digest decided the same in the
// same order. O(changes).
func LogDigest(ctx context.Context, c Catalog, upTo uint64) (string, error) {
	d := newDigest()
	for at := uint64(0); at < upTo; {
		entries, err := c.Log(ctx, at, 1000)
		if err != nil {
			return "", fmt.Errorf("read the log: %w", err)
		}
		if len(entries) == 0 {
			return "", fmt.Errorf("%w: the log ends with change %d of %d", ErrBehind, at, upTo)
		}
		for i := range entries {
			if at = entries[i].Seq; at <= upTo {
				d.add(&entries[i])
			}
		}
	}
	return d.String(), nil
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
		e2.Evidence.Conflicts = []neardup.Conflict{} // nil or not is the store's
	}
	_ = d.lines.Encode(&e2) // into a hash, of numbers and strings
}

// String returns the digest of what was added.
func (d digest) String() string { return hex.EncodeToString(d.Sum(nil)) }
