package validity

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// all is Report without looking ahead: it enters every part of the value, whether or not there is something to say.
func all(n *plan.Node, v any) field.List {
	return listed(func(errs *refusal.List) {
		r := reporter{budget: jsonval.NewBudget()}
		r.value(n, v, nil, nil, probeDepth)
		*errs = r.errs
	})
}

func listed(report func(errs *refusal.List)) field.List {
	var errs refusal.List
	report(&errs)
	return errs.Errors()
}

func value(n *plan.Node, v any) field.List {
	return listed(func(errs *refusal.List) { Report(errs, n, nil, "", v) })
}

func update(n *plan.Node, v, old any) field.List {
	return listed(func(errs *refusal.List) { ReportUpdate(errs, n, nil, "", v, old) })
}

func TestRandom(t *testing.T) {
	invalid, forgiven := 0, map[string]int{}
	for seed := range uint64(1200) {
		m := given.NewMaker(seed)
		doc := m.Schema()
		s := given.Compiled(t, doc)
		for range 2 {
			obj := m.Object(doc)
			before := unstructured.Clone(obj)
			everyNode(t, plan.Root(s), obj)
			for _, old := range []any{obj, m.Object(doc), m.Changed(obj), m.Changed(m.Changed(obj)), nil} {
				forgiven[updates(t, plan.Root(s), obj, old)]++
			}
			require.Equal(t, before, obj, "the value is modified")
			if value(plan.Root(s), obj) != nil {
				invalid++
			}
		}
	}
	require.Greater(t, invalid, 600, "invalid objects")
	require.Greater(t, forgiven["all"], 100, "%v", forgiven)
	require.Greater(t, forgiven["some"], 100, "%v", forgiven)
	require.Greater(t, forgiven["none"], 100, "%v", forgiven)
}

// everyNode checks what the verdict says against the report, for all nodes that describe v or a part of it, in branches
// too.
func everyNode(t *testing.T, n *plan.Node, v any) {
	t.Helper()
	report := all(n, v)
	require.Equal(t, len(report) == 0, OK(n, v, Schema), "node %d, value %s: %s", n.ID, given.ExactJSON(v), report)
	require.Equal(t, report, value(n, v), "looking ahead leaves nothing out")
	r := reporter{budget: jsonval.NewBudget()}
	_, tallied := r.tally(n, v)
	require.Equal(t, len(report) == 0, tallied, "node %d, value %s", n.ID, given.ExactJSON(v))
	parts := true // fulfil their schemas
	if c := n.Combine; c != nil && v != nil {
		for _, branches := range [][]*plan.Node{c.AllOf, c.AnyOf, c.OneOf} {
			for _, b := range branches {
				everyNode(t, b, v)
			}
		}
		if c.Not != nil {
			everyNode(t, c.Not, v)
		}
	}
	switch x := v.(type) {
	case map[string]any:
		for k, c := range x {
			if child, _ := n.Child(k); child != nil {
				everyNode(t, child, c)
				parts = parts && OK(child, c, Schema)
			}
		}
	case []any:
		if n.Items != nil {
			for _, c := range x {
				everyNode(t, n.Items, c)
				parts = parts && OK(n.Items, c, Schema)
			}
		}
	}
	require.Equal(t, len(report) == 0, here(n, v, &r.budget.Work) && parts, "node %d, value %s", n.ID, given.ExactJSON(v))
}

// updates checks ReportUpdate against a walk that does what RAT-004 says, and without looking ahead. It returns how many
// errors are forgiven.
func updates(t *testing.T, n *plan.Node, v, old any) string {
	t.Helper()
	errs := update(n, v, old)
	require.Equal(t, errs, update(n, v, old), "the order depends on Go's maps")
	require.Equal(t, printed(slow(n, "", v, plan.NewPair(n, v, old))), printed(errs),
		"value %s\nold   %s", given.ExactJSON(v), given.ExactJSON(old))

	require.Equal(t, errs, listed(func(errs *refusal.List) {
		r := reporter{budget: jsonval.NewBudget()}
		r.value(n, v, plan.NewPair(n, v, old), nil, probeDepth)
		*errs = r.errs
	}), "looking ahead leaves nothing out")

	switch plain := value(n, v); {
	case len(plain) == 0:
		return ""
	case len(errs) == len(plain):
		return "none"
	case len(errs) == 0:
		return "all"
	}
	return "some"
}

// anything is a node that says nothing.
var anything = func() *plan.Node {
	s, err := schema.CompileLoose(&schema.JSONSchemaProps{Properties: map[string]*schema.JSONSchemaProps{"any": {}}})
	if err != nil {
		panic(err)
	}
	return plan.Root(s).Prop("any").Node
}()

func printed(errs field.List) map[string]bool {
	texts := map[string]bool{}
	for _, e := range errs {
		texts[string(e.Type)+" "+e.Error()] = true
	}
	return texts
}

// slow returns the errors of v, in no order and some of them twice: each pair reports its own and those of its parts,
// and drops all of them where nothing changed (RAT-004).
func slow(n *plan.Node, name string, v any, p *plan.Pair) (errs field.List) {
	if n == nil {
		return nil
	}
	own := *n // what the node says without its parts
	switch x := v.(type) {
	case map[string]any:
		for k, c := range x {
			child, declared := n.Child(k)
			at := name + "." + k
			if declared && name == "" {
				at = k
			}
			q := p.Child(k)
			if name == "" && (k == "apiVersion" || k == "kind") {
				q = nil
			}
			errs = append(errs, slow(child, at, c, q)...)
		}
		objects := *n.ObjectKeywords
		own.ObjectKeywords = &objects
		own.Props = nil
		for _, prop := range n.Props {
			prop.Node = anything
			own.Props = append(own.Props, prop)
		}
		if own.Additional != nil {
			own.Additional = anything
		}
	case []any:
		for i, c := range x {
			errs = append(errs, slow(n.Items, fmt.Sprintf("%s[%d]", name, i), c, p.Item(i))...)
		}
		arrays := *n.ArrayKeywords
		own.ArrayKeywords = &arrays
		own.Items = nil
	}
	errs = append(errs, listed(func(errs *refusal.List) {
		r := reporter{budget: jsonval.NewBudget()}
		r.value(&own, v, nil, &plan.Frame{Key: name}, probeDepth)
		*errs = r.errs
	})...)
	if p.Equal() {
		return nil
	}
	return errs
}

// A report ends when its request has ended.
func TestStopped(t *testing.T) {
	integers := map[string]any{"type": "array", "items": map[string]any{"type": "integer"}}
	sets := map[string]any{"type": "array", "items": map[string]any{"type": "array", "x-kubernetes-list-type": "set", "items": map[string]any{"type": "string"}}}
	s := given.Compiled(t, map[string]any{"properties": map[string]any{"l": integers, "s": sets}})
	const n = 10_000
	obj := map[string]any{"l": make([]any, n), "s": []any{make([]any, n)}}
	for i := range n {
		obj["l"].([]any)[i] = "x"
		obj["s"].([]any)[0].([]any)[i] = fmt.Sprint(i / 2)
	}
	done := make(chan struct{})
	for _, report := range []func(errs *refusal.List){
		func(errs *refusal.List) { Report(errs, plan.Root(s), nil, "", obj) },
		func(errs *refusal.List) { ReportUpdate(errs, plan.Root(s), nil, "", obj, map[string]any{}) },
		func(errs *refusal.List) { ReportLists(errs, plan.Root(s), nil, obj) },
	} {
		var all, some refusal.List
		all.Until(done)
		report(&all)
		require.GreaterOrEqual(t, all.Len(), n/2)
		ended := make(chan struct{})
		close(ended)
		some.Until(ended)
		report(&some)
		require.LessOrEqual(t, some.Len(), checkInterval)
	}
}

// What a list has is the beginning of what there is to say, and the rest is counted.
func TestLimit(t *testing.T) {
	for seed := range uint64(300) {
		m := given.NewMaker(seed)
		doc := m.Schema()
		s, obj := given.Compiled(t, doc), m.Object(doc)
		all := value(plan.Root(s), obj)
		for most := 1; most < len(all); most++ {
			errs := refusal.Within(field.Limit{Errors: most})
			Report(&errs, plan.Root(s), nil, "", obj)
			got := errs.Errors()
			require.Equal(t, all[:most], got[:most])
			require.Equal(t, field.ErrorTypeTooManyErrors, got[most].Type)
			require.GreaterOrEqual(t, got[most].BadValue.(*field.Omitted).Errors, len(all)-most, "texts may be counted twice")
			for _, e := range all[most:] {
				require.True(t, errs.Has(e.Type))
			}
		}
	}
}
