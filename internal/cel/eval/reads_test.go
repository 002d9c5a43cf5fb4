package eval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
)

func TestReads(t *testing.T) {
	n := compiled(t, `
type: object
properties:
  a: {type: object, properties: {b: {type: string}, c: {type: integer}, d: {type: string, format: date}}}
  l: {type: array, items: {type: object, properties: {k: {type: string}, v: {type: array, items: {type: string}}}}}
  m: {type: object, additionalProperties: {type: string}}
  s: {type: string}
  t: {type: array, items: {type: string}}
  if: {type: string}
  num: {type: integer}
  ios: {x-kubernetes-int-or-string: true}
`)
	for rule, want := range map[string]string{
		"true":                                       "",
		"self == self":                               "*",
		"has(self.s)":                                "{s}",
		"self.s == ''":                               "{s*}",
		"self.__if__ == ''":                          "{if*}",
		"has(self.a.b) && self.a.c > 1":              "{a{b c*}}",
		"has(self.a.d)":                              "{a{d*}}",
		"self.l.size() > 1":                          "{l#}",
		"self.t.size() > 1":                          "{t#}",
		"size(self.m) > 1":                           "{m*}",
		"self.s.size() > 1":                          "{s*}",
		"self.m['x'] == ''":                          "{m*}",
		"self.l[0].k == ''":                          "{l[{k*}]}",
		"self.l.all(x, x.v.size() > 0)":              "{l[{v#}]}",
		"self.l.all(i, x, i > 0 && has(x.k))":        "{l[{k}]}",
		"self.t.all(x, true)":                        "{t[*]}",
		"self.m.all(x, x != '')":                     "{m*}",
		"self.l.filter(x, x.k == '').size() < 2":     "{l[{k*}]}",
		"self.l.filter(x, has(x.k)) == []":           "{l[*]}",
		"self.l.map(x, x.k).size() == 1":             "{l[{k*}]}",
		"self.l.map(x, x.v).all(v, v.size() > 1)":    "{l[{v#}]}",
		"self.l.exists_one(x, has(x.v))":             "{l[{v}]}",
		"(has(self.a) ? self.l : [])[0].k == ''":     "{a l[{k*}]}",
		"self.?a.b.orValue('') == ''":                "{a{b*}}",
		"self.?a.hasValue()":                         "{a*}",
		"self.?s.optMap(x, x == '').orValue(true)":   "{s*}",
		"self.l.sortBy(x, x.k).size() > 0":           "{l*}",
		"[self.a, self.a].all(x, has(x.b))":          "{a{b}}",
		"[self.s].size() == 1":                       "{s*}",
		"{'a': self.a}.size() == 1":                  "{a*}",
		"self.l.map(self, self.k).size() > 1":        "{l[{k*}]}",
		"self.s in ['a'] || self.t.exists(x, x=='')": "{s* t[*]}",
		"self.kind == '' && has(self.apiVersion)":    "{apiVersion* kind*}",
		"self.metadata.name == ''":                   "{metadata{name*}}",
		"has(self.metadata.generateName)":            "{metadata{generateName}}",
		"dyn(self.metadata).labels == 1":             "{metadata*}",
		"has(self.num) && has(self.ios)":             "{ios* num*}",
		"oldSelf.s == self.a.b":                      "{a{b*} s*}",
	} {
		require.Equal(t, want, printedReads(n, readsOf(t, n, rule)), rule)
	}
	// Loops in one another are visited only so often.
	deep := "self.s == ''"
	for i := range 30 {
		deep = fmt.Sprintf("self.l.filter(x%d, %s).size() > 0", i, deep)
	}
	require.Contains(t, []string{"*", "{l[] s*}"}, printedReads(n, readsOf(t, n, deep)))
}

func readsOf(t testing.TB, n *plan.Node, rule string) *Reads {
	t.Helper()
	checked, err := CheckRule(rule, types.Scope(n), false)
	require.NoError(t, err, rule)
	return FindReads(checked, n)
}

// printedReads prints the names of what is read. All of a value is *, and the number of items is #.
func printedReads(n *plan.Node, r *Reads) (text string) {
	if r.Whole {
		return "*"
	}
	if len(r.Props) > 0 {
		var all []string
		for _, p := range r.Props {
			name := n.FieldName(p.Index)
			all = append(all, name+printedReads(field(n, name), p.Reads))
		}
		text = "{" + strings.Join(all, " ") + "}"
	}
	if r.Items != nil {
		return text + "[" + printedReads(n.Items, r.Items) + "]"
	}
	if r.Size {
		text += "#"
	}
	return text
}

// reduced returns what r reads of v, which n describes.
func reduced(n *plan.Node, v any, r *Reads) any {
	if r.Whole {
		return v
	}
	switch x := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for _, p := range r.Props {
			name := n.FieldName(p.Index)
			if v, ok := x[name]; ok {
				m[name] = reduced(field(n, name), v, p.Reads)
			}
		}
		return m
	case []any:
		var l []any
		for _, item := range x {
			switch {
			case r.Items != nil:
				l = append(l, reduced(n.Items, item, r.Items))
			case r.Size:
				l = append(l, nil)
			}
		}
		return l
	}
	return v
}
