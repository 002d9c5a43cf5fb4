package finding

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/explain"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
	"github.com/crdkit/crdkit/kubeversion"
	"github.com/crdkit/crdkit/resource"
)

// A List has the findings about an object.
type List struct {
	Object
	Strict       bool // unknown fields are errors, and no warnings
	StrictKeys   bool // duplicate keys are errors, and no warnings
	IgnoreFields bool // neither is reported
	Max          int  // how many findings are listed; 0: all

	Findings []Finding
	Omitted  int // findings that are not listed
}

// maxHinted is the maximum number of findings about an object with hints. Finding a hint takes a search through all
// names in a schema.
const maxHinted = 200

// full reports whether no more findings are listed, and if so counts one more.
func (l *List) full() bool {
	if l.Max == 0 || len(l.Findings) < l.Max {
		return false
	}
	l.Omitted++
	return true
}

// Add adds a finding at a position, or at the start of the document if the position is zero.
func (l *List) Add(f Finding, at yamltext.Position) {
	if l.full() {
		return
	}
	if f.Position = at; at.Line == 0 {
		f.Position = l.contentStart()
	}
	l.Findings = append(l.Findings, f)
}

// Say adds a finding at the start of the object.
func (l *List) Say(severity Severity, code Code, message string) {
	l.Add(Finding{Severity: severity, Code: code, Message: message}, l.Start())
}

// Error adds an error at a path in the object, which may differ from the path of the error.
func (l *List) Error(e *field.Error, path []field.Segment, hints ...string) {
	var at yamltext.Position
	pointer := e.Pointer()
	if len(path) == 1 && strings.HasPrefix(path[0].Key, ".") {
		// The subresource scale prints paths as they are in the definition.
		if found, ok := l.Path(path[0].Key[1:]); ok {
			path, pointer = found, (&field.Error{Path: field.PathOf(found...)}).Pointer()
		}
	}
	if len(path) > 0 || e.Type == field.ErrorTypeRequired {
		there := *e
		there.Path = field.PathOf(l.inDocument(path)...)
		at = l.Locate().Of(&there)
	} else {
		at = l.Start()
	}
	code := Code(strings.TrimPrefix(string(e.Type), "FieldValue"))
	f := Finding{Severity: Error, Code: code, Message: e.Error(), Hints: hints, Path: e.Field, Pointer: pointer}
	cause := e.Cause()
	f.Keyword, f.Schema = cause.Keyword, cause.Schema
	if cause.Keyword != "" && cause.Rule >= 0 {
		f.Rule = &cause.Rule
	}
	l.Add(f, at)
}

var (
	fieldText        = regexp.MustCompile(`^(unknown|duplicate) field "(.*)"$`)
	duplicateKeyText = regexp.MustCompile(`line (\d+): (key .* already set in map)`)
	yamlLine         = regexp.MustCompile(`^yaml: line (\d+): `)
)

// Warning adds a server's warning. unknown, if it is not nil, returns the hints for an unknown field.
func (l *List) Warning(text string, unknown func(path []field.Segment) []string) {
	f, at := Finding{Severity: Warning, Code: Warned, Message: text}, l.Start()
	if m := fieldText.FindStringSubmatch(text); m != nil {
		if l.IgnoreFields {
			return
		}
		f.Code, f.Path = DuplicateKey, m[2]
		if m[1] == "unknown" {
			f.Code = UnknownField
		}
		l.strictly(&f)
		if path, ok := l.Path(m[2]); ok {
			f.Pointer = (&field.Error{Path: field.PathOf(path...)}).Pointer()
			at, _ = l.Key(path)
			if f.Code == UnknownField && unknown != nil && len(l.Findings) < maxHinted {
				f.Hints = unknown(path)
			}
		}
	}
	l.Add(f, at)
}

// strictly makes a warning about a field an error if the list is strict about it.
func (l *List) strictly(f *Finding) {
	if f.Code == DuplicateKey && l.StrictKeys || f.Code != DuplicateKey && l.Strict {
		f.Severity, f.Message = Error, "strict decoding error: "+f.Message
	}
}

// DuplicateKeys adds a finding for each key that the YAML has twice, by the findings of strict decoding.
func (l *List) DuplicateKeys(findings []string) {
	if findings == nil || l.IgnoreFields {
		return
	}
	lines := bytes.Split(l.Part.Text, []byte("\n"))
	for _, text := range findings {
		for _, m := range duplicateKeyText.FindAllStringSubmatch(text, -1) {
			f := Finding{Severity: Warning, Code: DuplicateKey, Message: m[2]}
			l.strictly(&f)
			at := l.Part.Position
			if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && n <= len(lines) {
				text := lines[n-1]
				at = yamltext.Position{Line: l.Part.Line + n - 1, Column: 1 + len(text) - len(bytes.TrimLeft(text, " \t-"))}
			}
			l.Add(f, at)
		}
	}
}

// Unreadable adds why a YAML document cannot be decoded.
func (l *List) Unreadable(err error) {
	f, at := Finding{Severity: Error, Code: Unreadable, Message: err.Error()}, l.Part.Position
	if m := yamlLine.FindStringSubmatch(f.Message); m != nil {
		if n, err := strconv.Atoi(m[1]); err == nil && n > 1 {
			at = yamltext.Position{Line: l.Part.Line + n - 1, Column: 1}
		}
		f.Message = "yaml: " + f.Message[len(m[0]):]
	}
	if bytes.Contains(l.Part.Text, []byte("{{")) {
		f.Hints = append(f.Hints, "{{ begins a template, of Helm for example, which is not YAML: validate what the template makes (helm template)")
	}
	l.Add(f, at)
}

// ParseError adds the error of a definition that cannot be parsed, at its position if that is known.
func (l *List) ParseError(err error) {
	f := Finding{Severity: Error, Code: Refused, Message: err.Error()}
	at := l.Start()
	var parse *crd.ParseError
	if errors.As(err, &parse) {
		f.Path = parse.Path
		if path, ok := l.Path(parse.Path); ok {
			at, _ = l.Locate().Value(l.inDocument(path))
			// In definitions, only lists of strings have items of a wrong type that are written without quotes.
			if text, plain := l.Plain(path); plain && path[len(path)-1].IsIndex {
				f.Hints = append(f.Hints, explain.Quote(text))
			}
		}
	}
	l.Add(f, at)
}

// CompileError adds why a server that has a definition cannot serve it.
func (l *List) CompileError(d *crd.CustomResourceDefinition, err error) {
	at := l.Start()
	for i := range d.Spec.Versions {
		// The usual reason is a default of the root that is no object.
		s := d.Spec.Versions[i].Schema
		if s == nil || s.OpenAPIV3Schema == nil || s.OpenAPIV3Schema.Default == nil {
			continue
		}
		if _, isObject := s.OpenAPIV3Schema.Default.(map[string]any); !isObject {
			at = l.At(fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema.default", i))
			break
		}
	}
	l.Add(Finding{Severity: Error, Code: Refused, Message: err.Error()}, at)
}

// Definition adds a server's findings about a definition: as an update of old, prepared by
// [manifest.ReplaceDefinition], or, if old is nil, as a create. unknown are its unknown and duplicate fields.
// kubernetes is the version of the server, one that package kubeversion knows; empty is the newest release. It returns
// what was checked and, for a create that a server accepts, the compiled definition.
func (l *List) Definition(d *crd.CustomResourceDefinition, unknown []string, old *crd.CustomResourceDefinition, kubernetes string) (*crdcheck.Checked, *resource.Resource) {
	for _, text := range unknown {
		l.Warning(text, explain.UnknownDefinitionFieldHints)
	}
	checked, warnings := l.checkDefinition(d, old, kubernetes)
	l.definitionErrors(d, checked)
	var compiled *resource.Resource
	if len(checked.Errors()) == 0 {
		for _, w := range warnings {
			path := explain.DocumentPath(d, w.Path.Segments())
			p := field.PathOf(path...)
			f := Finding{Severity: Warning, Code: Warned, Message: w.Text, Path: p.String(), Pointer: (&field.Error{Path: p}).Pointer()}
			l.Add(f, l.Nearest(path))
		}
		if old == nil {
			var err error
			// A server may accept a definition that it cannot serve.
			if compiled, err = resource.CompileChecked(checked); err != nil {
				l.CompileError(d, err)
			}
		}
	}
	for _, text := range crdcheck.Hints(d) {
		f := Finding{Severity: Note, Code: RootItems, Message: text}
		at := l.Start()
		if name, _, ok := strings.Cut(text, ": "); ok {
			if path, ok := l.Path(name); ok {
				f.Path = name
				at, _ = l.Key(path)
			}
		}
		l.Add(f, at)
	}
	return checked, compiled
}

// checkDefinition checks a definition, and returns the warnings if a server accepts it. It adds a finding for each
// field that the version does not keep.
func (l *List) checkDefinition(d, old *crd.CustomResourceDefinition, kubernetes string) (*crdcheck.Checked, []crdcheck.Warning) {
	replaced := old
	if old != nil {
		d, replaced = manifest.ReplaceDefinition(d, old)
	}
	var v *kubeversion.Verdict
	switch {
	case kubernetes == "" && old == nil:
		checked := crdcheck.Compile(d)
		return checked, checked.Warnings()
	case kubernetes == "":
		checked := crdcheck.CompileUpdate(d, replaced)
		return checked, checked.Warnings()
	case old == nil:
		v, _ = kubeversion.Check(d, kubernetes)
	default:
		v, _ = kubeversion.CheckUpdate(d, replaced, kubernetes)
	}
	for _, path := range v.Unknown {
		l.Warning("unknown field "+strconv.Quote(path), nil)
	}
	for _, path := range v.Dropped {
		f := Finding{Severity: Warning, Code: Version, Message: "Kubernetes " + kubernetes + " drops " + path, Path: path}
		l.Add(f, l.At(path))
	}
	return v.Checked(), v.Warnings()
}

// definitionErrors adds the errors of a definition, with hints.
func (l *List) definitionErrors(d *crd.CustomResourceDefinition, checked *crdcheck.Checked) {
	var costs map[string][]string
	var rules explain.RuleHints
	for _, err := range checked.Errors() {
		if l.full() {
			continue
		}
		hints := explain.DefinitionHints(d, err)
		if len(l.Findings) < maxHinted {
			hints = append(hints, rules.Hints(checked, err)...)
		}
		path := explain.DocumentPath(d, err.Path.Segments())
		if err.Type == field.ErrorTypeForbidden && err.Cause().Keyword == origin.Validations {
			if costs == nil {
				costs = explain.CostHints(checked.Costs())
			}
			at := explain.InDocument(err.Field)
			rule := at[:max(strings.LastIndexByte(at, '.'), 0)] // the error is at a field of the rule, or at the schema
			hints = slices.Compact(slices.Concat(costs[at], costs[rule]))
			delete(costs, rule) // a rule may have several errors
		}
		l.Error(err, path, hints...)
	}
}

// Result adds a server's findings about an object: the result of a create or an update. root is the object's schema,
// nil if it has none.
func (l *List) Result(root *plan.Node, result *resource.Result, update bool) {
	for _, text := range result.Warnings {
		l.Warning(text, func(path []field.Segment) []string { return explain.UnknownFieldHints(root, path) })
	}
	for _, e := range result.Errors {
		switch {
		case l.full():
		case e.RulesSkipped():
			l.Say(Note, RulesSkipped, e.Detail)
		default:
			var hints []string
			if len(l.Findings) < maxHinted {
				hints = explain.ObjectHints(root, e, l.Plain, update)
			}
			l.Error(e, e.Path.Segments(), hints...)
		}
	}
	if result.Errors == nil && result.Failure != nil {
		l.Say(Error, Refused, result.Failure.Message)
	}
}
