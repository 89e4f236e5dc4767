package main

import (
	_ "embed"
	"strings"
	"sync"
	"time"

	"github.com/neardup/neardup/batch"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagTable has a row for each flag: name (and shorthand), default and help, in groups. A row
// "verb: name" is for one verb and precedes the row of the name alone.
//
//go:embed flags.txt
var flagTable string

// helpTable has the help of each verb: its command line, a line about it, the text and examples.
//
//go:embed help.txt
var helpTable string

// flagRow is what the table says about a flag.
type flagRow struct{ group, short, value, help string }

var flagRows = sync.OnceValue(func() map[string]flagRow {
	rows, group := map[string]flagRow{}, ""
	for line := range strings.Lines(strings.NewReplacer("{formats}", formatNames(), "{keep}", batch.KeepKeys).Replace(flagTable)) {
		line = strings.TrimRight(line, "\n")
		if title, ok := strings.CutPrefix(line, "# "); ok {
			group = title
			continue
		}
		cells := append(strings.SplitN(line, "\t", 3), "", "")
		name, short, _ := strings.Cut(cells[0], ",")
		rows[name] = flagRow{group, short, cells[1], strings.ReplaceAll(cells[2], `\n`, "\n")}
	}
	return rows
})

// flags are variables by the names of their flags.
type flags map[string]any

// bind defines flags of a verb by their rows in the table: its own, those of the command above it, those for all. It skips a variable that cannot be a flag.
func bind(fs *pflag.FlagSet, verb string, vars flags) {
	for name, v := range vars {
		row, ok := flagRows()[verb+": "+name]
		for of := verb; !ok && of != ""; row, ok = flagRows()[of+": "+name] {
			of = of[:max(strings.LastIndexByte(of, ' '), 0)]
		}
		if !ok {
			row = flagRows()[name]
		}
		switch p := v.(type) {
		case *string:
			fs.StringVarP(p, name, row.short, *p, row.help)
		case *bool:
			fs.BoolVarP(p, name, row.short, *p, row.help)
		case *int:
			fs.IntVarP(p, name, row.short, *p, row.help)
		case *int64:
			fs.Int64VarP(p, name, row.short, *p, row.help)
		case *uint64:
			fs.Uint64VarP(p, name, row.short, *p, row.help)
		case *float64:
			fs.Float64VarP(p, name, row.short, *p, row.help)
		case *time.Duration:
			fs.DurationVarP(p, name, row.short, *p, row.help)
		case *[]string:
			fs.StringArrayVarP(p, name, row.short, *p, row.help)
		case *list:
			fs.StringSliceVarP((*[]string)(p), name, row.short, *p, row.help)
		case pflag.Value:
			fs.VarP(p, name, row.short, row.help)
			if p.Type() == "bool" {
				fs.Lookup(name).NoOptDefVal = "true"
			}
		default:
			continue
		}
		f := fs.Lookup(name)
		f.Annotations = map[string][]string{groupKey: {row.group}}
		if row.value != "" && f.Value.Set(row.value) == nil {
			f.DefValue = f.Value.String()
		}
	}
}

// list is the value of a flag that takes several values, with commas between.
type list []string

// renamed returns how a command spells an earlier flag now, "" if it never had that flag.
func renamed(fs *pflag.FlagSet, name string) string {
	now := flagRows()["renamed: "+name].value
	flag, _, _ := strings.Cut(strings.TrimPrefix(now, "--"), " ")
	if now == "" || fs.Lookup(flag) == nil || fs.Lookup(name) != nil {
		return ""
	}
	return "; it is now " + now
}

var verbHelp = sync.OnceValue(func() map[string]cobra.Command {
	all := map[string]cobra.Command{}
	for text := range strings.SplitSeq(strings.NewReplacer("{exits}", exitHelp, "{schemes}\n", schemeHelp()).Replace(helpTable), "\n= ") {
		use, rest, _ := strings.Cut(strings.TrimPrefix(text, "= "), "\n")
		short, rest, _ := strings.Cut(rest, "\n")
		long, example, _ := strings.Cut(rest, "Examples:\n")
		words := strings.Fields(use)
		n := 1
		for n < len(words) && strings.Trim(words[n], "abcdefghijklmnopqrstuvwxyz") == "" {
			n++
		}
		all[strings.Join(words[:n], " ")] = cobra.Command{
			Use: strings.Join(words[n-1:], " "), Short: short, Long: strings.TrimRight(long, "\n"), Example: strings.TrimRight(example, "\n"),
		}
	}
	spark := all["spark dedup"]
	for name, what := range map[string]string{
		"dedup":    "the kept documents in kept, a line of JSON for each decision in decisions",
		"pairs":    "the verified pairs with all evidence in pairs",
		"passages": "what is repeated in spans, the documents without it in clean (of Parquet: not)",
	} {
		h := spark
		for _, text := range []*string{&h.Use, &h.Short, &h.Long, &h.Example} {
			*text = strings.NewReplacer("dedup", name, "{what}", what).Replace(*text)
		}
		all["spark "+name] = h
	}
	return all
})

// verb makes the command at a path, with its help. Without args it takes any arguments.
func verb(path string, args cobra.PositionalArgs, run func(*cobra.Command, []string) error) *cobra.Command {
	if args == nil {
		args = cobra.ArbitraryArgs
	}
	h := verbHelp()[path]
	return &cobra.Command{Use: h.Use, Short: h.Short, Long: h.Long, Example: h.Example, Args: args, RunE: run}
}
