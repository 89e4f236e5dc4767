package batch

import (
	"context"
	"reflect"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/minhash"
)

// plainMethod hides that a method can make views early.
type plainMethod struct{ neardup.Method }

// outlinedMethod has the outlines of minhash, and no early views.
type outlinedMethod struct {
	neardup.Method
	outlines *minhash.Method
	asked    *atomic.Int64
}

func (m outlinedMethod) RecordOutline(clean string, rec *neardup.Record) []uint64 {
	return m.outlines.RecordOutline(clean, rec)
}

func (m outlinedMethod) Outline(neardup.Prepared) []uint64 { return nil }

func (m outlinedMethod) Unlike(a, b []uint64) bool {
	m.asked.Add(1)
	return m.outlines.Unlike(a, b)
}

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
		docs = append(docs, neardup.Document{ID: string(rune('a' + i)), Text: text + " own" + strconv.Itoa(i)})
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
	outlined := outlinedMethod{m, m, &atomic.Int64{}}
	for _, keep := range []Keep{First, Longest} {
		want := find(plainMethod{m}, keep, 0)
		if got := find(m, keep, 0); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d pairs, want %d", keep, len(got), len(want))
		}
		for _, memory := range []int64{1 << 14, 0} { // room for some outlines and all
			outlined.asked.Store(0)
			got := find(outlined, keep, memory)
			if n := outlined.asked.Load(); !reflect.DeepEqual(got, want) || (memory == 0 && n == 0) {
				t.Errorf("%s: with outlines %d pairs, want %d; %d asked", keep, len(got), len(want), n)
			}
		}
	}
}
