package batch

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/feature"
	"github.com/neardup/neardup/internal/external"
	"github.com/neardup/neardup/minhash"
)

// Outlines beyond their share of the memory are on disk, and each is read back, alone and in its chunk.
func TestOutlinesObeyTheirShare(t *testing.T) {
	const share, texts = 256 << 10, 20000
	disk := external.NewFiles(t.TempDir())
	defer disk.Close()
	j := &job{cfg: Config{Memory: share * 1000 / outlineShare}, disk: disk}
	o, rng, all := j.newOutlines(outlineShare), rand.New(rand.NewPCG(1, 2)), make([][]uint64, texts)
	for i := range all {
		if i/5000 != 1 && rng.IntN(3) > 0 { // 5,000 texts in a row have none
			all[i] = make([]uint64, 5+rng.IntN(60))
			for k := range all[i] {
				all[i][k] = rng.Uint64()
			}
		}
		if err := o.add(position(i), all[i]); err != nil {
			t.Fatal(err)
		}
	}
	const slack = 512 << 10 // the buffer of the spool, and a chunk that is not full
	if size := o.words.Len(); size < 8*share || disk.Written() < size-share-slack {
		t.Errorf("%d of %d bytes are on disk, want all but %d", disk.Written(), size, share)
	}
	var r outlineReader
	next := position(0)
	for chunk := range o.chunks {
		where, err := r.read(o, chunk)
		if err != nil || where.from != next {
			t.Fatalf("chunk %d: from %d: %v (want %d)", chunk, where.from, err, next)
		}
		if 8*len(r.words)+24*len(r.of) > chunkBytes+24*5000+8*66 {
			t.Errorf("chunk %d: %d bytes", chunk, 8*len(r.words))
		}
		next = where.to
		for p := where.from; p < min(where.to, texts); p++ {
			alone, err := o.at(p)
			if err != nil || !slices.Equal(alone, all[p]) {
				t.Fatalf("text %d of chunk %d: %v", p, chunk, err)
			}
			if n := int(p - where.from); (n < len(r.of) || all[p] != nil) && !slices.Equal(r.of[n], all[p]) {
				t.Fatalf("text %d of chunk %d: another outline", p, chunk)
			}
		}
	}
	if len(o.chunks) < 6 || next < texts {
		t.Errorf("%d chunks up to %d", len(o.chunks), next)
	}
}

// The memory changes neither decisions nor pairs nor the work: with little, some pairs are compared at once, and
// outlines are read from the disk in several chunks.
func TestDecisionsDoNotDependOnTheMemoryOfOutlines(t *testing.T) {
	size := chunkBytes
	chunkBytes = 1 << 13
	defer func() { chunkBytes = size }()
	m, err := minhash.New(minhash.Config{Shingle: feature.Shingle{Unit: feature.Words, K: 1}, Threshold: .5})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	var docs []neardup.Document
	var pages [][]string
	for i := range 1500 {
		page := make([]string, 60+rng.IntN(200))
		for k := range page {
			page[k] = "w" + strconv.Itoa(int(200*rng.ExpFloat64()))
		}
		if i > 0 && rng.IntN(3) == 0 {
			page = slices.Clone(pages[rng.IntN(i)])
			for range rng.IntN(len(page) / 2) {
				page[rng.IntN(len(page))] = "x" + strconv.Itoa(rng.IntN(1000))
			}
		}
		pages = append(pages, page)
		docs = append(docs, neardup.Document{ID: strconv.Itoa(i), Text: strings.Join(page, " ")})
	}
	outlined := outlinedMethod{m, m, &atomic.Int64{}}
	for _, keep := range []Keep{First, Longest} {
		decide := func(m neardup.Method, memory int64) (all []Outcome, pairs []Pair, work Work) {
			cfg := Config{Method: m, Keep: keep, Memory: memory, Workers: 2}
			sum, err := Dedup(context.Background(), Documents(docs), cfg, func(o Outcome) error { all = append(all, o); return nil })
			if err == nil {
				_, err = Pairs(context.Background(), Documents(docs), cfg, func(p Pair) error { pairs = append(pairs, p); return nil })
			}
			if err != nil {
				t.Fatal(err)
			}
			return all, pairs, sum.Work
		}
		want, wantPairs, wantWork := decide(plainMethod{m}, 0)
		for _, memory := range []int64{1 << 16, 1 << 20, 0} {
			outlined.asked.Store(0)
			got, pairs, work := decide(outlined, memory)
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(pairs, wantPairs) {
				t.Errorf("%s in %d bytes: other decisions or pairs", keep, memory)
			}
			if memory == 0 && work != wantWork {
				t.Errorf("%s: %+v, want %+v", keep, work, wantWork)
			}
			if n := outlined.asked.Load(); n < int64(len(docs)) {
				t.Errorf("%s in %d bytes: %d pairs were compared by outlines", keep, memory, n)
			}
		}
		if wantWork.Near < 100 || wantWork.Verified < 10*wantWork.Near {
			t.Errorf("%s: %+v shows little", keep, wantWork)
		}
	}
}
