package batch

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/neardup/neardup"
)

// Documents returns a Source of documents in memory.
func Documents(docs []neardup.Document) Source { return &docSource{docs} }

type docSource struct{ docs []neardup.Document }

func (s *docSource) Next() (Block, error) {
	if len(s.docs) == 0 {
		return nil, io.EOF
	}
	n := min(len(s.docs), 256)
	b := docBlock(s.docs[:n])
	s.docs = s.docs[n:]
	return b, nil
}

type docBlock []neardup.Document

func (b docBlock) Decode(item func(*neardup.Document, error)) {
	for i := range b {
		item(&b[i], nil)
	}
}

// DedupStrings decides texts in memory, in order. leader[i] is the index of the text that text i is a duplicate
// of, or i itself if it is kept. Config needs a Method; without Clean, texts are not cleaned.
func DedupStrings(ctx context.Context, texts []string, cfg Config) (leader []int, err error) {
	docs := make([]neardup.Document, len(texts))
	for i, s := range texts {
		docs[i] = neardup.Document{ID: strconv.Itoa(i), Text: s}
	}
	leader = make([]int, len(texts))
	_, err = Dedup(ctx, Documents(docs), cfg, func(o Outcome) error {
		leader[o.Item] = o.LeaderItem
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("dedup strings: %w", err)
	}
	return leader, nil
}
