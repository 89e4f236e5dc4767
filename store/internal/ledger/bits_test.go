package ledger

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
)

// TestEvidenceKeepsItsBits checks that evidence is read as it was written, with bits and without.
func TestEvidenceKeepsItsBits(t *testing.T) {
	want := docid.Entry{Kind: docid.KindNew, Evidence: docid.Evidence{Variant: 7, VariantNID: "b", Conflicts: []neardup.Conflict{
		{Kind: "word", A: "lyon", B: "ghent", Bits: -461.0 / 256}, {Kind: "held", Bits: 3.25}, {Kind: "number", A: "3", B: "7"},
	}}}
	got, err := DecodeEntry(EncodeEntry(&want))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Evidence, got.Evidence); diff != "" {
		t.Error(diff)
	}
}
