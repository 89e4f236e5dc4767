package ledger

import (
	"bytes"
	"encoding/binary"
	"math"
	"testing"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/override"
)

// FuzzEntries checks that every log entry is applied or refused without stopping a server. A readable entry
// must encode to the same bytes, and two servers must get the same result.
func FuzzEntries(f *testing.F) {
	heat := int64(-3)
	article := &docid.Article{Category: "c", Heat: 4}
	article.ID, article.Text, article.URL = "a", "text", "u"
	pictures := []docid.Picture{{Hash: [4]uint64{1, 2, 3, math.MaxUint64}, Quality: 97}, {}}
	for _, p := range []*proposal{
		{genesis: &genesis{Time: 1, Adopted: true}},
		{heartbeat: &heartbeat{Turn: 1, Keep: 3}},
		{heartbeat: &heartbeat{Turn: 1, Answer: true, vote: vote{3, 7, rules}}},
		{tenant: "other", identity: &docid.Identity{Seed: 1, Spec: "s", Table: []byte{1}}},
		{tenant: "t", sink: &sinkChange{What: sinkAttach, Name: "map"}},
		{tenant: "t", sink: &sinkChange{What: sinkClaim, Name: "map", Lease: lease{"who", 3}}},
		{tenant: "t", past: math.MaxUint64, change: &docid.Change{Entry: docid.Entry{Kind: docid.KindEpoch, Leader: 5}}},
		{tenant: "t", change: &docid.Change{Entry: docid.Entry{Kind: docid.KindNew, NID: "a", Expires: -1}, Article: article, Names: []docid.Name{{1}, {1}},
			Query: docid.Query{Names: []docid.Name{{2}}, KeySets: []docid.KeySet{{Keys: []uint64{1}}, {}}}, NewLeader: &docid.NewLeader{Keys: []uint64{1}, Material: docid.Material{Text: "text"}}}},
		{tenant: "t", change: &docid.Change{Entry: docid.Entry{Kind: docid.KindDuplicate, Leader: 1, NID: "b", Idempotency: "k"}, Article: article}},
		{tenant: "t", change: &docid.Change{Entry: docid.Entry{Kind: docid.KindNew, NID: "c", Evidence: docid.Evidence{Advice: docid.Advice{SameImages: []docid.SameImages{{Leader: 1, Same: 1, Of: 2}}}}},
			Article: &docid.Article{Extras: docid.Extras{Pictures: pictures}}, NewLeader: &docid.NewLeader{Material: docid.Material{Extras: docid.Extras{Pictures: pictures}}},
			Query: docid.Query{Share: 1000, Rated: []docid.Rated{{Name: docid.Name{3}}}}}},
		{tenant: "t", change: &docid.Change{Entry: docid.Entry{Kind: docid.KindUpdate, NID: "first"}, SetHeat: &heat, Article: article}},
		{tenant: "t", change: &docid.Change{Entry: docid.Entry{Kind: docid.KindCorrect, NID: "first", Ruling: &docid.Ruling{Before: 1, Who: "li"}}, NewLeader: &docid.NewLeader{}, Article: article}},
		{tenant: "t", change: &docid.Change{Entry: docid.Entry{Kind: docid.KindRule, NID: "first", Ruling: &docid.Ruling{Other: "b", Link: override.Must}}}},
		{tenant: "t", change: &docid.Change{Entry: docid.Entry{Kind: docid.KindForget, Leader: math.MaxUint64}}},
		{tenant: "t", change: &docid.Change{Entry: docid.Entry{Kind: docid.KindEnd, Leader: 1}}},
		{tenant: "t", change: &docid.Change{Entry: docid.Entry{Kind: docid.KindDelete, NID: "first"}}},
	} {
		f.Add(p.encode())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := decodeProposal(b)
		if err == nil {
			if again, err := decodeProposal(p.encode()); err != nil || !bytes.Equal(again.encode(), p.encode()) {
				t.Fatalf("%+v is read again as %+v, %v", p, again, err)
			}
		}
		forged := func(payload []byte) []byte {
			entry := append(make([]byte, entryHead), payload...)
			copy(entry, "of the fuzzer")
			entry[len(entryID{})] = rules
			binary.BigEndian.PutUint64(entry[entryHead-8:], entrySum(entry))
			return entry
		}
		w := &world{T: t}
		w.log = [][]byte{w.entry(&proposal{genesis: &genesis{}}), w.entry(&proposal{tenant: "t", identity: &docid.Identity{}}),
			w.entry(&proposal{tenant: "t", change: &docid.Change{Entry: docid.Entry{Kind: docid.KindNew, NID: "first"}, Article: &docid.Article{}, NewLeader: &docid.NewLeader{}}}),
			forged(packer().EncodeAll(b, nil)), forged(b), b,
			w.entry(&proposal{tenant: "t", change: &docid.Change{Entry: docid.Entry{Kind: docid.KindNew, NID: "last"}, Article: &docid.Article{}, NewLeader: &docid.NewLeader{}, Query: docid.Query{Ruled: math.MaxUint64}}}),
		}
		var digests [2]uint64
		for n := range digests {
			one := &simulated{w: w}
			s, err := load(t.Context(), newMemory(), Options{Log: nowhere{}})
			if err != nil {
				t.Fatal(err)
			}
			one.s = s
			one.f, _, _ = newFollower(s, nowhere{}, rules)
			for _, entry := range w.log {
				if err := one.f.apply([][]byte{entry}); err != nil {
					t.Fatal(err)
				}
			}
			if m, err := (catalog{s.index("t")}).Member(t.Context(), "last"); err != nil || m.Seq < 2 {
				t.Errorf("what came after it: change %d, %v", m.Seq, err)
			}
			report, err := Check(t.Context(), s.kv, nil)
			if err != nil || len(report.Problems) > 0 {
				t.Errorf("check: %v, %v", report.Problems, err)
			}
			digests[n] = one.f.at.Digest
			one.close()
		}
		if digests[0] != digests[1] {
			t.Error("two servers make different things of it")
		}
	})
}

// TestOwnProposals applies a log on a server that has its proposals pending and on one that decodes every entry.
// Both must get the same rows and outcomes, and fold must leave the proposals as they were.
func TestOwnProposals(t *testing.T) {
	heat := int64(9)
	change := func(c *docid.Change, e docid.Entry) *proposal {
		c.Entry = e
		return &proposal{tenant: "t", change: c}
	}
	named := pictured()
	named.Kind, named.NID, named.Idempotency, named.NewLeader, named.Query = docid.KindDuplicate, "b", "", nil, docid.Query{}
	named.Leader, named.Evidence = 1, docid.Evidence{LeaderNID: "another article now"}
	first := pictured()
	first.Query.Rated = nil
	w, mine, other := &world{T: t}, &simulated{}, &simulated{}
	for _, one := range []*simulated{mine, other} {
		var err error
		one.s, err = load(t.Context(), newMemory(), Options{Log: nowhere{}})
		if err != nil {
			t.Fatal(err)
		}
		one.f, _, _ = newFollower(one.s, nowhere{}, rules)
		defer one.close()
	}
	for i, p := range []*proposal{
		{genesis: &genesis{}},
		{tenant: "t", identity: &docid.Identity{}},
		{tenant: "t", sink: &sinkChange{What: sinkAttach, Name: "map"}},
		{tenant: "t", sink: &sinkChange{What: sinkClaim, Name: "map", Lease: lease{Who: "me"}}},
		{tenant: "t", change: first},
		{tenant: "t", change: first}, // a retry
		{tenant: "t", change: named},
		change(&docid.Change{Article: &docid.Article{}, NewLeader: &docid.NewLeader{Keys: []uint64{7}}}, docid.Entry{Kind: docid.KindNew}),
		change(&docid.Change{SetHeat: &heat, Article: &docid.Article{}}, docid.Entry{Kind: docid.KindUpdate, NID: "b", Leader: 1}),
		change(&docid.Change{Article: &docid.Article{}}, docid.Entry{Kind: docid.KindCorrect, NID: "b", Leader: 3, Ruling: &docid.Ruling{Before: 1}}),
		change(&docid.Change{}, docid.Entry{Kind: docid.KindRule, NID: "a", Ruling: &docid.Ruling{Other: "b", Link: override.Must}}),
		change(&docid.Change{}, docid.Entry{Kind: docid.KindForget, Leader: math.MaxUint64}),
		change(&docid.Change{}, docid.Entry{Kind: docid.KindDelete, NID: "b"}),
		change(&docid.Change{}, docid.Entry{Kind: docid.KindEnd, Leader: 1}),
		{tenant: "t", past: 99, change: &docid.Change{Entry: docid.Entry{Kind: docid.KindEpoch, Leader: 5}}},
		{heartbeat: &heartbeat{Turn: 1, Keep: 1}},
		{heartbeat: &heartbeat{Turn: 1, Answer: true, vote: vote{3, 7, rules}}},
		{restart: &restart{Incarnation: "two", Epoch: 8}},
	} {
		entry, before := w.entry(p), p.encode()
		own := &pending{p: p, entry: entry, done: make(chan struct{})}
		mine.f.pending[idOf(entry)] = own
		for _, one := range []*simulated{mine, other} {
			if err := one.f.apply([][]byte{entry}); err != nil {
				t.Fatal(err)
			}
		}
		<-own.done
		if own.err != nil {
			t.Errorf("proposal %d: %v", i, own.err)
		}
		if !bytes.Equal(p.encode(), before) {
			t.Errorf("proposal %d was changed when it was applied", i)
		}
		if mine.f.at.Digest != other.f.at.Digest {
			t.Errorf("proposal %d has another outcome than its entry", i)
		}
	}
	rows, err := Compare(t.Context(), mine.s.kv, other.s.kv, nil, func(p Problem, _, _, _ []byte) { t.Errorf("the rows differ: %+v", p) })
	if err != nil || rows < 20 {
		t.Errorf("%d rows compared, %v", rows, err)
	}
}
