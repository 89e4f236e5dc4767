package ledger

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/neardup/neardup/docid"
)

// member is an article of the model, post a posting.
type (
	modelMember struct {
		seq, leader uint64
		request     [16]byte
	}
	modelPost struct{ seq, leader uint64 }
)

// rated reports whether a picture is not as rare or common as a judgement assumed.
func rated(q *docid.Query, leads, ended map[uint64]bool, named map[string]bool) (otherwise bool) {
	for _, r := range q.Rated {
		living, have := 0, 0
		for leader := range leads {
			if !ended[leader] {
				living++
			}
			if !ended[leader] && named[fmt.Sprint(leader, r.Name)] {
				have++
			}
		}
		otherwise = otherwise || r.Common != (have > max(5, living*7/10))
	}
	return otherwise
}

// model applies the log with maps and lists, and compares the rows of a server with the result.
func (w *world) model(one *simulated) {
	w.Helper()
	var want []docid.Entry
	ended, leads := map[uint64]bool{}, map[uint64]bool{}
	nids, idem, posts, named := map[string]modelMember{}, map[string]modelMember{}, map[string][]modelPost{}, map[string]bool{}
	head := uint64(0)
	post := func(leader uint64, key string) { posts[key] = append(posts[key], modelPost{head, leader}) }
	name := func(c *docid.Change) {
		for _, n := range c.Names {
			if at := fmt.Sprint(c.Leader, n); !named[at] {
				named[at] = true
				post(c.Leader, fmt.Sprint("n", n))
			}
		}
	}
	for _, b := range w.log {
		p, err := readEntry(b, rules)
		if err != nil || p.change == nil {
			continue
		}
		c := p.change
		switch c.Kind {
		case docid.KindEpoch:
			if head > p.past {
				continue
			}
			head = p.past
		case docid.KindDelete:
			m, there := nids[c.NID]
			if !there {
				continue
			}
			delete(nids, c.NID)
			c.Leader = m.leader
		case docid.KindForget:
			c.Leader = min(c.Leader, head)
			for key, m := range idem {
				if m.seq <= c.Leader {
					delete(idem, key)
				}
			}
		case docid.KindEnd, docid.KindExpire:
			if !leads[c.Leader] || ended[c.Leader] {
				continue
			}
			ended[c.Leader] = true
			for nid, m := range nids {
				if m.leader == c.Leader {
					delete(nids, nid)
				}
			}
		default:
			_, keyed := idem[c.Idempotency]
			_, taken := nids[c.NID]
			if keyed || taken || (c.Kind == docid.KindDuplicate && (!leads[c.Leader] || ended[c.Leader])) {
				continue
			}
			newer, living := false, false
			asks := []string{fmt.Sprint("n", c.Query.Names[0])}
			for _, k := range c.Query.KeySets[0].Keys {
				asks = append(asks, fmt.Sprint("k", k))
			}
			for _, ask := range asks {
				for _, at := range posts[ask] {
					newer = newer || (at.seq > c.Query.Since && !ended[at.leader])
					living = living || !ended[at.leader]
				}
			}
			if newer || rated(&c.Query, leads, ended, named) {
				continue
			}
			if c.Kind == docid.KindNew && living {
				w.Errorf("change %d is new, though a docId that lives shares a key with it", head+1)
			}
		}
		head++
		if c.Kind == docid.KindNew || c.Kind == docid.KindDuplicate {
			if c.Kind == docid.KindNew {
				c.Leader, leads[head] = head, true
				for _, k := range c.NewLeader.Keys {
					post(head, fmt.Sprint("k", k))
				}
			}
			name(c)
			m := modelMember{head, c.Leader, c.Request}
			nids[c.NID] = m
			if c.Idempotency != "" {
				idem[c.Idempotency] = m
			}
		}
		want = append(want, docid.Entry{Seq: head, Kind: c.Kind, Leader: c.Leader, NID: c.NID})
	}
	ix := one.s.index(simTenant)
	entries, err := catalog{ix}.Log(context.Background(), 0, 10_000)
	if err != nil {
		w.Error(err)
	}
	var got []docid.Entry
	for _, e := range entries {
		got = append(got, docid.Entry{Seq: e.Seq, Kind: e.Kind, Leader: e.Leader, NID: e.NID})
	}
	if !reflect.DeepEqual(got, want) {
		w.Errorf("the log of changes is\n%v, the model's\n%v", got, want)
	}
	for nid, m := range nids {
		r, err := ix.Replay(context.Background(), docid.ReplayKey{NID: nid, Request: m.request})
		if err != nil || r.Seq != m.seq || !r.Replayed {
			w.Errorf("a retry of %s: %+v, %v", nid, r, err)
		}
		m.request[1]++
		if _, err := ix.Replay(context.Background(), docid.ReplayKey{NID: nid, Request: m.request}); !errors.Is(err, docid.ErrTaken) {
			w.Errorf("another article as %s: %v", nid, err)
		}
	}
}
