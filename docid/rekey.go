package docid

import (
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/neardup/neardup"
)

// Rekeyed is an index as other settings make it, while what it was answered stays: under
// which keys its leaders are found, and under which names its articles.
type Rekeyed struct {
	cascade
	// Spec is the spec of the settings.
	Spec string
}

// Rekey makes it. The seed, the key and the table of the index stay, so its docIds do. Clean texts are kept,
// and not what they were made of: so ErrUnlike where the settings clean in another way.
func (s Settings) Rekey(tenant string, id Identity) (*Rekeyed, error) {
	c, spec, err := s.build(id.Seed, id.Table)
	if err != nil {
		return nil, err
	}
	if kept := cleanOf(id.Spec); kept != cleanOf(spec) {
		return nil, fmt.Errorf("%w: the texts of tenant %q are kept normalised by %q, and cannot be by %q", neardup.ErrUnlike, tenant, kept, cleanOf(spec))
	}
	c.nameKey = derive(id, "name")
	return &Rekeyed{c, spec}, nil
}

// cleanOf returns how a spec cleans texts.
func cleanOf(spec string) string {
	_, rest, _ := strings.Cut(spec, " clean=")
	kept, _, _ := strings.Cut(rest, " url=")
	return kept
}

// Keys makes keys and sketch of leaders from their texts.
func (r *Rekeyed) Keys(leaders []*NewLeader) { r.keys(leaders) }

// keys makes them several at a time.
func (c *cascade) keys(leaders []*NewLeader) {
	work := make(chan *NewLeader)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for f := range work {
				s := c.subject(f.Material.Title, f.Material.Text)
				s.prepare()
				f.Keys, f.Sketch = s.keys, s.sketch
			}
		})
	}
	for _, f := range leaders {
		work <- f
	}
	close(work)
	workers.Wait()
}

// Names returns the names that lead to the docId of an article.
func (r *Rekeyed) Names(a *Article) []Name { return r.namesOf(a) }
