package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/crdtest"
)

var sampleCommand = command{
	name:  "sample",
	args:  "-crd NAME... [FLAGS] KIND...",
	short: "objects made from a schema: a minimal one, a full one, or those that break one thing each",
	long: `KIND is the kind, the plural, the singular or a short name. What is printed has been judged: the minimal and the full
object are accepted, and each broken one is refused for what the comment in front of it says.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var s sampling
		names(flags, &s.definitions, "crd", "`NAME` of definitions: a file, a directory, a pattern; may be repeated")
		flags.StringVar(&s.version, "version", "", "`VERSION` of the kind (default: the one that is stored)")
		flags.BoolVar(&s.full, "full", false, "an object with as many fields as possible")
		flags.BoolVar(&s.broken, "broken", false, "an object for each constraint and rule, which breaks it")
		e.inputFlags(flags)
		return func(args []string) error { return e.sample(&s, args) }
	},
}

// sampling is what sample is asked for.
type sampling struct {
	definitions  []string
	version      string
	full, broken bool
}

func (e *env) sample(s *sampling, args []string) error {
	switch {
	case len(s.definitions) == 0:
		return usageError("which definitions? Name them with -crd")
	case len(args) == 0:
		return usageError("of which kind?")
	}
	definitions, err := e.wellNamed("sample", s.definitions)
	if err != nil {
		return err
	}
	e.report = report.New("sample") // of what register finds
	reg, err := e.register(definitions)
	if err != nil {
		return err
	}
	e.report = nil
	for _, name := range args {
		d, rest, err := ofKind(definitions, name)
		if err != nil {
			return err
		}
		if rest != "" {
			return usageError(name + " is no kind")
		}
		samples, err := crdtest.New(reg).Samples(context.Background(), d.crd.Spec.Names.Kind, s.version)
		if err != nil {
			return err
		}
		if err := s.print(e.stdout, d.crd.Spec.Names.Kind, samples); err != nil {
			return err
		}
	}
	return nil
}

func (s *sampling) print(w io.Writer, kind string, samples *crdtest.Samples) error {
	document := func(comment string, obj map[string]any) error {
		_, err := fmt.Fprintf(w, "---\n%s%s", comment, yamlText(obj))
		return err
	}
	comment := func(format string, args ...any) string {
		text := report.Visible(fmt.Sprintf(format, args...))
		return "# " + strings.ReplaceAll(text, "\n", "\n# ") + "\n"
	}
	if !s.full && !s.broken {
		return document("", samples.Minimal)
	}
	if s.full {
		if samples.Full == nil {
			return fmt.Errorf("no full object of %s was found", kind)
		}
		if err := document("", samples.Full); err != nil {
			return err
		}
	}
	if !s.broken {
		return nil
	}
	for _, b := range samples.Broken {
		text := comment("breaks %s", b.Breaks)
		for _, e := range b.Errors {
			text += comment("%v", e)
		}
		if b.Old != nil {
			old := strings.TrimSpace(yamlText(b.Old))
			text += comment("in the place of:\n  %s", strings.ReplaceAll(old, "\n", "\n  "))
		}
		if err := document(text, b.Object); err != nil {
			return err
		}
	}
	for _, name := range samples.Missing {
		if _, err := io.WriteString(w, comment("no object was found that breaks %s alone", name)); err != nil {
			return err
		}
	}
	return nil
}
