package methods_test

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/neardup/neardup"
	"github.com/neardup/neardup/methods"
)

// TestTextsOfFewTokens: the result for long texts of few tokens, keys and files in base64, does not depend on
// what was compared earlier.
func TestTextsOfFewTokens(t *testing.T) {
	r := rand.New(rand.NewPCG(24, 3))
	encoded := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return base64.StdEncoding.EncodeToString(b)
	}
	key, file := encoded(279), encoded(6000)
	texts := []string{
		long, strings.Repeat(long, 20), "ssh-rsa " + key + " li@host", "ssh-rsa " + key + " wang@host", "ssh-rsa " + encoded(279) + " li@host",
		file, file[:4000] + encoded(3000), strings.Repeat("x", 8000), strings.Repeat("=", 3000), strings.Repeat(" .", 2000), "one", "",
		strings.Repeat("中", 5000), "https://host/" + strings.Repeat("a/", 2000),
	}
	for _, name := range []string{"auto", "minhash", "simhash", "jaccard", "weighted", "ngram"} {
		fresh := func() neardup.Method {
			m, err := methods.New(name)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		m := fresh()
		var views []neardup.Prepared
		for _, text := range texts {
			var record neardup.Record
			m.Record(text, &record)
			views = append(views, m.Prepare(text))
		}
		for i, a := range texts {
			for j, b := range texts {
				alone := fresh()
				want := alone.Compare(alone.Prepare(a), alone.Prepare(b))
				if d := cmp.Diff(want, m.Compare(views[i], views[j])); d != "" {
					t.Errorf("%s, texts %d and %d: %s", name, i, j, d)
				}
			}
		}
	}
}
