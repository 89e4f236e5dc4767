package docid_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

// A bucket with more leaders than may be compared is searched in the order of likeness. An equal text and a
// near copy of a leader are found. A text that is near none of those compared is refused, never called new.
func TestHotBucketIsSearchedByLikeness(t *testing.T) {
	const most, leaders = 50, 400
	d := service(t, docid.Settings{
		Clean: text.Default(), Content: docid.Near, MaxCandidates: most,
		ContentMethod: func(seed uint64, _ []byte) (neardup.Method, error) {
			return methods.New(fmt.Sprint("minhash seed=", seed))
		},
	})
	made, refused := []string{}, 0
	for n := range leaders {
		a, err := d.Add(t.Context(), submission("", "", template(n)))
		switch {
		case errors.Is(err, docid.ErrHotBucket):
			refused++
		case err != nil || a.Decision.Decision != neardup.New:
			t.Fatalf("template %d: %+v, %v", n, a.Decision, err)
		default:
			made = append(made, template(n))
		}
	}
	t.Logf("%d leaders of one template, %d refused", len(made), refused)
	if refused == 0 || len(made) < most {
		t.Fatalf("no hot bucket: %d made, %d refused", len(made), refused)
	}
	for i, original := range made {
		for _, copied := range []string{original, strings.Replace(original, "harbour", "seaport", 1)} {
			a, err := d.Add(t.Context(), submission("", "", copied))
			if err != nil || a.Decision.Decision != neardup.Duplicate {
				t.Errorf("copy of leader %d: %+v, %v", i, a.Decision, err)
			}
		}
	}
}

// template returns an article of 150 words, of which 11 are its own.
func template(n int) string {
	var b strings.Builder
	for w := range 150 {
		switch {
		case w == 75:
			b.WriteString("harbour ")
		case w%14 == 3:
			fmt.Fprintf(&b, "own%dof%d ", w, n)
		default:
			fmt.Fprintf(&b, "word%d ", w)
		}
	}
	return b.String()
}
