package pebble_test

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// format is the row of a format version.
func format(version uint64) []byte {
	fields := binary.AppendUvarint(nil, version)
	return binary.BigEndian.AppendUint64(fields, xxh3.HashSeed(fields, xxh3.Hash([]byte("f"))))
}
