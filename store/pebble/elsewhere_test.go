package pebble

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/internal/test/storetest"
	"github.com/neardup/neardup/override"
)

// reads lists what can be read of an article on another server.
var reads = []struct {
	what string
	sees func(ctx context.Context, there server, a docid.Answer) (bool, error)
}{
	{"its article", func(ctx context.Context, s server, a docid.Answer) (bool, error) {
		_, docID, err := s.Member(ctx, a.ID)
		return docID == a.DocID, err
	}},
	{"a check of its text", func(ctx context.Context, s server, a docid.Answer) (bool, error) {
		var sub docid.Submission
		sub.Text = articleOf(a.ID).Text
		c, err := s.Check(ctx, sub)
		return c.DocID == a.DocID, err
	}},
	{"a retry", func(ctx context.Context, s server, a docid.Answer) (bool, error) {
		again, err := s.Add(ctx, articleOf(a.ID))
		return again.Replayed && again.Seq == a.Seq, err
	}},
	{"its group", func(ctx context.Context, s server, a docid.Answer) (bool, error) {
		g, err := s.Group(ctx, a.DocID, 0, 10)
		return len(g.Members) == 1, err
	}},
	{"the groups", func(ctx context.Context, s server, a docid.Answer) (bool, error) {
		all, err := s.Index().Catalog().Groups(ctx, docid.GroupPage{Limit: 1000})
		return slices.ContainsFunc(all, func(g docid.GroupSize) bool { return g.Leader == a.Seq }), err
	}},
	{"the log", func(ctx context.Context, s server, a docid.Answer) (bool, error) {
		all, err := s.Index().Catalog().Log(ctx, a.Seq-1, 10)
		return len(all) == 1, err
	}},
	{"its evidence", func(ctx context.Context, s server, a docid.Answer) (bool, error) {
		e, err := s.Evidence(ctx, a.Seq)
		return e.ID == a.ID, err
	}},
	{"the figures", func(ctx context.Context, s server, a docid.Answer) (bool, error) {
		st, err := s.Stats(ctx)
		return st.Seq == a.Seq, err
	}},
	{"its address", func(ctx context.Context, s server, a docid.Answer) (bool, error) {
		ids, err := s.FindURL(ctx, "https://news.example/"+a.ID)
		return slices.Equal(ids, []string{a.DocID}), err
	}},
}

// TestWriteHereReadThere checks that all servers have what one of them answered.
func TestWriteHereReadThere(t *testing.T) {
	log := storetest.Begin(t, storetest.NewLog())
	var servers []server
	for range 3 {
		s, err := serve(t, vfs.NewMem(), log)
		ok(t, err)
		servers = append(servers, s)
	}
	ctx := t.Context()
	for n, read := range slices.Repeat(reads, 20) {
		a, err := servers[n%3].Add(ctx, articleOf(fmt.Sprint(n)))
		ok(t, err)
		if sees, err := read.sees(ctx, servers[(n+1)%3], a); err != nil || !sees {
			t.Errorf("article %d: %s is not what it is elsewhere: %v", n, read.what, err)
		}
	}
	for n := range 10 {
		a, b := fmt.Sprint("a", n), fmt.Sprint("b", n)
		e, err := servers[n%3].Rule(ctx, a, b, docid.Ruling{Who: "li", Link: override.Must})
		ok(t, err)
		if all, err := servers[(n+1)%3].Index().Catalog().Rulings(ctx, e.Seq-1, 10); err != nil || len(all) != 1 {
			t.Errorf("ruling %d is not there elsewhere: %v, %v", n, all, err)
		}
		first, err := servers[n%3].add(t, a, storetest.Base(1000+n))
		ok(t, err)
		if second, err := servers[(n+1)%3].add(t, b, storetest.Base(2000+n)); err != nil || second.DocID != first.DocID {
			t.Errorf("ruling %d is not obeyed elsewhere: %+v, %v", n, second, err)
		}
	}
}

// articleOf returns an article that resembles no other.
func articleOf(nid string) (sub docid.Submission) {
	n, _ := strconv.Atoi(nid)
	sub.ID, sub.Title, sub.URL, sub.Text = nid, "a title of "+nid, "https://news.example/"+nid, storetest.Base(n)
	return sub
}

// TestRetriesElsewhere checks that all servers give one answer to a repeated submission, even one that takes no
// new ones. Once the article is deleted, the submission is decided again.
func TestRetriesElsewhere(t *testing.T) {
	log := storetest.Begin(t, storetest.NewLog())
	var servers []server
	for range 3 {
		s, err := serve(t, vfs.NewMem(), log)
		ok(t, err)
		servers = append(servers, s)
	}
	first, full, other := servers[0], servers[1], servers[2]
	full.MaxMembers = 1
	for n := range 50 {
		nid, text := fmt.Sprint(n), storetest.Base(n)
		a, err := first.add(t, nid, text)
		ok(t, err)
		if again, err := full.add(t, nid, text); err != nil || !again.Replayed || again.Seq != a.Seq {
			t.Errorf("a retry of %s where the quota is reached: %+v, %v", nid, again, err)
		}
		b, err := first.add(t, nid+"b", storetest.Base(n+1000))
		ok(t, err)
		if _, err := full.add(t, nid+"b", text); !errors.Is(err, docid.ErrTaken) {
			t.Errorf("%s with another text where the quota is reached: %v", b.ID, err)
		}
		if _, err := full.add(t, nid+"c", text); !errors.Is(err, docid.ErrQuota) {
			t.Errorf("a new article where the quota is reached: %v", err)
		}
		_, err = first.Delete(t.Context(), nid)
		ok(t, err)
		if again, err := other.add(t, nid, text); err != nil || again.Replayed || again.Seq <= b.Seq {
			t.Errorf("%s after it was deleted: %+v, %v", nid, again, err)
		}
		_, _, err = full.Member(t.Context(), nid) // all servers have applied it
		ok(t, err)
		_, err = first.Delete(t.Context(), nid)
		ok(t, err)
		if again, err := full.add(t, nid, text); !errors.Is(err, docid.ErrQuota) {
			t.Errorf("%s, deleted, where the quota is reached: %+v, %v", nid, again, err)
		}
	}
}
