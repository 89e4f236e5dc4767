// Package store has functions that all stores of the service share. The folders below it implement the stores.
package store

import (
	"context"

	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/store/internal/ledger"
)

// BeginLog begins an empty log for servers without an index. No server does so by itself, because it could replace a lost
// index by mistake. It returns docid.ErrLogLost if the log has or had entries.
func BeginLog(ctx context.Context, log docid.Log) error { return ledger.BeginLog(ctx, log) }
