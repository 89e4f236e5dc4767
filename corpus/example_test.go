package corpus_test

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/corpus"
)

// Documents one after the other; for many cores there are Next and NewDecoder.
func Example() {
	in := strings.NewReader(`{"id":"a","text":"one"}` + "\n{oops\n" + `{"id":"b","text":"two"}`)
	r, err := corpus.Open([]string{"-"}, corpus.Options{Stdin: in})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for doc, err := range r.Documents() {
		switch bad := corpus.Rejected(err); {
		case bad != nil:
			fmt.Println("rejected", bad)
		case err != nil:
			log.Fatal(err)
		default:
			fmt.Println(doc.ID, doc.Text)
		}
	}
	// Output:
	// a one
	// rejected -:2: no key in quotes at byte 2
	// b two
}

// A second pass writes the records that are kept, byte for byte.
func ExampleWriter() {
	dir, err := os.MkdirTemp("", "corpus")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "in.csv"), filepath.Join(dir, "out.csv")
	if err := os.WriteFile(in, []byte("id,text\n1,\"a, b\"\n2,c\n3,\"d\"\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	if err := keepOdd(in, out); err != nil {
		log.Fatal(err)
	}
	content, err := os.ReadFile(out)
	fmt.Print(string(content), err)
	// Output:
	// id,text
	// 1,"a, b"
	// 3,"d"
	// <nil>
}

func keepOdd(in, out string) error {
	first, err := corpus.Open([]string{in}, corpus.Options{})
	if err != nil {
		return err
	}
	defer first.Close()
	second, err := first.Again()
	if err != nil {
		return err
	}
	defer second.Close()
	w, err := corpus.NewWriter(out, second)
	if err != nil {
		return err
	}
	defer w.Abort()
	for n := 1; ; n++ {
		it, err := second.Next()
		if err == io.EOF {
			return w.Commit()
		}
		if err == nil && n%2 == 1 {
			err = w.Write(it)
		}
		if err != nil {
			return err
		}
	}
}

func ExampleCreateAtomic() {
	f, err := corpus.CreateAtomic("-") // or a path, which appears with Commit
	if err != nil {
		log.Fatal(err)
	}
	defer f.Abort()
	if err := f.WriteJSON(corpus.RejectError{File: "a.jsonl", Line: 17, Reason: "no text"}); err != nil {
		log.Fatal(err)
	}
	if err := f.Commit(); err != nil {
		log.Fatal(err)
	}
	// Output: {"file":"a.jsonl","line":17,"reason":"no text"}
}

func ExampleParseFormat() {
	_, err := corpus.ParseFormat("odt")
	fmt.Println(err)
	// Output: unknown format "odt" (want auto, jsonl, json, csv, tsv, lines, files, html, warc, parquet, arrow, xlsx, mbox, eml, docx, images)
}

// Outputs appear together: after an error none does.
func ExampleCommitAll() {
	dir, err := os.MkdirTemp("", "corpus")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	var outs []corpus.Output
	for _, name := range []string{"kept.txt", "decisions.txt"} {
		f, err := corpus.CreateAtomic(filepath.Join(dir, name))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Fprintln(f, name)
		outs = append(outs, f)
	}
	before, _ := filepath.Glob(filepath.Join(dir, "*.txt"))
	err = corpus.CommitAll(outs...)
	after, _ := filepath.Glob(filepath.Join(dir, "*.txt"))
	fmt.Println(len(before), err, len(after))
	// Output: 0 <nil> 2
}

func ExampleFormats() {
	for _, f := range corpus.Formats()[:3] {
		_, err := corpus.ParseFormat(string(f))
		fmt.Println(f, err)
	}
	// Output:
	// auto <nil>
	// jsonl <nil>
	// json <nil>
}

// A record that is rejected names file and line, and what is the cause.
func ExampleRejectError_Unwrap() {
	reject := &corpus.RejectError{File: "a.jsonl", Line: 17, Reason: "no text", Err: corpus.ErrField}
	fmt.Println(reject, errors.Is(reject, corpus.ErrField))
	// Output: a.jsonl:17: no text true
}

// No output overwrites an input, under whatever name.
func ExampleReader_CheckOutput() {
	dir, err := os.MkdirTemp("", "corpus")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	in := filepath.Join(dir, "in.txt")
	if err := os.WriteFile(in, []byte("a text\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	r, err := corpus.Open([]string{in}, corpus.Options{Format: corpus.Lines})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println(r.CheckOutput(filepath.Join(dir, "out.txt"), "-", ""))
	fmt.Println(r.CheckOutput(filepath.Join(dir, ".", "in.txt")) != nil)
	// Output:
	// <nil>
	// true
}

// A field that no object has is not an error of any record.
func ExampleReader_Unmet() {
	dir, err := os.MkdirTemp("", "corpus")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	in := filepath.Join(dir, "in.jsonl")
	if err := os.WriteFile(in, []byte(`{"text":"a"}`+"\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	r, err := corpus.Open([]string{in}, corpus.Options{IDField: "nid"})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	it, err := r.Next()
	if err != nil {
		log.Fatal(err)
	}
	var doc neardup.Document
	err = r.NewDecoder().Decode(it, &doc)
	fmt.Println(doc.Text, err, r.Unmet())
	// Output: a <nil> [nid]
}

func ExampleCell() {
	fmt.Println(corpus.Cell("=1+1"), corpus.Cell("1+1"))
	// Output: '=1+1 1+1
}

func ExampleAppendName() {
	object := append(corpus.AppendName([]byte("{"), "id"), '1')
	fmt.Printf("%s}\n", append(corpus.AppendName(object, "seen"), "true"...))
	// Output: {"id":1,"seen":true}
}
