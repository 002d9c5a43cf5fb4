package prune

import (
	"maps"
	"math"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/validity"
	"github.com/crdkit/crdkit/schema"
)

// Prune returns obj without the fields that s does not describe. obj is a whole resource: its apiVersion, kind and
// metadata stay. Prune does not modify obj. If nothing is dropped, it returns obj itself and does not allocate.
// Otherwise the result shares unchanged parts with obj. A nil s describes a resource without further fields. A nil obj
// is returned as it is, and so is one that is too large (see the package's security considerations).
func Prune(s *schema.Structural, obj map[string]any) map[string]any {
	budget := jsonval.NewBudget()
	if pruned := pruneObject(root(s), obj, false, &budget); pruned != nil && budget.Size >= 0 {
		return pruned
	}
	return obj
}

// Value returns v without the fields that n does not describe, as [Prune] does. n is a node of a compiled schema, v a
// value of any kind. A zero n describes nothing: every object in v is emptied.
func Value(n schema.Node, v any) any {
	budget := jsonval.NewBudget()
	if pruned, changed := prune(plan.Of(n), v, false, &budget); changed && budget.Size >= 0 {
		return pruned
	}
	return v
}

// Unknown returns the paths of the fields that [Prune] would drop from obj, in byte order. A path has dots before
// fields and [i] for list items: spec.items[3].colour. It names the dropped field, not the fields within it, and
// escapes nothing. Unknown returns nil if there are none, or if obj is too large to prune. It does not modify obj, and
// allocates nothing if there are no such fields.
func Unknown(s *schema.Structural, obj map[string]any) []string {
	paths, _ := UnknownWithin(s, obj, field.Limit{Errors: math.MaxInt, Bytes: maxSize})
	return paths
}

// UnknownWithin is [Unknown] with a limit on the number of paths and on their bytes. If there are more, it returns the
// first ones in the order of a sorted walk, and the number of the others.
func UnknownWithin(s *schema.Structural, obj map[string]any, limit field.Limit) (paths []string, more int) {
	return unknown(obj, Prune(s, obj), false, limit)
}

// UnknownValue returns the paths of the fields that [Value] would drop from v, in byte order; see [Unknown]. They are
// relative to v: a field of v itself has no leading dot. Top-level fields named apiVersion, kind and metadata of a
// value that a node describes are dropped without being listed.
func UnknownValue(n schema.Node, v any) []string {
	node := plan.Of(n)
	paths, _ := unknown(v, Value(n, v), node != nil && !node.IsResource(), field.Limit{Errors: math.MaxInt, Bytes: maxSize})
	return paths
}

// nothing describes a resource without any field of its own.
var nothing = plan.WithFlags(plan.ResourceRoot)

// root returns the root of s, or nothing if s is nil.
func root(s *schema.Structural) *plan.Node {
	if s == nil || plan.Root(s) == nil {
		return nothing
	}
	return plan.Root(s)
}

// maxDepth limits how deep lists without a schema are visited. A server's decoder has the same limit (DEC-007).
const maxDepth = jsonval.MaxDepth

// prune returns v without the fields that n does not describe. preserve is set for the items of a list that preserves
// unknown fields.
func prune(n *plan.Node, v any, preserve bool, budget *jsonval.Budget) (out any, changed bool) {
	if n == nil {
		if e, changed, ok := jsonval.Emptied(v, maxDepth, budget); ok && changed {
			return e, true
		}
		return v, false
	}
	switch x := v.(type) {
	case map[string]any:
		if m := pruneObject(n, x, preserve, budget); m != nil {
			return m, true
		}
	case []any:
		if l := pruneList(n, x, preserve, budget); l != nil {
			return l, true
		}
	}
	return v, false // v, not x: boxing a list again would allocate
}

// pruneObject returns the pruned copy of m, or nil if there is nothing to prune.
func pruneObject(n *plan.Node, m map[string]any, preserve bool, budget *jsonval.Budget) map[string]any {
	if !budget.Map(m) {
		return nil
	}
	others, resource := validity.OtherFields(n, preserve), n.IsResource()
	left := len(m) // keys that are still unchecked
	if resource {
		for _, k := range plan.ResourceFields {
			if _, ok := m[k]; ok {
				left--
			}
		}
	}
	var out map[string]any // the copy, made at the first change
	dense := n.Dense(len(m))
	for i := 0; dense && i < len(n.Props) && left > 0; i++ {
		p := &n.Props[i]
		v, ok := m[p.Name]
		if !ok || resource && plan.ResourceField(p.Name) {
			continue
		}
		left--
		if jsonval.IsContainer(v) { // scalars are never changed
			if w, changed := prune(p.Node, v, false, budget); changed {
				out = jsonval.WithKey(out, m, p.Name, w)
			}
		}
	}
	if left == 0 || dense && others == validity.Kept {
		return out
	}
	for k, v := range m {
		if resource && plan.ResourceField(k) { // PRU-008
			continue
		}
		child, declared := n.Child(k)
		if dense && !declared { // all that are unchecked are undeclared
			left--
		}
		switch {
		case declared && dense, !declared && others == validity.Kept:
		case !declared && others == validity.Dropped:
			if out == nil {
				out = maps.Clone(m)
			}
			delete(out, k)
		case jsonval.IsContainer(v):
			if w, changed := prune(child, v, false, budget); changed {
				out = jsonval.WithKey(out, m, k, w)
			}
		}
		if left == 0 {
			break
		}
	}
	return out
}

// pruneList returns the pruned copy of a list, or nil if there is nothing to prune.
func pruneList(n *plan.Node, items []any, preserve bool, budget *jsonval.Budget) (out []any) {
	if !budget.List(items) {
		return nil
	}
	preserve = preserve || n.Has&plan.PreserveFields != 0
	if n.Items == nil && preserve {
		return nil
	}
	for i, v := range items {
		if !jsonval.IsContainer(v) {
			continue
		}
		if w, changed := prune(n.Items, v, preserve, budget); changed {
			out = jsonval.WithItem(out, items, i, w)
		}
	}
	return out
}

// maxSize is the default limit on the bytes of paths. A small object can have many deeply nested unknown fields, and
// their paths can take the square of its size.
const maxSize = 8 << 20

// unknown returns the paths of the fields that v has and pruned has not, sorted, and the number of those beyond the
// limit. pruned is the result of pruning v, so that it differs only where fields were dropped.
func unknown(v, pruned any, hideMeta bool, limit field.Limit) (paths []string, more int) {
	c := collector{hideMeta: hideMeta, paths: refusal.TextsWithin(limit)}
	c.value(v, pruned, nil)
	paths, more = c.paths.Kept()
	slices.Sort(paths)
	return paths, more
}

// A collector collects the paths of unknown fields.
type collector struct {
	hideMeta bool // do not list apiVersion, kind and metadata of the whole value (PRU-011)
	paths    refusal.Texts
}

func (c *collector) value(v, pruned any, at *plan.Frame) {
	f := plan.Frame{Parent: at}
	switch x := v.(type) {
	case map[string]any:
		y, _ := pruned.(map[string]any)
		if jsonval.Identical(x, y) {
			return
		}
		for _, k := range slices.Sorted(maps.Keys(x)) {
			f.Key = k
			w, kept := y[k]
			switch {
			case kept:
				c.value(x[k], w, &f)
			case at == nil && c.hideMeta && plan.ResourceField(k):
			case c.paths.Full():
				c.paths.Skip(1)
			default:
				c.paths.Add(f.Dotted())
			}
		}
	case []any:
		y, _ := pruned.([]any)
		if len(x) == 0 || len(y) == 0 || &x[0] == &y[0] {
			return
		}
		f.Step = plan.StepItem
		for i := range x {
			f.Index = i
			c.value(x[i], y[i], &f)
		}
	}
}
