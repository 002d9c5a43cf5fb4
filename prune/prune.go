package prune

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/walk"
	"github.com/crdkit/crdkit/schema"
)

// Prune returns obj without the fields that s does not describe. obj is the whole of a resource: its apiVersion, kind and
// metadata stay. It does not modify obj. If nothing is dropped it returns obj itself and does not allocate. Otherwise the
// result shares unchanged parts with obj. A nil s describes nothing but a resource; a nil obj is returned as it is.
//
// Clauses: PRU-001 to PRU-009, PRU-013.
func Prune(s *schema.Structural, obj map[string]any) map[string]any {
	pruned, _ := pruneObject(root(s), obj, false)
	return pruned
}

// Value returns v without the fields that n does not describe, as [Prune] does. n is a node of a compiled schema, v a value
// of any kind at that place. A nil n describes nothing: every object in v is emptied.
//
// Clauses: PRU-003 to PRU-009.
func Value(n *schema.Node, v any) any {
	pruned, _ := prune(n, v, false, 0)
	return pruned
}

// Unknown returns the paths of the fields that [Prune] would drop from obj, in byte order. A path has dots before fields and
// [i] for list items: spec.items[3].colour. It names the dropped field, not what is in it, and escapes nothing. It returns nil
// if there are none. It does not modify obj, and it allocates only for the paths that it returns.
//
// Clauses: PRU-010, PRU-012.
func Unknown(s *schema.Structural, obj map[string]any) []string {
	var c collector
	c.object(root(s), obj, false, nil)
	return c.sorted()
}

// UnknownIn returns the paths of the fields that [Value] would drop from v, in byte order; see [Unknown]. They are relative
// to v: a field of v itself has no dot before it. Top-level fields named apiVersion, kind and metadata of a value that a
// node describes are dropped without being listed.
//
// Clauses: PRU-010, PRU-011.
func UnknownIn(n *schema.Node, v any) []string {
	c := collector{hideMeta: n != nil && n.Has&(schema.HasEmbedded|schema.ResourceRoot) == 0}
	c.value(n, v, false, nil, 0)
	return c.sorted()
}

var nothing = &schema.Node{Has: schema.ResourceRoot}

func root(s *schema.Structural) *schema.Node {
	if s == nil {
		return nothing
	}
	return s.Root
}

// maxDepth is how deep lists without a schema are entered. A server's decoder stops there, too (DEC-007).
const maxDepth = 10000

// fate says what becomes of a key of an object.
type fate uint8

const (
	dropped fate = iota
	kept         // whole, and not entered
	entered
)

// keep returns the fate of key k in an object at n, and the node for its value. n is not nil.
func keep(n *schema.Node, k string, preserve bool) (fate, *schema.Node) {
	if n.Has&(schema.HasEmbedded|schema.ResourceRoot) != 0 && (k == "apiVersion" || k == "kind" || k == "metadata") {
		return kept, nil
	}
	if p := n.Prop(k); p != nil {
		return entered, p.Node
	}
	switch {
	case n.Has&schema.OtherKeys != 0:
		return entered, n.Additional // nil for true and false alike (PRU-006)
	case preserve || n.Has&schema.PreserveFields != 0:
		return kept, nil
	}
	return dropped, nil
}

// prune returns v as n leaves it. preserve is on for the items of a list that preserves unknown fields.
func prune(n *schema.Node, v any, preserve bool, depth int) (out any, changed bool) {
	switch x := v.(type) {
	case map[string]any:
		if n == nil {
			if len(x) == 0 {
				return v, false
			}
			return map[string]any{}, true
		}
		if m, changed := pruneObject(n, x, preserve); changed {
			return m, true
		}
	case []any:
		if l, changed := pruneList(n, x, preserve, depth); changed {
			return l, true
		}
	}
	return v, false // v, not x: boxing a list again would allocate
}

func pruneObject(n *schema.Node, m map[string]any, preserve bool) (out map[string]any, changed bool) {
	out = m
	for k, v := range m {
		f, child := keep(n, k, preserve)
		if f == kept {
			continue
		}
		var pruned any
		if f == entered {
			switch v.(type) {
			case map[string]any, []any:
			default:
				continue // scalars stay
			}
			was := false
			if pruned, was = prune(child, v, false, 0); !was {
				continue
			}
		}
		if !changed {
			out, changed = maps.Clone(m), true
		}
		if f == dropped {
			delete(out, k)
		} else {
			out[k] = pruned
		}
	}
	return out, changed
}

func pruneList(n *schema.Node, items []any, preserve bool, depth int) (out []any, changed bool) {
	item, preserve, ok := itemNode(n, preserve, depth)
	if !ok {
		return items, false
	}
	out = items
	for i, v := range items {
		pruned, was := prune(item, v, preserve, depth+1)
		if !was {
			continue
		}
		if !changed {
			out, changed = slices.Clone(items), true
		}
		out[i] = pruned
	}
	return out, changed
}

// itemNode returns the node for the items of a list at n, and whether they preserve their unknown fields. It returns false
// where items are not to be entered.
func itemNode(n *schema.Node, preserve bool, depth int) (item *schema.Node, preserving, enter bool) {
	if n == nil {
		return nil, false, depth < maxDepth
	}
	preserve = preserve || n.Has&schema.PreserveFields != 0
	if n.Items == nil && preserve {
		return nil, false, false
	}
	return n.Items, preserve, true
}

// A collector gathers the paths of unknown fields, in the walk that prune would make.
type collector struct {
	hideMeta bool // the type and metadata of the value asked about are none (PRU-011)
	paths    []string
}

func (c *collector) sorted() []string {
	slices.Sort(c.paths)
	return c.paths
}

func (c *collector) value(n *schema.Node, v any, preserve bool, at *walk.Frame, depth int) {
	switch x := v.(type) {
	case map[string]any:
		c.object(n, x, preserve, at)
	case []any:
		item, preserve, enter := itemNode(n, preserve, depth)
		if !enter {
			return
		}
		f := walk.Frame{Parent: at, Step: walk.Item}
		for i, v := range x {
			f.Index = i
			c.value(item, v, preserve, &f, depth+1)
		}
	}
}

func (c *collector) object(n *schema.Node, m map[string]any, preserve bool, at *walk.Frame) {
	f := walk.Frame{Parent: at}
	for k, v := range m {
		f.Key = k
		if n == nil {
			c.paths = append(c.paths, f.Dotted())
			continue
		}
		switch fate, child := keep(n, k, preserve); fate {
		case entered:
			c.value(child, v, false, &f, 0)
		case dropped:
			if at == nil && c.hideMeta && (k == "apiVersion" || k == "kind" || k == "metadata") {
				continue
			}
			c.paths = append(c.paths, f.Dotted())
		}
	}
}
