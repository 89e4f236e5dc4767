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
	cmd := &cobra.Command{
		Use:   "mcp --data DIR",
		Short: "Tell an agent, over MCP, whether it knows something already",
		Long: `Serves an agent's memories by the Model Context Protocol over standard input and
output. Its tools are check, add, compare, correct and forget; each answers with
the decision, the evidence in bits, and what to do, in words. A memory that says
the same as one that is known is merged; one with another number, name, date or
the opposite is kept, and the answer names the memory that it is like.

The memories lie in DIR, which is that of neardup serve with the settings that it
has by default; one process has it open at a time. Every answer is on disk before
it is given. The end of the input ends it.

` + exitHelp,
		Example: `  neardup mcp --data ~/.local/share/memories`,
		Args:    expects(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if data == "" {
				return usage("--data is missing")
			}
			return a.serveMemories(cmd.Context(), data)
		},
	}
	cmd.Flags().StringVar(&data, "data", "", "folder of the memories; made if it is not there")
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
