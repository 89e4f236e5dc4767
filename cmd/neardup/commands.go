package main

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"

	"github.com/neardup/neardup/batch"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// row makes the command at a path of the help. The fields of its verb are its flags.
type row struct {
	path string
	// args names the arguments, with commas between; INPUT... opens what is named or piped in, ... takes any.
	args string
	verb any // nil for a command that needs another, which args describes
}

// verbs has the commands in the groups of the help.
var verbs = []struct {
	group string
	rows  []row
}{
	{"Files", []row{
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
	{"Service", []row{
		{"serve", "", serve{}},
		{"add", "INPUT...", add{}},
		{"check", "...", check{}},
		{"consume", "", consume{}},
		{"export", "", export{}},
		{"correct", "NID", correct{}},
		{"rulings", "", rulings{}},
		{"mcp", "", mcpVerb{}},
	}},
	{"Index", []row{
		{"index", "", nil},
		{"index create", "INDEX", indexCreate{}},
		{"index add", "INDEX,INPUT...", indexAdd{dedup{link: string(batch.ByLeader)}}},
		{"index info", "INDEX", indexInfo{}},
		{"index check", "INDEX", indexCheck{}},
		{"index remove", "INDEX", indexRemove{run: runFlags{keep: string(batch.First)}}},
		{"index compact", "INDEX", indexCompact{}},
	}},
	{"Learn", []row{{"eval", "...", evaluation{}}, {"tune", "...", tune{}}, {"idf", "...", idf{}}}},
	{"Operate", []row{
		{"backup", "the folder to back up to", backup{}},
		{"log", "a command, begin, adopt or leave", nil},
		{"log begin", "", logBegin{}},
		{"log adopt", "", logAdopt{}},
		{"log leave", "", logLeave{}},
		{"rebuild", "", again{}},
		{"token", "", token{}},
		{"version", "", versionVerb{}},
		{"man", "DIR", man{}},
		{"worker", "a stage", nil},
		{"worker read", "FILE", workerRead{}},
		{"worker index", "FOLDER", workerIndex{}},
		{"worker passages", "a stage", nil},
	}},
}

// addCommands adds every verb to the root.
func addCommands(root *cobra.Command, a *app) {
	added := map[string]*cobra.Command{"": root}
	add := func(group string, r row) {
		parent := r.path[:max(strings.LastIndexByte(r.path, ' '), 0)]
		cmd := a.command(r)
		if added[r.path] = cmd; parent == "" {
			cmd.GroupID = group
		}
		added[parent].AddCommand(cmd)
	}
	for _, g := range verbs {
		root.AddGroup(&cobra.Group{ID: g.group, Title: g.group})
		for _, r := range g.rows {
			add(g.group, r)
		}
		root.SetHelpCommandGroupID(g.group)
		root.SetCompletionCommandGroupID(g.group)
	}
	added["worker"].Hidden = true // for programs
	for name := range stages {
		add("", row{"worker " + name, "", workerVerb{name: name}})
	}
	for name := range spansStages {
		add("", row{"worker passages " + name, "", spansVerb{name: name}})
	}
}

// command makes the command of a row.
func (a *app) command(r row) *cobra.Command {
	if r.verb == nil {
		if r.args == "" {
			return verb(r.path, nil, nil)
		}
		return verb(r.path, nil, needs(r.args))
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
		switch {
		case len(args) < len(names):
			return usage("%s is missing", names[len(args)])
		case rest == "INPUT...":
			return a.onInputs(do, len(names))(cmd, args)
		}
		return do(cmd.Context(), args)
	})
	own := *a
	own.cmd = cmd
	own.bindVerb(cmd.Flags(), r.path, v)
	return cmd
}

// bindVerb defines the flags of a verb: where it lists some, only these.
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

// bindFields defines a flag for each field of a struct: dropBelow is --drop-below. A tag names it otherwise, or "-" for
// none. The flags of a group are those of its fields, or those that its method add defines; a tag lists some, or after
// an exclamation mark all but some. An embedded verb has the rows of its own name.
func (a *app) bindFields(fs *pflag.FlagSet, path string, v reflect.Value, some func(flag string) bool) {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		tag, kind := field.Tag.Get("flags"), field.Type.Name()
		name, of := cmp.Or(tag, flagName(field.Name)), some
		if isGroup := field.Anonymous || strings.HasSuffix(kind, "Flags"); isGroup && tag != "" {
			listed, except := strings.CutPrefix(tag, "!")
			name, of = flagName(field.Name), func(flag string) bool { return slices.Contains(strings.Fields(listed), flag) != except }
		}
		p := reflect.NewAt(field.Type, v.Field(i).Addr().UnsafePointer()) // of an unexported field too
		switch p := p.Interface().(type) {
		case **app:
			*p = a
			continue
		case interface{ add(*pflag.FlagSet) }:
			if tag != "-" && (some == nil || some(name)) {
				p.add(fs)
			}
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

// flagName returns the flag of a field.
func flagName(field string) string {
	var b strings.Builder
	for _, r := range field {
		if 'A' <= r && r <= 'Z' {
			b.WriteByte('-')
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}
