package main

import (
	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/methods"
	"github.com/spf13/cobra"
)

// completions are the values that the shell offers for flags, with what each
// means after a tab.
func completions() map[string][]string {
	values := map[string][]string{
		"keep":      {"first\tthe first of the input", "longest\tthe longest text", "largest\tthe picture of the most pixels", "earliest\tthe one of the earliest time", "shortest\tthe shortest text", "latest\tthe one of the latest time", "https\tone whose address begins with https", "shortest-url\tthe one of the shortest address", "smallest-id\tthe one of the smallest id"},
		"link":      {"leader\tnear their leader", "components\tchains count too"},
		"normalize": {"default", "none", "nfkc,lower,space,zerowidth"},
		"scheme":    schemeNames(),
	}
	for _, name := range methods.Names() {
		values["method"] = append(values["method"], name+"\t"+methods.About(name))
	}
	for _, f := range corpus.Formats() {
		values["format"] = append(values["format"], string(f))
	}
	return values
}

// complete offers values for the flags of a command and its children.
func complete(cmd *cobra.Command) {
	for name, values := range completions() {
		if cmd.LocalFlags().Lookup(name) == nil {
			continue
		}
		// The only errors are a flag that is not there or registered twice.
		_ = cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	}
	for _, child := range cmd.Commands() {
		complete(child)
	}
}
