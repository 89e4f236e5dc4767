package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
)

// everything returns a change with all fields but pictures.
func everything() *docid.Change {
	a := &docid.Article{Category: "c", Media: "m", ImageCount: "3", Heat: -4}
	a.ID, a.Text, a.Title, a.URL, a.Time = "a", "text", "title", "u", 7
	c := &docid.Change{Article: a, Names: []docid.Name{{1}, {2}}, NewLeader: &docid.NewLeader{Keys: []uint64{1}, Sketch: 2, Material: docid.Material{NID: "a", Title: "title", Text: "text"}}}
	c.Kind, c.NID, c.Idempotency, c.Time, c.Expires = docid.KindNew, "a", "key", 5, 6
	c.Evidence = docid.Evidence{Distance: -1, Method: "m", Disagrees: true, Variant: 3, VariantNID: "v", Conflicts: []neardup.Conflict{{Kind: "word", A: "a", B: "b", Bits: -1.5}}}
	c.Query = docid.Query{Since: 9, Names: []docid.Name{{1}}, KeySets: []docid.KeySet{{Keys: []uint64{1}}}}
	return c
}

// pictured returns everything with pictures.
func pictured() *docid.Change {
	c := everything()
	c.Article.Pictures = []docid.Picture{{Hash: [4]uint64{1, 2, 3, math.MaxUint64}, Quality: 97}, {}}
	c.NewLeader.Material.Pictures = c.Article.Pictures
	c.Evidence.SameImages = []docid.SameImages{{Leader: 2, Same: 1, Of: 2, A: [4]uint64{4}, B: [4]uint64{5}, Distance: 9}}
	c.Query.Share, c.Query.Rated = 1000, []docid.Rated{{Name: docid.Name{3}}, {Name: docid.Name{4}, Common: true}}
	return c
}

// written returns the encoding of a change in a log and in rows.
func written(c *docid.Change) string {
	m := docid.Member{Article: *c.Article, Leader: 1, Seq: 2, Disagrees: true, Correction: &docid.Correction{Seq: 3, Who: "li"}}
	all := (&proposal{tenant: "t", change: c}).encode()
	for _, put := range []any{
		&c.Entry, &m, &keptRow{4, *c.Article, true},
		&c.NewLeader.Material, &waiting{docid.KeptReplaced, c.Article},
	} {
		all = append(all, encoded(put)...)
	}
	sum := sha256.Sum256(all)
	return hex.EncodeToString(sum[:8])
}

// TestEncodings pins the encodings.
func TestEncodings(t *testing.T) {
	if got, want := written(everything()), "22ab68d4df783221"; got != want {
		t.Errorf("the bytes have the digest %s, want %s", got, want)
	}
	if got, want := written(pictured()), "b9d271935da241b8"; got != want {
		t.Errorf("the bytes with pictures have the digest %s, want %s", got, want)
	}
}

// TestEntriesWithPictures reads entries as they were written, with pictures and without.
func TestEntriesWithPictures(t *testing.T) {
	for _, c := range []*docid.Change{everything(), pictured()} {
		p, err := readEntry(entryOf(entryID{}, rules, (&proposal{tenant: "t", change: c}).encode()), rules)
		if err != nil {
			t.Fatal(err)
		}
		got, q := p.change, &c.Query
		same := slices.Equal(got.Query.Rated, q.Rated) && got.Query.Share == q.Share
		if !same || !reflect.DeepEqual(got.Article, c.Article) || !reflect.DeepEqual(got.NewLeader, c.NewLeader) || !reflect.DeepEqual(got.Entry, c.Entry) {
			t.Errorf("read again: %+v, want %+v", got, c)
		}
	}
}

// TestRowsWithPictures reads rows as they were written, with pictures and without.
func TestRowsWithPictures(t *testing.T) {
	for what, c := range map[string]*docid.Change{"none": everything(), "two": pictured()} {
		for _, contested := range []bool{false, true} {
			for _, correction := range []*docid.Correction{nil, {Seq: 3, Who: "li"}} {
				m, again := docid.Member{Article: *c.Article, Disagrees: contested, Correction: correction}, docid.Member{}
				if err := decoded(encoded(&m), &again); err != nil || !reflect.DeepEqual(again, m) {
					t.Errorf("%s: member %+v, want %+v, %v", what, again, m, err)
				}
			}
			k, again := keptRow{4, *c.Article, contested}, keptRow{}
			if err := decoded(encoded(&k), &again); err != nil || !reflect.DeepEqual(again, k) {
				t.Errorf("%s: kept %+v, want %+v, %v", what, again, k, err)
			}
		}
		var m docid.Material
		if err := decoded(encoded(&c.NewLeader.Material), &m); err != nil || !reflect.DeepEqual(m, c.NewLeader.Material) {
			t.Errorf("%s: material %+v, %v", what, m, err)
		}
		w, again := waiting{docid.KeptReplaced, c.Article}, waiting{}
		if err := decoded(encoded(&w), &again); err != nil || !reflect.DeepEqual(again, w) {
			t.Errorf("%s: waiting %+v, %v", what, again, err)
		}
		e, err := DecodeEntry(EncodeEntry(&c.Entry))
		if err != nil || !reflect.DeepEqual(e, c.Entry) {
			t.Errorf("%s: entry %+v, want %+v, %v", what, e, c.Entry, err)
		}
	}
}
