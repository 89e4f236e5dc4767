package text_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/neardup/neardup/text"
)

func file(name string) string {
	if name == "uci_sms" {
		return name + "/docs.jsonl"
	}
	return name + "/docs.jsonl.zst"
}

const all = 1 << 30

// Lower case of every text of the sets equals Python's byte for byte, because the oracles of the shared data
// depend on it.
func TestLowerAsPython(t *testing.T) {
	golden, err := os.ReadFile("testdata/lower.txt")
	if err != nil {
		t.Fatal(err)
	}
	lower := normalizer(t, "lower")
	for line := range strings.Lines(string(golden)) {
		name, want, _ := strings.Cut(strings.TrimSpace(line), " ")
		digest := sha256.New()
		for _, s := range texts(t, file(name), all, 1) {
			_, _ = io.WriteString(digest, lower.Clean(s)+"\n")
		}
		if got := hex.EncodeToString(digest.Sum(nil)); got != want {
			t.Errorf("%s: %s, Python has %s", name, got, want)
		}
	}
}

// What the steps do on real texts, as a table:
//
//	go test ./text -run StepsOnSharedTexts -v
func TestStepsOnSharedTexts(t *testing.T) {
	steps := strings.Split("zerowidth,nfkc,lower,simplify,space", ",")
	t.Logf("%-24s %6s %s: per cent of texts changed; distinct texts raw, clean, clean but for simplify", "", "texts", steps)
	rest := normalizer(t, "zerowidth,nfkc,lower,space")
	for _, name := range []string{"ota_terms_versions", "zh_lctt_proofread", "zh_tidb_docs_versions", "zh_laws", "uci_sms", "en_license_texts"} {
		docs := texts(t, file(name), all, 4)
		changed := make([]float64, len(steps))
		raw, clean, unsimplified := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, s := range docs {
			for i, step := range steps {
				if normalizer(t, step).Clean(s) != s {
					changed[i] += 100 / float64(len(docs))
				}
			}
			once := text.Default().Clean(s)
			raw[s], clean[once], unsimplified[rest.Clean(s)] = true, true, true
			if text.Default().Clean(once) != once {
				t.Errorf("%s: clean text is not clean: %.100q", name, s)
			}
		}
		t.Logf("%-24s %6d %5.1f %d %d %d", name, len(docs), changed, len(raw), len(clean), len(unsimplified))
	}
}

// A Chinese text and the same in traditional characters become one clean
// text, and stay far apart without the step.
func TestTraditionalCopies(t *testing.T) {
	table, err := os.ReadFile("simplified.bin")
	if err != nil {
		t.Fatal(err)
	}
	back := make(map[rune]rune)
	for ; len(table) > 0; table = table[8:] {
		from, to := rune(binary.LittleEndian.Uint32(table)), rune(binary.LittleEndian.Uint32(table[4:]))
		if back[to] == 0 {
			back[to] = from
		}
	}
	with, without := text.Default(), normalizer(t, "zerowidth,nfkc,lower,space")
	equal, docs, runes, differ := 0, texts(t, file("zh_lctt_proofread"), 500, 10), 0, 0
	for _, s := range docs {
		copied := strings.Map(func(r rune) rune {
			if back[r] != 0 {
				return back[r]
			}
			return r
		}, s)
		if with.Clean(s) == with.Clean(copied) {
			equal++
		}
		a, b := []rune(without.Clean(s)), []rune(without.Clean(copied))
		for i := range min(len(a), len(b)) {
			runes++
			if a[i] != b[i] {
				differ++
			}
		}
	}
	t.Logf("%d of %d copies are equal; without simplify %.1f %% of the runes differ", equal, len(docs), 100*float64(differ)/float64(runes))
	if equal != len(docs) {
		t.Errorf("%d of %d copies are equal", equal, len(docs))
	}
}
