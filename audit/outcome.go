package audit

import (
	"cmp"
	"context"
	"maps"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// A Class is the overall result for an object.
type Class string

// The classes of objects.
const (
	Clean   Class = "clean"   // no findings
	Changed Class = "changed" // the server would prune fields or add defaults, and refuses nothing
	Broken  Class = "broken"  // the server would refuse a create or an update, or cannot read the object
	Foreign Class = "foreign" // of another kind or group
	Damaged Class = "damaged" // not the JSON of an object
)

// A Question is a request that an object is judged by.
type Question string

// The questions.
const (
	Create  Question = "create"  // of the object, as it is stored
	Update  Question = "update"  // that changes nothing
	Read    Question = "read"    // through a version
	Prune   Question = "prune"   // a field is unknown and would be dropped
	Default Question = "default" // a field is missing and would get its default
)

// An Outcome is the result for one object.
type Outcome struct {
	Class Class
	// Name is namespace/name, or the name alone. It may be empty for a clean object, which need not have been decoded.
	Name     string
	Findings []Finding // sorted as in [Report.Findings]
	// Err is why an object is damaged, and nil for others.
	Err error
}

// A Finding is one thing that a server would refuse or change about an object.
type Finding struct {
	Question Question        `json:"question"`
	Version  string          `json:"version"` // of the request
	Type     field.ErrorType `json:"type,omitempty"`
	// Path is the field, with * for indexes and for keys that the schema does not declare: spec.items[*].name.
	Path string `json:"path,omitempty"`
	// Rule is the expression of the rule in x-kubernetes-validations that failed, if it is one and the text of the error tells
	// which: that of a messageExpression does not.
	Rule string `json:"rule,omitempty"`
	Text string `json:"text"` // the text of the error, with the exact path
	// Before says that the old definition has this finding, too: it is not the change that breaks the object.
	Before bool `json:"before,omitempty"`
}

// place is what makes two findings the same.
type place struct {
	question            Question
	version, path, rule string
	errorType           field.ErrorType
}

func (f *Finding) place() place { return place{f.Question, f.Version, f.Path, f.Rule, f.Type} }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(order(p.question), order(q.question)), cmp.Compare(p.version, q.version), cmp.Compare(p.path, q.path),
		cmp.Compare(p.errorType, q.errorType), cmp.Compare(p.rule, q.rule))
}

// order is that of the questions in a report.
func order(q Question) int {
	return slices.Index([]Question{Read, Create, Update, Prune, Default}, q)
}

// object judges an object that is not settled.
func (j *judge) object(ctx context.Context, body []byte) Outcome {
	obj, err := unstructured.DecodeJSON(body)
	switch {
	case err != nil:
		return Outcome{Class: Damaged, Err: err}
	case obj == nil:
		return Outcome{Class: Damaged, Err: errNull}
	}
	o := Outcome{Class: Clean, Name: nameOf(obj)}
	kind, _ := obj["kind"].(string)
	apiVersion, _ := obj["apiVersion"].(string)
	group, version, _ := strings.Cut(apiVersion, "/")
	if kind != j.kind || group != j.group {
		o.Class = Foreign
		return o
	}
	e := examined{judge: j, ctx: ctx, obj: obj, outcome: &o}
	if own := j.resource.Version(version); own != nil {
		e.fields(own)
	}
	e.write(j.main, true)
	for _, v := range j.others {
		e.write(v, false)
	}
	sort.SliceStable(o.Findings, func(i, j int) bool { return o.Findings[i].place().compare(o.Findings[j].place()) < 0 })
	for _, f := range o.Findings {
		switch {
		case f.Question != Prune && f.Question != Default:
			o.Class = Broken
		case o.Class == Clean:
			o.Class = Changed
		}
	}
	return o
}

func nameOf(obj map[string]any) string {
	meta, _ := obj["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	if namespace, _ := meta["namespace"].(string); namespace != "" {
		return namespace + "/" + name
	}
	return name
}

// An examined is an object that findings are added for.
type examined struct {
	*judge
	ctx     context.Context
	obj     map[string]any
	outcome *Outcome
}

func (e *examined) add(f Finding) { e.outcome.Findings = append(e.outcome.Findings, f) }

// fields finds what a server drops and fills in, by the object's own version.
func (e *examined) fields(own *resource.Version) {
	s := own.Schema()
	if !e.prunes || s == nil {
		return
	}
	e.unknown(own, e.obj)
	pruned := defaulting.DropNulls(s, prune.Prune(s, e.obj))
	filled, err := defaulting.FillWithin(s, pruned, defaulting.Limit{})
	if err != nil {
		return // whoever reads the object says so
	}
	e.filled(own, plan.Root(s), nil, pruned, filled)
}

// unknown finds the fields of obj that a version does not know.
func (e *examined) unknown(v *resource.Version, obj map[string]any) {
	paths, _ := prune.UnknownWithin(v.Schema(), obj, field.Limit{})
	seen := map[string]bool{}
	for _, path := range paths {
		if pattern := indexes.ReplaceAllString(path, "[*]"); !seen[pattern] {
			seen[pattern] = true
			e.add(Finding{Question: Prune, Version: v.Name(), Path: pattern, Text: "unknown field " + strconv.Quote(path)})
		}
	}
}

var indexes = regexp.MustCompile(`\[[0-9]+\]`)

// filled finds the fields that after has and before has not. Each pattern counts once.
func (e *examined) filled(v *resource.Version, n *plan.Node, at *field.Path, before, after any) {
	if n == nil || n.Below&plan.HasDefault == 0 {
		return
	}
	switch y := after.(type) {
	case map[string]any:
		x, _ := before.(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(y)) {
			child, _ := n.Child(key)
			w, had := x[key]
			if had {
				e.filled(v, child, at.Child(key), w, y[key])
				continue
			}
			path := at.Child(key)
			text := "default for " + strconv.Quote(path.String())
			f := Finding{Question: Default, Version: v.Name(), Path: e.pattern(v, path), Text: text}
			if !slices.ContainsFunc(e.outcome.Findings, func(g Finding) bool { return g.place() == f.place() }) {
				e.add(f)
			}
		}
	case []any:
		x, _ := before.([]any)
		for i := range min(len(x), len(y)) {
			e.filled(v, n.Items, at.Index(i), x[i], y[i])
		}
	}
}

// write finds what a server says that writes the object through a version as it reads it.
func (e *examined) write(v *resource.Version, anew bool) {
	read := v.Read(e.obj)
	if read.Failure != nil {
		e.add(Finding{Question: Read, Version: v.Name(), Type: field.ErrorType(read.Failure.Reason), Text: read.Failure.Message})
		return
	}
	if apiVersion, _ := e.obj["apiVersion"].(string); apiVersion != e.group+"/"+v.Name() && e.prunes {
		// What the object's own version keeps may be unknown in this one.
		_, version, _ := strings.Cut(apiVersion, "/")
		if own := e.resource.Version(version); own != nil {
			e.unknown(v, prune.Prune(own.Schema(), e.obj))
		}
	}
	updated := v.Update(e.ctx, read.Object, e.obj)
	e.refused(Update, v, updated)
	if anew {
		e.refused(Create, v, v.Create(e.ctx, withoutServers(read.Object)))
	}
}

// withoutServers returns obj without what only a server sets in metadata.
func withoutServers(obj map[string]any) map[string]any {
	obj = maps.Clone(obj)
	if meta, ok := obj["metadata"].(map[string]any); ok {
		meta = maps.Clone(meta)
		delete(meta, "resourceVersion")
		obj["metadata"] = meta
	}
	return obj
}

// refused finds the errors of a result.
func (e *examined) refused(q Question, v *resource.Version, r resource.Result) {
	if r.Failure != nil {
		e.add(Finding{Question: q, Version: v.Name(), Type: field.ErrorType(r.Failure.Reason), Text: r.Failure.Message})
		return
	}
	from := len(e.outcome.Findings)
	for _, err := range r.Errors {
		if err.RulesSkipped() {
			continue
		}
		f := Finding{
			Question: q, Version: v.Name(), Type: err.Type, Path: e.pattern(v, err.Path), Rule: ruleOf(v, err), Text: err.Error(),
		}
		if !slices.ContainsFunc(e.outcome.Findings[from:], func(g Finding) bool { return g.place() == f.place() }) {
			e.add(f)
		}
	}
}

// pattern returns a path with * for indexes, and for keys that the schema does not declare.
func (e *examined) pattern(v *resource.Version, path *field.Path) string {
	var n *plan.Node
	if s := v.Schema(); s != nil {
		n = plan.Root(s)
	}
	var p *field.Path
	for _, segment := range path.Segments() {
		if segment.IsIndex {
			p = p.Key("*")
			if n != nil {
				n = n.Items
			}
			continue
		}
		var declared bool
		if n != nil {
			n, declared = n.Child(segment.Key)
		}
		if n != nil && !declared {
			p = p.Key("*")
		} else {
			p = p.Child(segment.Key)
		}
	}
	if p == nil {
		return ""
	}
	return p.String()
}

// ruleOf returns the rule that failed with an error, going by its text, empty if it is none.
func ruleOf(v *resource.Version, err *field.Error) string {
	s := v.Schema()
	if s == nil || plan.Root(s).Below&plan.HasRules == 0 {
		return ""
	}
	n := plan.Root(s)
	segments := err.Path.Segments()
	for i := 0; n != nil; i++ {
		for _, r := range n.Rules {
			rule, message := strings.TrimSpace(r.Rule), strings.TrimSpace(r.Message)
			switch {
			case message != "" && err.Detail == message, err.Detail == "failed rule: "+rule,
				strings.HasSuffix(err.Detail, "evaluating rule: "+cmp.Or(message, rule)):
				return rule
			}
		}
		switch {
		case i == len(segments):
			return ""
		case segments[i].IsIndex:
			n = n.Items
		default:
			n, _ = n.Child(segments[i].Key)
		}
	}
	return ""
}
