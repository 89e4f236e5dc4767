package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

func manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages",
		Long: `Writes a manual page for each command into DIR, which is made if it is not there:
what --help says, for man.

` + exitHelp,
		Example: `  neardup man ~/.local/share/man/man1`,
		Args:    expects("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			return writeManual(args[0], cmd.Root())
		},
	}
}

// writeManual writes the pages of a command and of those below it.
func writeManual(dir string, cmd *cobra.Command) error {
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			if err := writeManual(dir, sub); err != nil {
				return err
			}
		}
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	return os.WriteFile(filepath.Join(dir, name+".1"), []byte(manual(name, cmd)), 0o644)
}

// manual is one page. The help is set as it is: its tables are columns.
func manual(name string, cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"neardup %s\"\n.SH NAME\n%s \\- %s\n", roff(strings.ToUpper(name)), version(), roff(name), roff(cmd.Short))
	fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n.SH USAGE\n.nf\n%s\n.fi\n", roff(cmd.Long), roff(strings.TrimRight(usageText(cmd), "\n")))
	if cmd.HasParent() {
		fmt.Fprintf(&b, ".SH SEE ALSO\n%s(1)\n", roff(strings.ReplaceAll(cmd.Parent().CommandPath(), " ", "-")))
	}
	return b.String()
}

var roffEscapes = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

// roff escapes a text: no line of it is a request.
func roff(s string) string { return strings.TrimPrefix(roffEscapes.Replace("\n"+s), "\n") }
