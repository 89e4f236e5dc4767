package corpus

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
)

// endless repeats a line end after every period bytes.
type endless struct{ left, period, at int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	p = p[:min(len(p), e.left)]
	for i := range p {
		p[i] = 'x'
		e.at++
		if e.at == e.period {
			p[i], e.at = '\n', 0
		}
	}
	e.left -= len(p)
	return len(p), nil
}

// firstColumn names the text of a table without a header.
func firstColumn(f Format) string {
	if f == CSV || f == TSV {
		return "1"
	}
	return ""
}

// A record of many times the limit costs a few times the limit, whatever the format.
func TestLongRecordsStayInMemory(t *testing.T) {
	for _, format := range []Format{JSONL, CSV, TSV, Lines, Files, HTML, WARC} {
		head := ""
		if format == WARC {
			head = strings.Replace(page("1", ""), "Content-Length: ", "Content-Length: 2000000", 1)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		in := io.MultiReader(strings.NewReader(head), &endless{left: 24e6, period: 12e6})
		r, err := Open([]string{"-"}, Options{Format: format, Stdin: in, Extract: tagless, MaxDocument: 1 << 20, TextField: firstColumn(format), SkipDamaged: true})
		if err != nil {
			t.Fatal(err)
		}
		rejects := 0
		for {
			_, err := r.Next()
			var bad *RejectError
			if errors.As(err, &bad) {
				rejects++
				continue
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		runtime.ReadMemStats(&after)
		if rejects == 0 {
			t.Errorf("%s: nothing was rejected", format)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
			t.Errorf("%s: %d MB allocated", format, used>>20)
		}
	}
}

// Items in use keep their bytes while others are read and skipped.
func TestItemsStayValid(t *testing.T) {
	for _, format := range []Format{JSONL, CSV, WARC} {
		record := func(s string) string { return s + "\n" }
		if format == WARC {
			record = func(s string) string { return page("1", s) }
		}
		content := strings.Repeat(record("short")+record(strings.Repeat("long", 200e3))+record("short"), 3)
		r, err := Open([]string{"-"}, Options{Format: format, Stdin: strings.NewReader(content), Extract: tagless, MaxDocument: 1000, TextField: firstColumn(format)})
		if err != nil {
			t.Fatal(err)
		}
		var held []Item
		for {
			it, err := r.Next()
			if err == io.EOF {
				break
			}
			if err == nil {
				held = append(held, it)
			}
		}
		if len(held) != 6 {
			t.Fatalf("%s: %d items", format, len(held))
		}
		for _, it := range held {
			if !strings.HasPrefix(record("short"), string(it.Raw)) {
				t.Fatalf("%s: item at %d became %.40q", format, it.Line, it.Raw)
			}
		}
	}
}
