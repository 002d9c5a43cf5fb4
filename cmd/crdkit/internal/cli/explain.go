package cli

import (
	"flag"
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/internal/tool/explain"
)

var explainCommand = command{
	name:  "explain",
	args:  "-crd NAME... [FLAGS] KIND[.FIELD]...",
	short: "a field: its type, bounds, default and description, the rules about it, and since when",
	long: `KIND is the kind, the plural, the singular or a short name, with the group behind it if need be: widgets.example.org.
Fields of the items of lists, and of the values of maps, follow without brackets: widget.spec.parts.id.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var o kindOptions
		o.flags(flags)
		enumFlag(flags, &e.format, "o", "print as `FORMAT`: text (default) or json", report.Text, report.JSON)
		e.inputFlags(flags)
		return func(args []string) error { return e.explain(&o, args) }
	},
}

func (e *env) explain(o *kindOptions, args []string) error {
	definitions, err := e.readKinds("explain", o, args, "which field? KIND, or KIND.spec.FIELD")
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
		return e.stdout.JSON(all)
	}
	for i, info := range all {
		if i > 0 {
			e.stdout.Printf("\n")
		}
		writeExplanation(e.stdout, info)
	}
	return nil
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
func writeExplanation(w *output.Writer, i *explain.Info) {
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
	switch {
	case i.Immutable == "":
	case i.Removable == "":
		flags += ", immutable"
	default:
		flags += ", immutable while " + i.Removable + " is there: it can be removed, and added with another value"
	}
	w.Printf("%s  %s%s  (%s)\n", path, i.Type, flags, i.APIVersion)
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
			w.Printf("%s:\n", part.title)
		}
		for _, l := range part.lines {
			writeIndented(w, l)
		}
	}
}
