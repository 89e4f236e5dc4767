package main

import "github.com/spf13/cobra"

// addCommands adds every verb to the root, in the groups of its help. Each lives in a file of its own.
func addCommands(root *cobra.Command, a *app) {
	for _, g := range []struct {
		title string
		verbs []*cobra.Command
	}{
		{"Files", []*cobra.Command{
			dedupCommand(a), pairsCommand(a), passagesCommand(a), contaminatedCommand(a), compareCommand(a), reportCommand(a),
			fingerprintCommand(a), nearCommand(a), planCommand(a), sparkCommand(a),
		}},
		{"Service", []*cobra.Command{
			serveCommand(a), addCommand(a), checkCommand(a), consumeCommand(a), exportCommand(a), correctCommand(a), rulingsCommand(a), mcpCommand(a),
		}},
		{"Index", []*cobra.Command{indexCommand(a)}},
		{"Learn", []*cobra.Command{evalCommand(a), tuneCommand(a), idfCommand(a)}},
		{"Operate", []*cobra.Command{backupCommand(a), logCommand(a), rebuildCommand(a), tokenCommand(a), versionCommand(a), manCommand(), workerCommand(a)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, cmd := range g.verbs {
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
		root.SetHelpCommandGroupID(g.title)
		root.SetCompletionCommandGroupID(g.title)
	}
}
