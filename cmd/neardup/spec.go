package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// methodSpec is the value of --method: a name and settings, "minhash recall=.999",
// or settings of the usual method. The settings are flags of a set of their own.
type methodSpec struct {
	text     string
	settings *pflag.FlagSet
}

// addSpec adds --method to the flags of a command, and such settings as flags of
// their own that everybody uses.
func addSpec(fs, settings *pflag.FlagSet, own ...string) {
	name := settings.Lookup("method")
	spec := &methodSpec{text: name.DefValue, settings: settings}
	fs.Var(spec, "method", name.Usage+"; and its settings, 'minhash recall=.999 shingle=words:3': see neardup help method")
	for _, each := range own {
		fs.AddFlag(settings.Lookup(each))
	}
}

// Type of the flag's value, for the help.
func (s *methodSpec) Type() string { return "SPEC" }

// String is the value.
func (s *methodSpec) String() string { return s.text }

// Set takes a value.
func (s *methodSpec) Set(v string) error {
	for i, word := range strings.Fields(v) {
		name, value, isSetting := strings.Cut(word, "=")
		if !isSetting && i == 0 {
			name, value = "method", word
		} else if !isSetting {
			return fmt.Errorf("%q is no setting: NAME=VALUE", word)
		}
		f := s.settings.Lookup(name)
		switch {
		case f == nil || slices.Contains(ofFiles, name) || isSetting && name == "method":
			return fmt.Errorf("no setting %q: there are %s", name, strings.Join(s.names(), ", "))
		case f.Changed:
			return fmt.Errorf("%s is given twice", name)
		}
		if err := s.settings.Set(name, value); err != nil {
			return badValue(name, err)
		}
	}
	s.text = v
	return nil
}

// names lists the settings.
func (s *methodSpec) names() (names []string) {
	s.settings.VisitAll(func(f *pflag.Flag) {
		if f.Name != "method" && !slices.Contains(ofFiles, f.Name) {
			names = append(names, f.Name)
		}
	})
	return names
}
