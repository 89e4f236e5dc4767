package passage_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/neardup/neardup"
	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/passage"
)

func ExampleFind() {
	docs := []neardup.Document{
		{ID: "a", Text: "News of today. All rights are reserved by the owners of this page."},
		{ID: "b", Text: "All rights are reserved by the owners of this page. More news."},
	}
	open := func() (batch.Source, error) { return batch.Documents(docs), nil }
	spans, err := passage.Find(context.Background(), open, passage.Config{Least: passage.Length{N: 5, Unit: passage.Words}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer spans.Close()
	for {
		s, err := spans.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s from byte %d: %q, as %s from byte %d\n", s.ID, s.Byte, docs[s.Item].Text[s.Byte:s.Byte+s.Len], s.From.ID, s.From.Byte)
	}
	fmt.Println(spans.Summary().Documents, "documents")
	sources, err := spans.Sources(context.Background()) // documents that others refer to
	fmt.Println(sources, err)
	// Output:
	// b from byte 0: "All rights are reserved by the owners of this page", as a from byte 15
	// 2 documents
	// [true false] <nil>
}

func ExampleCutter_Parts() {
	c, err := passage.NewCutter(passage.WholeSentences)
	if err != nil {
		fmt.Println(err)
		return
	}
	text := "One. Two is long. Thr"
	span := passage.Span{Position: passage.Position{Byte: 2}, Len: len(text) - 2, From: passage.Position{Item: 1}}
	for _, p := range c.Parts(text, []passage.Span{span}) {
		fmt.Printf("%q %q\n", text[p.Start:p.End], p.Stays)
	}
	// Output:
	// "e. " "within"
	// "Two is long. Thr" ""
}
