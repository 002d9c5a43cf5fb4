package cli

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/internal/explain"
	"github.com/crdkit/crdkit/internal/hint"
)

var explainCommand = command{
	name:  "explain",
	args:  "-crd NAME... [FLAGS] KIND[.FIELD]...",
	short: "a field: its type, bounds, default and description, the rules about it, and since when",
	long: `KIND is the kind, the plural, the singular or a short name, with the group behind it if need be: widgets.example.org.
Fields of the items of lists, and of the values of maps, follow without brackets: widget.spec.parts.id.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var o explainOptions
		listFlag(flags, &o.definitions, "crd", "`NAME` of definitions: a file, a directory, a pattern; may be repeated")
		flags.StringVar(&o.version, "version", "", "`VERSION` of the kind (default: the one that is stored)")
		enumFlag(flags, &e.format, "o", "print as `FORMAT`: text (default) or json", report.Text, report.JSON)
		e.inputFlags(flags)
		return func(args []string) error { return e.explain(&o, args) }
	},
}

// explainOptions are the flags of explain.
type explainOptions struct {
	definitions []string
	version     string
}

func (e *env) explain(o *explainOptions, args []string) error {
	switch {
	case len(o.definitions) == 0:
		return usageError("which definitions? Name them with -crd")
	case len(args) == 0:
		return usageError("which field? KIND, or KIND.spec.FIELD")
	}
	definitions, err := e.readValidDefinitions("explain", o.definitions)
	if err != nil {
		return err
	}
	var all []*explain.Info
	for _, name := range args {
		info, err := explainField(definitions, name, o.version)
		if err != nil {
			return err
		}
		all = append(all, info)
	}
	if e.format == report.JSON {
		return report.EncodeJSON(e.stdout, all)
	}
	for i, info := range all {
		if i > 0 {
			fmt.Fprintln(e.stdout)
		}
		writeExplanation(e.stdout, info)
	}
	return nil
}

// findKind returns the definition of the kind that a name starts with, and the rest of the name.
func findKind(definitions []*definition, name string) (*definition, string, error) {
	var kinds []string
	for _, d := range definitions {
		n := &d.crd.Spec.Names
		for _, word := range slices.Concat([]string{n.Kind, n.Plural, n.Singular}, n.ShortNames) {
			for _, full := range []string{word + "." + d.crd.Spec.Group, word} {
				if len(name) < len(full) || !strings.EqualFold(name[:len(full)], full) {
					continue
				}
				if rest := name[len(full):]; word != "" && (rest == "" || rest[0] == '.') {
					return d, strings.TrimPrefix(rest, "."), nil
				}
			}
		}
		kinds = append(kinds, n.Kind)
	}
	word, _, _ := strings.Cut(name, ".")
	return nil, "", fmt.Errorf("no definition of %s%s", word, hint.Suggestion(word, kinds))
}

// explainField explains the field of that name: KIND.spec.path.
func explainField(definitions []*definition, name, version string) (*explain.Info, error) {
	d, rest, err := findKind(definitions, name)
	if err != nil {
		return nil, err
	}
	var words []string
	for word := range strings.SplitSeq(rest, ".") {
		if word = strings.TrimSuffix(word, "[]"); word != "" {
			words = append(words, word)
		}
	}
	info, err := explain.Field(d.crd, version, words)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return info, nil
}

// writeExplanation prints an explanation as text.
func writeExplanation(w io.Writer, i *explain.Info) {
	path := i.Kind
	if i.Path != "" {
		path += "." + i.Path
	}
	flags := ""
	if i.Required {
		flags += ", required"
	}
	if i.Nullable {
		flags += ", nullable"
	}
	if i.Immutable != "" {
		flags += ", immutable"
	}
	fmt.Fprintf(w, "%s  %s%s  (%s)\n", path, i.Type, flags, i.APIVersion)
	writeIndented(w, i.Description)
	var value, enum, rules, fields []string
	if i.Default != nil {
		value = []string{string(i.Default)}
	}
	if i.Enum != nil {
		enum = []string{strings.Trim(string(i.Enum), "[]")}
	}
	for _, r := range i.Rules {
		at := r.Path
		if at == "" {
			at = i.Kind
		}
		text := fmt.Sprintf("at %s, %s of the cost limit: %s", at, percent(r.Share), r.Rule)
		if r.Message != "" {
			text += "\n  " + r.Message
		}
		rules = append(rules, text)
	}
	for _, f := range i.Fields {
		text := f.Name + "  " + f.Type
		if f.Required {
			text += ", required"
		}
		if f.Description != "" {
			text += "  " + f.Description
		}
		fields = append(fields, text)
	}
	for _, part := range []struct {
		title string
		lines []string
	}{{"Default", value}, {"One of", enum}, {"Bounds", i.Bounds}, {"Rules", rules}, {"Versions", i.Notes}, {"Fields", fields}} {
		if len(part.lines) > 0 {
			fmt.Fprintf(w, "%s:\n", part.title)
		}
		for _, l := range part.lines {
			writeIndented(w, l)
		}
	}
}
