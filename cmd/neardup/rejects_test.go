//go:build full

package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/neardup/neardup/corpus"
)

// Each reason is printed once, with its first record, and at the end with the number of its other records. A
// page has fifty reasons, the most frequent first, with three places each.
func TestRejects(t *testing.T) {
	var told strings.Builder
	r := rejects{w: &told}
	for i := range 5 {
		r.add(&corpus.RejectError{File: "f", Line: int64(i + 1), Reason: "bad"})
	}
	r.add(errors.New("no place"))
	r.tell()
	for i := range 100 {
		r.add(&corpus.RejectError{File: "g", Reason: fmt.Sprint("reason ", i)})
	}
	r.end()
	list := r.list()
	if r.count != 106 || len(list) != 50 || list[0].Reason != "other" || list[0].Count != 53 || list[1].Count != 5 || len(list[1].Examples) != 3 {
		t.Errorf("%d %d %+v", r.count, len(list), list[:2])
	}
	want := []string{
		"rejected f:1: bad", "rejected no place", "rejected g: reason 0", "rejected g: reason 1", "rejected g: reason 2",
		"more records were rejected; --rejects FILE lists all of them", "rejected f:1: 4 more for the same reason", "",
	}
	if got := told.String(); got != strings.Join(want, "\n") {
		t.Errorf("%s", got)
	}
}
