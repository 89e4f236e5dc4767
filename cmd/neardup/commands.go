package main

import (
	"cmp"
	"context"
	_ "embed"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/neardup/neardup/batch"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A verbSpec describes the command at a path of the help. The fields of its verb are its flags.
type verbSpec struct {
	path string
	// args names the arguments, with commas between them. INPUT... opens named or piped inputs, and ... takes any.
	args string
	verb any // nil for a command with subcommands, which args describes
}

var verbs = []struct {
	group string
	rows  []verbSpec
}{
	{"Files", []verbSpec{
		{"dedup", "INPUT...", dedup{write: writes{kinds: dedupKinds}}},
		{"pairs", "INPUT...", pairs{}},
		{"passages", "INPUT...", passages{write: writes{kinds: formKinds}}},
		{"contaminated", "INPUT...", contaminated{write: writes{kinds: formKinds}}},
		{"compare", "...", compare{}},
		{"report", "INPUT...", reportVerb{}},
		{"fingerprint", "INPUT...", fingerprint{}},
		{"near", "...", near{}},
		{"plan", "INPUT...", planVerb{}},
		{"spark", "a command: dedup, pairs or passages", nil},
		{"spark dedup", "...", sparkVerb{verb: "dedup"}},
		{"spark pairs", "...", sparkVerb{verb: "pairs"}},
		{"spark passages", "...", sparkVerb{verb: "passages"}},
	}},
	{"Service", service},
	{"Index", []verbSpec{
		{"index", "", nil},
		{"index create", "INDEX", indexCreate{}},
		{"index add", "INDEX,INPUT...", indexAdd{dedup{link: string(batch.ByLeader)}}},
		{"index info", "INDEX", indexInfo{}},
		{"index check", "INDEX", indexCheck{}},
		{"index remove", "INDEX", indexRemove{run: runFlags{keep: string(batch.First)}}},
		{"index compact", "INDEX", indexCompact{}},
	}},
	{"Learn", []verbSpec{{"eval", "...", evaluation{}}, {"tune", "...", tune{}}, {"idf", "...", idf{}}}},
	{"Operate", slices.Concat(operating, []verbSpec{
		{"version", "", versionVerb{}},
		{"man", "DIR", man{}},
		{"worker", "a stage", nil},
		{"worker calls", "", workerCalls{}},
		{"worker read", "FILE", workerRead{}},
		{"worker index", "FOLDER", workerIndex{}},
		{"worker passages", "a stage", nil},
	})},
}

func addCommands(root *cobra.Command, a *app) {
	added := map[string]*cobra.Command{"": root}
	add := func(group string, r verbSpec) {
		parent := r.path[:max(strings.LastIndexByte(r.path, ' '), 0)]
		cmd := a.command(r)
		added[r.path] = cmd
		if parent == "" {
			cmd.GroupID = group
		}
		added[parent].AddCommand(cmd)
	}
	title := "Available Commands:\n\n"
	for _, g := range verbs {
		root.AddGroup(&cobra.Group{ID: g.group, Title: title + g.group + ":"})
		title = ""
		for _, r := range g.rows {
			add(g.group, r)
		}
		root.SetHelpCommandGroupID(g.group)
		root.SetCompletionCommandGroupID(g.group)
	}
	added["worker"].Hidden = true // only programs use it
	for name := range stages {
		add("", verbSpec{"worker " + name, "", workerVerb{name: name}})
	}
}

func (a *app) command(r verbSpec) *cobra.Command {
	if r.verb == nil {
		if r.args == "" {
			return verb(r.path, nil, nil)
		}
		return verb(r.path, nil, func(parent *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("%s needs %s", parent.Name(), r.args)
			}
			return noCommand(parent, args)
		})
	}
	v := reflect.New(reflect.TypeOf(r.verb))
	v.Elem().Set(reflect.ValueOf(r.verb))
	do := v.Interface().(interface {
		do(ctx context.Context, args []string) error
	}).do
	names := strings.FieldsFunc(r.args, func(c rune) bool { return c == ',' })
	args, rest := expects(names...), ""
	if n := len(names) - 1; n >= 0 && strings.HasSuffix(names[n], "...") {
		args, rest, names = nil, names[n], names[:n]
	}
	cmd := verb(r.path, args, func(cmd *cobra.Command, args []string) error {
		switch first := len(names); {
		case len(args) < first:
			return usage("%s is missing", names[len(args)])
		case rest == "INPUT...":
			fs, err := cmd.Flags(), error(nil)
			if fs.Lookup(configFlag) != nil {
				err = noTenants(fromFile(fs))
			}
			if err := cmp.Or(err, pictured(fs), refused(cmd)); err != nil {
				return err
			}
			inputs, err := a.inputs(args[first:])
			if err != nil {
				return err
			}
			args = slices.Concat(args[:first], inputs)
		case cmd.Flags().Lookup(configFlag) == nil: // otherwise the verb reads the file first
			if err := refused(cmd); err != nil {
				return err
			}
		}
		return do(cmd.Context(), args)
	})
	own := *a
	own.cmd = cmd
	own.bindVerb(cmd.Flags(), r.path, v)
	bounded(cmd.Flags())
	complete(cmd)
	return cmd
}

// bindVerb defines the flags of a verb. If the verb consists of a method only, it defines only the flags listed there.
func (a *app) bindVerb(fs *pflag.FlagSet, path string, verb reflect.Value) {
	var some func(flag string) bool
	if v, ok := verb.Interface().(interface{ only() string }); ok {
		some = func(flag string) bool { return slices.Contains(strings.Fields(v.only()), flag) }
	}
	a.bindFields(fs, path, verb.Elem(), some)
	if v, ok := verb.Interface().(interface{ ready(*pflag.FlagSet) }); ok {
		v.ready(fs)
	}
}

// bindFields defines a flag for each field of a struct, such as --drop-below for dropBelow. A tag renames the
// flag, or "-" omits it. A group adds the flags of its fields, or calls its method add. The tag of a group
// lists the flags to define, or those to omit after "!". An embedded verb uses the rows of its own name.
func (a *app) bindFields(fs *pflag.FlagSet, path string, v reflect.Value, some func(flag string) bool) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		tag, kind := field.Tag.Get("flags"), field.Type.Name()
		name, of := cmp.Or(tag, flagName(field.Name)), some
		if isGroup := field.Anonymous || strings.HasSuffix(kind, "Flags"); isGroup && tag != "" {
			listed, except := strings.CutPrefix(tag, "!")
			name, of = flagName(field.Name), func(flag string) bool { return slices.Contains(strings.Fields(listed), flag) != except }
		}
		p := reflect.NewAt(field.Type, v.Field(i).Addr().UnsafePointer()) // also works for unexported fields
		switch p := p.Interface().(type) {
		case **app:
			*p = a
			continue
		case interface{ add(*pflag.FlagSet) }:
			to := fs
			if tag == "-" || (some != nil && !some(name)) { // without its flags the group keeps its defaults
				to = pflag.NewFlagSet(name, pflag.ContinueOnError)
			}
			p.add(to)
			continue
		}
		switch {
		case tag == "-":
		case field.Anonymous && verbHelp()[kind].Use != "":
			a.bindFields(fs, kind, p.Elem(), of)
		case field.Anonymous, strings.HasSuffix(kind, "Flags"):
			a.bindFields(fs, path, p.Elem(), of)
		case some == nil || some(name):
			bind(fs, path, flags{name: p.Interface()})
		}
	}
}

var capitals = regexp.MustCompile(`\B[A-Z]`)

// flagName returns the flag of a field.
func flagName(field string) string {
	return strings.ToLower(capitals.ReplaceAllString(field, "-$0"))
}

// flagTable has a row for each flag with its name (and shorthand), default and help, in groups. A row "verb: name" applies
// to one verb and overrides the row of the name alone. The help of a number begins with its range in braces, unless any
// number from 0 on is valid. The help of a text begins with its valid values (a|b), unless any text is valid.
//
//go:embed flags.txt
var flagTable string

// helpTable holds the help of each verb: its command line, a one-line summary, the text and examples.
//
//go:embed help.txt
var helpTable string

type flagRow struct{ group, short, value, within, help string }

var flagRows = sync.OnceValue(func() map[string]flagRow {
	rows, group := map[string]flagRow{}, ""
	for line := range strings.Lines(strings.NewReplacer("{formats}", strings.Join(completions()["format"], ", "), "{keep}", batch.KeepKeys).Replace(flagTable)) {
		line = strings.TrimRight(line, "\n")
		if title, ok := strings.CutPrefix(line, "# "); ok {
			group = title
			continue
		}
		cells := append(strings.SplitN(line, "\t", 3), "", "")
		name, short, _ := strings.Cut(cells[0], ",")
		help, within := strings.ReplaceAll(cells[2], `\n`, "\n"), ""
		if strings.HasPrefix(help, "{") {
			within, help, _ = strings.Cut(help[1:], "} ")
			if !strings.Contains(within, "|") {
				help += ", " + within
			}
		}
		rows[name] = flagRow{group, short, cells[1], within, help}
	}
	return rows
})

type flags map[string]any

// bind defines flags of a verb by the row of the verb, of a parent or of the name. It skips variables of other types.
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
		default:
			continue
		}
		f := fs.Lookup(name)
		f.Annotations = map[string][]string{groupKey: {row.group}}
		if row.within != "" {
			f.Annotations[rangeKey] = []string{row.within}
		}
		if row.value != "" && f.Value.Set(row.value) == nil {
			f.DefValue = f.Value.String()
		}
	}
}

// list is the value of a flag that takes several values, separated by commas.
type list []string

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
		"dedup":    "kept documents in kept, decisions (a line of JSON each) in decisions",
		"pairs":    "verified pairs with their evidence in pairs",
		"passages": "repeated passages in spans, documents without them in clean (not for Parquet)",
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
