package ledger

import (
	"errors"
	"testing"

	"github.com/neardup/neardup/docid"
)

// FuzzDecode checks that decoding any row returns a value or ErrCorrupt.
func FuzzDecode(f *testing.F) {
	f.Add([]byte("key"), sealed([]byte("key"), func(c *coder) { entryFields(c, &docid.Entry{NID: "n"}) }))
	f.Fuzz(func(t *testing.T, key, value []byte) {
		resealed := sealed(key, func(c *coder) { c.raw(value) })
		for _, get := range []func(*coder){
			func(c *coder) { entryFields(c, new(docid.Entry)) },
			func(c *coder) { memberFields(c, new(docid.Member)) },
			func(c *coder) { materialFields(c, new(docid.Material)) },
			new(leaderRow).fields,
			new(keptRow).fields,
			new(index).fields,
		} {
			for _, v := range [][]byte{value, resealed} {
				if err := decode(key, v, get); err != nil && !errors.Is(err, docid.ErrCorrupt) {
					t.Errorf("decode: %v", err)
				}
			}
		}
	})
}
