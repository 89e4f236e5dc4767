package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// spec is the value of a flag that holds settings, such as "minhash recall=.999". The value of the setting
// named first may come before the NAME=VALUE pairs. The settings are flags in a set of their own.
type spec struct {
	first, text string
	settings    *pflag.FlagSet
	own         []string // settings that are flags of the command only
	given       []string // by the text
}

// addSpec adds --method to the flags of a command. It also adds common settings as separate flags.
func addSpec(fs, settings *pflag.FlagSet, own ...string) {
	name := settings.Lookup("method")
	bounded(settings)
	fs.Var(&spec{first: "method", text: name.DefValue, settings: settings, own: ofFiles}, "method",
		name.Usage+"; and its settings, 'minhash recall=.999 shingle=words:3': see neardup help method")
	for _, each := range own {
		fs.AddFlag(settings.Lookup(each))
	}
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
		value := f.Value
		if b, ok := value.(boundedValue); ok {
			value = b.Value // a default may be below 0
		}
		_ = value.Set(f.DefValue) // it was made from it
		f.Changed = false
	}
	s.given = nil
	for i, word := range strings.Fields(v) {
		name, value, isSetting := strings.Cut(word, "=")
		if !isSetting && i == 0 && s.first != "" {
			name, value = s.first, word
		} else if !isSetting {
			return fmt.Errorf("%q is not a setting: NAME=VALUE", word)
		}
		f := s.settings.Lookup(name)
		switch {
		case f == nil || slices.Contains(s.own, name) || isSetting && name == s.first:
			return fmt.Errorf("no setting %q: there are %s", name, strings.Join(s.names(), ", "))
		case f.Changed:
			return fmt.Errorf("%s is given twice", name)
		}
		if err := s.settings.Set(name, value); err != nil {
			return badValue(name, err)
		}
		s.given = append(s.given, name)
	}
	s.text = v
	return nil
}

// names lists the settings.
func (s *spec) names() (names []string) {
	s.settings.VisitAll(func(f *pflag.Flag) {
		if f.Name != s.first && !slices.Contains(s.own, f.Name) {
			names = append(names, f.Name)
		}
	})
	return names
}
