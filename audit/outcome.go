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
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// A Class is the overall result for an object.
type Class string

// The classes of objects.
const (
	Clean   Class = "clean"   // no findings
	Changed Class = "changed" // there are findings, and the server refuses nothing
	Broken  Class = "broken"  // the server would refuse a create or an update, or cannot read the object
	Foreign Class = "foreign" // of another kind or group
	Damaged Class = "damaged" // not the JSON of an object
)

// A Question is what an audit asks about an object.
type Question string

// The questions.
const (
	Create  Question = "create"  // of the object, as it is stored
	Update  Question = "update"  // that changes nothing
	Status  Question = "status"  // an update that writes the stored status, as a controller does
	Read    Question = "read"    // through a version
	Prune   Question = "prune"   // a field is unknown and would be dropped
	Default Question = "default" // a field is missing and would get its default
	Migrate Question = "migrate" // to the storage version: a field would be lost, changed or added
	Store   Question = "store"   // with [Options.OldKubernetes]: what an update stores otherwise than by the old server
	Warn    Question = "warn"    // with [Options.OldKubernetes]: what the server warns about and the old one does not
)

// questions are in the order of a report. Those up to Status are about refusals.
var questions = []Question{Read, Create, Update, Status, Migrate, Store, Prune, Default, Warn}

// breaks reports whether an object with a finding about q is broken.
func (q Question) breaks() bool { return questionOrder(q) <= questionOrder(Status) }

// An Outcome is the result for one object.
type Outcome struct {
	Class Class
	// Name is namespace/name, or the name alone. It may be empty for a clean object, which need not have been decoded.
	Name string
	// Version is the one that the object is stored in, if the definition has it.
	Version  string
	Findings []Finding // sorted as in [Report.Findings]
	// Unconverted says that only the conversion webhook knows the object in other versions than its own. There are no
	// findings about these.
	Unconverted bool
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
	// Rule is the expression of the failed rule in x-kubernetes-validations. It is empty for other errors, and for the
	// text of a messageExpression, which does not show its rule.
	Rule string `json:"rule,omitempty"`
	Text string `json:"text"` // the text of the error, with the exact path
	// Before says that the old definition has this finding, too: the change does not cause it.
	Before bool `json:"before,omitempty"`
}

// breaks reports whether a change of the definition breaks the object with this: it refuses something, or it loses data.
// If nothing is compared, what is pruned may never have been meant to be kept.
func (f *Finding) breaks(compared bool) bool {
	return !f.Before && (f.Question.breaks() || f.Question == Prune && compared)
}

// A findingKey identifies a finding: findings of different objects with the same key are in one [Group].
type findingKey struct {
	question            Question
	version, path, rule string
	errorType           field.ErrorType
}

func (f *Finding) key() findingKey { return findingKey{f.Question, f.Version, f.Path, f.Rule, f.Type} }

func (p findingKey) compare(q findingKey) int {
	return cmp.Or(cmp.Compare(questionOrder(p.question), questionOrder(q.question)), cmp.Compare(p.version, q.version), cmp.Compare(p.path, q.path),
		cmp.Compare(p.errorType, q.errorType), cmp.Compare(p.rule, q.rule))
}

// questionOrder returns the place of a question in a report.
func questionOrder(q Question) int {
	return slices.Index(questions, q)
}

// check checks an object that is not settled. The result has no obj if the object is damaged or of another kind.
func (c *checker) check(ctx context.Context, body []byte) *objectChecker {
	oc := &objectChecker{checker: c, ctx: ctx, added: map[findingKey]bool{}, left: refusal.OrDefault(field.Limit{})}
	o := &oc.outcome
	obj, err := unstructured.DecodeJSON(body)
	if err == nil && obj == nil {
		err = errNull
	}
	if err != nil {
		o.Class, o.Err = Damaged, err
		return oc
	}
	o.Class, o.Name = Clean, nameOf(obj)
	kind, _ := obj["kind"].(string)
	apiVersion, _ := obj["apiVersion"].(string)
	group, version, _ := strings.Cut(apiVersion, "/")
	if kind != c.kind || group != c.group {
		o.Class = Foreign
		return oc
	}
	oc.obj, oc.own = obj, c.resource.Version(version)
	if oc.own != nil {
		o.Version = version
		oc.checkFields()
	}
	oc.checkWrites(c.version, true)
	for _, v := range c.otherVersions {
		oc.checkWrites(v, false)
	}
	switch {
	case o.Unconverted:
		oc.checkWrites(oc.own, true)
	case oc.own != nil && version != c.resource.StorageVersion().Name():
		oc.checkMigration()
	}
	oc.finish()
	return oc
}

// finish sorts the findings and sets the class.
func (c *objectChecker) finish() {
	o := &c.outcome
	sort.SliceStable(o.Findings, func(i, j int) bool { return o.Findings[i].key().compare(o.Findings[j].key()) < 0 })
	for i := range o.Findings {
		f := &o.Findings[i]
		switch {
		case f.Question.breaks():
			o.Class = Broken
		case o.Class == Clean:
			o.Class = Changed
		}
	}
}

func nameOf(obj map[string]any) string {
	meta, _ := obj["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	if prefix, _ := meta["generateName"].(string); name == "" && prefix != "" {
		name = prefix + "*"
	}
	if namespace, _ := meta["namespace"].(string); name == "" && namespace != "" {
		return namespace + "/(no name)"
	}
	if namespace, _ := meta["namespace"].(string); namespace != "" {
		return namespace + "/" + name
	}
	return name
}

// An objectChecker adds the findings of one object to its outcome.
type objectChecker struct {
	*checker
	ctx     context.Context
	obj     map[string]any
	own     *resource.Version // of obj; nil if there is no such version
	outcome Outcome
	added   map[findingKey]bool // of the findings
	left    field.Limit         // for defaults
	answers []answer            // to requests that the server accepts
}

// An answer is that of a server to a request that it accepts.
type answer struct {
	question Question
	version  *resource.Version
	result   resource.Result
}

// add adds a finding, unless there is one with the same key.
//
//go:noinline
func (c *objectChecker) add(f Finding) {
	if key := f.key(); !c.added[key] {
		c.added[key] = true
		c.outcome.Findings = append(c.outcome.Findings, f)
	}
}

// checkFields adds the fields that a server prunes, and those that it adds by default, when it reads the object in the
// object's own version.
func (c *objectChecker) checkFields() {
	s := c.own.Schema()
	if !c.prunes || s == nil {
		return
	}
	c.addUnknown(c.own, c.obj)
	pruned := defaulting.DropNulls(s, prune.Prune(s, c.obj))
	filled, err := defaulting.FillWithin(s, pruned, defaulting.Limit{})
	if err != nil {
		return // checkWrites reports the error when it reads the object
	}
	c.addDefaults(plan.Root(s), nil, pruned, filled)
}

// addUnknown adds the fields of obj that are unknown in a version, once for each pattern.
func (c *objectChecker) addUnknown(v *resource.Version, obj map[string]any) {
	paths, _ := prune.UnknownWithin(v.Schema(), obj, field.Limit{})
	for _, path := range paths {
		pattern := indexPattern.ReplaceAllString(path, "[*]")
		c.add(Finding{Question: Prune, Version: v.Name(), Path: pattern, Text: "unknown field " + strconv.Quote(path)})
	}
}

var indexPattern = regexp.MustCompile(`\[[0-9]+\]`)

// addDefaults adds the fields of after that before does not have, once for each pattern, and no more than there may be
// errors.
func (c *objectChecker) addDefaults(n *plan.Node, at *field.Path, before, after any) {
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
				c.addDefaults(child, at.Child(key), w, y[key])
				continue
			}
			if c.left.Errors <= 0 || c.left.Bytes <= 0 {
				return
			}
			path := at.Child(key)
			text := "default for " + strconv.Quote(path.String())
			c.left.Errors--
			c.left.Bytes -= len(text)
			c.add(Finding{Question: Default, Version: c.own.Name(), Path: c.pattern(c.own, path), Text: text})
		}
	case []any:
		x, _ := before.([]any)
		for i := range min(len(x), len(y)) {
			c.addDefaults(n.Items, at.Index(i), x[i], y[i])
		}
	}
}

// checkWrites adds the errors of an update without a change through a version, those of an update of the status and, if
// create is set, those of a create of the same object.
func (c *objectChecker) checkWrites(v *resource.Version, create bool) {
	read := v.Read(c.obj)
	if read.Unconverted {
		c.outcome.Unconverted = true
		return
	}
	if read.Failure != nil {
		c.add(Finding{Question: Read, Version: v.Name(), Type: field.ErrorType(read.Failure.Reason), Text: read.Failure.Message})
		return
	}
	if c.prunes && c.renames && c.own != nil && c.own.Name() != v.Name() {
		// Fields that the object's own version has may be unknown in this one.
		c.addUnknown(v, prune.Prune(c.own.Schema(), c.obj))
	}
	c.addErrors(Update, v, v.Update(c.ctx, read.Object, c.obj))
	if c.hasStatus[v.Name()] && read.Object["status"] != nil {
		// Nothing is ignored because it has not changed: a controller writes what it wrote for this object for others, too.
		c.addErrors(Status, v, v.UpdateStatus(c.ctx, read.Object, without(c.obj, "status")))
	}
	if create {
		c.addErrors(Create, v, v.Create(c.ctx, withoutResourceVersion(read.Object)))
	}
}

// checkMigration adds what is different, when the object is read in its own version, after it was written to the storage
// version without a change. Fields that the storage version drops are findings already.
func (c *objectChecker) checkMigration() {
	storage := c.resource.StorageVersion()
	read, before := storage.Read(c.obj), c.own.Read(c.obj)
	if read.Failure != nil || before.Failure != nil {
		return // checkWrites reports the error
	}
	written := storage.Update(c.ctx, read.Object, c.obj)
	if written.Err() != nil || written.Stored == nil {
		return
	}
	after := c.own.Read(written.Stored)
	if after.Failure != nil {
		c.add(Finding{Question: Migrate, Version: storage.Name(), Type: field.ErrorType(after.Failure.Reason), Text: after.Failure.Message})
		return
	}
	jsonval.Changes(before.Object, after.Object, func(at *field.Path, what string) bool {
		if at.Segments()[0].Key == "metadata" && what != "lost" {
			return true // the generation, for example
		}
		path := c.pattern(c.own, at)
		if c.added[findingKey{question: Prune, version: storage.Name(), path: path}] {
			return true
		}
		text := what + " " + strconv.Quote(at.String())
		c.left.Errors--
		c.left.Bytes -= len(text)
		c.add(Finding{Question: Migrate, Version: storage.Name(), Path: path, Text: text})
		return c.left.Errors > 0 && c.left.Bytes > 0
	})
}

// withoutResourceVersion returns obj without its resourceVersion, which a create must not have. obj is not modified.
func withoutResourceVersion(obj map[string]any) map[string]any {
	obj = maps.Clone(obj)
	if meta, ok := obj["metadata"].(map[string]any); ok {
		obj["metadata"] = without(meta, "resourceVersion")
	}
	return obj
}

// without returns a copy of m without a key.
func without(m map[string]any, key string) map[string]any {
	m = maps.Clone(m)
	delete(m, key)
	return m
}

// addErrors adds the errors of a result, once for each pattern and rule.
func (c *objectChecker) addErrors(q Question, v *resource.Version, r resource.Result) {
	if r.Failure != nil {
		c.add(Finding{Question: q, Version: v.Name(), Type: field.ErrorType(r.Failure.Reason), Text: r.Failure.Message})
		return
	}
	if len(r.Errors) == 0 {
		c.answers = append(c.answers, answer{q, v, r})
	}
	for _, err := range r.Errors {
		if err.RulesSkipped() {
			continue
		}
		f := Finding{Question: q, Version: v.Name(), Type: err.Type, Path: c.pattern(v, err.Path), Rule: ruleOf(err), Text: err.Error()}
		updated := f.key()
		updated.question = Update
		if q != Status || !c.added[updated] { // an error of any update is none of the status
			c.add(f)
		}
	}
}

// pattern returns a path with * for indexes, and for keys that the schema does not declare.
func (c *objectChecker) pattern(v *resource.Version, path *field.Path) string {
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

// ruleOf returns the text of the rule that failed, or an empty text if the error is not that of a rule.
func ruleOf(err *field.Error) string {
	r := constraint.RuleOf(err)
	if r == nil {
		return ""
	}
	return strings.TrimSpace(r.Rule)
}
