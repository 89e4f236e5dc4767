package main

import (
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// envPrefix begins the environment variable of a flag, such as NEARDUP_ADDR_FILE for --addr-file.
const envPrefix = "NEARDUP_"

// A tenantTable holds the settings of one tenant in the configuration file.
type tenantTable struct {
	MaxArticles *int `toml:"max-articles"`
}

const configFlag = "config"

// rangeKey annotates flags of numbers and durations with their range, such as 1..64, and others with their values, such
// as leader|components. Where the lower bound is excluded, > precedes it.
const rangeKey = "range"

// bounded makes the flags of a command reject values that the table does not list, and numbers and durations out of range.
// Without a range, a number must not be negative.
func bounded(fs *pflag.FlagSet) {
	fs.VisitAll(func(f *pflag.Flag) {
		switch f.Value.Type() {
		case "int", "int64", "float64", "duration", "string":
			if _, is := f.Value.(boundedValue); !is {
				f.Value = boundedValue{f.Value, strings.Join(f.Annotations[rangeKey], "")}
			}
		}
	})
}

// longestAge is the longest duration that an index takes: a century. Adding it to a time does not overflow.
const longestAge = 876000 * time.Hour

type boundedValue struct {
	pflag.Value
	within string
}

// A rangeError is the end of the message about a value that is out of range.
type rangeError string

// Error returns the message.
func (e rangeError) Error() string { return string(e) }

func (v boundedValue) Set(s string) error {
	if v.Type() == "string" {
		choices := strings.Split(v.within, "|")
		switch {
		case v.within != "" && s == "":
			return nil // docker compose passes an unset variable as an empty one
		case v.within == "", slices.Contains(choices, s):
		case strings.Contains(v.within, ","):
			return errors.New(`invalid (want "` + strings.Join(choices, `" or "`) + `")`)
		default:
			return rangeError(": invalid (want " + strings.Join(choices, ", ") + ")")
		}
	}
	if err := v.Value.Set(s); err != nil || v.Type() == "string" {
		return err
	}
	is := quantity(v.String())
	least, most, _ := strings.Cut(v.within, "..")
	above := strings.TrimPrefix(least, ">")
	switch {
	case math.IsNaN(is) || math.IsInf(is, 0):
		return errors.New("not a number")
	case is < 0 && !strings.HasPrefix(least, "-") && v.within != "..":
		return errors.New("too small (want at least 0)")
	case v.Type() == "duration" && is > float64(longestAge):
		return fmt.Errorf("too long (want at most %s)", longestAge)
	case most == "" && least != "" && is < quantity(least):
		return rangeError(": too small (want at least " + least + ")")
	case least != "" && is < quantity(above), above != least && is == quantity(above), most != "" && is > quantity(most):
		return rangeError(": out of range (want " + v.within + ")")
	}
	return nil
}

// quantity returns a number, or a duration in nanoseconds.
func quantity(s string) float64 {
	if d, err := time.ParseDuration(s); err == nil {
		return float64(d)
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return math.NaN()
	}
	return n
}

// layered sets flags that the command line does not set. It takes them from the environment, or else from the
// TOML file of --config. The keys of the file are the names of flags. It returns the tables [tenants.NAME].
func layered(fs *pflag.FlagSet) (map[string]tenantTable, error) {
	var firstErr error
	fs.VisitAll(func(f *pflag.Flag) {
		name := envPrefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		v, ok := os.LookupEnv(name)
		if !ok || f.Changed || firstErr != nil || f.Name == "help" {
			return
		}
		if err := fs.Set(f.Name, v); err != nil {
			firstErr = usage("%w", badValue(name+" (--"+f.Name+")", err))
		}
	})
	if firstErr != nil {
		return nil, firstErr
	}
	return fromFile(fs)
}

// refusedTable has a row for each combination of flags that commands refuse. A row has the commands, separated by commas,
// the conditions and the message. It applies if all conditions hold. A condition is a flag that was given (flag), a flag
// with a value (flag=value, or flag=begin* for a prefix), one of several conditions (a|b), or INPUT for any argument. A !
// negates it. The message may contain values of flags, as ${flag}.
//
//go:embed refused.txt
var refusedTable string

// refused returns the error of the first combination of flags that the command refuses.
func refused(cmd *cobra.Command) error {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	fs := cmd.Flags()
	for line := range strings.Lines(refusedTable) {
		cells := strings.SplitN(strings.TrimSpace(line), "\t", 3)
		applies := slices.ContainsFunc(strings.Split(cells[0], ","), func(of string) bool { return strings.HasPrefix(path+" ", of+" ") })
		fails := func(condition string) bool { return !holds(fs, condition) }
		if applies && !slices.ContainsFunc(strings.Fields(cells[1]), fails) {
			return usage("%s", os.Expand(cells[2], func(flag string) string { return fs.Lookup(flag).Value.String() }))
		}
	}
	return nil
}

// notGiven lists the values that a flag has when it is not given.
var notGiven = []string{"", "false", "0", "0s"}

func holds(fs *pflag.FlagSet, condition string) bool {
	words, not := strings.CutPrefix(condition, "!")
	return not != slices.ContainsFunc(strings.Split(words, "|"), func(word string) bool {
		name, want, byValue := strings.Cut(word, "=")
		f := fs.Lookup(name)
		if f == nil {
			return word == "INPUT" && fs.NArg() > 0
		}
		value, begin := f.Value.String(), strings.TrimSuffix(want, "*")
		switch {
		case !byValue:
			return f.Changed && !slices.Contains(notGiven, value)
		case begin != want:
			return strings.HasPrefix(value, begin)
		}
		return value == want
	})
}

// noTenants rejects tenants for commands other than a service.
func noTenants(tenants map[string]tenantTable, err error) error {
	if err == nil && tenants != nil {
		err = usage("--%s: tenants have no effect on this command (want serve)", configFlag)
	}
	return err
}

// fromFile sets flags from the file of --config, unless they are set.
func fromFile(fs *pflag.FlagSet) (map[string]tenantTable, error) {
	file := fs.Lookup(configFlag).Value.String()
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, usage("--%s: %w", configFlag, err)
	}
	var content map[string]any
	var of struct{ Tenants map[string]tenantTable }
	if err := toml.Unmarshal(text, &content); err != nil {
		return nil, usage("--%s %s: %w", configFlag, file, err)
	}
	meta, err := toml.Decode(string(text), &of)
	if err != nil {
		return nil, usage("%s: %w", file, err)
	}
	for _, key := range slices.Sorted(maps.Keys(content)) { // sorted, so method comes before threshold
		if key == "tenants" {
			continue
		}
		if err := setFlag(fs, key, content[key]); err != nil {
			return nil, usage("%s: %w", file, err)
		}
	}
	for _, key := range meta.Undecoded() {
		if key[0] == "tenants" {
			return nil, usage("%s: unknown setting %s", file, key)
		}
	}
	return of.Tenants, nil
}

// setFlag sets a flag unless the command line or the environment has set it. For a list it sets the flag once
// for each element.
func setFlag(fs *pflag.FlagSet, name string, v any) error {
	f := fs.Lookup(name)
	if f == nil || name == configFlag || name == "help" {
		return fmt.Errorf("unknown setting %s", name)
	}
	method := fs.Lookup("method")
	within := name == "threshold" && method != nil && method.Changed && strings.Contains(method.Value.String(), "threshold=")
	if f.Changed || within {
		return nil
	}
	values, ok := v.([]any)
	if !ok {
		values = []any{v}
	}
	for _, one := range values {
		if err := fs.Set(name, fmt.Sprint(one)); err != nil {
			return badValue(name, err)
		}
	}
	return nil
}

// spec is the value of a flag that holds settings, such as "csv delimiter=tab". The value of the setting
// named first may come before the NAME=VALUE pairs. The settings are flags in a set of their own.
type spec struct {
	first, text string
	settings    *pflag.FlagSet
	given       []string // values that the text sets
}

// bindSpec defines a flag that holds settings. Their rows in the table are named "flag: setting".
func bindSpec(fs *pflag.FlagSet, verb, name, first string, vars flags) *pflag.FlagSet {
	settings := pflag.NewFlagSet(name, pflag.ContinueOnError)
	bind(settings, name, vars)
	bounded(settings)
	s := &spec{first: first, settings: settings}
	if f := settings.Lookup(first); f != nil {
		s.text = f.DefValue
	}
	bind(fs, verb, flags{name: s})
	return settings
}

// Type returns the name of the value's type for the help.
func (s *spec) Type() string { return "SPEC" }

// String returns the value.
func (s *spec) String() string { return s.text }

// Set replaces the value.
func (s *spec) Set(v string) error {
	for _, name := range s.given {
		f := s.settings.Lookup(name)
		_ = f.Value.Set(f.DefValue) // the default value is always valid
		f.Changed = false
	}
	s.given = nil
	for i, word := range strings.Fields(v) {
		name, value, isSetting := strings.Cut(word, "=")
		if !isSetting && i == 0 && s.first != "" {
			name, value = s.first, word
		} else if !isSetting {
			return fmt.Errorf("invalid setting %q (want NAME=VALUE)", word)
		}
		f := s.settings.Lookup(name)
		switch {
		case f == nil || (isSetting && name == s.first):
			return fmt.Errorf("unknown setting %q (want %s)", name, strings.Join(s.names(), ", "))
		case f.Changed:
			return fmt.Errorf("%s is given twice", name)
		}
		err := s.settings.Set(name, value)
		if bad := (*pflag.InvalidValueError)(nil); name == s.first && f.Value.Type() == "string" && errors.As(err, &bad) {
			return bad.Unwrap() // the caller adds the name of the flag
		}
		if err != nil {
			return badValue(name, err)
		}
		s.given = append(s.given, name)
	}
	s.text = v
	return nil
}

func (s *spec) names() (names []string) {
	s.settings.VisitAll(func(f *pflag.Flag) {
		if f.Name != s.first {
			names = append(names, f.Name)
		}
	})
	return names
}
