package ngram_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/neardup/neardup/ngram"
)

func trainedTable(t testing.TB) *ngram.Table {
	t.Helper()
	var b bytes.Buffer
	m := train(newMethod(t, ngram.Config{}), []string{"亲爱的朋友早上好", "亲爱的朋友晚上好", "亲爱的同学"})
	if _, err := m.(ngram.Method).Table().WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	table, err := ngram.ReadTable(&b)
	if err != nil {
		t.Fatal(err)
	}
	if table.Digest() != m.(ngram.Method).TableDigest() {
		t.Fatalf("digest changed on the way")
	}
	return table
}

func TestTableIsStoredWhole(t *testing.T) {
	m := newMethod(t, ngram.Config{})
	if m.TableDigest() != "none" {
		t.Errorf("untrained digest = %q", m.TableDigest())
	}
	table := trainedTable(t)
	if got := m.WithTable(table).TableDigest(); got != table.Digest() || len(got) != 32 {
		t.Errorf("digest = %q", got)
	}
	if a, b := m.Spec().String(), m.WithTable(table).Spec().String(); a != b {
		t.Errorf("training changed the spec: %q, %q", a, b)
	}
}

func TestReadTableRefusesDamage(t *testing.T) {
	var b bytes.Buffer
	if _, err := trainedTable(t).WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	good := b.Bytes()
	flip := func(at int) []byte {
		bad := bytes.Clone(good)
		bad[at] ^= 1
		return bad
	}
	for name, stored := range map[string][]byte{
		"other format": flip(3), "digest": flip(20), "contents": flip(len(good) - 9),
	} {
		if _, err := ngram.ReadTable(bytes.NewReader(stored)); !errors.Is(err, ngram.ErrTable) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := ngram.ReadTable(bytes.NewReader(good[:100])); err == nil {
		t.Error("a torn table was read")
	}
	var none *ngram.Table
	if _, err := none.WriteTo(&b); !errors.Is(err, ngram.ErrTable) {
		t.Errorf("writing no table: %v", err)
	}
}
