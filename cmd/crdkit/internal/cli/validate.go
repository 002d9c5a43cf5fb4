package cli

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/listing"
	"github.com/crdkit/crdkit/registry"
)

var validateCommand = command{
	name:  "validate",
	args:  "[-crd NAME]... [FLAGS] NAME...",
	short: "what a server says of manifests",
	long: `NAME is a file, a directory with those below it, a pattern, git://REF?path=PATH, or - for standard input.
Definitions among the manifests are used, and judged as well. Objects of built-in kinds are skipped, and so
are documents with $patch. Objects of kinds without a definition are counted.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var v validation
		names(flags, &v.definitions, "crd", "`NAME` of definitions, as for manifests; may be repeated")
		flags.StringVar(&v.judge.namespace, "n", "", "`NAMESPACE` of objects that have none (default \"default\")")
		flags.BoolVar(&v.judge.strict, "strict", false, "unknown fields and duplicate keys are errors, as for kubectl --validate=strict")
		flags.BoolVar(&v.required, "require-definitions", false, "an object of a kind without a definition is an error")
		flags.BoolVar(&v.print, "print", false, "print the objects as a server would answer them, with defaults")
		v.old.flags(flags)
		e.inputFlags(flags)
		e.outputFlag(flags)
		return func(args []string) error { return e.validate(&v, args) }
	},
}

// A validation is what validate is asked for.
type validation struct {
	definitions []string
	required    bool
	print       bool
	old         before
	judge       judge
}

// before is where the documents are that are there before those at hand.
type before struct{ dir, ref string }

func (b *before) flags(flags *flag.FlagSet) {
	flags.StringVar(&b.dir, "old", "", "judge updates: `NAME` has the documents before, by kind, namespace and name")
	flags.StringVar(&b.ref, "old-git", "", "judge updates: the commit `REF` has the documents before, at the same names")
}

// read returns the documents before, and reports false if none are asked for.
func (b *before) read(e *env, args []string) ([]*document, bool, error) {
	switch {
	case b.dir != "" && b.ref != "":
		return nil, false, usageError("-old and -old-git are not for the same time")
	case b.dir != "":
		return e.read(b.dir), true, nil
	case b.ref == "":
		return nil, false, nil
	}
	var files []input.File
	seen := map[string]bool{}
	for _, name := range args {
		if name == input.Stdin || strings.Contains(name, "://") {
			return nil, false, usageError("-old-git needs the names of files or directories, not " + name)
		}
		if strings.ContainsAny(name, "*?[") {
			name = filepath.Dir(name)
		}
		dir, at := name, ""
		if !isDirectory(name) {
			dir, at = filepath.Split(name)
			if dir == "" {
				dir = "."
			}
		}
		for _, f := range e.reader.Git(dir, b.ref, at) {
			if !seen[f.Name] {
				seen[f.Name] = true
				files = append(files, f)
			}
		}
	}
	return e.documents(files), true, nil
}

// previousOf returns the definitions among documents that can be read, by name.
func previousOf(documents []*document) map[string]*crd.CustomResourceDefinition {
	all := map[string]*crd.CustomResourceDefinition{}
	for _, d := range documents {
		if d.isDefinition() {
			if def, err := newDefinition(d); err == nil {
				all[def.crd.Name()] = def.crd
			}
		}
	}
	return all
}

func (e *env) validate(v *validation, args []string) error {
	if len(args) == 0 {
		return usageError("which manifests? Name files or directories, or - for standard input")
	}
	e.report = report.New("validate")
	base, _ := e.definitions(e.read(v.definitions...))
	definitions, objects := e.definitions(e.read(args...))
	files := e.report.Summary.Files
	previous, updates, err := v.old.read(e, args)
	if err != nil {
		return err
	}
	e.report.Summary.Files = files // what was before is not judged
	if len(v.definitions) > 0 && len(base) == 0 && e.report.Summary.Unreadable == 0 {
		return fmt.Errorf("no definitions in %s", strings.Join(v.definitions, ", "))
	}

	reg, err := e.register(append(base, definitions...))
	if err != nil {
		return err
	}
	v.judge.registry = reg
	oldDefinitions := previousOf(previous)
	if updates {
		v.judge.old = map[objectKey]*document{}
		for _, d := range previous {
			if !d.isDefinition() {
				v.judge.old[v.judge.key(d)] = d
			}
		}
	}
	var work []func() *verdict
	for _, d := range definitions {
		e.report.Summary.Definitions++
		e.report.Judged(report.Subject{File: d.file, Name: d.title()})
		work = append(work, func() *verdict { return judgeDefinition(d, oldDefinitions[d.crd.Name()], v.judge.strict) })
	}
	for _, d := range e.sort(objects, reg, v.required) {
		e.report.Summary.Objects++
		e.report.Judged(report.Subject{File: d.file, Name: d.title()})
		work = append(work, func() *verdict { return v.judge.object(context.Background(), d) })
	}
	if !v.print {
		e.judge(work, nil)
		return nil
	}
	stored := []map[string]any{}
	e.judge(work, func(v *verdict) {
		if v.stored != nil {
			stored = append(stored, v.stored)
		}
	})
	e.print(stored)
	return nil
}

// sort returns the objects that are to be judged, and counts the others.
func (e *env) sort(objects []*document, reg *registry.Registry, required bool) (judged []*document) {
	kinds := map[[2]string]bool{}
	for _, d := range reg.Definitions() {
		kinds[[2]string{d.Group(), d.Kind()}] = true
	}
	for _, d := range objects {
		switch {
		case d.patch:
			e.report.Summary.Patches++
		case kinds[[2]string{d.group(), d.kind}]:
			judged = append(judged, d)
		default:
			e.undefined(d.apiVersion, d.kind)
			if required && !isBuiltIn(d.apiVersion) {
				v := &verdict{d: d}
				v.add(report.Finding{Severity: report.Error, Code: report.CodeUndefined, Message: fmt.Sprintf("no definition of %s in %s", d.kind, d.apiVersion)}, d.begin())
				e.judged(v)
			}
		}
	}
	return judged
}

// chunk is how many documents are judged before their findings are added to the report, which keeps a limited number.
const chunk = 512

// judge does pieces of work, several at a time, and adds what they find in their order. Then it shows each to keep, if that is not nil.
func (e *env) judge(work []func() *verdict, keep func(*verdict)) {
	var done atomic.Int64
	total := len(work)
	stop := e.progress(func() string { return fmt.Sprintf("%d of %d documents", done.Load(), total) })
	defer stop()
	verdicts := make([]*verdict, chunk)
	for len(work) > 0 {
		n := min(chunk, len(work))
		parallel(n, func(i int) {
			verdicts[i] = work[i]()
			verdicts[i].d.done()
			done.Add(1)
		})
		for _, v := range verdicts[:n] {
			e.judged(v)
			if keep != nil {
				keep(v)
			}
		}
		work = work[n:]
	}
}

// judged adds what was found in a document.
func (e *env) judged(v *verdict) {
	for _, f := range v.findings {
		e.report.Add(f)
	}
}

// print adds the objects that a server would answer to the report.
func (e *env) print(stored []map[string]any) {
	e.report.Details = stored
	e.report.Text = func(w io.Writer) {
		for _, obj := range stored {
			fmt.Fprintf(w, "---\n%s", yamlText(obj))
		}
	}
}

// yamlText returns an object as YAML.
func yamlText(obj map[string]any) string {
	if text := listing.YAML(obj); text != "" {
		return text
	}
	return "# the object is too deep or too large to be printed\n"
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
