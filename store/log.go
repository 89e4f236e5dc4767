// Package store holds what the stores of the service share for their callers. The stores are in the folders below it.
package store

import (
	"context"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
)

// BeginLog begins an empty log for servers without an index. No server does so by itself, because an index that began by
// mistake would answer in place of the one that was lost. It returns docid.ErrLogLost if the log has, or had, entries.
func BeginLog(ctx context.Context, log docid.Log) error { return ledger.BeginLog(ctx, log) }
