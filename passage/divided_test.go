package passage

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// divided returns the spans that the steps find, each divided into parts that arrive in random order.
func divided(t testing.TB, r *rand.Rand, parts int, texts []string, cfg Config) (all []Match) {
	t.Helper()
	steps := func() *Steps { // of a process of its own
		s, err := NewSteps(cfg)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	done := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	times := map[uint64]int{}
	for _, s := range texts {
		for _, h := range steps().Anchors(s) {
			times[h]++
		}
	}
	contexts := make([][]Context, parts)
	for _, i := range r.Perm(len(texts)) {
		hashes := steps().Anchors(texts[i])
		again := func(n int) bool { return times[hashes[n]] > 1 }
		done(steps().Contexts(uint32(i), texts[i], again, func(c Context) error {
			part := c.Key % uint64(parts)
			contexts[part] = append(contexts[part], c)
			return nil
		}))
	}
	matches := make([][]Match, parts)
	for _, some := range contexts {
		r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
		b := steps().NewBuckets()
		for _, c := range some {
			done(b.Add(c))
		}
		done(b.Each(t.Context(), func(m Match) error {
			part := int(m.At.Item()) % parts
			matches[part] = append(matches[part], m)
			return nil
		}))
		b.Close()
	}
	for _, some := range matches {
		r.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
		j := steps().NewJoined()
		for _, m := range append(some, some[:len(some)/2]...) { // some of which recur
			done(j.Add(m))
		}
		done(j.Each(func(m Match) error {
			all = append(all, m)
			return nil
		}))
		j.Close()
	}
	slices.SortFunc(all, func(a, b Match) int { return int(int64(a.At) - int64(b.At)) })
	return all
}

// same compares the steps with Find, which is compared with the definition.
func same(t testing.TB, r *rand.Rand, texts []string, cfg Config) int {
	t.Helper()
	var want []Match
	for _, s := range check(t, texts, cfg) {
		want = append(want, Match{At(uint32(s.Item), s.Byte), s.Len, At(uint32(s.From.Item), s.From.Byte)})
	}
	for _, parts := range []int{1, 3, 17} {
		if got := divided(t, r, parts, texts, cfg); !slices.Equal(got, want) {
			t.Fatalf("%d texts in %d parts: %v, want %v", len(texts), parts, got, want)
		}
	}
	return len(want)
}

// However texts, anchors and matches are divided, the spans equal those of Find.
func TestStepsFindTheSame(t *testing.T) {
	memory := lessMemory(t, 1<<20)
	r := rand.New(rand.NewPCG(11, 12))
	for i := range size(30, 10) {
		texts := made(r, 1+r.IntN(30), []string{"ab", "abc  ", "汉字 a,", "aé\x80\xe6 \n", "the of a, cat-dog 12 \u3000"}[i%5])
		for _, l := range []Length{{4, Bytes}, {20, Bytes}, {7, Runes}, {9, Words}} {
			for _, first := range []bool{false, true} {
				same(t, r, texts, Config{Least: l, First: first, Memory: memory, Workers: 1})
			}
		}
	}
	letters := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('a' + r.IntN(26))
		}
		return string(b)
	}
	passage, half := letters(300), letters(120)
	var copies, halves []string
	for range 200 {
		copies = append(copies, letters(r.IntN(9))+passage+letters(r.IntN(9)))
		halves = append(halves, letters(100)+half+letters(100))
	}
	for name, texts := range map[string][]string{
		"one letter":    {strings.Repeat("a", 5_000), strings.Repeat("a", 300), "b" + strings.Repeat("a", 250)},
		"a period":      {strings.Repeat("abcdefg", 500), strings.Repeat("efgabcd", 100), strings.Repeat(letters(230), 20)},
		"copies":        copies,
		"half passages": append(halves, halves[20:60]...),
		"Chinese":       realTexts(t, "zh_lctt_proofread", 40_000),
		"versions":      realTexts(t, "ota_terms_versions", 40_000),
	} {
		t.Run(name, func(t *testing.T) {
			for _, first := range []bool{false, true} {
				if same(t, r, texts, Config{Least: Length{200, Bytes}, First: first, Memory: memory, Workers: 1}) == 0 {
					t.Error("nothing is repeated")
				}
			}
			same(t, r, texts, Config{Whole: WholeLines, Memory: memory, Workers: 1})
		})
	}
}

func TestStepsRefuse(t *testing.T) {
	s, err := NewSteps(Config{})
	if err != nil {
		t.Fatal(err)
	}
	b := s.NewBuckets()
	defer b.Close()
	if err := b.Add(Context{Before: 4, Text: "abc"}); err == nil || !strings.Contains(err.Error(), "3 bytes: invalid length 4") {
		t.Error(err)
	}
	if _, err := NewSteps(Config{Least: Length{N: 1}}); err == nil {
		t.Error("a length of 1")
	}
	if p := At(7, 9); p.Item() != 7 || p.Byte() != 9 {
		t.Error(fmt.Sprint(p))
	}
}
