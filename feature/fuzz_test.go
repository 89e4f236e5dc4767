package feature_test

import (
	"slices"
	"testing"

	"github.com/neardup/neardup/feature"
)

func FuzzParseShingle(f *testing.F) {
	for _, spec := range []string{"auto:3", "words:1", "runes:32", "runes:033", "words:", ":", "auto:-1", "auto:+3"} {
		f.Add(spec)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		s, err := feature.ParseShingle(spec)
		if err != nil {
			return
		}
		if s.String() != spec || s.Validate() != nil || s.K < 1 || s.K > feature.MaxK {
			t.Fatalf("%q became %q", spec, s)
		}
	})
}

func FuzzAppend(f *testing.F) {
	f.Add("the quick brown fox", uint8(0), uint8(3), uint64(0))
	f.Add("天地玄黄 abc\xff\xe4\xb8", uint8(1), uint8(2), uint64(1))
	f.Add("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaé中", uint8(2), uint8(7), uint64(9))
	f.Add("ภาษาไทย1 हिंदी abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklm\u0301ន", uint8(3), uint8(2), uint64(0))
	f.Fuzz(func(t *testing.T, text string, unit, k uint8, seed uint64) {
		s := feature.Shingle{Unit: feature.Unit(unit % 4), K: 1 + int(k%feature.MaxK)}
		got := s.Append(nil, text, seed)
		if want := wantHashes(text, s, seed); !slices.Equal(got, want) {
			t.Fatalf("%v of %q: got %x, want %x", s, text, got, want)
		}
	})
}
