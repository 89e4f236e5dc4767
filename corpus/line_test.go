package corpus

import (
	"errors"
	"strings"
	"testing"

	"github.com/neardup/neardup"
)

// A line by itself is the document, or the reject, that it is within its file.
func TestLineDecoder(t *testing.T) {
	for _, c := range []struct {
		opt      Options
		line     string
		id, text string
		reject   string
	}{
		{Options{}, `{"id":"a","text":"b\tc"}`, "a", "b\tc", ""},
		{Options{}, "{\"id\":7,\t\"text\":\"b\"}\r\n", "7", "b", ""},
		{Options{}, `{"text":"b"}`, "", "b", ""},
		{Options{Format: JSONL, IDField: "n", TextField: "body", Compare: TitleAndText}, `{"n":"x","title":"t","body":"b"}`, "x", "t\nb", ""},
		{Options{}, `{"id":"a"}`, "", "", `no field "text"; it has "id"`},
		{Options{}, `{"page":{"rows":[{"text":"a"}]}}`, "", "", `no field "text"; it has the list "page.rows": if these are the records, extract them: jq -c '.page.rows[]'`},
		{Options{}, `{"id":"a","text":`, "", "", "JSON"},
		{Options{MaxDocument: 10}, `{"id":"a","text":"b"}`, "", "", "at most 10 bytes"},
		{Options{Format: Lines}, "a\tb\n", "", "a\tb", ""},
	} {
		d, err := NewLineDecoder(c.opt)
		if err != nil {
			t.Fatal(err)
		}
		var doc neardup.Document
		err = d.Decode([]byte(c.line), &doc)
		var reject *RejectError
		if c.reject != "" {
			if !errors.As(err, &reject) || !strings.Contains(reject.Reason, c.reject) {
				t.Errorf("%q: %v, want a reject that says %s", c.line, err, c.reject)
			}
		} else if err != nil || doc.ID != c.id || doc.Text != c.text {
			t.Errorf("%q: %+v, %v", c.line, doc, err)
		}
		if err := d.Decode([]byte("\r\n"), &doc); !errors.Is(err, ErrBlank) {
			t.Errorf("a blank line: %v", err)
		}
	}
	if _, err := NewLineDecoder(Options{Format: CSV}); err == nil {
		t.Error("CSV is read line by line")
	}
}

// A line gets another text, and the rest of it stays unchanged.
func TestLineDecoderReplaces(t *testing.T) {
	for _, c := range []struct {
		opt        Options
		line, want string
	}{
		{Options{}, "{\"id\":7,\t\"text\": \"b\\u0041\", \"more\":[1]}\r", "{\"id\":7,\t\"text\": \"c<\\n\", \"more\":[1]}\r"},
		{Options{Format: Lines}, "a\r\n", ""},
	} {
		d, err := NewLineDecoder(c.opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.CanReplace(); err != nil {
			t.Error(err)
		}
		var doc neardup.Document
		if err := d.Decode([]byte(c.line), &doc); err != nil {
			t.Fatal(err)
		}
		got, err := d.Replace([]byte(c.line), "c<\n")
		if (c.want == "" && !errors.Is(err, ErrReplace)) || (c.want != "" && (err != nil || string(got) != c.want)) {
			t.Errorf("%q: %q, %v", c.line, got, err)
		}
	}
	d, err := NewLineDecoder(Options{Compare: TitleAndText})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.CanReplace(); !errors.Is(err, ErrReplace) {
		t.Errorf("title and text: %v", err)
	}
}
