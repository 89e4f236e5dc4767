package eval_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/neardup/neardup/eval"
	"github.com/neardup/neardup/internal/test/shared"
)

// Whatever the files hold: a report whose numbers fit together, or an error
// that names one of the files.
func FuzzPairs(f *testing.F) {
	f.Add([]byte("id_a\tid_b\tjaccard\na\tb\t0.9\n"), []byte("id_a\tid_b\tsimilarity\nb\ta\t0.91\n"))
	f.Add([]byte("id_a\tid_b\tlabel\na\tb\t1\nc\td\t0\n"), []byte("a b\n"))
	f.Add([]byte(`{"id":"1","label":1}`), []byte("1/a\t1/b"))
	f.Add([]byte("\x1f\x8b\x08"), []byte("\x28\xb5\x2f\xfd"))
	dir := f.TempDir()
	truth, reported := filepath.Join(dir, "truth"), filepath.Join(dir, "reported")
	f.Fuzz(func(t *testing.T, truthFile, reportedFile []byte) {
		for path, content := range map[string][]byte{truth: truthFile, reported: reportedFile} {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, err := eval.Pairs(truth, reported, eval.Options{Examples: 3})
		if err != nil {
			if !strings.Contains(err.Error(), dir) {
				t.Errorf("error names no file: %v", err)
			}
			return
		}
		wrong := r.Below + r.Unlisted
		switch {
		case !r.Labelled && r.Precision.Count+wrong != r.Reported,
			r.Recall.Count != r.Precision.Count,
			r.Recall.Of > r.Truth,
			r.Agreement.Of > r.Reported,
			len(r.Misses) > 3 || len(r.False) > 3:
			t.Errorf("%+v", r)
		}
	})
}

// A truth file measured against itself.
func TestSharedTruthAgreesWithItself(t *testing.T) {
	for name, floor := range map[string]float64{
		"ota_terms_versions/exact_pairs.tsv":   .3,
		"en_license_texts/exact_pairs.tsv.zst": .8,
		"uci_sms/exact_pairs.tsv":              .5,
	} {
		path := shared.Path(t, name)
		r, err := eval.Pairs(path, path, eval.Options{At: floor})
		if err != nil {
			t.Fatal(err)
		}
		if r.Recall.Share != 1 || r.Precision.Share != 1 || r.Agreement.Share != 1 || r.Floor != floor || r.Repeated != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
