package compat_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

var (
	attackPairs = flag.Int("compat.pairs", 400, "how many made-up pairs of definitions TestSound attacks")
	attackSeed  = flag.Uint64("compat.seed", 1, "of the first of these pairs")
)

// A maker makes schemas, changes of them, and objects near the limits of both.
type maker struct{ r *rand.Rand }

func (m *maker) p(percent int) bool { return m.r.IntN(100) < percent }

func one[T any](m *maker, of ...T) T { return of[m.r.IntN(len(of))] }

var fieldNames = []string{"a", "b", "c", "namespace", "x-y"}

// schema returns a schema of some type.
func (m *maker) schema(depth int) map[string]any {
	s := map[string]any{}
	kinds := []string{"string", "string", "integer", "number", "boolean", "int-or-string", "anything"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "object", "array", "array", "map")
	}
	kind := one(m, kinds...)
	switch kind {
	case "int-or-string":
		s["x-kubernetes-int-or-string"] = true
	case "anything":
		s["x-kubernetes-preserve-unknown-fields"] = true
		if m.p(30) {
			s["properties"] = m.properties(0)
		}
	case "array":
		s["type"], s["items"] = "array", m.schema(depth-1)
	case "map":
		s["type"], s["additionalProperties"] = "object", m.schema(depth-1)
	case "object":
		s["type"], s["properties"] = "object", m.properties(depth-1)
	default:
		s["type"] = kind
	}
	for range m.r.IntN(4) {
		m.keyword(s)
	}
	return s
}

func (m *maker) properties(depth int) map[string]any {
	p := map[string]any{}
	for _, name := range fieldNames {
		if m.p(45) {
			p[name] = m.schema(depth)
		}
	}
	return p
}

// keyword adds, changes or drops a keyword of s.
func (m *maker) keyword(s map[string]any) {
	set := func(key string, v any) {
		if _, has := s[key]; has && m.p(25) {
			delete(s, key)
		} else {
			s[key] = v
		}
	}
	small := func() int64 { return int64(m.r.IntN(4)) }
	if m.p(12) {
		set("nullable", true)
		return
	}
	if m.p(12) {
		set("default", one[any](m, "a", "ab", int64(1), int64(3), 1.5, true, map[string]any{}, map[string]any{"a": "a"}, []any{}, []any{"a"}))
		return
	}
	kind, _ := s["type"].(string)
	if m.p(18) {
		some := []any{}
		for range m.r.IntN(3) + 1 {
			some = append(some, m.branch(kind, 1))
		}
		if key := one(m, "allOf", "anyOf", "oneOf", "not"); key == "not" {
			set(key, some[0])
		} else {
			set(key, some)
		}
		return
	}
	if m.p(15) {
		if rule := m.rule(kind); rule != "" {
			set("x-kubernetes-validations", []any{map[string]any{"rule": rule}})
		}
		return
	}
	switch kind {
	case "string":
		switch m.r.IntN(5) {
		case 0:
			set("maxLength", small()+1)
		case 1:
			set("minLength", small())
		case 2:
			set("pattern", one(m, "^a", "^[ab]*$", "^(a|b)*$", "b$", "^a{1,3}$", "^.{2}$", "x|y"))
		case 3:
			set("format", one(m, "date", "ipv4", "byte", "duration", "uri"))
		case 4:
			set("enum", m.enum("a", "b", "ab", "aaa", ""))
		}
	case "integer", "number":
		switch m.r.IntN(5) {
		case 0:
			set("minimum", small())
			set("exclusiveMinimum", m.p(40))
		case 1:
			set("maximum", small()+2)
			set("exclusiveMaximum", m.p(40))
		case 2:
			set("multipleOf", small()+1)
		case 3:
			set("format", one(m, "int32", "int64", "float", "double"))
		case 4:
			set("enum", m.enum(int64(1), int64(2), int64(3), int64(6)))
		}
	case "array":
		switch m.r.IntN(3) {
		case 0:
			set("maxItems", small())
		case 1:
			set("minItems", small())
		case 2:
			if items, _ := s["items"].(map[string]any); items["type"] == "object" && items["properties"] != nil {
				set("x-kubernetes-list-type", "map")
				s["x-kubernetes-list-map-keys"] = []any{"a"}
				items["required"] = []any{"a"}
				items["properties"].(map[string]any)["a"] = map[string]any{"type": "string"}
				if s["x-kubernetes-list-type"] == nil {
					delete(s, "x-kubernetes-list-map-keys")
				}
			} else {
				set("x-kubernetes-list-type", one(m, "set", "atomic"))
			}
		}
	case "object":
		switch m.r.IntN(5) {
		case 0:
			set("maxProperties", small())
		case 1:
			set("minProperties", small())
		case 2, 3:
			set("required", m.enum("a", "b", "namespace"))
		case 4:
			set("x-kubernetes-preserve-unknown-fields", true)
		}
	default:
		if s["x-kubernetes-int-or-string"] == true {
			set(one(m, "minimum", "maximum", "maxLength"), small()+1)
		}
	}
}

func (m *maker) enum(values ...any) []any {
	m.r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	return values[:m.r.IntN(len(values)-1)+1]
}

// branch returns a branch of a combinator.
func (m *maker) branch(kind string, depth int) map[string]any {
	b := map[string]any{}
	if depth > 0 && m.p(15) {
		if m.p(50) {
			b["not"] = m.branch(kind, depth-1)
		} else {
			b[one(m, "anyOf", "allOf", "oneOf")] = []any{m.branch(kind, depth-1), m.branch(kind, depth-1)}
		}
		return b
	}
	switch kind {
	case "object":
		if m.p(50) {
			b["required"] = m.enum("a", "b", "c")
		}
		if m.p(50) {
			b["properties"] = map[string]any{one(m, "a", "b"): m.branch(one(m, "string", "integer"), 0)}
		}
	case "array":
		b[one(m, "minItems", "maxItems")] = int64(m.r.IntN(3))
	case "string", "integer", "number":
		s := map[string]any{"type": kind}
		for range m.r.IntN(2) + 1 {
			m.keyword(s)
		}
		for _, key := range []string{"maxLength", "minLength", "pattern", "enum", "format", "minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"} {
			if v, ok := s[key]; ok {
				b[key] = v
			}
		}
	default:
		b[one(m, "minimum", "maximum", "minLength", "maxLength")] = int64(m.r.IntN(3))
	}
	return b
}

func (m *maker) rule(kind string) string {
	rules := map[string][]string{
		"string": {"self.size() < 3", "size(self) <= 3", "self == 'a' || self == 'b'", "self in ['b', 'a', 'ab']", "self != 'a'", "self == oldSelf", "self.startsWith('a')",
			"self.matches('^[ab]*$')", "!(self == 'b')"},
		"integer": {"self < 3", "self <= 3", "self != 2", "self in [1, 2]", "self >= oldSelf", "self == 1 || self == 6", "2 < self"},
		"number":  {"self < 3.0", "self <= 3.5", "self != 2.0", "self in [1.0, 2.0]", "self == 1.0", "self == 1.5"},
		"array":   {"self.size() < 2", "size(self) != 1", "self == oldSelf", "self.all(x, x == self[0])"},
		"object": {"has(self.a)", "!has(self.a) || has(self.b)", "has(self.a) ? has(self.b) : true", "has(self.a) || has(self.b)", "!(has(self.a) && has(self.b))", "!has(self.c)",
			"!has(self.__namespace__)", "has(self.x__dash__y)", "!has(self.a) || self.a == 'a'", "!has(self.a) || self.a in ['a', 'b']", "!has(self.a) || self.a == 1",
			"!has(self.b) || self.b == oldSelf.b", "!has(self.a) || self.a.size() < 2", "!has(self.a) || !has(self.b) || self.a == self.b", "self == oldSelf", "!has(self.a) || self.a != 1.0",
			"!has(self.a) || !has(self.a.b)", "has(self.a.b)"},
	}[kind]
	if len(rules) == 0 {
		return ""
	}
	return one(m, rules...)
}

// change changes a schema at one place, and reports whether it has changed.
func (m *maker) change(s map[string]any, depth int) {
	children := m.children(s)
	if len(children) > 0 && depth < 4 && m.p(65) {
		m.change(one(m, children...), depth+1)
		return
	}
	props, _ := s["properties"].(map[string]any)
	switch {
	case props != nil && m.p(25):
		if name := one(m, fieldNames...); props[name] != nil && m.p(60) {
			delete(props, name)
		} else {
			props[name] = m.schema(1)
		}
	case depth > 0 && m.p(12):
		other := m.schema(2)
		clear(s)
		maps.Copy(s, other)
	default:
		m.keyword(s)
	}
}

func (m *maker) children(s map[string]any) (out []map[string]any) {
	props, _ := s["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		out = append(out, props[name].(map[string]any))
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if c, ok := s[key].(map[string]any); ok {
			out = append(out, c)
		}
	}
	return out
}

// value returns a value for one of two schemas, usually valid or nearly valid.
func (m *maker) value(a, b map[string]any, depth int) any {
	s := a
	if s == nil || b != nil && m.p(40) {
		s = b
	}
	if m.p(4) {
		return nil
	}
	if e, ok := s["enum"].([]any); ok && m.p(70) {
		return one(m, e...)
	}
	kind, _ := s["type"].(string)
	if kind == "" || m.p(2) {
		kind = one(m, "string", "integer", "number", "object", "array", "boolean")
		if s["x-kubernetes-int-or-string"] == true {
			kind = one(m, "string", "integer")
		}
		if s["properties"] != nil && m.p(60) {
			kind = "object"
		}
	}
	sub := func(of map[string]any, key string) map[string]any { c, _ := of[key].(map[string]any); return c }
	switch kind {
	case "string":
		return one[any](m, "", "a", "a", "b", "ab", "aa", "aaa", "aaaa", "bbbbb", "x", "1.2.3.4", "2024-01-02", "1s", "YQ==", "YWI=", "http://a/b", "é", "éé")
	case "integer":
		return one[any](m, int64(0), int64(1), int64(2), int64(3), int64(4), int64(5), int64(6), int64(-1), int64(1)<<40)
	case "number":
		return one[any](m, int64(0), int64(1), int64(2), int64(3), 0.5, 1.5, 2.5, int64(6), 1e300)
	case "boolean":
		return m.p(50)
	case "array":
		out := []any{}
		for range m.r.IntN(5) {
			if len(out) > 0 && m.p(25) {
				out = append(out, out[0])
			} else {
				out = append(out, m.value(sub(a, "items"), sub(b, "items"), depth+1))
			}
		}
		return out
	}
	out := map[string]any{}
	pa, pb := sub(a, "properties"), sub(b, "properties")
	chance := one(m, 20, 50, 80)
	for _, name := range fieldNames {
		ca, cb := sub(pa, name), sub(pb, name)
		if ca == nil {
			ca = sub(a, "additionalProperties")
		}
		if cb == nil {
			cb = sub(b, "additionalProperties")
		}
		required := func(s map[string]any) bool { l, _ := s["required"].([]any); return slices.Contains(l, any(name)) }
		if (ca != nil || cb != nil) && (m.p(chance) || (required(a) || required(b)) && m.p(80)) || s["x-kubernetes-preserve-unknown-fields"] == true && m.p(10) {
			out[name] = m.value(ca, cb, depth+1)
		}
	}
	return out
}

// A sound report has a finding for each difference that an object shows. Clauses: CMP-001, CMP-002.
func TestSound(t *testing.T) {
	done, refused, objects, shown := 0, 0, 0, 0
	counts := map[compat.Verdict]int{}
	for seed := *attackSeed; done < *attackPairs; seed++ {
		m := &maker{rand.New(rand.NewPCG(seed, 7))}
		before := map[string]any{"type": "object", "properties": m.properties(2)}
		if m.p(30) {
			m.keyword(before)
		}
		after := unstructured.Clone(before)
		for range m.r.IntN(2) + 1 {
			m.change(after, 0)
		}
		old, ok := accepted(t, text(before))
		if !ok {
			refused++
			continue
		}
		new, ok := accepted(t, text(after))
		if !ok || len(crdcheck.ValidateUpdate(new, old)) > 0 {
			refused++
			continue
		}
		done++
		r := compared(t, old, new, nil)
		holds(t, old, new, r)
		for _, f := range r.Findings {
			counts[f.Verdict]++
		}
		a := newAttack(t, old, new, r)
		for range 150 {
			spec, _ := m.value(before, after, 0).(map[string]any)
			if spec == nil {
				continue
			}
			objects++
			shown += a.object(map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "x", "namespace": "default"}, "spec": spec})
		}
		if a.missed != "" {
			t.Errorf("seed %d: %s\nold %s\nnew %s\n%s", seed, a.missed, text(before), text(after), r)
		}
	}
	t.Logf("%d pairs (%d refused), %d objects, %d of them show something; findings %v", done, refused, objects, shown, counts)
	require.Greater(t, shown, done)
}

// An attack searches objects that show a difference without a finding.
type attack struct {
	ctx      context.Context
	old, new *resource.Version
	r        *compat.Report
	missed   string // the first one
}

func newAttack(t *testing.T, old, new *crd.CustomResourceDefinition, r *compat.Report) *attack {
	compiled := func(d *crd.CustomResourceDefinition) *resource.Version {
		c, err := resource.Compile(d)
		require.NoError(t, err)
		return c.Version("v1")
	}
	return &attack{ctx: t.Context(), old: compiled(old), new: compiled(new), r: r}
}

// object checks an object with both sides, and returns how many differences it shows.
func (a *attack) object(o map[string]any) (shown int) {
	drops := func(v *resource.Version) bool { return len(prune.Unknown(v.Schema(), o)) > 0 }
	was, is := a.old.Create(a.ctx, o), a.new.Create(a.ctx, o)
	miss := func(format string, args ...any) {
		if a.missed == "" {
			a.missed = fmt.Sprintf(format, args...)
		}
	}
	switch {
	case was.Err() != nil && is.Err() == nil:
		if !drops(a.new) {
			shown++
			if !a.has(was.Errors, "", compat.Loosens) {
				miss("no finding that it loosens: %s\n%v", text(o), was.Err())
			}
		}
	case was.Err() == nil && is.Err() != nil:
		if !drops(a.old) {
			shown++
			if !a.has(is.Errors, "create", compat.Breaks) {
				miss("no finding that it breaks: %s\n%v", text(o), is.Err())
			}
		}
	case was.Err() == nil && !drops(a.old) && !jsonval.Equal(was.Object, is.Object):
		shown++
		if !a.has(nil, "", compat.LosesData, compat.Changes) {
			miss("no finding that it changes: %s\n%s\n%s", text(o), text(was.Object), text(is.Object))
		}
	}
	if was.Err() == nil && a.old.Update(a.ctx, was.Object, was.Object).Err() == nil {
		if again := a.new.Update(a.ctx, was.Object, was.Object); again.Err() != nil {
			shown++
			if !a.has(again.Errors, "update", compat.Breaks) {
				miss("no finding that it breaks updates: %s\n%v", text(was.Object), again.Err())
			}
		}
	}
	return shown
}

// has reports whether one of errs has a finding with one of the verdicts, or an unknown finding. The path of the
// finding must be a prefix of the error's path, or the error's path a prefix of that of the finding.
func (a *attack) has(errs field.List, request string, verdicts ...compat.Verdict) bool {
	about := func(e *field.Error) bool {
		return slices.ContainsFunc(a.r.Findings, func(f compat.Finding) bool {
			if f.Verdict != compat.Unknown && (!slices.Contains(verdicts, f.Verdict) || request != "" && f.Request != request) {
				return false
			}
			return e == nil || e.RulesSkipped() || related(f.Path, e.Path.Segments())
		})
	}
	if len(errs) == 0 {
		return about(nil)
	}
	return slices.ContainsFunc(errs, about) // one finding of several is enough to be warned
}

// related reports whether one of two paths is a prefix of the other.
func related(path string, at []field.Segment) bool {
	steps := strings.FieldsFunc(strings.ReplaceAll(path, "[*]", ".*"), func(r rune) bool { return r == '.' })
	for i := range min(len(steps), len(at)) {
		if steps[i] != "*" && (at[i].IsIndex || at[i].Key != steps[i]) {
			return false
		}
	}
	return true
}
