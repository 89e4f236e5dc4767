// Command recall measures the search of a method. By brute force over all pairs of texts of similar length, it finds those
// that are near or variants. It counts how many of these share a key and pass the sketches, as a search requires.
//
//	go run -C bench ./recall [-method auto] [-texts 20000] FILE...
//
// It takes the first distinct clean texts of each band of lengths. If similar texts are close together in the files, or
// copies are planted, that gives enough pairs. Lengths are those by which auto routes, in Chinese characters (a letter
// counts one and a half). It writes TSV to standard output.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "recall:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("recall", flag.ContinueOnError)
	name := flags.String("method", "", "method, as of neardup; the default one")
	most := flags.Int("texts", 20000, "texts of a band at most")
	if err := flags.Parse(args); err != nil {
		return err
	}
	method, err := methods.New(*name)
	if err != nil {
		return err
	}
	if _, trained := method.(neardup.Trainable); trained {
		return fmt.Errorf("method %s takes its keys from the corpus and misses none", *name)
	}
	fmt.Fprintln(out, "file\tlength\ttexts\tkeys_per_text\tnear\tfound\trecall\tvariants\tfound\trecall")
	for _, file := range flags.Args() {
		bands, err := readBands(file, method, *most)
		if err != nil {
			return err
		}
		for i, b := range bands {
			if len(b.texts) > 1 {
				fmt.Fprintf(out, "%s\t%s\t%s\n", file, bandName(i), b.measure(method))
			}
		}
	}
	return nil
}

// limits are the ends of the bands, in Chinese characters. They include the default limit of short texts and its double.
var limits = []int{25, 75, 150, 300, 600}

func bandName(i int) string {
	if i == len(limits) {
		return fmt.Sprintf("%d-", limits[i-1])
	}
	from := 0
	if i > 0 {
		from = limits[i-1]
	}
	return fmt.Sprintf("%d-%d", from, limits[i]-1)
}

// band holds the texts of a length.
type band struct {
	texts   []string
	records []neardup.Record
}

func readBands(file string, method neardup.Method, most int) ([]band, error) {
	r, err := corpus.Open([]string{file}, corpus.Options{})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	clean := text.Default()
	bands, seen := make([]band, len(limits)+1), map[string]bool{}
	for doc, err := range r.Documents() {
		if corpus.Rejected(err) != nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		t := strings.Clone(clean.Clean(doc.Text))
		at, found := slices.BinarySearch(limits, methods.Length(t)/2)
		if found {
			at++
		}
		b := &bands[at]
		if len(b.texts) == most || seen[t] {
			continue
		}
		seen[t] = true
		var rec neardup.Record
		method.Record(t, &rec)
		b.texts, b.records = append(b.texts, t), append(b.records, rec)
	}
	return bands, nil
}

// tally counts pairs, and those that a search finds.
type tally struct{ all, found int }

func (t tally) String() string {
	return fmt.Sprintf("%d\t%d\t%.5f", t.all, t.found, float64(t.found)/float64(max(t.all, 1)))
}

func (b *band) measure(method neardup.Method) string {
	views := make([]neardup.Prepared, len(b.texts))
	keys := 0
	for i, t := range b.texts {
		views[i] = method.Prepare(t)
		keys += len(b.records[i].Index)
		slices.Sort(b.records[i].Index)
	}
	var near, variants tally
	for i := range views {
		for j := range i {
			m := method.Compare(views[i], views[j])
			if !m.Near && !m.Variant {
				continue
			}
			t := &near
			if m.Variant {
				t = &variants
			}
			t.all++
			if method.Plausible(b.records[i].Sketch, b.records[j].Sketch) && share(b.records[i].Index, b.records[j].Index) {
				t.found++
			}
		}
	}
	return fmt.Sprintf("%d\t%.1f\t%v\t%v", len(b.texts), float64(keys)/float64(len(b.texts)), near, variants)
}

// share reports whether two sorted lists have a key in common.
func share(a, b []uint64) bool {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			return true
		}
	}
	return false
}
