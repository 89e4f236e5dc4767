package main

import "github.com/spf13/cobra"

// commands lists every verb; each lives in a file of its own.
func commands(a *app) []*cobra.Command {
	return []*cobra.Command{
		dedupCommand(a),
		pairsCommand(a),
		passagesCommand(a),
		contaminatedCommand(a),
		indexCommand(a),
		compareCommand(a),
		reportCommand(a),
		evalCommand(a),
		fingerprintCommand(a),
		nearCommand(a),
		idfCommand(a),
		tuneCommand(a),
		serveCommand(a),
		addCommand(a),
		checkCommand(a),
		consumeCommand(a),
		rebuildCommand(a),
		backupCommand(a),
		logCommand(a),
		correctCommand(a),
		rulingsCommand(a),
		exportCommand(a),
		tokenCommand(a),
		planCommand(a),
		sparkCommand(a),
		workerCommand(a),
		mcpCommand(a),
		manCommand(),
	}
}
