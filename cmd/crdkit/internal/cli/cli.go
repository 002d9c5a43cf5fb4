package cli

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/internal/tool/explain"
)

// A command is one subcommand.
type command struct {
	name  string
	args  string // for the usage text
	short string // one line
	long  string // the rest of the usage text
	// setup defines the command's flags, and returns what runs it.
	setup func(e *env, flags *flag.FlagSet) func(args []string) error
}

// commands are the subcommands in the order of the usage text.
func commands() []command {
	return []command{
		validateCommand, checkCommand, compatCommand, auditCommand, versionsCommand, upgradeCommand, costCommand, explainCommand, schemaCommand, sampleCommand,
		initCommand, reportCommand, versionCommand, completionCommand,
	}
}

// An env is the environment of one run of a command.
type env struct {
	stdin          io.Reader
	stdout, stderr *output.Writer

	format report.Format // empty: text
	limits input.Limits
	report *report.Report // printed at the end; nil for commands that print their own output
	reader *input.Reader

	commands []command // all of them

	printsObjects bool // standard output is for objects

	// Of directories: see repositoryFlags.
	skip, skipKinds         []string
	strictInput, allowEmpty bool
}

// A usageError is an error in the arguments.
type usageError string

func (e usageError) Error() string { return string(e) }

// Main runs the command with the arguments and returns its exit code: 0 without errors, 1 if there are errors, 2 for
// wrong usage and for input that cannot be read.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	out, errs := output.Buffered(stdout), output.New(stderr)
	code := run(args, stdin, out, errs)
	if err := out.Flush(); err != nil && code == 0 { // otherwise there is a message already
		errs.Printf("crdkit: %v\n", err)
		code = 2
	}
	_ = errs.Flush() // nobody could be told
	return code
}

func run(args []string, stdin io.Reader, stdout, stderr *output.Writer) int {
	if len(args) == 0 {
		usage(stderr)
		return 2
	}
	name := strings.TrimLeft(args[0], "-")
	if name == "help" || name == "h" {
		if len(args) == 1 {
			usage(stdout)
			return 0
		}
		name, args = args[1], []string{args[1], "-h"}
	}
	if name == "v" {
		name = versionCommand.name
	}
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if i < 0 {
		stderr.Printf("crdkit: there is no command %q%s\n", args[0], explain.Suggestion(name, commandNames()))
		usage(stderr)
		return 2
	}
	e := &env{stdin: stdin, stdout: stdout, stderr: stderr, limits: input.DefaultLimits, commands: all}
	return e.run(&all[i], args[1:])
}

func commandNames() (names []string) {
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

func usage(w *output.Writer) {
	w.Printf("Usage: crdkit COMMAND [FLAGS] [ARGUMENTS]\n\nSays what a Kubernetes API server would say of custom objects and their definitions, without one.\n\nCommands:\n")
	for _, c := range commands() {
		w.Printf("  %-11s %s\n", c.name, c.short)
	}
	w.Printf("\ncrdkit COMMAND -h has the flags of a command. Exit codes: 0 all is fine, 1 there are errors,\n2 wrong usage or input that cannot be read.\n")
}

func (e *env) run(c *command, args []string) int {
	flags := flag.NewFlagSet(c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	work := c.setup(e, flags)
	names, err := parse(flags, args)
	if err != nil {
		w, code := e.stderr, 2
		if slices.Contains(args, "-h") || slices.Contains(args, "--help") || slices.Contains(args, "-help") {
			w = e.stdout // requested help is not an error
		}
		if errors.Is(err, flag.ErrHelp) {
			code = 0
		} else {
			w.Printf("%v\n", err)
		}
		c.usage(w, flags)
		return code
	}
	e.reader = &input.Reader{Stdin: e.stdin, Limits: e.limits, Skip: e.skipPatterns()}
	err = work(names)
	var wrong usageError
	switch {
	case e.report == nil || errors.As(err, &wrong):
	case err == nil:
		e.report.Finish()
		err = e.report.Print(e.stdout, e.printOptions())
	case e.format != "" && e.format != report.Text: // for programs, the reason is a finding
		e.addUnreadable(strings.Join(names, " "), err)
		e.report.Finish()
		err = cmp.Or(e.report.Print(e.stdout, e.printOptions()), err)
	}
	if failed := e.stdout.Flush(); failed != nil {
		err = failed
	}
	if err != nil {
		e.stderr.Printf("crdkit %s: %s\n", c.name, output.Block{Indent: "    ", Text: err.Error()})
	}
	switch {
	case errors.As(err, &wrong):
		e.stderr.Printf("Run crdkit %s -h for its usage.\n", c.name)
		return 2
	case err != nil:
		return 2
	case e.report == nil:
		return 0
	}
	return e.report.ExitCode()
}

// usage prints the usage text of a command.
func (c *command) usage(w *output.Writer, flags *flag.FlagSet) {
	w.Printf("Usage: crdkit %s %s\n\n%s\n", c.name, c.args, c.short)
	if c.long != "" {
		w.Printf("\n%s\n", output.Block{Text: c.long})
	}
	var defaults strings.Builder
	flags.SetOutput(&defaults)
	flags.PrintDefaults()
	w.Printf("\nFlags:\n%s", output.Block{Text: defaults.String()})
}

// printOptions returns how the report is printed: for people if standard output is a terminal.
func (e *env) printOptions() report.Options {
	terminal := e.stdout.IsTerminal()
	if terminal && os.Getenv("NO_COLOR") == "" {
		e.stdout.UseColor()
	}
	o := report.Options{Format: e.format, Snippets: terminal, Version: moduleVersion()}
	if e.printsObjects {
		o.Findings = e.stderr
	}
	return o
}

// parse parses flags, which may come before and after arguments. Two dashes end them.
func parse(flags *flag.FlagSet, args []string) (names []string, err error) {
	for {
		before := len(args)
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		rest := flags.Args()
		if len(rest) == 0 {
			return names, nil
		}
		if i := before - len(rest); i > 0 && args[i-1] == "--" {
			return append(names, rest...), nil
		}
		names, args = append(names, rest[0]), rest[1:]
	}
}

// enumFlag defines a flag whose value is one of the words.
func enumFlag[T ~string](flags *flag.FlagSet, to *T, name, usage string, words ...T) {
	v := &enumValue{set: func(word string) { *to = T(word) }}
	for _, w := range words {
		v.words = append(v.words, string(w))
	}
	flags.Var(v, name, usage)
}

// An enumValue is the value of a flag of [enumFlag].
type enumValue struct {
	words []string
	set   func(string)
}

func (v *enumValue) String() string { return "" } // no default in the usage text

func (v *enumValue) Set(word string) error {
	if !slices.Contains(v.words, word) {
		return fmt.Errorf("must be one of %v", v.words)
	}
	v.set(word)
	return nil
}

// listFlag defines a flag for a list of names. It may be repeated, and its value may have several names, separated by
// commas.
func listFlag(flags *flag.FlagSet, to *[]string, name, usage string) {
	flags.Func(name, usage, func(value string) error {
		for part := range strings.SplitSeq(value, ",") {
			if part != "" {
				*to = append(*to, part)
			}
		}
		return nil
	})
}

// outputFlag defines -o for a command that makes a report.
func (e *env) outputFlag(flags *flag.FlagSet) {
	enumFlag(flags, &e.format, "o", "print as `FORMAT`: text (default), json, sarif, github or junit", report.Formats...)
}

// inputFlags defines the flags for limits of input.
func (e *env) inputFlags(flags *flag.FlagSet) {
	flags.DurationVar(&e.limits.Wait, "timeout", e.limits.Wait, "how long to wait for standard input, pipes and git")
	e.repositoryFlags(flags)
}
