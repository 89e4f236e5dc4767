package listed_test

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strings"
	"testing"

	"github.com/neardup/neardup/store/internal/listed"
)

// mangling changes the bytes that are written to it.
type mangling struct{}

func (mangling) Write(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestCopy: the checksum is of the bytes that were read, whatever the file makes of them.
func TestCopy(t *testing.T) {
	sum := sha256.Sum256([]byte("text"))
	want := listed.File{Name: "n", Size: 4, SHA256: hex.EncodeToString(sum[:])}
	for _, to := range []io.Writer{io.Discard, mangling{}} {
		if got, err := listed.Copy("n", to, io.MultiReader(strings.NewReader("text"))); err != nil || got != want {
			t.Errorf("to %T: %+v, %v (want %+v)", to, got, err, want)
		}
	}
}
