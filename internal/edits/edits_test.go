package edits

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/neardup/neardup/text"
)

const (
	chinese = "中国发布2021年新规，明年1月起施行。各地应当遵守，违者处罚。"
	english = "the meeting is at 10 on monday, bring the report. lunch is at noon."
	other   = "another text with other words 另外一段文字"
)

// TestMake: what each kind does, and that it is drawn by the seed alone.
func TestMake(t *testing.T) {
	for _, s := range []string{chinese, english} {
		for _, kind := range Kinds() {
			made, ok := Make(kind, s, other, rand.New(rand.NewPCG(1, 1)))
			again, _ := Make(kind, s, other, rand.New(rand.NewPCG(1, 1)))
			if made != again {
				t.Errorf("%s: one seed gives %q and %q", kind, made, again)
			}
			if ok != (made != s) || (!ok && kind != Script) {
				t.Errorf("%s of %q: %q, %v", kind, s, made, ok)
			}
			if !utf8.ValidString(made) {
				t.Errorf("%s: %q is no UTF-8", kind, made)
			}
			more := len(words(made)) - len(words(s))
			switch kind {
			case Insert, Head, Foot:
				if more <= 0 {
					t.Errorf("%s: %q has %d words more", kind, made, more)
				}
			case Delete:
				if more >= 0 {
					t.Errorf("%s: %q has %d words more", kind, made, more)
				}
			default:
				if more != 0 {
					t.Errorf("%s: %q has %d words more", kind, made, more)
				}
			}
		}
	}
}

// TestFolded: width and script are what the default normalisation folds.
func TestFolded(t *testing.T) {
	n := text.Default()
	for _, kind := range []Kind{Width, Script} {
		made, ok := Make(kind, n.Clean(chinese), "", nil)
		if !ok || n.Clean(made) != n.Clean(chinese) {
			t.Errorf("%s: %q is %q", kind, made, n.Clean(made))
		}
	}
}

// TestNumber: one digit differs, whatever is drawn.
func TestNumber(t *testing.T) {
	for seed := range uint64(200) {
		made, ok := Make(Number, "7 of 109", "", rand.New(rand.NewPCG(seed, 0)))
		differ := 0
		for i := range made {
			if made[i] != "7 of 109"[i] {
				differ++
			}
		}
		if !ok || differ != 1 {
			t.Fatalf("%q", made)
		}
	}
}

// TestNothingToEdit: texts that have no number, no second clause, no words.
func TestNothingToEdit(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		text string
	}{{Number, "no digits"}, {Reorder, "one clause"}, {Delete, "two words"}, {Insert, "..."}, {Script, "latin"}, {Width, ""}, {Number, ""}} {
		if made, ok := Make(c.kind, c.text, other, rand.New(rand.NewPCG(1, 1))); ok {
			t.Errorf("%s of %q: %q", c.kind, c.text, made)
		}
	}
}
