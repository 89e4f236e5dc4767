package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

type man struct{ *app }

func (v *man) do(_ context.Context, args []string) error {
	if err := os.MkdirAll(args[0], 0o755); err != nil {
		return err
	}
	return writeManual(args[0], v.cmd.Root())
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
