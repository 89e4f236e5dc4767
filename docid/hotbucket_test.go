package docid_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/store/memory"
	"github.com/neardup/neardup/text"
)

// A bucket with more leaders than may be compared is searched in the order of likeness. An equal text and a
// near copy of a leader are found. A text that is near none of those compared is refused, never called new.
func TestHotBucketIsSearchedByLikeness(t *testing.T) {
	const most, leaders = 50, 400
	d := service(t, docid.Settings{
		Clean: text.Default(), Content: docid.Near, MaxCandidates: most,
		ContentMethod: func(seed uint64, _ []byte) (neardup.Method, error) {
			return methods.New(fmt.Sprint("minhash seed=", seed))
		},
	})
	made, refused := []string{}, 0
	for n := range leaders {
		a, err := d.Add(t.Context(), submission("", "", template(n)))
		switch {
		case errors.Is(err, docid.ErrHotBucket):
			refused++
		case err != nil || a.Decision.Decision != neardup.New:
			t.Fatalf("template %d: %+v, %v", n, a.Decision, err)
		default:
			made = append(made, template(n))
		}
	}
	t.Logf("%d leaders of one template, %d refused", len(made), refused)
	if refused == 0 || len(made) < most {
		t.Fatalf("no hot bucket: %d made, %d refused", len(made), refused)
	}
	for i, original := range made {
		for _, copied := range []string{original, strings.Replace(original, "harbour", "seaport", 1)} {
			a, err := d.Add(t.Context(), submission("", "", copied))
			if err != nil || a.Decision.Decision != neardup.Duplicate {
				t.Errorf("copy of leader %d: %+v, %v", i, a.Decision, err)
			}
		}
	}
}

// late is the index of a server that does not have the changes from one on until Stats waits for them.
type late struct {
	docid.Index
	from uint64 // 0: it has them
}

func (l *late) Replay(ctx context.Context, k docid.ReplayKey) (docid.Receipt, error) {
	if l.from != 0 {
		return docid.Receipt{}, docid.ErrNotFound
	}
	return l.Index.Replay(ctx, k)
}

func (l *late) Lookup(ctx context.Context, q docid.Query) (docid.Found, error) {
	if l.from != 0 && q.Before == 0 {
		q.Before = l.from
	}
	return l.Index.Lookup(ctx, q)
}

func (l *late) Catalog() docid.Catalog { return lateCatalog{l.Index.Catalog(), l} }

type lateCatalog struct {
	docid.Catalog
	of *late
}

func (c lateCatalog) Stats(ctx context.Context) (docid.Stats, error) {
	c.of.from = 0
	return c.Catalog.Stats(ctx)
}

type lateStore struct {
	docid.Store
	index *late
}

func (s *lateStore) Index(ctx context.Context, tenant string, create func() (docid.Identity, error)) (docid.Index, error) {
	ix, err := s.Store.Index(ctx, tenant, create)
	s.index = &late{Index: ix}
	return s.index, err
}

// A retry of what another server answered a moment ago gets that answer, although the bucket is too hot for this
// server, which does not have the answer yet. An article without an answer is refused.
func TestHotBucketAnswersRetries(t *testing.T) {
	inner, err := memory.New(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	store := &lateStore{Store: inner}
	s := docid.Settings{Clean: text.Default(), Content: docid.Near, ContentMethod: func(seed uint64, _ []byte) (neardup.Method, error) {
		return methods.New(fmt.Sprint("minhash seed=", seed))
	}}
	other, err := docid.NewDetector(t.Context(), inner, "tenant", s)
	if err != nil {
		t.Fatal(err)
	}
	s.MaxCandidates = 1
	d, err := docid.NewDetector(t.Context(), store, "tenant", s)
	if err != nil {
		t.Fatal(err)
	}
	var a docid.Answer
	for n := range 100 {
		a, err = other.Add(t.Context(), submission("", "", template(n)))
		if err != nil {
			t.Fatal(err)
		}
	}
	sub := submission("", "", "")
	for n, err := 100, error(nil); err == nil; n++ {
		sub.ID, sub.Text, store.index.from = fmt.Sprint(n), template(n), a.Seq
		_, err = d.Add(t.Context(), sub)
		if err != nil && !errors.Is(err, docid.ErrHotBucket) {
			t.Fatal(err)
		}
	}
	first, err := other.Add(t.Context(), sub)
	if err != nil {
		t.Fatal(err)
	}
	hotter, renamed := sub, sub
	hotter.Heat, renamed.ID = 1, "renamed"
	for _, c := range []struct {
		what string
		sub  docid.Submission
		want error
	}{{"a retry", sub, nil}, {"another heat", hotter, docid.ErrTaken}, {"another nid", renamed, docid.ErrHotBucket}} {
		store.index.from = a.Seq
		again, err := d.Add(t.Context(), c.sub)
		if !errors.Is(err, c.want) || (err == nil && (!again.Replayed || again.DocID != first.DocID || again.Seq != first.Seq)) {
			t.Errorf("%s: %+v, %v (want %v)", c.what, again, err, c.want)
		}
	}
}

// template returns an article of 150 words, of which 11 are its own.
func template(n int) string {
	var b strings.Builder
	for w := range 150 {
		switch {
		case w == 75:
			b.WriteString("harbour ")
		case w%14 == 3:
			fmt.Fprintf(&b, "own%dof%d ", w, n)
		default:
			fmt.Fprintf(&b, "word%d ", w)
		}
	}
	return b.String()
}
