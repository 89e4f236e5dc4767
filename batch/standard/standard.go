// Package standard decides a collection with the default settings of neardup dedup: method auto, on cleaned texts.
package standard

import (
	"context"

	"github.com/neardup/neardup/batch"
	"github.com/neardup/neardup/methods"
	"github.com/neardup/neardup/text"
)

// Config returns the default settings, which the caller may change before use.
func Config() (batch.Config, error) {
	m, err := methods.New("auto")
	return batch.Config{Method: m, Clean: text.Default()}, err
}

// DedupStrings decides texts in memory, in order, as batch.DedupStrings does. leader[i] is the index of the text that
// text i is a duplicate of, or i itself if it is kept.
func DedupStrings(ctx context.Context, texts []string) (leader []int, err error) {
	cfg, err := Config()
	if err != nil {
		return nil, err
	}
	return batch.DedupStrings(ctx, texts, cfg)
}
