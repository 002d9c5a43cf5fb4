package cli

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/crdkit/crdkit/audit"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/tool/finding"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

var auditCommand = command{
	name:  "audit",
	args:  "-crd NAME [-old NAME | -old-git REF] DUMP...",
	short: "which stored objects a definition, or a change of it, breaks",
	long: dumpHelp + ` With an old definition, only
what its change breaks is an error, and with -old-kubernetes what the upgrade breaks.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var o auditOptions
		listFlag(flags, &o.definitions, "crd", "`NAME` of definitions: files, directories, patterns, git://REF?path=PATH; may be repeated")
		flags.StringVar(&o.old.dir, "old", "", "`NAME` has the definitions that the objects were stored under")
		flags.StringVar(&o.old.ref, "old-git", "", "the commit `REF` has the definitions that the objects were stored under, at the names of -crd")
		kubernetesFlag(flags, &o.kubernetes)
		flags.StringVar(&o.oldKubernetes, "old-kubernetes", "", "the minor `VERSION` of the server before an upgrade: "+servedVersions())
		flags.StringVar(&o.version, "version", "", "`VERSION` of creates and updates (default the storage version)")
		flags.StringVar(&o.converter, "convert-exec", "", "the `PROGRAM` that converts objects: it reads a ConversionReview from standard input, and prints the response")
		flags.IntVar(&o.examples, "examples", 3, "how many names of objects a finding has")
		flags.DurationVar(&e.limits.Wait, "timeout", e.limits.Wait, "how long to wait for git, and for more of a stream")
		e.repositoryFlags(flags)
		e.outputFlag(flags)
		return func(args []string) error { return e.audit(&o, args) }
	},
}

type auditOptions struct {
	definitions []string
	old         oldDocuments
	version     string
	converter   string // the program that converts objects; empty: none
	examples    int

	kubernetes, oldKubernetes string // versions of the server; empty: the newest release, none
}

// A kindAudit audits the objects of one kind.
type kindAudit struct {
	d       *definition
	audit   *audit.Audit
	objects chan []byte // nil before the first object
	report  *audit.Report
	server  string // of an upgrade, for messages; empty: any finding counts
}

// start audits the objects that are sent to a.objects until that is closed.
func (a *kindAudit) start(all *sync.WaitGroup) {
	a.objects = make(chan []byte, 4)
	all.Go(func() {
		// Run fails only if its context ends.
		a.report, _ = a.audit.Run(context.Background(), func(yield func([]byte, error) bool) {
			for body := range a.objects {
				if !yield(body, nil) {
					return
				}
			}
		})
	})
}

// auditDetails are the details of the report for one definition.
type auditDetails struct {
	Definition string        `json:"definition"`
	Objects    int64         `json:"objects"`
	Clean      int64         `json:"clean"`
	Changed    int64         `json:"changed"`
	Broken     int64         `json:"broken"`
	Compared   bool          `json:"compared"`
	New        int64         `json:"new"`
	Findings   []audit.Group `json:"findings"`
	Omitted    int64         `json:"omitted,omitempty"`
	// Versions are those that objects are stored in, and Removable those that status.storedVersions does not need any
	// more if the objects are all those of the store. Unconverted is the number of objects that only the conversion
	// webhook could convert.
	Versions    []audit.StoredVersion `json:"versions,omitempty"`
	Removable   []string              `json:"removable,omitempty"`
	Unconverted int64                 `json:"unconverted,omitempty"`
}

func (e *env) audit(o *auditOptions, args []string) error {
	switch {
	case len(o.definitions) == 0:
		return usageError("which definitions? Name them with -crd")
	case len(args) == 0:
		return usageError("which objects? Name files, directories or archives, or - for standard input")
	}
	if err := checkKubernetes("kubernetes", o.kubernetes); err != nil {
		return err
	}
	if err := checkKubernetes("old-kubernetes", o.oldKubernetes); err != nil {
		return err
	}
	e.report = report.New("audit")
	definitions, err := e.countDefinitions(e.read(o.definitions...))
	if err != nil {
		return err
	}
	old, _, err := o.old.read(e, o.definitions)
	if err != nil {
		return err
	}
	e.distinct(definitions)
	audits := o.compile(e, definitions, definitionsByName(old))
	e.report.Summary.Files = 0 // only dumps count
	if !e.auditDumps(audits, args) && e.report.Summary.Unreadable == 0 && !e.allowEmpty {
		return errEmpty
	}
	details, refused := []auditDetails{}, int64(0)
	for _, a := range audits {
		details = append(details, a.details())
		refused += a.report.New
		e.addAudit(a)
	}
	e.report.SetRefused(int(refused))
	setDetails(e, details, (*auditDetails).text)
	return nil
}

// addAudit adds what an audit found to the report.
func (e *env) addAudit(a *kindAudit) {
	e.report.Summary.Objects += int(a.report.Clean + a.report.Changed + a.report.Broken)
	e.addFindings(a.findings())
	for _, damage := range a.report.Damages {
		e.addUnreadable(a.d.file, fmt.Errorf("an object of the kind %s cannot be read: %s", a.report.Kind, damage.Error))
	}
	e.report.Summary.Unreadable += int(a.report.Damaged) - len(a.report.Damages)
}

// compile returns an audit for each definition. A definition that does not compile is reported.
func (o *auditOptions) compile(e *env, definitions []*definition, old map[string]*crd.CustomResourceDefinition) (audits []*kindAudit) {
	for _, d := range definitions {
		options := &audit.Options{
			Old: old[d.crd.Name()], Version: o.version, Examples: o.examples, Kubernetes: o.kubernetes, OldKubernetes: o.oldKubernetes,
		}
		var err error
		if o.converter != "" {
			options.Converter, err = execConverter(d.crd, o.converter, e.limits.Wait)
		}
		var compiled *audit.Audit
		if err == nil {
			compiled, err = audit.New(d.crd, options)
		}
		if err != nil {
			e.addFinding(d.document, finding.Error, finding.Refused, err.Error())
			continue
		}
		audits = append(audits, &kindAudit{d: d, audit: compiled, report: &audit.Report{Kind: d.crd.AcceptedNames().Kind}})
	}
	return audits
}

// auditDumps reads dumps and sends each object to the audit of its kind. It reports whether there is any.
func (e *env) auditDumps(audits []*kindAudit, dumps []string) bool {
	kinds := map[groupKind]*kindAudit{}
	for _, a := range audits {
		kinds[groupKind{a.d.crd.Spec.Group, a.report.Kind}] = a
	}
	var count atomic.Int64
	stop := e.reportProgress(func() string { return objectsText(count.Load()) })
	defer stop()
	var running sync.WaitGroup
	for _, name := range dumps {
		for n, body := range e.readDump(name) {
			count.Add(1)
			apiVersion, kind, ok := readType(body)
			if !ok {
				e.addUnreadable(dumpName(name), fmt.Errorf("object %d: it has no apiVersion and kind", n))
				continue
			}
			a := kinds[groupKind{groupOf(apiVersion), kind}]
			if a == nil {
				e.countUndefined(apiVersion, kind)
				continue
			}
			if a.objects == nil {
				a.start(&running)
			}
			a.objects <- bytes.Clone(body)
		}
	}
	for _, a := range audits {
		if a.objects != nil {
			close(a.objects)
		}
	}
	running.Wait()
	return count.Load() > 0
}

// readType returns the apiVersion and kind of an object in JSON. It stops reading once it has both. ok is false if one
// is missing.
func readType(body []byte) (apiVersion, kind string, ok bool) {
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
	if apiVersion == "" || kind == "" { // one is missing, or the scanner cannot read it: it may be escaped
		h, _, err := readHeader(body)
		if err != nil {
			return "", "", false
		}
		apiVersion, kind = h.apiVersion, h.kind
	}
	return apiVersion, kind, apiVersion != "" && kind != ""
}

func (a *kindAudit) details() auditDetails {
	r := a.report
	found := r.Findings
	if found == nil {
		found = []audit.Group{} // an empty list in JSON
	}
	return auditDetails{
		a.d.crd.Name(), r.Clean + r.Changed + r.Broken, r.Clean, r.Changed, r.Broken, r.Compared, r.New, found, r.Omitted, r.Versions, r.Removable, r.Unconverted,
	}
}

// text prints the numbers of objects.
func (a *auditDetails) text(w *output.Writer) {
	w.Printf("%s: %s, %d clean, %d changed, %d broken", a.Definition, objectsText(a.Objects), a.Clean, a.Changed, a.Broken)
	if a.Compared {
		w.Printf(", %d by the change", a.New)
	}
	w.Printf("\n")
	for _, v := range a.Versions {
		if !v.Storage {
			w.Printf("%s: %s stored in %s, which is not the storage version\n", a.Definition, objectsText(v.Objects), v.Version)
		}
	}
	if len(a.Removable) > 0 {
		w.Printf("%s: status.storedVersions does not need %s any more, if this is the whole store\n", a.Definition, strings.Join(a.Removable, ", "))
	}
	if a.Omitted > 0 {
		w.Printf("%s: %d more findings of objects\n", a.Definition, a.Omitted)
	}
}

// findings returns the findings at their positions in the definition.
func (a *kindAudit) findings() *result {
	r := newResult(a.d.document)
	a.noteUnconverted(r)
	for i := range a.report.Findings {
		g := &a.report.Findings[i]
		if a.server != "" && g.Before == g.Objects {
			continue
		}
		count := objectsText(g.Objects)
		if a.report.Compared && (a.server == "" || g.Before > 0) {
			count += fmt.Sprintf(", %d before", g.Before)
		}
		names := strings.Join(g.Names, ", ")
		if int64(len(g.Names)) < g.Objects {
			names += ", ..."
		}
		f := finding.Finding{
			Severity: finding.Error, Code: finding.Code(strings.TrimPrefix(string(g.Type), "FieldValue")), Path: g.Path,
			Message: fmt.Sprintf("%s in %s, %s: %s", g.Question, g.Version, count, shorten(g.Text)), Example: names,
		}
		if a.server != "" {
			f.Message = a.server + ": " + f.Message
		}
		switch {
		case g.Question == audit.Warn:
			f.Severity, f.Code = finding.Warning, finding.Warned
		case g.Question == audit.Prune && a.report.Compared && g.Before < g.Objects:
			f.Code = finding.LosesData
			f.Message += ": the change drops what is stored"
		case g.Question == audit.Prune:
			f.Severity, f.Code = finding.Warning, finding.UnknownField
		case g.Question == audit.Migrate, g.Question == audit.Store:
			f.Severity, f.Code = finding.Warning, finding.LosesData
			if !strings.HasPrefix(g.Text, "lost ") {
				f.Code = finding.Changes
			}
		case g.Question == audit.Default:
			f.Severity, f.Code = finding.Note, finding.Defaulted
		case a.report.Compared && g.Before == g.Objects:
			f.Severity = finding.Warning // the old definition breaks the same objects
		}
		if f.Code == "" {
			f.Code = finding.Refused
		}
		r.Add(f, a.d.auditPosition(g))
	}
	return r
}

// auditKeywords are the schema keywords that make an error of a type.
var auditKeywords = map[field.ErrorType]string{
	field.ErrorTypeRequired: "required", field.ErrorTypeNotSupported: "enum", field.ErrorTypeTooLong: "maxLength", field.ErrorTypeTooMany: "maxItems",
	field.ErrorTypeTypeInvalid: "type", field.ErrorTypeDuplicate: "x-kubernetes-list-type",
}

// auditPosition returns the position in the definition that a finding is about.
func (d *definition) auditPosition(g *audit.Group) yamltext.Position {
	switch {
	case g.Question == audit.Read, g.Question == audit.Migrate, g.Question == audit.Store:
		return d.versionPosition(g.Version)
	case g.Rule != "":
		return d.schemaPosition(g.Version, g.Path, "x-kubernetes-validations", g.Rule)
	case g.Question == audit.Prune:
		return d.schemaPosition(g.Version, g.Path, "properties", "")
	case g.Question == audit.Default:
		return d.schemaPosition(g.Version, g.Path, "default", "")
	}
	return d.schemaPosition(g.Version, g.Path, auditKeywords[g.Type], "")
}
