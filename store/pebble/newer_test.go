package pebble_test

import (
	"encoding/binary"

	"github.com/zeebo/xxh3"
)

// newer is the row of a format version to come.
func newer() []byte {
	fields := binary.AppendUvarint(nil, 2)
	return binary.BigEndian.AppendUint64(fields, xxh3.HashSeed(fields, xxh3.Hash([]byte("f"))))
}
