package compat_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
)

var placesPairs = flag.Int("compat.places", 60, "how many made-up pairs of definitions TestOneDifference compares")

// A place is a field that two definitions have differently. An empty schema is none.
type place struct {
	old, new string
	required [2]bool // on each side
}

// Fields with another schema on each side.
var fieldChanges = []place{
	{old: "{type: integer, maximum: 100}", new: "{type: integer, maximum: 50}"},
	{old: "{type: integer}", new: "{type: integer, minimum: 3, multipleOf: 2}"},
	{old: "{type: string, maxLength: 9}", new: "{type: string, maxLength: 4, minLength: 2}"},
	{old: `{type: string, pattern: "^[a-z]*$"}`, new: `{type: string, pattern: "^[a-m]*$"}`},
	{old: "{type: string, enum: [one, two]}", new: "{type: string, enum: [one]}"},
	{old: "{type: string}", new: "{type: integer}"},
	{old: "{type: string}", new: "{type: string}", required: [2]bool{false, true}},
	{old: "", new: "{type: string}", required: [2]bool{false, true}},
	{old: "{type: string}", new: "{type: string, default: x}"},
	{old: "{type: string}", new: "{type: string, format: ipv4}"},
	{old: "{type: string}", new: ""},
	{old: "{type: string}", new: "", required: [2]bool{true, false}},
	{old: "{type: string, nullable: true}", new: "{type: string}"},
	{old: "{type: array, items: {type: string}}", new: "{type: array, maxItems: 2, items: {type: string, maxLength: 3}}"},
	{old: "{type: array, items: {type: string}}", new: "{type: array, x-kubernetes-list-type: set, items: {type: string}}"},
	{old: "{type: array, items: {type: object, required: [k], properties: {k: {type: string}}}}",
		new: "{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}"},
	{old: "{type: object, additionalProperties: {type: string}}", new: "{type: object, maxProperties: 1, additionalProperties: {type: string}}"},
	{old: "{type: object, x-kubernetes-preserve-unknown-fields: true}", new: "{type: object, properties: {p: {type: string}}}"},
	{old: "{type: object, properties: {p: {type: string}, q: {type: string}}}", new: "{type: object, properties: {p: {type: string, maxLength: 2}}}"},
	{old: "{type: object, properties: {p: {type: string}, q: {type: string}}}", new: "{type: object, oneOf: [{required: [p]}, {required: [q]}], properties: {p: {type: string}, q: {type: string}}}"},
	{old: "{type: string}", new: `{type: string, x-kubernetes-validations: [{rule: "self != 'bad'"}]}`},
	{old: "{type: string}", new: `{type: string, x-kubernetes-validations: [{rule: "self == oldSelf"}]}`},
	{old: `{type: string, x-kubernetes-validations: [{rule: "self == oldSelf"}]}`, new: `{type: string, default: x, x-kubernetes-validations: [{rule: "self == oldSelf"}]}`},
	{old: "{x-kubernetes-int-or-string: true}", new: "{x-kubernetes-int-or-string: true, maxLength: 2}"},
	{old: "{type: string, maxLength: 5}", new: "{type: string, allOf: [{maxLength: 3}]}"},
}

// definitionOf returns a definition with a field of the spec for each place, as the new side has it where isNew holds.
func definitionOf(t *testing.T, places []place, isNew func(i int) bool) *crd.CustomResourceDefinition {
	t.Helper()
	fields, required := []string{"u: {type: object, x-kubernetes-preserve-unknown-fields: true}"}, []string{}
	for i, p := range places {
		text, side := p.old, 0
		if isNew(i) {
			text, side = p.new, 1
		}
		if text != "" {
			fields = append(fields, fmt.Sprintf("f%d: %s", i, text))
		}
		if p.required[side] {
			required = append(required, fmt.Sprintf("f%d", i))
		}
	}
	return definition(t, fmt.Sprintf("{type: object, required: [%s], properties: {%s}}", strings.Join(required, ", "), strings.Join(fields, ", ")))
}

// Each finding about objects is about one of the places in which two definitions differ: it stays if only that place
// changes, and it vanishes if only that place does not. The same holds for its witness. Clauses: CMP-010.
func TestOneDifference(t *testing.T) {
	shown := 0
	for seed := range *placesPairs {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		var places []place
		for range 2 + r.IntN(4) {
			places = append(places, fieldChanges[r.IntN(len(fieldChanges))])
		}
		if r.IntN(2) == 0 { // back
			for i, p := range places {
				places[i] = place{old: p.new, new: p.old, required: [2]bool{p.required[1], p.required[0]}}
			}
		}
		old := definitionOf(t, places, func(int) bool { return false })
		report := compared(t, old, definitionOf(t, places, func(int) bool { return true }), nil)
		for i := range places {
			alone := definitionOf(t, places, func(j int) bool { return j == i })
			undone := definitionOf(t, places, func(j int) bool { return j != i })
			with, without := lines(compared(t, old, alone, nil)), lines(compared(t, old, undone, nil))
			for _, f := range report.Findings {
				if f.Witness == nil || f.Path != "spec" && !strings.HasPrefix(f.Path+".", fmt.Sprintf("spec.f%d.", i)) && !strings.HasPrefix(f.Path, fmt.Sprintf("spec.f%d[", i)) {
					continue
				}
				about := fmt.Sprintf("seed %d: %s\nplaces %+v\n%s", seed, f.String(), places, report)
				require.NotEqual(t, "spec", f.Path, about)
				line := string(f.Verdict) + ": " + f.Name()
				require.Contains(t, with, line, about)
				require.NotContains(t, without, line, about)
				require.True(t, shows(t, old, alone, &f), "not by the place alone: %s", about)
				require.False(t, shows(t, old, undone, &f), "also without the place: %s", about)
				shown++
			}
		}
		for _, f := range report.Findings {
			if f.Witness != nil {
				require.Regexp(t, `^spec\.f[0-9]`, f.Path, "seed %d: %s\nplaces %+v", seed, f.String(), places)
			}
		}
	}
	t.Logf("%d witnesses", shown)
	require.Greater(t, shown, 2**placesPairs)
}

// shows reports whether the witness of f shows on two definitions what f says.
func shows(t *testing.T, old, new *crd.CustomResourceDefinition, f *compat.Finding) bool {
	t.Helper()
	before, err := resource.Compile(old)
	require.NoError(t, err)
	after, err := resource.Compile(new)
	require.NoError(t, err)
	was, is := ask(before.Version(f.Version), *f), ask(after.Version(f.Version), *f)
	switch f.Verdict {
	case compat.Breaks:
		return was.Err() == nil && is.Err() != nil
	case compat.Loosens:
		return was.Err() != nil && is.Err() == nil
	}
	at := func(r resource.Result) string {
		spec, _ := r.Object["spec"].(map[string]any)
		name, _, _ := strings.Cut(strings.TrimPrefix(f.Path, "spec."), ".")
		name, _, _ = strings.Cut(name, "[")
		value, has := spec[name]
		return fmt.Sprint(value, has)
	}
	return was.Err() == nil && is.Err() == nil && at(was) != at(is)
}
