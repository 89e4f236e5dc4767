// Command neardup finds near-duplicate texts in files and serves docIds.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/neardup/neardup/corpus"
	"github.com/neardup/neardup/server/api"
	"github.com/neardup/neardup/worker"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"
)

// Exit codes, the same for every command.
const (
	exitDone      = 0
	exitFailed    = 1
	exitUsage     = 2
	exitRejects   = 3
	exitUnlike    = 4   // only used by worker
	exitInterrupt = 130 // the exit code that a shell reports for a process ended by SIGINT
	exitPipe      = 141 // the exit code that a shell reports for a process ended by SIGPIPE
)

const exitHelp = `Exit codes:
  0  done
  1  failed: the message has the reason; there is no unfinished output file
  2  wrong flags or arguments
  3  done, but records were rejected and --strict was given
  130  interrupted: there is no unfinished output file
  141  the reader of standard output has ended, as with | head`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	signal.Ignore(syscall.SIGPIPE) // writing to a closed pipe then returns an error, and temporary files are removed
	context.AfterFunc(ctx, stop)   // a second signal ends the process at once
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// An app holds the streams and the command that a verb works with.
type app struct {
	stdin  io.Reader
	piped  bool // standard input is a pipe or a file
	stdout io.Writer
	stderr io.Writer
	cmd    *cobra.Command // the running command
}

// errUsage marks errors of the command line. errRejects marks a strict run with rejected records.
var (
	errUsage   = errors.New("usage")
	errRejects = errors.New("records were rejected")
)

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	piped := isPiped(stdin)
	stdin = interruptible(ctx, stdin)
	out := &checked{Writer: stdout}
	stdout = out
	root := newRoot(&app{stdin: stdin, piped: piped, stdout: stdout, stderr: stderr})
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		err = out.err
	}
	switch {
	case err == nil:
		return exitDone
	case ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, os.ErrDeadlineExceeded)): // of interruptible
		fmt.Fprintln(stderr, "neardup: interrupted; there is no unfinished output file")
		return exitInterrupt
	case errors.Is(err, syscall.EPIPE):
		return exitPipe
	}
	code, hint := exitFailed, ""
	var p *api.Problem
	switch {
	case errors.Is(err, worker.ErrUnlike):
		code = exitUnlike
	case errors.Is(err, errRejects):
		code = exitRejects
	case errors.Is(err, errUsage):
		code, hint = exitUsage, fmt.Sprintf("\nSee '%s --help'.", cmd.CommandPath())
	case errors.As(err, &p) && (p.Code() == api.CodeToken || p.Code() == api.CodeForbidden):
		hint = "; give a token with that role by --token-file FILE or NEARDUP_TOKEN"
	case errors.Is(err, corpus.ErrDamaged):
		hint = "; --skip-damaged skips the rest of the file"
	case errors.Is(err, corpus.ErrField), errors.Is(err, corpus.ErrNoField):
		hint = "; name the fields by --text-field, --id-field and so on"
	}
	fmt.Fprintf(stderr, "neardup: %s%s\n", plainly(err), hint)
	return code
}

// plainly formats an error without the failed calls: it names the file or server and the cause.
func plainly(err error) string {
	said := err.Error()
	if file, ok := errors.AsType[*fs.PathError](err); ok {
		said = strings.ReplaceAll(said, file.Error(), file.Path+": "+file.Err.Error())
	}
	if call, ok := errors.AsType[*url.Error](err); ok {
		cause := call.Err.Error()
		if number, ok := errors.AsType[syscall.Errno](err); ok {
			cause = number.Error()
		} else if call.Timeout() {
			cause = "timed out"
		}
		server := call.URL
		if u, err := url.Parse(call.URL); err == nil {
			server = u.Scheme + "://" + u.Host
		}
		said = strings.ReplaceAll(said, call.Error(), server+": no answer: "+cause)
	}
	return said
}

// checked is a writer that records its first error. Code that prints need not check each write, because run
// reports the error at the end.
type checked struct {
	io.Writer
	err error
}

// Write writes p and records the first error.
func (c *checked) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	if err != nil && c.err == nil {
		c.err = err
	}
	return n, err
}

func onTerminal(w io.Writer) bool {
	if c, ok := w.(*checked); ok {
		w = c.Writer
	}
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func newRoot(a *app) *cobra.Command {
	root := verb("neardup", nil, noCommand)
	root.SilenceUsage, root.SilenceErrors, root.Version = true, true, version()
	root.SetFlagErrorFunc(flagError)
	addCommands(root, a)
	root.AddCommand(methodTopic())
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := fmt.Fprintln(cmd.OutOrStderr(), usageText(cmd))
		return err
	})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			cmd.Run, cmd.RunE = nil, func(help *cobra.Command, args []string) error {
				on, rest, err := help.Root().Find(args)
				if err != nil || len(rest) > 0 {
					return noCommand(on, rest)
				}
				return on.Help()
			}
		case "completion":
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, noCommand
			for _, shell := range cmd.Commands() {
				shell.Args = expects()
			}
		}
	}
	return root
}

// noCommand handles a command line without a valid command. It prints the help, or suggests similar commands.
func noCommand(parent *cobra.Command, args []string) error {
	if len(args) == 0 {
		return parent.Help()
	}
	if _, omitted := verbHelp()[args[0]]; omitted {
		return usage("%s: not part of this build (want a release, or a build with -tags full)", args[0])
	}
	return usage("unknown command %q%s", args[0], meant(parent, args[0], ""))
}

// meant returns a hint that names the commands below parent that resemble word, or "" if none does.
func meant(parent *cobra.Command, word, dashes string) string {
	parent.SuggestionsMinimumDistance = 2
	if len(word) < 5 {
		parent.SuggestionsMinimumDistance = 1
	}
	if like := parent.SuggestionsFor(word); len(like) > 0 {
		return fmt.Sprintf("; did you mean %s?", dashes+strings.Join(like, " or "+dashes))
	}
	return ""
}

func usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

type usageError struct{ error }

// Is reports that the error matches errUsage.
func (usageError) Is(target error) bool { return target == errUsage }

// Unwrap returns the wrapped error.
func (e usageError) Unwrap() error { return e.error }

type versionVerb struct{ *app }

func (v *versionVerb) do(context.Context, []string) error {
	_, err := fmt.Fprintf(v.stdout, "neardup version %s\n", version())
	return err
}

// released is the version number of a release. The linker sets it in scripts/release.
var released string

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if released != "" {
		return released + " " + info.GoVersion
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) > 12 {
			v += " " + s.Value[:12]
		}
	}
	return fmt.Sprintf("%s %s", v, info.GoVersion)
}

func expects(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == len(names):
			return nil
		case len(args) < len(names):
			return usage("%s is missing", names[len(args)])
		case len(names) == 0:
			return usage("unexpected argument %q (want none)", args[0])
		}
		return usage("unexpected argument %q", args[len(names)])
	}
}

// inputs returns the named inputs, or standard input if none is named and it is piped.
func (a *app) inputs(named []string) ([]string, error) {
	switch {
	case slices.Contains(named, ""):
		return nil, usage("an input name is empty (want a file, folder or pattern)")
	case len(named) > 0:
		return named, nil
	case a.piped:
		return []string{corpus.Stdin}, nil
	}
	return nil, usage("no input: name files, folders or patterns, or pipe texts in")
}

// interruptible makes reads of r fail as soon as ctx ends, even while r is silent. If polled cannot arrange that, the run
// ends at the next bytes or the end of r.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	if f, ok := r.(*os.File); ok {
		f = polled(f)
		context.AfterFunc(ctx, func() { f.SetReadDeadline(time.Now()) })
		return f
	}
	return r
}

// isPiped reports whether r is a pipe or a regular file. A terminal would block, and /dev/null means that there is no
// input.
func isPiped(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return r != nil
	}
	info, err := f.Stat()
	return err == nil && (info.Mode().IsRegular() || info.Mode()&os.ModeNamedPipe != 0)
}

// kinds describes the valid values of flags by the type of the flag.
var kinds = map[string]string{
	"int": "a whole number", "int64": "a whole number", "uint64": "a whole number of 0 or more",
	"float64": "a number", "bool": "true or false", "duration": "a time such as 30s, 5m or 24h",
}

// badValue describes an invalid value of a flag. The name is that of a flag or of a setting in a file.
func badValue(name string, err error) error {
	var bad *pflag.InvalidValueError
	if !errors.As(err, &bad) {
		return fmt.Errorf("%s: %w", name, err)
	}
	cause := bad.Unwrap()
	var number *strconv.NumError
	kind := kinds[bad.GetFlag().Value.Type()]
	_, outside := cause.(rangeError) // the flag itself is out of range, not a setting within its value
	switch {
	case kind != "" && (errors.As(cause, &number) || strings.HasPrefix(cause.Error(), "time: ")):
		return fmt.Errorf("%s %q: invalid (want %s)", name, bad.GetValue(), kind)
	case outside:
		return fmt.Errorf("%s %s%w", name, bad.GetValue(), cause)
	case strings.Contains(cause.Error(), bad.GetValue()):
		return fmt.Errorf("%s: %w", name, cause)
	}
	return fmt.Errorf("%s %q: %w", name, bad.GetValue(), cause)
}

func flagError(cmd *cobra.Command, err error) error {
	if bad := (*pflag.InvalidValueError)(nil); errors.As(err, &bad) {
		err = badValue("--"+bad.GetFlag().Name, err)
	}
	var unknown *pflag.NotExistError
	if args := cmd.Flags().Args(); !cmd.HasParent() && len(args) > 0 {
		return noCommand(cmd, args)
	}
	if !errors.As(err, &unknown) {
		return usage("%w", err)
	}
	word := cmp.Or(unknown.GetSpecifiedShortnames(), unknown.GetSpecifiedName())
	if len(word) < 2 {
		return usage("%w", err)
	}
	var flags cobra.Command
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		flags.AddCommand(&cobra.Command{Use: f.Name, Hidden: f.Hidden, Run: func(*cobra.Command, []string) {}})
	})
	return usage("%w%s", err, meant(&flags, word, "--"))
}
