package contamination_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/neardup/neardup/contamination"
	"github.com/neardup/neardup/internal/test/shared"
)

// fixture reads a file of decon's tests.
func fixture(t *testing.T, name string) (rows []map[string]any) {
	t.Helper()
	f, err := os.Open(shared.Path(t, "decon/tests/fixtures/"+name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var row map[string]any
		if err := json.Unmarshal(s.Bytes(), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

func deconItems(rows []map[string]any) iter.Seq2[contamination.Item, error] {
	return func(yield func(contamination.Item, error) bool) {
		for _, r := range rows {
			field := func(name string) string { s, _ := r[name].(string); return s }
			item := contamination.Item{ID: fmt.Sprint(r["doc_id"]), Question: field("question"), Answer: field("answer"), Passage: field("passage")}
			if !yield(item, nil) {
				return
			}
		}
	}
}

// What decon's own tests expect of its fixtures, line by line, and where we find more: of each line "item part
// verdict". docs/contaminated.md lists the differences from decon.
func TestDeconFixtures(t *testing.T) {
	for _, c := range []struct {
		reference, training string
		want                map[int]string
	}{
		{"passage_question_answer", "contaminated_mixed", map[int]string{
			0: "101 passage contaminated, 101 question contaminated",
			3: "102 question contaminated",
			4: "103 answer partial", // its question is not there
		}},
		{"passage_question_answer", "clean", nil},
		{"passage_question_answer", "contaminated_at_beginning", map[int]string{0: "101 passage contaminated, 101 question contaminated"}},
		{"passage_question_answer", "contaminated_middle_position", map[int]string{0: "101 passage contaminated, 101 question contaminated"}},
		{"passage_question_answer", "contaminated_at_end", map[int]string{0: "101 passage contaminated, 101 question contaminated"}},
		{"passage_question_answer", "contaminated_multiple_in_one", map[int]string{
			0: "101 passage contaminated, 101 question contaminated, 102 question contaminated, 103 answer partial",
		}},
		// The Eifel Tower is another name: a letter is forgiven only where one of two words is in the tables.
		{"passage_question_answer", "contaminated_single_edit", map[int]string{0: "101 passage partial, 101 question partial"}},
		{"passage_question_answer", "contaminated_single_insertion", map[int]string{0: "101 passage partial, 101 question partial"}},
		{"passage_question_answer", "contaminated_single_deletion", map[int]string{0: "101 passage partial, 101 question partial"}},
		// A passage alone does not contaminate, because its subject may occur anywhere.
		{"passage_question_answer", "contaminated_edge_cases", map[int]string{
			0: "101 passage partial", 1: "101 passage partial", 2: "101 passage partial",
			3: "101 passage partial, 102 question contaminated", 4: "101 passage partial",
		}},
		// "Oxygen is the most abundant element in the Earth's crust" is the fact, and not the question.
		{"passage_question_answer", "long_document", map[int]string{
			0: "101 passage contaminated, 101 question contaminated, 102 question contaminated",
		}},
		{"question", "contaminated_punctuation_variation", map[int]string{0: "101 question contaminated"}},
		{"question", "clean", nil},
		{"question_answer", "contaminated_mixed", map[int]string{
			0: "101 question contaminated", 3: "102 question contaminated", 4: "103 answer partial",
		}},
	} {
		f, err := contamination.New(deconItems(fixture(t, "reference/"+c.reference+"_reference")), contamination.Config{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[int]string{}
		for i, row := range fixture(t, "training/"+c.training) {
			text, _ := row["text"].(string)
			var list []string
			for _, x := range f.Find(text) {
				list = append(list, fmt.Sprintf("%s %s %s", x.Item, x.Part, x.Verdict))
				if runes := []rune(text); string(runes[x.Start:x.End]) != x.Passage {
					t.Errorf("%s: the text has %q from %d to %d, not %q", c.training, string(runes[x.Start:x.End]), x.Start, x.End, x.Passage)
				}
			}
			if list != nil {
				got[i] = strings.Join(list, ", ")
			}
		}
		if !maps.Equal(got, c.want) {
			t.Errorf("%s in %s:", c.reference, c.training)
			for _, i := range slices.Sorted(maps.Keys(got)) {
				t.Errorf("  %d: %q, want %q", i, got[i], c.want[i])
			}
		}
	}
}
