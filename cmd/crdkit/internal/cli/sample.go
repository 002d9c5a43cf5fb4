package cli

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/resource"
)

var sampleCommand = command{
	name:  "sample",
	args:  "[-crd NAME]... [FLAGS] [NAME]... [KIND]...",
	short: "objects made from a schema: a minimal one, a full one, or those that break one thing each",
	long: `NAME is a file or a directory of definitions. With one definition, KIND is not needed. KIND is the kind, the plural, the singular or a short name. What is printed has been validated: the minimal and the full
object are accepted, and each broken one is refused for what the comment in front of it says.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var o sampleOptions
		o.kindOptions.flags(flags)
		flags.BoolVar(&o.full, "full", false, "an object with as many fields as possible")
		flags.BoolVar(&o.broken, "broken", false, "an object for each constraint and rule, which breaks it")
		e.inputFlags(flags)
		return func(args []string) error { return e.sample(&o, args) }
	},
}

type sampleOptions struct {
	kindOptions
	full, broken bool
}

func (e *env) sample(o *sampleOptions, args []string) error {
	var kinds []string
	for _, name := range args {
		if _, err := os.Stat(name); err == nil || name == input.Stdin {
			o.definitions = append(o.definitions, name)
		} else {
			kinds = append(kinds, name)
		}
	}
	if len(o.definitions) == 0 {
		return usageError("which definitions? Name files or directories, also with -crd")
	}
	definitions, err := e.readValidDefinitions("sample", o.definitions)
	if err != nil {
		return err
	}
	definitions = slices.CompactFunc(definitions, func(a, b *definition) bool { return a.crd.Name() == b.crd.Name() })
	if len(kinds) == 0 {
		for _, d := range definitions {
			kinds = append(kinds, d.crd.AcceptedNames().Kind)
		}
		if len(kinds) > 1 {
			return usageError("of which kind? There are " + strings.Join(kinds, ", "))
		}
	}
	for _, name := range kinds {
		d, rest, err := findKind(definitions, name)
		if err != nil {
			return err
		}
		if rest != "" {
			return usageError(name + " is no kind")
		}
		maker, err := o.maker(d.crd)
		if err != nil {
			return err
		}
		if err := o.print(e.stdout, d.crd, maker); err != nil {
			return err
		}
	}
	return nil
}

// maker returns a maker of objects of the version that the flags ask for.
func (o *sampleOptions) maker(d *crd.CustomResourceDefinition) (*sample.Maker, error) {
	compiled, err := resource.Compile(d)
	if err != nil {
		return nil, err
	}
	v := compiled.StorageVersion()
	if o.version != "" {
		if v = compiled.Version(o.version); v == nil {
			var names []string
			for i := range d.Spec.Versions {
				names = append(names, d.Spec.Versions[i].Name)
			}
			return nil, fmt.Errorf("%s has no version %s, but %s", d.Name(), o.version, strings.Join(names, ", "))
		}
	}
	v = v.With(resource.RequestOptions{FieldValidation: resource.FieldValidationIgnore})
	return sample.For(d, v, constraint.VersionRules(d, v.Name())), nil
}

// print prints the objects that the flags ask for as YAML.
func (o *sampleOptions) print(w *output.Writer, d *crd.CustomResourceDefinition, maker *sample.Maker) error {
	ctx := context.Background()
	minimal, err := maker.Minimal(ctx)
	if err != nil {
		return fmt.Errorf("no valid object of %s was found: %w", d.Name(), err)
	}
	if !o.full && !o.broken {
		printSample(w, minimal)
		return nil
	}
	if o.full {
		full, err := maker.Full(ctx)
		if err != nil {
			return fmt.Errorf("no full object of %s was found: %w", d.Spec.Names.Kind, err)
		}
		printSample(w, full)
	}
	if o.broken {
		return printBroken(ctx, w, maker)
	}
	return nil
}

// printBroken prints an object for each constraint and rule that can be violated.
func printBroken(ctx context.Context, w *output.Writer, maker *sample.Maker) error {
	broken, missing, err := maker.BreakAll(ctx)
	if err != nil {
		return err
	}
	for _, b := range broken {
		comments := []string{yamlComment("breaks %s", b.Breaks)}
		for _, e := range b.Errors {
			comments = append(comments, yamlComment("%v", e))
		}
		if b.Old != nil {
			old := strings.TrimSpace(yamlText(b.Old))
			comments = append(comments, yamlComment("in the place of:\n  %s", strings.ReplaceAll(old, "\n", "\n  ")))
		}
		printSample(w, b.Object, comments...)
	}
	for _, name := range missing {
		w.Print(yamlComment("no object was found that breaks %s alone", name))
	}
	return nil
}

func printSample(w *output.Writer, obj map[string]any, comments ...string) {
	w.Printf("---\n")
	for _, text := range comments {
		w.Print(text)
	}
	w.Print(yamlText(obj))
}

// yamlComment returns a text as a comment, each of its lines.
func yamlComment(format string, args ...any) string {
	return "# " + strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "\n# ") + "\n"
}
