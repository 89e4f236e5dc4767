package streams

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"slices"
	"sync"
	"testing"

	"github.com/neardup/neardup/server/api"
)

// orders is a service that notes in which order the versions of each nid came.
type orders struct {
	mu   sync.Mutex
	seen map[string][]int
}

func (o *orders) SubmitJSON(_ context.Context, article []byte, _ string) (api.Answer, error) {
	var in struct {
		NID  string
		Heat int
	}
	err := json.Unmarshal(article, &in)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.seen[in.NID] = append(o.seen[in.NID], in.Heat)
	return api.Answer{}, err
}

// However many articles are in flight, those of one nid are decided in the order of their
// partition, and with one in flight all are.
func TestLanesKeepTheOrderOfANid(t *testing.T) {
	const nids, versions = 3, 200
	for _, inFlight := range []int{1, 2, 8, 64} {
		service := &orders{seen: map[string][]int{}}
		c := &Consumer{o: Options{InFlight: inFlight}, service: service, seed: maphash.MakeSeed()}
		var messages []Message
		for version := range versions {
			for nid := range nids {
				m := Message{Value: fmt.Appendf(nil, `{"nid":"n%d","heat":%d,"content":"x"}`, nid, version)}
				m.Offset = fmt.Sprint(len(messages))
				messages = append(messages, m)
			}
		}
		if _, err := c.submit(t.Context(), messages); err != nil {
			t.Fatal(err)
		}
		for nid, seen := range service.seen {
			if len(seen) != versions || !slices.IsSorted(seen) {
				t.Errorf("%d in flight: %s came in the order %v", inFlight, nid, seen)
			}
		}
	}
}
