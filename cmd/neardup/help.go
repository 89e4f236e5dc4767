package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/methods"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func methodTopic() *cobra.Command {
	var b strings.Builder
	b.WriteString("--method takes the name of a method and its settings.\n\n  --method minhash\n  --method 'minhash threshold=.7 shingle=words:3'\n" +
		"  --method 'ngram similarity=jaccard keys=any m=runes:4'\n  --method 'simhash distance=3 features=keywords:20'\n\nMethods:\n")
	for _, v := range completions()["method"] {
		name, about, _ := strings.Cut(v, "\t")
		fmt.Fprintf(&b, "  %-9s %s\n", name, about)
	}
	b.WriteString("\nSettings:\n")
	for _, s := range slices.SortedFunc(slices.Values(methods.Settings()), func(a, b methods.Setting) int { return strings.Compare(a.Name, b.Name) }) {
		if slices.Contains(ofFiles, s.Name) {
			continue
		}
		fmt.Fprintf(&b, "  %-13s %s\n", s.Name, wrapped(settingHelp(s), 82, strings.Repeat(" ", 16)))
		if len(s.Methods) > 0 {
			fmt.Fprintf(&b, "%16sof %s\n", "", strings.Join(s.Methods, ", "))
		}
	}
	return &cobra.Command{Use: "method", Short: "The methods and their settings", Long: strings.TrimRight(b.String(), "\n")}
}

// wrapped breaks a text into lines of at most width bytes.
func wrapped(s string, width int, indent string) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Fields(s) {
		switch {
		case i > 0 && at+1+len(word) > width:
			b.WriteString("\n" + indent)
			at = 0
		case i > 0:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	return b.String()
}

// Groups of flags in the help of a command.
const (
	inputGroup  = "Input"
	methodGroup = "Method"
	outputGroup = "Output"
)

const groupKey = "group"

// helpWidth is the longest line of the help, in bytes.
const helpWidth = 100

// usageText returns the usage of a command in cobra's form, with the flags in groups.
func usageText(cmd *cobra.Command) string {
	own := cmd.Root().UsageFunc()
	cmd.Root().SetUsageFunc(nil)
	defer cmd.Root().SetUsageFunc(own)
	flags := "\n\nFlags:\n" + strings.TrimRight(cmd.LocalFlags().FlagUsages(), " \n")
	return strings.Replace(strings.TrimRight(cmd.UsageString(), "\n"), flags, flagHelp(cmd), 1)
}

func flagHelp(cmd *cobra.Command) string {
	groups := map[string]*pflag.FlagSet{}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		title := "Flags"
		if in := f.Annotations[groupKey]; len(in) > 0 {
			title = in[0]
		}
		if groups[title] == nil {
			groups[title] = pflag.NewFlagSet("", pflag.ContinueOnError)
		}
		groups[title].AddFlag(f)
	})
	var b strings.Builder
	for _, title := range []string{inputGroup, "Address", "Stores", "Decisions", methodGroup, outputGroup, "Limits", "Operation", "Flags"} {
		if g := groups[title]; g != nil && g.HasAvailableFlags() {
			fmt.Fprintf(&b, "\n\n%s:\n%s", title, strings.TrimRight(g.FlagUsagesWrapped(helpWidth), "\n"))
		}
	}
	return b.String()
}

// completions returns the values that the shell offers for flags. A description may follow each value after a
// tab.
var completions = sync.OnceValue(func() map[string][]string {
	values := map[string][]string{
		"keep":      {"first\tthe first in the input", "longest\tthe longest text", "largest\tthe one with the most pixels", "earliest\tthe one with the earliest time", "shortest\tthe shortest text", "latest\tthe one with the latest time", "https\tone with an address that begins with https", "shortest-url\tthe one with the shortest address", "smallest-id\tthe one with the smallest id"},
		"link":      {"leader\teach is near its leader", "components\tchains also count"},
		"normalize": {"default", "none", "default,accents", "default,numbers"},
		"scheme":    schemeNames(),
	}
	for _, name := range methods.Names() {
		values["method"] = append(values["method"], name+"\t"+methods.About(name))
	}
	for _, f := range corpus.Formats() {
		values["format"] = append(values["format"], string(f))
	}
	return values
})

// complete offers values for the flags of a command.
func complete(cmd *cobra.Command) {
	for name, values := range completions() {
		if cmd.Flags().Lookup(name) != nil {
			// It fails only for an unknown flag or a second registration.
			_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
		}
	}
}

type man struct{ *app }

func (v *man) do(_ context.Context, args []string) error {
	if err := os.MkdirAll(args[0], 0o755); err != nil {
		return err
	}
	return writeManual(args[0], v.cmd.Root())
}

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

// manual returns one manual page. It prints the help unfilled because its tables depend on columns.
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

// roff escapes a text so that no line is read as a roff request.
func roff(s string) string { return strings.TrimPrefix(roffEscapes.Replace("\n"+s), "\n") }
