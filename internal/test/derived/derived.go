// Package derived hashes the rows of a store that can be derived from others, for tests of rebuilds.
package derived

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// spaces holds the prefixes of derived rows in package ledger: aliases, members, expiries, idempotency keys, epochs and
// rules.
const spaces = "amxqej"

// Digest returns a SHA-256 of the derived rows of a folder that no process has open. A rebuild as stored must not
// change it (I-12).
func Digest(dir string) (sum string, err error) {
	db, err := pebble.Open(dir, &pebble.Options{ReadOnly: true, Logger: quiet{}})
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	h := sha256.New()
	for _, space := range []byte(spaces) {
		it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{space}, UpperBound: []byte{space + 1}})
		if err != nil {
			return "", err
		}
		for ok := it.First(); ok; ok = it.Next() {
			fmt.Fprintf(h, "%q %q\n", it.Key(), it.Value())
		}
		if err := it.Close(); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// quiet discards the messages of the engine.
type quiet struct{}

// Infof drops a message.
func (quiet) Infof(string, ...any) {}

// Errorf drops a message.
func (quiet) Errorf(string, ...any) {}

// Fatalf drops a message.
func (quiet) Fatalf(string, ...any) {}
