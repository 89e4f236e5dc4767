package main

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/neardup/neardup/docid"
	"github.com/neardup/neardup/docid/standard"
	"github.com/spf13/cobra"
)

func mcpCommand(a *app) *cobra.Command {
	var data string
	cmd := verb("mcp", expects(), func(cmd *cobra.Command, _ []string) error {
		if data == "" {
			return usage("--data is missing")
		}
		return a.serveMemories(cmd.Context(), data)
	})
	bind(cmd.Flags(), "mcp", flags{"data": &data})
	return cmd
}

// serveMemories serves until the input or ctx ends.
func (a *app) serveMemories(ctx context.Context, data string) (err error) {
	stores := storeFlags{cache: 16 << 20}
	store, err := stores.open(ctx, storeDir(data))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	settings := standard.Settings()
	settings.CacheBytes = int(stores.cache)
	d, err := docid.NewDetector(ctx, store, defaultTenant, settings)
	if err != nil {
		return err
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "neardup", Version: version()}, &mcp.ServerOptions{
		Instructions: memoryInstructions, Capabilities: &mcp.ServerCapabilities{},
	})
	(&memories{d}).register(s)
	return s.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(a.stdin), Writer: openWriter{a.stdout}})
}

// openWriter stays open: whoever gave the writer closes it.
type openWriter struct{ io.Writer }

// Close does nothing.
func (openWriter) Close() error { return nil }
