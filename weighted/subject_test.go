package weighted_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/weighted"
)

// Two editions of a long document: what differs in the titles, and comes again
// in the text, tells that they are about something else.
func ExampleMethod_SubjectConflicts() {
	m, err := weighted.New(weighted.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	about := func(city string) *weighted.Subject {
		return m.Subject("Statutes of the city of " + city + ". " + strings.Repeat("The council of "+city+" decides on its taxes and roads. ", 3))
	}
	fmt.Println(m.SubjectConflicts(about("Toledo"), about("Oviedo")), m.SubjectConflicts(about("Toledo"), about("Toledo")))
	// Output: [{name Toledo Oviedo}] []
}

// Each kind that is listed may be named, and no other.
func TestKinds(t *testing.T) {
	kinds := weighted.Kinds()
	if !slices.Contains(kinds, weighted.KindNumber) || len(kinds) != 8 {
		t.Errorf("kinds %q", kinds)
	}
	for _, k := range kinds {
		method(t, weighted.Config{Facts: weighted.Facts(k)})
	}
	if _, err := weighted.New(weighted.Config{Facts: "colour"}); err == nil {
		t.Error("a kind that is none was accepted")
	}
}

// A view says what it keeps: a longer text takes more.
func TestViewBytes(t *testing.T) {
	m := method(t, weighted.Config{})
	short, long := m.View("a few words of a text").Bytes(), m.View(strings.Repeat("some other words of a text ", 100)).Bytes()
	if short < 21 || long < 1000 || long <= short {
		t.Errorf("%d and %d bytes", short, long)
	}
}
