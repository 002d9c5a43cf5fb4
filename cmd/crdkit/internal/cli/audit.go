package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/crdkit/crdkit/audit"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/position"
)

var auditCommand = command{
	name:  "audit",
	args:  "-crd NAME [-old NAME | -old-git REF] DUMP...",
	short: "which of the objects that there are a definition breaks, or a change of it",
	long: dumpHelp + ` With an old definition, only
what its change breaks is an error.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var a auditing
		names(flags, &a.definitions, "crd", "`NAME` of definitions: files, directories, patterns, git://REF?path=PATH; may be repeated")
		flags.StringVar(&a.old.dir, "old", "", "`NAME` has the definitions that the objects were stored under")
		flags.StringVar(&a.old.ref, "old-git", "", "the commit `REF` has the definitions that the objects were stored under, at the names of -crd")
		flags.StringVar(&a.version, "version", "", "`VERSION` of creates and updates (default the storage version)")
		flags.IntVar(&a.examples, "examples", 3, "how many names of objects a finding has")
		flags.DurationVar(&e.limits.Wait, "timeout", e.limits.Wait, "how long to wait for git, and for more of a stream")
		e.outputFlag(flags)
		return func(args []string) error { return e.audit(&a, args) }
	},
}

// An auditing is what audit is asked for.
type auditing struct {
	definitions []string
	old         before
	version     string
	examples    int
}

// An audited is a definition that objects are judged by.
type audited struct {
	d       *definition
	audit   *audit.Audit
	objects chan []byte // nil before the first
	report  *audit.Report
}

// start lets objects be judged until the channel is closed.
func (a *audited) start(all *sync.WaitGroup) {
	a.objects = make(chan []byte, 4)
	all.Go(func() {
		a.report, _ = a.audit.Run(context.Background(), func(yield func([]byte, error) bool) { // no context, no error
			for body := range a.objects {
				if !yield(body, nil) {
					return
				}
			}
		})
	})
}

// auditOf is what was found of a definition.
type auditOf struct {
	Definition string        `json:"definition"`
	Objects    int64         `json:"objects"`
	Clean      int64         `json:"clean"`
	Changed    int64         `json:"changed"`
	Broken     int64         `json:"broken"`
	Compared   bool          `json:"compared"`
	New        int64         `json:"new"`
	Findings   []audit.Group `json:"findings"`
	Omitted    int64         `json:"omitted,omitempty"`
}

func (e *env) audit(a *auditing, args []string) error {
	switch {
	case len(a.definitions) == 0:
		return usageError("which definitions? Name them with -crd")
	case len(args) == 0:
		return usageError("which objects? Name files, directories or archives, or - for standard input")
	}
	e.report = report.New("audit")
	definitions, err := e.definitionsOf(e.read(a.definitions...))
	if err != nil {
		return err
	}
	documents, _, err := a.old.read(e, a.definitions)
	if err != nil {
		return err
	}
	if _, err := e.register(definitions); err != nil {
		return err
	}
	all := a.compile(e, definitions, previousOf(documents))
	e.report.Summary.Files = 0 // definitions are not counted as dumps
	e.route(all, args)
	details, refused := []auditOf{}, int64(0)
	for _, one := range all {
		details = append(details, one.details())
		refused += one.report.New
		e.report.Summary.Objects += int(one.report.Clean + one.report.Changed + one.report.Broken)
		e.judged(one.findings())
		for _, damage := range one.report.Damages {
			e.unreadable(one.d.file, fmt.Errorf("an object of the kind %s cannot be read: %s", one.report.Kind, damage.Error))
		}
		e.report.Summary.Unreadable += int(one.report.Damaged) - len(one.report.Damages)
	}
	e.report.SetRefused(int(refused))
	e.report.Details = details
	e.report.Text = func(w io.Writer) {
		for i := range details {
			details[i].text(w)
		}
	}
	return nil
}

// compile prepares the audits by definitions. What does not compile is in the report.
func (a *auditing) compile(e *env, definitions []*definition, old map[string]*crd.CustomResourceDefinition) (all []*audited) {
	for _, d := range definitions {
		prepared, err := audit.New(d.crd, &audit.Options{Old: old[d.crd.Name()], Version: a.version, Examples: a.examples})
		if err != nil {
			v := &verdict{d: d.document}
			v.add(report.Finding{Severity: report.Error, Code: report.CodeRefused, Message: err.Error()}, d.begin())
			e.judged(v)
			continue
		}
		all = append(all, &audited{d: d, audit: prepared, report: &audit.Report{Kind: d.crd.AcceptedNames().Kind}})
	}
	return all
}

// route reads dumps, and hands each object to the audit of its kind.
func (e *env) route(all []*audited, dumps []string) {
	type kindOf struct{ group, kind string }
	kinds := map[kindOf]*audited{}
	for _, one := range all {
		kinds[kindOf{one.d.crd.Spec.Group, one.report.Kind}] = one
	}
	var count atomic.Int64
	stop := e.progress(func() string { return objectsText(count.Load()) })
	defer stop()
	var running sync.WaitGroup
	for _, name := range dumps {
		for n, body := range e.dump(name) {
			count.Add(1)
			apiVersion, kind, ok := typeOf(body)
			if !ok {
				e.unreadable(dumpName(name), fmt.Errorf("object %d: it has no apiVersion and kind", n))
				continue
			}
			one := kinds[kindOf{groupOf(apiVersion), kind}]
			if one == nil {
				e.undefined(apiVersion, kind)
				continue
			}
			if one.objects == nil {
				one.start(&running)
			}
			one.objects <- bytes.Clone(body)
		}
	}
	for _, one := range all {
		if one.objects != nil {
			close(one.objects)
		}
	}
	running.Wait()
}

// typeOf returns the apiVersion and the kind of an object, and reports false if it has none. It reads no more of the object than it has to.
func typeOf(body []byte) (apiVersion, kind string, ok bool) {
	s := jsonscan.New(body)
	defer s.Release()
	for key, more := s.FirstKey(); more && (apiVersion == "" || kind == ""); key, more = s.NextKey() {
		switch key {
		case "apiVersion":
			apiVersion = s.Text()
		case "kind":
			kind = s.Text()
		default:
			s.Skip()
		}
	}
	if apiVersion == "" || kind == "" { // it has none, or is not plain
		head, err := headOf(body)
		if err != nil {
			return "", "", false
		}
		apiVersion, kind = head.apiVersion, head.kind
	}
	return apiVersion, kind, apiVersion != "" && kind != ""
}

func (a *audited) details() auditOf {
	r := a.report
	found := r.Findings
	if found == nil {
		found = []audit.Group{}
	}
	return auditOf{a.d.crd.Name(), r.Clean + r.Changed + r.Broken, r.Clean, r.Changed, r.Broken, r.Compared, r.New, found, r.Omitted}
}

// text prints a line with what was counted.
func (a *auditOf) text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, %d clean, %d changed, %d broken", a.Definition, objectsText(a.Objects), a.Clean, a.Changed, a.Broken)
	if a.Compared {
		fmt.Fprintf(w, ", %d by the change", a.New)
	}
	fmt.Fprintln(w)
	if a.Omitted > 0 {
		fmt.Fprintf(w, "%s: %d more findings of objects\n", a.Definition, a.Omitted)
	}
}

// objectsText returns a number of objects in words.
func objectsText(n int64) string {
	if n == 1 {
		return "1 object"
	}
	return fmt.Sprintf("%d objects", n)
}

// findings returns what was found, at the places of the definition that it is about.
func (a *audited) findings() *verdict {
	v := &verdict{d: a.d.document}
	for i := range a.report.Findings {
		g := &a.report.Findings[i]
		count := objectsText(g.Objects)
		if a.report.Compared {
			count += fmt.Sprintf(", %d before", g.Before)
		}
		names := strings.Join(g.Names, ", ")
		if int64(len(g.Names)) < g.Objects {
			names += ", ..."
		}
		f := report.Finding{
			Severity: report.Error, Code: report.Code(strings.TrimPrefix(string(g.Type), "FieldValue")), Path: g.Path,
			Message: fmt.Sprintf("%s in %s, %s: %s", g.Question, g.Version, count, shortened(g.Text)), Example: names,
		}
		switch {
		case g.Question == audit.Prune:
			f.Severity, f.Code = report.Warning, report.CodeUnknownField
		case g.Question == audit.Default:
			f.Severity, f.Code = report.Note, report.CodeDefaulted
		case a.report.Compared && g.Before == g.Objects:
			f.Severity = report.Warning // it is not the change that breaks these
		}
		if f.Code == "" {
			f.Code = report.CodeRefused
		}
		v.add(f, a.d.auditPlace(g))
	}
	return v
}

// auditKeywords are the keywords that errors of those types are about.
var auditKeywords = map[field.ErrorType]string{
	field.ErrorTypeRequired: "required", field.ErrorTypeNotSupported: "enum", field.ErrorTypeTooLong: "maxLength", field.ErrorTypeTooMany: "maxItems",
	field.ErrorTypeTypeInvalid: "type", field.ErrorTypeDuplicate: "x-kubernetes-list-type",
}

// auditPlace returns the place of the definition that a finding is about.
func (d *definition) auditPlace(g *audit.Group) position.Position {
	switch {
	case g.Question == audit.Read:
		return d.versionPlace(g.Version)
	case g.Rule != "":
		return d.schemaPlace(g.Version, g.Path, "x-kubernetes-validations", g.Rule)
	case g.Question == audit.Prune:
		return d.schemaPlace(g.Version, g.Path, "properties", "")
	case g.Question == audit.Default:
		return d.schemaPlace(g.Version, g.Path, "default", "")
	}
	return d.schemaPlace(g.Version, g.Path, auditKeywords[g.Type], "")
}

// shortened returns the beginning of a long text.
func shortened(text string) string {
	const most = 1000
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
