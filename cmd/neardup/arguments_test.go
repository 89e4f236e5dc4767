//go:build full

package main

//lint:file-ignore U1000 TestFieldsAreFlags reads the fields of its types by reflection

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A pipe and a file count as piped in, but a stream without a writer does not.
func TestPiped(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	path := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if !isPiped(r) || !isPiped(file) || !isPiped(strings.NewReader("")) {
		t.Error("a pipe, a file or a reader is not read")
	}
	if isPiped(null) || isPiped(nil) {
		t.Error("what nobody writes to is read")
	}
	a := &app{}
	if _, err := a.inputs(nil); err == nil || !strings.Contains(err.Error(), "no input: name files") {
		t.Errorf("no input: %v", err)
	}
}

// TestHelpFits checks that no line of the help has more than 100 columns.
func TestHelpFits(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Long + "\n" + flagHelp(cmd)) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > helpWidth {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(&app{}))
}

// The two longest lists of flags do not grow.
func TestFlagsAreFew(t *testing.T) {
	for name, most := range map[string]int{"dedup": 40, "serve": 44} {
		cmd, _, err := newRoot(&app{}).Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		cmd.Flags().VisitAll(func(*pflag.Flag) { n++ })
		if n > most {
			t.Errorf("%s has %d flags, want at most %d", name, n, most)
		}
	}
}

// Every flag and every command has a help text.
func TestHelpIsWhole(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(cmd *cobra.Command) {
		if cmd.Short == "" {
			t.Errorf("%s has no help", cmd.CommandPath())
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s has no help", cmd.CommandPath(), f.Name)
			}
		})
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(&app{}))
}

// Files and servers are named without the calls of Go that failed.
func TestPlainly(t *testing.T) {
	refused := &url.Error{Op: "Post", URL: "http://127.0.0.1:1/v1/batch?x=y", Err: &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}}
	slow := &url.Error{Op: "Get", URL: "https://h/v1/log", Err: context.DeadlineExceeded}
	for want, err := range map[string]error{
		"--tokens: t: no such file or directory":                               fmt.Errorf("--tokens: %w", &fs.PathError{Op: "open", Path: "t", Err: syscall.ENOENT}),
		"http://127.0.0.1:1: no answer: connection refused":                    refused,
		"sent twice: https://h: no answer: timed out":                          fmt.Errorf("sent twice: %w", slow),
		"http://127.0.0.1:1: no answer: connection refused\nf: is a directory": errors.Join(refused, &fs.PathError{Op: "read", Path: "f", Err: syscall.EISDIR}),
		"--data is missing": usage("--data is missing"),
	} {
		if got := plainly(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The fields of a verb are its flags unless a tag states otherwise. A group may define only some of its flags.
func TestFieldsAreFlags(t *testing.T) {
	type someFlags struct {
		memory  size
		workers int
		quiet   bool
	}
	type inner struct{ dropBelow float64 }
	type verb struct {
		*app
		inner
		out    string
		given  string `flags:"-"`
		mapped string `flags:"map"`
		run    someFlags
		lines  []byte
		do     func()
	}
	type outer struct {
		verb `flags:"!out memory"`
	}
	a := &app{}
	names := func(v any) (all []string) {
		fs := pflag.NewFlagSet("", pflag.ContinueOnError)
		a.bindVerb(fs, "test", reflect.ValueOf(v))
		fs.VisitAll(func(f *pflag.Flag) { all = append(all, f.Name) })
		return all
	}
	plain := verb{given: "x", lines: nil, do: nil}
	if got, want := names(&plain), []string{"drop-below", "map", "memory", "out", "quiet", "workers"}; !slices.Equal(got, want) || plain.app != a {
		t.Errorf("a verb has the flags %q, want %q", got, want)
	}
	if got, want := names(&outer{}), []string{"drop-below", "map", "quiet", "workers"}; !slices.Equal(got, want) {
		t.Errorf("without some of them %q, want %q", got, want)
	}
	if got, want := names(&struct {
		some someFlags `flags:"quiet"`
	}{}), []string{"quiet"}; !slices.Equal(got, want) {
		t.Errorf("of a group %q, want %q", got, want)
	}
}

// TestRefused checks combinations of flags that commands refuse and some that they take.
func TestRefused(t *testing.T) {
	for args, want := range map[string]string{
		"compare --pairs x --json":                            "--pairs cannot be combined with --text or --json", // one of several
		"compare --pairs x --json=false":                      "",
		"compare --text --from x a b":                         "--text cannot be combined with --from",
		"dedup --size-field n x":                              "--size-field has no effect without --out", // a missing flag
		"dedup --size-field n --out k x":                      "",
		"dedup --per site --audit off x":                      "",
		"dedup --per site --audit 3 x":                        "--audit cannot be combined with --per", // a value
		"index add i --per site x":                            "--per cannot be combined with --against",
		"index remove i --ids x --before 2025":                "nothing to remove",
		"passages --whole words --unit line x":                "--whole has no effect with --unit line", // names a value
		"passages --whole words x":                            "",
		"passages --near x":                                   "--near has no effect without --unit",
		"passages --drop-below .1 x":                          "--drop-below has no effect without --out or --write",
		"passages --drop-below .1 --write removed:f x":        "",
		"spark passages --near --out o x":                     "--near: not supported on Spark", // of all commands of spark
		"worker passages cut --near":                          "--near: not supported on Spark",
		"fingerprint --format images --binary x":              "--format images cannot be combined with --binary",
		"fingerprint --tsv --binary x":                        "--tsv cannot be combined with --binary",
		"near --fingerprints f --query q ff":                  "--query cannot be combined with fingerprints in hex", // an argument
		"near --fingerprints f --query q":                     "",
		"near --fingerprints - --query -":                     "cannot both read standard input",
		"near --index i --query q":                            "--index: cannot be combined",
		"idf --out t":                                         "nothing to count",
		"eval --judged j --truth t":                           "--judged cannot be combined",
		"eval --truth t":                                      "nothing to measure",
		"serve --words-for 1h --data d":                       "--words-for has no effect without --profile classic",
		"serve --profile classic --index d --data d":          "--profile classic: no index in Redis",
		"serve --profile classic --index rediss://h --data d": "", // a beginning
		"serve --compare title,text --content off --data d":   "--compare title,text has no effect with --content off",
		"serve --log redis://l --index memory: --data d":      "--log cannot be combined with --index in memory",
		"serve --log redis://l --index rediss://r --data d":   "--log cannot be combined with --index in memory or in Redis",
		"serve --log redis://l --index folder --data d":       "",
		"rebuild --index f --log redis://l":                   "--index cannot be combined with --log",
		"serve --tls-key k --data d":                          "--tls-cert or --tls-key is missing",
		"serve --snapshots s --data d":                        "--snapshots has no effect without --log",
		"check --snapshots s --server u":                      "nothing to check",
		"check --data d x":                                    "--data and --log cannot be combined with inputs",
		"check --data d --tmp t":                              "--snapshots and --tmp have no effect without --log",
		"correct 1 --server u --with 2 --alone":               "no docId to move to",
		"correct 1 --server u --with 2 --text x":              "--text has no effect without --alone",
		"log adopt --data d":                                  "--log is missing",
	} {
		root := newRoot(&app{})
		words := strings.Fields(args)
		cmd, rest, err := root.Find(words)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err == nil {
			err = refused(cmd)
		}
		if said := fmt.Sprint(err); (want == "") != (err == nil) || (!strings.Contains(said, want) && err != nil) {
			t.Errorf("%s: %s, want %q", args, said, want)
		}
	}
}

// TestRefusedTable checks that each row of the table names commands and flags that exist.
func TestRefusedTable(t *testing.T) {
	for line := range strings.Lines(refusedTable) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if len(cells) != 3 || cells[2] == "" {
			t.Fatalf("%q: want commands, conditions and a message", line)
		}
		for path := range strings.SplitSeq(cells[0], ",") {
			var known pflag.FlagSet
			cmd, rest, err := newRoot(&app{}).Find(strings.Fields(path))
			if err != nil || len(rest) > 0 {
				t.Errorf("%q: no command %q", line, path)
				continue
			}
			for _, one := range append(cmd.Commands(), cmd) {
				known.AddFlagSet(one.Flags())
				for _, below := range one.Commands() {
					known.AddFlagSet(below.Flags())
				}
			}
			for word := range strings.FieldsFuncSeq(cells[1], func(r rune) bool { return r == ' ' || r == '|' || r == '!' }) {
				if name, _, _ := strings.Cut(word, "="); name != "INPUT" && known.Lookup(name) == nil {
					t.Errorf("%q: %s has no flag --%s", line, path, name)
				}
			}
		}
	}
}
