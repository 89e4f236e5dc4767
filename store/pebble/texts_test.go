package pebble

import (
	"testing"
	"time"
)

// TestTexts checks that texts are kept for the set time, for each tenant, and after a restart.
func TestTexts(t *testing.T) {
	dir, now := t.TempDir(), time.Unix(1_000_000, 0)
	open := func() *Texts {
		texts, err := OpenTexts(dir, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		texts.now = func() time.Time { return now }
		return texts
	}
	texts := open()
	want := func(tenant string, seq uint64, text string, there bool) {
		t.Helper()
		got, ok, err := texts.Get(tenant, seq)
		if err != nil || ok != there || got != text {
			t.Errorf("%s %d: %q %v %v, want %q %v", tenant, seq, got, ok, err, text, there)
		}
	}
	put := func(tenant string, seq uint64, text string) {
		t.Helper()
		if err := texts.Put(tenant, seq, text); err != nil {
			t.Fatal(err)
		}
	}
	put("a", 1, "one")
	put("a", 2, "")
	put("ab", 1, "another's")
	now = now.Add(40 * time.Minute)
	put("a", 3, "three")
	put("a", 256, "far")
	if err := texts.Drop("a", 256); err != nil {
		t.Fatal(err)
	}
	want("a", 1, "one", true)
	want("a", 2, "", true)
	want("a", 256, "", false)
	if err := texts.Close(); err != nil {
		t.Fatal(err)
	}
	texts = open()
	defer texts.Close()
	want("a", 3, "three", true)
	now = now.Add(30 * time.Minute)
	want("a", 1, "", false) // expired, though not yet dropped
	if err := texts.Forget("a"); err != nil {
		t.Fatal(err)
	}
	now = now.Add(-30 * time.Minute)
	want("a", 1, "", false)
	want("a", 2, "", false)
	want("a", 3, "three", true)
	want("ab", 1, "another's", true)
}
