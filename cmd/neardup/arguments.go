package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/neardup/neardup/corpus"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// expects takes one argument for each name.
func expects(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == len(names):
			return nil
		case len(args) < len(names):
			return usage("%s is missing", names[len(args)])
		case len(names) == 0:
			return usage("no argument is expected, not %q", args[0])
		}
		return usage("%q is one argument too many", args[len(names)])
	}
}

// inputs are those that are named; where none is, what is piped in.
func (a *app) inputs(named []string) ([]string, error) {
	switch {
	case slices.Contains(named, ""):
		return nil, usage("an input has no name")
	case len(named) > 0:
		return named, nil
	case a.piped:
		return []string{corpus.Stdin}, nil
	}
	return nil, usage("no input: name files, folders or patterns, or pipe texts in")
}

// onInputs runs a command on its first arguments and its inputs, with the settings of --config where it
// takes them.
func (a *app) onInputs(do func(ctx context.Context, args []string) error, first int) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if err := cmp.Or(configured(cmd.Flags()), pictured(cmd.Flags())); err != nil {
			return err
		}
		inputs, err := a.inputs(args[first:])
		if err != nil {
			return err
		}
		return do(cmd.Context(), slices.Concat(args[:first], inputs))
	}
}

// howMany counts what was given of some flags.
func howMany(flags ...bool) (n int) {
	for _, is := range flags {
		if is {
			n++
		}
	}
	return n
}

// isPiped reports whether somebody means to be read: a terminal waits for
// whoever types, and /dev/null is what a program is given that gets nothing.
func isPiped(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return r != nil
	}
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

// kinds are what the values of flags must be, by their type.
var kinds = map[string]string{
	"int": "a whole number", "int64": "a whole number", "uint64": "a whole number of 0 or more",
	"float64": "a number", "bool": "true or false", "duration": "a time such as 30s, 5m or 24h",
}

// badValue says in plain words that a flag cannot have a value; name is where it
// was given.
func badValue(name string, err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return fmt.Errorf("%s: %w", name, err)
	}
	cause := bad.Unwrap()
	var number *strconv.NumError
	kind := kinds[bad.GetFlag().Value.Type()]
	switch {
	case kind != "" && (errors.As(cause, &number) || strings.HasPrefix(cause.Error(), "time: ")):
		return fmt.Errorf("%s %q is not %s", name, bad.GetValue(), kind)
	case strings.Contains(cause.Error(), bad.GetValue()):
		return fmt.Errorf("%s: %w", name, cause)
	}
	return fmt.Errorf("%s %q: %w", name, bad.GetValue(), cause)
}

// flagError words what the command line got wrong.
func flagError(cmd *cobra.Command, err error) error {
	if bad := (*pflag.InvalidValueError)(nil); errors.As(err, &bad) {
		err = badValue("--"+bad.GetFlag().Name, err)
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		return usage("%w", err)
	}
	word := cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName())
	if len(word) < 2 {
		return usage("%w", err)
	}
	if now := renamed(cmd.Flags(), word); now != "" {
		return usage("%w%s", err, now)
	}
	var flags cobra.Command
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		flags.AddCommand(&cobra.Command{Use: f.Name, Hidden: f.Hidden, Run: func(*cobra.Command, []string) {}})
	})
	return usage("%w%s", err, meant(&flags, word, "--"))
}
