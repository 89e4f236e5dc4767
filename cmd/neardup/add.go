package main

import (
	"context"

	"github.com/spf13/cobra"
)

func addCommand(a *app) *cobra.Command {
	var f streamFlags
	cmd := &cobra.Command{
		Use:   "add --server URL [flags] INPUT...",
		Short: "Send articles from files to a running server and store them",
		Long: `Reads documents from files, folders, patterns or standard input ("-") and submits
them in batches. Each batch is decided in its order; with --parallel above 1,
batches overtake each other, so of near-duplicates in different batches any may
come first. --parallel 1 keeps the order of the input.

Besides the text, an article keeps the fields title, url, time, category, media,
imageCount and heat of its record, and images, a list of {"hash", "quality"} as
in the API; a list of anything else in that field is left alone.

An article is stored once however often it is sent: its id is its nid. With
--state a run that was ended goes on where it stopped. The server's answer to
"too fast" is obeyed; a server that is away is tried again for half a minute.

` + exitHelp,
		Example: `  neardup add --server http://127.0.0.1:8080 news.jsonl --answers answers.jsonl
  neardup add --server https://docid.example --token-file token --state load.state 'news/*.zst'`,
		Args: cobra.ArbitraryArgs,
		RunE: a.onInputs(func(ctx context.Context, inputs []string) error { return f.send(ctx, a, inputs, addAll) }),
	}
	f.add(cmd.Flags())
	return cmd
}
