package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/sample"
	"github.com/crdkit/crdkit/internal/single"
	"github.com/crdkit/crdkit/resource"
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
	if _, err := e.register(definitions); err != nil {
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
		maker, err := s.maker(d.crd)
		if err != nil {
			return err
		}
		if err := s.print(e.stdout, d.crd, maker); err != nil {
			return err
		}
	}
	return nil
}

// maker returns what makes objects of the version that is asked for.
func (s *sampling) maker(d *crd.CustomResourceDefinition) (*sample.Maker, error) {
	compiled, err := resource.Compile(d)
	if err != nil {
		return nil, err
	}
	v := compiled.StorageVersion()
	if s.version != "" {
		if v = compiled.Version(s.version); v == nil {
			var names []string
			for i := range d.Spec.Versions {
				names = append(names, d.Spec.Versions[i].Name)
			}
			return nil, fmt.Errorf("%s has no version %s, but %s", d.Name(), s.version, strings.Join(names, ", "))
		}
	}
	of := d.Lookup()
	props, err := of.Schema(v.Name())
	if err != nil {
		return nil, err
	}
	subresources, err := of.Subresources(v.Name())
	if err != nil {
		return nil, err
	}
	meta := map[string]any{"name": "sample"}
	if d.Spec.Scope == crd.NamespaceScoped {
		meta["namespace"] = "default"
	}
	head := map[string]any{"apiVersion": d.Spec.Group + "/" + v.Name(), "kind": d.Spec.Names.Kind, "metadata": meta}
	v = v.With(resource.RequestOptions{FieldValidation: resource.FieldValidationIgnore})
	return sample.New(v, single.List(props), head, subresources != nil && subresources.Status != nil), nil
}

func (s *sampling) print(w io.Writer, d *crd.CustomResourceDefinition, maker *sample.Maker) error {
	ctx := context.Background()
	minimal, err := maker.Minimal(ctx)
	if err != nil {
		return fmt.Errorf("no valid object of %s was found: %w", d.Name(), err)
	}
	document := func(comment string, obj map[string]any) error {
		_, err := fmt.Fprintf(w, "---\n%s%s", comment, yamlText(obj))
		return err
	}
	comment := func(format string, args ...any) string {
		text := report.Visible(fmt.Sprintf(format, args...))
		return "# " + strings.ReplaceAll(text, "\n", "\n# ") + "\n"
	}
	if !s.full && !s.broken {
		return document("", minimal)
	}
	if s.full {
		full, err := maker.Full(ctx)
		if err != nil {
			return fmt.Errorf("no full object of %s was found: %w", d.Spec.Names.Kind, err)
		}
		if err := document("", full); err != nil {
			return err
		}
	}
	if !s.broken {
		return nil
	}
	broken, missing, err := maker.BreakAll(ctx)
	if err != nil {
		return err
	}
	for _, b := range broken {
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
	for _, name := range missing {
		if _, err := io.WriteString(w, comment("no object was found that breaks %s alone", name)); err != nil {
			return err
		}
	}
	return nil
}
