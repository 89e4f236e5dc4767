// Package evidence holds the shipped weights against what they are learned from.
package evidence

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/neardup/neardup/evidence"
	"github.com/neardup/neardup/internal/test/shared"
)

// TestShippedWeightsAreLearned: the table that is shipped is what the committed labels and
// the made pairs give, to a hundredth of a bit.
func TestShippedWeightsAreLearned(t *testing.T) {
	if testing.Short() {
		t.Skip("some 90 s of CPU")
	}
	shared.Path(t, "judged/judged_pairs.tsv")
	out := filepath.Join(t.TempDir(), "weights.toml")
	if log, err := exec.CommandContext(t.Context(), "bash", "learn", out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, log)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	learned, err := evidence.ReadWeights(string(data))
	if err != nil {
		t.Fatal(err)
	}
	shipped, err := evidence.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	few, many := learned.Bits()
	wantFew, wantMany := shipped.Bits()
	for i, f := range evidence.Features() {
		if math.Abs(few[i]-wantFew[i]) > .01 || math.Abs(many[i]-wantMany[i]) > .01 {
			t.Errorf("%s = [%.4f, %.4f], shipped [%.4f, %.4f]", f, few[i], many[i], wantFew[i], wantMany[i])
		}
	}
}
