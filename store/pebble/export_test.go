package pebble

import (
	"context"

	"github.com/neardup/neardup/store/internal/ledger"
)

// MarkCopy marks a folder that no process has open as a copy.
func MarkCopy(_ context.Context, dir string, o Options) error {
	return offline(dir, o, func(kv *engine) error {
		_, err := ledger.Mark(kv)
		return err
	})
}
