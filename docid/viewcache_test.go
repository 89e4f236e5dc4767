package docid

import (
	"fmt"
	"testing"
)

type sizedView int

func (v sizedView) Bytes() int { return int(v) }

// The cache stays within its bytes, and views in repeated use outlast the others.
func TestViewsKeepWhatIsUsed(t *testing.T) {
	const room = 10
	c := newViewCache(room * (1000 + overhead))
	often := keyOfView(1, viewContent)
	c.put(often, newLeaderView("often", "", Extras{}, sizedView(1000)))
	for n := uint64(2); n < 500; n++ {
		key := keyOfView(n, viewContent)
		c.put(key, newLeaderView(fmt.Sprint(n), "", Extras{}, sizedView(1000)))
		c.put(key, newLeaderView("again", "", Extras{}, sizedView(1000)))
		if n%3 == 0 {
			if v := c.get(key); v == nil || v.nid != fmt.Sprint(n) {
				t.Fatalf("view %d: %+v just after it came", n, v)
			}
		}
		if v := c.get(often); v == nil || v.nid != "often" {
			t.Fatalf("after %d others: %+v", n-1, v)
		}
		if c.bytes > c.limit || len(c.cached) != len(c.ring) || len(c.ring) != min(int(n), room) {
			t.Fatalf("%d bytes, %d views, %d in the ring", c.bytes, len(c.cached), len(c.ring))
		}
	}
	c.put(keyOfView(9, viewTitle), newLeaderView("", "", Extras{}, sizedView(c.limit)))
	if len(c.ring) != len(c.cached) || c.bytes > c.limit {
		t.Errorf("after one as large as the cache: %d bytes, %d views", c.bytes, len(c.cached))
	}
}
