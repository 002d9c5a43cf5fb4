package cli

import (
	"flag"
	"fmt"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
)

var checkCommand = command{
	name:  "check",
	args:  "[FLAGS] NAME...",
	short: "whether a server takes definitions: every error and warning",
	long: `NAME is a file, a directory with those below it, a pattern, git://REF?path=PATH, or - for standard input.
Documents that are no definitions are counted, and left alone.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var strict bool
		var old before
		flags.BoolVar(&strict, "strict", false, "unknown fields and duplicate keys are errors, as for kubectl --validate=strict")
		old.flags(flags)
		e.inputFlags(flags)
		e.outputFlag(flags)
		return func(args []string) error { return e.check(args, &old, strict) }
	},
}

func (e *env) check(args []string, old *before, strict bool) error {
	definitions, err := e.named("check", args)
	if err != nil {
		return err
	}
	files := e.report.Summary.Files
	documents, _, err := old.read(e, args)
	if err != nil {
		return err
	}
	e.report.Summary.Files = files
	previous := previousOf(documents)
	if _, err := e.register(definitions); err != nil {
		return err
	}
	var work []func() *verdict
	for _, d := range definitions {
		work = append(work, func() *verdict { return judgeDefinition(d, previous[d.crd.Name()], strict) })
	}
	e.judge(work, nil)
	return nil
}

// named begins a report, and returns the definitions that arguments name. The files are what was read of these already.
func (e *env) named(command string, args []string, files ...input.File) ([]*definition, error) {
	if len(args) == 0 {
		return nil, usageError("which definitions? Name files or directories, or - for standard input")
	}
	e.report = report.New(command)
	if files == nil {
		files = e.reader.Read(args...)
	}
	return e.definitionsOf(e.documents(files))
}

// definitionsOf returns the definitions among documents, which are counted.
func (e *env) definitionsOf(documents []*document) ([]*definition, error) {
	definitions, others := e.definitions(documents)
	for _, d := range definitions {
		e.report.Summary.Definitions++
		e.report.Judged(report.Subject{File: d.file, Name: d.title()})
	}
	e.report.Summary.Others = len(others)
	if e.report.Summary.Definitions == 0 && e.report.Summary.Unreadable == 0 {
		return nil, errNoDefinitions
	}
	return definitions, nil
}

// wellNamed returns the definitions that arguments name, for a command that prints no report. What cannot be read is an error.
func (e *env) wellNamed(command string, args []string) ([]*definition, error) {
	definitions, err := e.named(command, args)
	if err != nil {
		return nil, err
	}
	made := e.report
	e.report = nil
	if made.ExitCode() != 0 {
		made.Finish()
		f := made.Findings[0]
		return nil, fmt.Errorf("%s:%v: %s", f.File, f.Position, f.Message)
	}
	return definitions, nil
}
