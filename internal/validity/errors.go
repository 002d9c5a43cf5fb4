package validity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
)

// Report adds the violations of n in v. The caller has found v invalid with [OK]. at is the path of v: nil for a whole
// object. schema is the path of n in the schema, empty for the whole one. The caller has bounded the size of v.
//
// Clauses: VAL-001 to VAL-066, FMT, ERR.
func Report(errs *refusal.List, n *plan.Node, at *field.Path, schema string, v any) {
	r := reporter{base: at, schema: schema, errs: *errs, budget: jsonval.NewBudget(), measured: true}
	r.value(n, v, nil, nil, 0)
	r.end(errs)
}

// ReportAnySize is [Report] for a Go value that may be too large. If it is, that is the only error, and ReportAnySize
// returns false.
func ReportAnySize(errs *refusal.List, n *plan.Node, at *field.Path, v any) bool {
	r := reporter{base: at, root: v, errs: *errs, budget: jsonval.Budget{Size: unmeasured, Work: jsonval.MaxWork}}
	r.value(n, v, nil, nil, 0)
	return r.end(errs)
}

// unmeasured is the size, in the units of [jsonval.MaxSize], that the walk visits before it measures the whole value.
// Most values are smaller; measuring them first would take a third of the time.
const unmeasured = 1 << 20

// A reporter walks a value that is known to be invalid, and collects the errors. It enters only failing parts.
type reporter struct {
	base   *field.Path           // the path of the value
	schema string                // the path of its schema
	branch *origin.Branch        // the current one, within all others; nil outside of combinators
	root   any                   // the value
	errs   refusal.List          // the caller's list during the walk, copied so that it is not on the heap
	first  errorKey              // of the first error; most values have no other
	seen   map[errorKey]struct{} // of the other errors

	values  int  // entered so far
	stopped bool // see package refusal, and the bounds below

	// budget.Work is for all checks of parts and for pattern matches. When Size is used up, the value is
	// measured.
	budget   jsonval.Budget
	measured bool
	large    *field.Error // of a value that is too large
}

// end sets the errors, and reports false if the value is too large.
func (r *reporter) end(errs *refusal.List) bool {
	if r.large != nil || r.budget.Size < 0 && r.tooLarge() {
		errs.Add(r.large)
		return false
	}
	*errs = r.errs
	return true
}

// tooLarge reports whether the whole value is too large. It measures the value once. If the value is too large, the
// walk stops.
func (r *reporter) tooLarge() bool {
	if !r.measured {
		r.measured = true
		r.large = jsonval.TooLarge(r.base, r.root)
		r.stopped = r.stopped || r.large != nil
	}
	return r.large != nil
}

// checkInterval is the number of values after which the walk checks whether the request has ended.
const checkInterval = 256

// An errorKey identifies errors that are the same to a server, which compares messages: these contain the name but not
// always the value (VAL-005). The name still has the leading dot that a field omits. So .a.b, required at the root, and
// a.b, required in a, are two errors.
type errorKey struct {
	typ           field.ErrorType
	name, message string
}

// full reports whether the list of errors is full, and if so counts an error of type t. It is called before any text is
// built, because names and details may be long. When the list is full, each duplicate is counted.
func (r *reporter) full(t field.ErrorType) bool {
	if !r.errs.Full() {
		return false
	}
	r.errs.Skip(t)
	return true
}

// add appends e unless the same error was added before. Duplicates use up the limit on texts as well, so that the work
// is bounded.
func (r *reporter) add(e *field.Error, name, message string) {
	f := errorKey{e.Type, name, message}
	if _, again := r.seen[f]; again || f == r.first {
		r.errs.Spend(len(name) + len(message))
		return
	}
	switch {
	case r.first == errorKey{}:
		r.first = f
	case r.seen == nil:
		r.seen = map[errorKey]struct{}{f: {}}
	default:
		r.seen[f] = struct{}{}
	}
	r.errs.Add(e)
}

// at adds an error of the value with that name and path, which violates a keyword; empty: none.
func (r *reporter) at(at *plan.Frame, keyword, name string, typ field.ErrorType, value any, detail string) {
	r.withMessage(at, keyword, name, typ, value, detail, detail)
}

// withMessage is at for an error whose detail differs from the server's message: see errorKey.
func (r *reporter) withMessage(at *plan.Frame, keyword, name string, typ field.ErrorType, value any, detail, message string) {
	e := &field.Error{Type: typ, Field: r.base.String(), BadValue: value, Detail: detail, Path: at.Path(r.base)}
	// VAL-004: an empty name, and a single dot, refer to the whole value.
	if name != "" && name != "." {
		below := strings.TrimPrefix(name, ".")
		if r.base == nil {
			e.Field = below
		} else {
			e.Field += "." + below
		}
	}
	if keyword == origin.Required { // of the object around the missing value
		at = at.Parent
	}
	if keyword != "" {
		origin.Set(e, r.place(at), keyword)
	}
	r.add(e, name, message)
}

// atRoot adds an error of the value at that frame, which a server reports for the whole value (ERR-001, the last row).
func (r *reporter) atRoot(at *plan.Frame, keyword, detail string) {
	e := &field.Error{Type: field.ErrorTypeInvalid, Field: r.base.String(), BadValue: "", Detail: detail, Path: at.Path(r.base)}
	origin.Set(e, r.place(at), keyword)
	r.add(e, "", detail)
}

// place returns the place of the schema of the value at that frame.
func (r *reporter) place(at *plan.Frame) origin.Place {
	return origin.Place{Branch: r.branch, Steps: at.Schema(r.schema)}
}

// probeDepth limits how deep the walk checks parts before it enters them. Each check takes time linear in the part, so
// below this depth it is cheaper to enter everything.
const probeDepth = 64

// child enters a part of a value unless the part is valid. whole is the pair of that value, nil if it has none. A
// branch of a combinator is entered without a pair, because its errors belong to the node with the combinator
// (RAT-004).
func (r *reporter) child(n *plan.Node, v any, whole *plan.Pair, at *plan.Frame, depth int) {
	if r.stopped || r.budget.Size < 0 && r.tooLarge() || depth < probeDepth && okWithin(n, v, Schema, &r.budget) {
		return
	}
	var p *plan.Pair
	switch {
	case whole == nil:
	case at.Step == plan.StepItem:
		p = whole.Item(at.Index)
	case typeMeta(at):
		if whole.Equal() {
			return
		}
	default:
		p = whole.Child(strings.Clone(at.Key)) // a copy, so that the frames stay on the stack
	}
	r.value(n, v, p, at, depth+1)
}

// value reports the violations in v, in the order of VAL-002. p is the pair of v and its old value, nil if it has none.
func (r *reporter) value(n *plan.Node, v any, p *plan.Pair, at *plan.Frame, depth int) {
	if r.values++; r.values%checkInterval == 0 {
		r.stopped = r.stopped || r.errs.Stopped()
	}
	if n == nil || r.stopped || r.ratcheted(n, v, p) || r.exhausted() {
		return
	}
	kind := n.KindOf(v)
	if kind == 0 {
		known, err := jsonval.Normalize(nil, v)
		if err != nil && r.full(field.ErrorTypeInvalid) {
			return
		}
		if err != nil {
			r.at(at, "", at.Name(), field.ErrorTypeInvalid, err.BadValue, err.Detail)
			return
		}
		v, kind = known, n.KindOf(known)
	}
	if n.Accept&kind == 0 {
		r.wrongType(n, v, kind, at)
	}
	if kind == plan.KindNull { // VAL-003
		r.enum(n, v, at)
		return
	}
	if n.Combine != nil {
		r.combinators(n.Combine, v, at, depth)
	}
	switch x := v.(type) {
	case string:
		r.text(n, x, at)
	case int64:
		r.number(n, x, float64(x), at)
	case float64:
		r.number(n, x, x, at)
	case []any:
		r.list(n, x, p, at, depth)
	}
	r.enum(n, v, at)
	if m, ok := v.(map[string]any); ok {
		r.object(n, m, p, at, depth)
	}
}

// exhausted reports whether the allowed work is used up, and adds an error that says so the first time. Parts that were
// not checked are not reported.
func (r *reporter) exhausted() bool {
	if r.budget.Work > 0 {
		return false
	}
	if !r.stopped {
		r.stopped = true
		r.errs.Add(&field.Error{
			Type: field.ErrorTypeInvalid, Field: r.base.String(), BadValue: field.OmitValue, Path: r.base,
			Detail: "the patterns and combinators of the schema take too long for this value",
		})
	}
	return true
}

func (r *reporter) list(n *plan.Node, items []any, p *plan.Pair, at *plan.Frame, depth int) {
	r.budget.List(items)
	if n.Items != nil {
		f := plan.Frame{Parent: at, Step: plan.StepItem}
		for i, v := range items {
			f.Index = i
			r.child(n.Items, v, p, &f, depth)
		}
	}
	r.size(ItemCount(n, len(items)), len(items), n.MinItems, n.MaxItems, itemCount, at) // VAL-040
	if NotUnique(n, items) && !r.full(field.ErrorTypeInvalid) {
		r.at(at, origin.UniqueItems, at.Name(), field.ErrorTypeInvalid, "", at.Name()+" in body shouldn't contain duplicates")
	}
}

// A counted is what the size of a value counts.
type counted struct{ unit, least, most string }

var (
	itemCount     = counted{"items", origin.MinItems, origin.MaxItems}
	propertyCount = counted{"properties", origin.MinProperties, origin.MaxProperties}
)

// size reports too few or too many items or properties.
func (r *reporter) size(faults SizeFault, size int, least, most int64, of counted, at *plan.Frame) {
	if faults&TooFew != 0 {
		r.tooFew(size, least, of, at)
	}
	if faults&TooMany != 0 && !r.full(field.ErrorTypeTooMany) {
		r.withMessage(at, of.most, at.Name(), field.ErrorTypeTooMany, int64(size), atMost(most, r.errs.Profile()), fmt.Sprintf("at most %d %s", most, of.unit))
	}
}

// tooFew reports too few items or properties.
func (r *reporter) tooFew(size int, least int64, of counted, at *plan.Frame) {
	typ := field.ErrorTypeInvalid
	if r.errs.Profile().Has(since.SizeErrorTypes) {
		typ = field.ErrorTypeTooFew
	}
	if r.full(typ) {
		return
	}
	name := at.Name()
	detail := atLeast(name, least, of.unit)
	message := detail
	if typ == field.ErrorTypeTooFew {
		detail = tooFew(least)
	}
	r.withMessage(at, of.least, name, typ, int64(size), detail, message)
}

func (r *reporter) object(n *plan.Node, m map[string]any, p *plan.Pair, at *plan.Frame, depth int) {
	r.budget.Map(m)
	r.size(PropertyCount(n, len(m)), len(m), n.MinProperties, n.MaxProperties, propertyCount, at) // VAL-050
	f := plan.Frame{Parent: at}
	// additionalProperties: VAL-052.
	if n.Additional != nil || n.Has&plan.NoOthers != 0 {
		f.Step = plan.StepOtherKey
		var buf [16]string
		for _, k := range sortedKeys(buf[:0], m) {
			if n.Prop(k) != nil {
				continue
			}
			if forbidden(n, k) {
				if !r.full(field.ErrorTypeInvalid) {
					name := at.Name()
					r.at(at, origin.AdditionalProperties, name, field.ErrorTypeInvalid, k, name+"."+k+" in body is a forbidden property")
				}
				continue
			}
			f.Key = k
			r.child(n.Additional, m[k], p, &f, depth)
		}
		f.Step = plan.StepProperty
	}
	r.properties(n, m, p, &f, depth)
	// required: VAL-051.
	for _, k := range n.Required {
		if missing(m, k) && !r.full(field.ErrorTypeRequired) {
			f.Key = k
			r.at(&f, origin.Required, at.Name()+"."+k, field.ErrorTypeRequired, "", "")
		}
	}
}

// properties enters the declared properties that are present, in sorted order. It looks up either each property in the
// object, or each key of the object in the schema, whichever are fewer.
func (r *reporter) properties(n *plan.Node, m map[string]any, whole *plan.Pair, f *plan.Frame, depth int) {
	if !n.Dense(len(m)) {
		var buf [16]string
		for _, k := range sortedKeys(buf[:0], m) {
			if p := n.Prop(k); p != nil {
				f.Key = k
				r.child(p.Node, m[k], whole, f, depth)
			}
		}
		return
	}
	for i := range n.Props {
		p := &n.Props[i]
		if v, ok := m[p.Name]; ok {
			f.Key = p.Name
			r.child(p.Node, v, whole, f, depth)
		}
	}
}

// sortedKeys returns the keys of m, in buf if they fit.
func sortedKeys(buf []string, m map[string]any) []string {
	for k := range m {
		buf = append(buf, k)
	}
	slices.Sort(buf)
	return buf
}
