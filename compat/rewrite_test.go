package compat_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/unstructured"
)

// A rewriter writes schemas in equivalent forms.
type rewriter struct {
	r     *rand.Rand
	count int // of rewritings
}

func (w *rewriter) chance() bool { return w.r.IntN(3) == 0 }

// reverse reverses some of the lists at keys of a schema.
func (w *rewriter) reverse(s map[string]any, keys ...string) {
	for _, key := range keys {
		if l, ok := s[key].([]any); ok && len(l) > 1 && w.chance() {
			l = slices.Clone(l)
			slices.Reverse(l)
			s[key] = l
			w.count++
		}
	}
}

func (w *rewriter) schema(s map[string]any) {
	if w.chance() {
		s["description"] = "Other words."
		w.count++
	}
	w.reverse(s, "enum", "required")
	// Bounds may be in a branch that always applies.
	for _, key := range []string{"maxLength", "minLength", "maximum", "minimum", "pattern", "maxItems", "minItems", "enum"} {
		v, ok := s[key]
		if !ok || !w.chance() || key == "enum" && s["type"] != "string" {
			continue
		}
		branch := map[string]any{key: v}
		all, _ := s["allOf"].([]any)
		switch w.r.IntN(7) {
		case 0:
			s["allOf"] = append(slices.Clone(all), branch)
		case 1:
			s["allOf"] = append(slices.Clone(all), map[string]any{"allOf": []any{branch}})
		case 2:
			if s["anyOf"] == nil {
				s["anyOf"] = []any{branch}
			}
		case 3:
			if s["oneOf"] == nil {
				s["oneOf"] = []any{branch}
			}
		case 4:
			s["allOf"] = append(slices.Clone(all), map[string]any{"not": map[string]any{"not": branch}})
		case 5:
			if l, ok := v.([]any); ok && len(l) > 1 && s["anyOf"] == nil {
				s["anyOf"] = []any{map[string]any{"enum": l[:1]}, map[string]any{"enum": l[1:]}}
			} else if s["anyOf"] == nil {
				s["anyOf"] = []any{branch, map[string]any{key: v, "minLength": int64(3)}}
			}
		case 6:
			s["allOf"] = append(slices.Clone(all), map[string]any{"anyOf": []any{branch, branch}})
		}
		w.count++
		combined := text([]any{s["allOf"], s["anyOf"], s["oneOf"]})
		if w.chance() && key != "maxItems" && strings.Contains(combined, `"`+key+`"`) && s["x-kubernetes-validations"] == nil {
			delete(s, key) // if no rule's cost depends on it
		}
	}
	if p, ok := s["pattern"].(string); ok && w.chance() {
		s["pattern"] = "(?:" + p + ")"
		w.count++
	}
	if s["type"] == "integer" && w.chance() {
		if lo, ok := s["minimum"].(int64); ok && s["exclusiveMinimum"] == nil {
			s["minimum"], s["exclusiveMinimum"] = lo-1, true
			w.count++
		}
	}
	if l, ok := s["required"].([]any); ok && w.chance() && s["properties"] != nil {
		all, _ := s["allOf"].([]any)
		s["allOf"] = append(slices.Clone(all), map[string]any{"required": l})
		w.count++
	}
	w.reverse(s, "allOf", "anyOf", "oneOf")
	w.rules(s)
	below := func(v any) {
		if m, ok := v.(map[string]any); ok {
			w.schema(m)
		}
	}
	if m, ok := s["properties"].(map[string]any); ok {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if k != "metadata" && k != "apiVersion" && k != "kind" {
				below(m[k])
			}
		}
	}
	below(s["items"])
	below(s["additionalProperties"])
}

// rules adds parentheses and double negations to rules, splits conjunctions, and changes the order of rules.
func (w *rewriter) rules(s map[string]any) {
	l, ok := s["x-kubernetes-validations"].([]any)
	if !ok || !w.chance() {
		return
	}
	var out []any
	for _, x := range l {
		m, ok := x.(map[string]any)
		rule, isText := m["rule"].(string)
		if !ok || !isText || strings.Contains(rule, "\n") {
			out = append(out, x)
			continue
		}
		other := map[string]any{"message": "Other words."}
		for k, v := range m {
			if k != "messageExpression" {
				other[k] = v
			}
		}
		other["rule"] = []string{"(" + rule + ")", "!(!(" + rule + "))", "true && (" + rule + ")", "(" + rule + ") && (" + rule + ")"}[w.r.IntN(4)]
		out = append(out, other)
	}
	slices.Reverse(out)
	s["x-kubernetes-validations"] = out
	w.count++
}

func text(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

// documents returns the definitions of this repository.
func documents(t *testing.T) map[string]map[string]any {
	docs := map[string]map[string]any{}
	for _, pattern := range []string{"../crdtest/testdata/*.yaml", "../parity/testdata/*.crd.yaml", "../examples/quickstart/crd.yaml", "../admission/testdata/crds.yaml"} {
		for _, file := range given.Files(t, pattern) {
			body := given.File(t, file)
			for i, part := range strings.Split(string(body), "\n---") {
				doc, err := unstructured.Decode([]byte(part))
				if err == nil && doc["kind"] == crd.Kind && doc["apiVersion"] == crd.APIVersionV1 {
					docs[file+" "+string(rune('a'+i))] = doc
				}
			}
		}
	}
	for _, c := range changes {
		docs["change: "+c.name] = definition(t, c.new).Value()
	}
	return docs
}

// A schema in an equivalent form breaks nothing, and has few unknown findings. Clauses: CMP-003.
func TestRewritten(t *testing.T) {
	const pairs = 300
	docs := documents(t)
	names := slices.Sorted(maps.Keys(docs))
	require.Greater(t, len(names), 25)
	unknown, done, rewritten := 0, 0, 0
	for seed := uint64(0); done < pairs; seed++ {
		require.Less(t, seed, uint64(4*pairs), "most rewritten definitions are refused")
		name := names[int(seed)%len(names)]
		doc := docs[name]
		other := unstructured.Clone(doc)
		w := rewriter{r: rand.New(rand.NewPCG(seed, 1))}
		versions, _ := other["spec"].(map[string]any)["versions"].([]any)
		for _, v := range versions {
			w.schema(v.(map[string]any)["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any))
		}
		old, new := given.Definition(t, text(doc)), given.Definition(t, text(other))
		if w.count == 0 || len(crdcheck.Validate(old)) > 0 || len(crdcheck.Validate(new)) > 0 {
			continue
		}
		done++
		rewritten += w.count
		r := compared(t, old, new, nil)
		for _, f := range r.Findings {
			if f.Verdict == compat.Unknown {
				unknown++
				t.Logf("%s, seed %d: %s", name, seed, f.String())
				continue
			}
			require.Fail(t, "a finding about equal schemas", "%s, seed %d: %s", name, seed, f.String())
		}
	}
	t.Logf("%d pairs with %d rewritings, %d unknown", done, rewritten, unknown)
	require.LessOrEqual(t, unknown, pairs*2/100)
}
