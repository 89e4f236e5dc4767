package batch

import (
	"context"
	"reflect"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/minhash"
)

// plainMethod hides that a method can make views early.
type plainMethod struct{ neardup.Method }

func TestViewsMadeEarlyChangeNothing(t *testing.T) {
	m, err := minhash.New(minhash.Config{Threshold: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	var _ recordPreparer = m
	var docs []neardup.Document
	for i := range 300 {
		text := ""
		for j := range 40 {
			text += " word" + string(rune('a'+(i/3*7+j*(1+i%3/2))%26)) + string(rune('a'+(i/3+j)%26))
		}
		docs = append(docs, neardup.Document{ID: string(rune('a' + i)), Text: text})
	}
	find := func(m neardup.Method, keep Keep, memory int64) (found []Pair) {
		_, err := Pairs(context.Background(), Documents(docs), Config{Method: m, Keep: keep, Memory: memory},
			func(p Pair) error { found = append(found, p); return nil })
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for _, memory := range []int64{1 << 14, 1 << 18, 1 << 30} { // room for none, some and all
		got, want := find(m, First, memory), find(plainMethod{m}, First, memory)
		if len(want) < 100 || !reflect.DeepEqual(got, want) {
			t.Errorf("memory %d: %d pairs, want %d", memory, len(got), len(want))
		}
	}
	if got, want := find(m, Longest, 0), find(plainMethod{m}, Longest, 0); !reflect.DeepEqual(got, want) {
		t.Errorf("longest first: %d pairs, want %d", len(got), len(want))
	}
}
