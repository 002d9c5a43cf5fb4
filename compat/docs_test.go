package compat_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// The results of other tools for a change, and the findings of this package. docs/compat.md lists them, and
// parity/testdata/peers runs the tools.
var peers = []struct {
	tool, check string
	what        string
	theirs      string
	old, new    string    // a spec
	replace     [2]string // instead of old and new: a replacement in the whole definition
	want        []string
	why         string // the reason for a milder finding, or if the other tool has no check
}{
	{tool: "crdify", check: "scope", what: "Namespaced to Cluster", theirs: "error", replace: [2]string{"scope: Namespaced", "scope: Cluster"},
		want: []string{"breaks: scope definition spec.scope"}},
	{tool: "crdify", check: "existingFieldRemoval", what: "a field is gone", theirs: "error", old: object(`a: {type: string}`), new: object(``),
		want: []string{"loses data: v1 existingFieldRemoval spec.a"}, why: "nothing is refused; the field is dropped"},
	{tool: "crdify", check: "storedVersionRemoval", what: "a stored version is gone", theirs: "error", replace: [2]string{"- name: v1", "- name: v2"},
		want: []string{"breaks: storedVersionRemoval definition status.storedVersions[0]", "breaks: v1 servedVersionRemoval definition",
			"breaks: v1 storedVersionRemoval definition"}},
	{tool: "crdify", check: "enum", what: "an enum is added", theirs: "error", old: object(`a: {type: string}`), new: object(`a: {type: string, enum: [x]}`),
		want: []string{"breaks: v1 enum spec.a"}},
	{tool: "crdify", check: "enum", what: "a value is removed", theirs: "error", old: object(`a: {type: string, enum: [x, "y"]}`), new: object(`a: {type: string, enum: [x]}`),
		want: []string{"breaks: v1 enum spec.a"}},
	{tool: "crdify", check: "enum", what: "a value is added", theirs: "error", old: object(`a: {type: string, enum: [x]}`), new: object(`a: {type: string, enum: [x, "y"]}`),
		want: []string{"loosens: v1 enum spec.a"}, why: "nothing is refused; readers may meet the new value"},
	{tool: "crdify", check: "default", what: "a default is added", theirs: "error", old: object(`a: {type: string}`), new: object(`a: {type: string, default: x}`),
		want: []string{"changes: v1 default spec.a"}, why: "nothing is refused; objects without the field have the default"},
	{tool: "crdify", check: "default", what: "a default is removed", theirs: "error", old: object(`a: {type: string, default: x}`), new: object(`a: {type: string}`),
		want: []string{"changes: v1 default spec.a"}, why: "nothing is refused; objects without the field stay without"},
	{tool: "crdify", check: "default", what: "a default changes", theirs: "error", old: object(`a: {type: string, default: x}`), new: object(`a: {type: string, default: z}`),
		want: []string{"changes: v1 default spec.a"}, why: "nothing is refused"},
	{tool: "crdify", check: "maximum", what: "decreased", theirs: "error", old: object(`a: {type: integer, maximum: 5}`), new: object(`a: {type: integer, maximum: 4}`),
		want: []string{"breaks: v1 maximum spec.a"}},
	{tool: "crdify", check: "maxLength", what: "added", theirs: "error", old: object(`a: {type: string}`), new: object(`a: {type: string, maxLength: 4}`),
		want: []string{"breaks: v1 maxLength spec.a"}},
	{tool: "crdify", check: "maxItems", what: "decreased", theirs: "error", old: object(`a: {type: array, maxItems: 3, items: {type: string}}`),
		new: object(`a: {type: array, maxItems: 2, items: {type: string}}`), want: []string{"breaks: v1 maxItems spec.a"}},
	{tool: "crdify", check: "maxProperties", what: "added", theirs: "error", old: object(`a: {type: object, additionalProperties: {type: string}}`),
		new: object(`a: {type: object, maxProperties: 2, additionalProperties: {type: string}}`), want: []string{"breaks: v1 maxProperties spec.a"}},
	{tool: "crdify", check: "minimum", what: "increased", theirs: "error", old: object(`a: {type: integer, minimum: 1}`), new: object(`a: {type: integer, minimum: 2}`),
		want: []string{"breaks: v1 minimum spec.a"}},
	{tool: "crdify", check: "minimum", what: "added, below all values of the enum", theirs: "error", old: object(`a: {type: integer, enum: [1, 2]}`),
		new: object(`a: {type: integer, minimum: -5, enum: [1, 2]}`), want: nil, why: "nothing is refused"},
	{tool: "crdify", check: "minLength", what: "added", theirs: "error", old: object(`a: {type: string}`), new: object(`a: {type: string, minLength: 1}`),
		want: []string{"breaks: v1 minLength spec.a"}},
	{tool: "crdify", check: "minItems", what: "added", theirs: "error", old: object(`a: {type: array, items: {type: string}}`),
		new: object(`a: {type: array, minItems: 1, items: {type: string}}`), want: []string{"breaks: v1 minItems spec.a"}},
	{tool: "crdify", check: "minProperties", what: "added", theirs: "error", old: object(`a: {type: object, additionalProperties: {type: string}}`),
		new: object(`a: {type: object, minProperties: 2, additionalProperties: {type: string}}`), want: []string{"breaks: v1 minProperties spec.a"}},
	{tool: "crdify", check: "required", what: "a field is required", theirs: "error", old: object(`a: {type: string}`), new: `{type: object, required: [a], properties: {a: {type: string}}}`,
		want: []string{"breaks: v1 required spec.a"}},
	{tool: "crdify", check: "required", what: "a field with a default is required", theirs: "error", old: object(`a: {type: string, default: x}`),
		new: `{type: object, required: [a], properties: {a: {type: string, default: x}}}`, want: nil, why: "the default fills it in"},
	{tool: "crdify", check: "type", what: "string to integer", theirs: "error", old: object(`a: {type: string}`), new: object(`a: {type: integer}`),
		want: []string{"breaks: v1 type spec.a", "loosens: v1 type spec.a"}},
	{tool: "crdify", check: "type", what: "integer to number", theirs: "error", old: object(`a: {type: integer}`), new: object(`a: {type: number}`),
		want: []string{"loosens: v1 type spec.a"}, why: "every integer is a number"},
	{tool: "crdify", check: "pattern", what: "added", theirs: "error", old: object(`a: {type: string}`), new: object(`a: {type: string, pattern: "^a"}`),
		want: []string{"breaks: v1 pattern spec.a"}},
	{tool: "crdify", check: "pattern", what: "changed, same language", theirs: "error", old: object(`a: {type: string, pattern: "^[ab]+$"}`), new: object(`a: {type: string, pattern: "^(a|b)(a|b)*$"}`),
		want: nil, why: "both match the same texts"},
	{tool: "crdify", check: "pattern", what: "removed", theirs: "error", old: object(`a: {type: string, pattern: "^a"}`), new: object(`a: {type: string}`),
		want: []string{"loosens: v1 pattern spec.a"}, why: "nothing is refused"},
	{tool: "crdify", check: "nullable", what: "added", theirs: "error", old: object(`a: {type: string}`), new: object(`a: {type: string, nullable: true}`),
		want: []string{"changes: v1 nullable spec.a"}, why: "null was dropped, and is kept now"},
	{tool: "crdify", check: "nullable", what: "removed", theirs: "error", old: object(`a: {type: string, nullable: true}`), new: object(`a: {type: string}`),
		want: []string{"loses data: v1 nullable spec.a"}, why: "null is not refused, but dropped"},
	{tool: "crdify", check: "description", what: "changed", theirs: "error", old: object(`a: {type: string, description: x}`), new: object(`a: {type: string, description: z}`),
		want: nil, why: "it has no effect"},
	{tool: "crdify", check: "(unhandled)", what: "multipleOf is added", theirs: "error: unhandled", old: object(`a: {type: integer}`), new: object(`a: {type: integer, multipleOf: 2}`),
		want: []string{"breaks: v1 multipleOf spec.a"}},
	{tool: "crdify", check: "(unhandled)", what: "a bound moves into allOf", theirs: "error: unhandled", old: object(`a: {type: integer, maximum: 5}`),
		new: object(`a: {type: integer, allOf: [{maximum: 5}]}`), want: nil, why: "it is the same bound"},
	{tool: "crdify", check: "(unhandled)", what: "a rule is added", theirs: "error: unhandled", old: object(`a: {type: integer}`),
		new: object(`a: {type: integer, x-kubernetes-validations: [{rule: "self != 3"}]}`), want: []string{"breaks: v1 rule spec.a"}},
	{tool: "crdify", check: "(unhandled)", what: "a rule in other words", theirs: "error: unhandled", old: object(`a: {type: integer, x-kubernetes-validations: [{rule: "self != 3 && self > 0"}]}`),
		new: object(`a: {type: integer, x-kubernetes-validations: [{rule: "0 < self && !(3 == self)"}]}`), want: nil, why: "it is the same rule"},
	{tool: "crdify", check: "existingFieldRemoval", what: "a new version has the field no longer", theirs: "error", replace: [2]string{"  - name: v1\n", v2WithoutFields + "  - name: v1\n"}, want: nil, why: "requests in v1 are answered as before; Versions reports what v2 drops"},
	{tool: "crdify", check: "served versions", what: "a new version has a field with another bound", theirs: "error", replace: [2]string{"  - name: v1\n", v2WithBound + "  - name: v1\n"}, want: nil, why: "requests in v1 are answered as before; Versions reports what v2 refuses"},
	{tool: "crdify", check: "maximum", what: "added", theirs: "error", old: object(`a: {type: integer}`), new: object(`a: {type: integer, maximum: 4}`), want: []string{"breaks: v1 maximum spec.a"}},
	{tool: "crdify", check: "maximum", what: "increased", theirs: "accepted", old: object(`a: {type: integer, maximum: 4}`), new: object(`a: {type: integer, maximum: 5}`), want: []string{"loosens: v1 maximum spec.a"}, why: "readers may meet greater numbers"},
	{tool: "crdify", check: "maximum", what: "added to a new field", theirs: "accepted", old: object(``), new: object(`a: {type: integer, maximum: 4}`), want: nil},
	{tool: "crdify", check: "maxLength", what: "decreased", theirs: "error", old: object(`a: {type: string, maxLength: 5}`), new: object(`a: {type: string, maxLength: 4}`), want: []string{"breaks: v1 maxLength spec.a"}},
	{tool: "crdify", check: "maxLength", what: "decreased, to what the pattern lets pass", theirs: "error", old: object(`a: {type: string, maxLength: 5, pattern: "^[a-z]{3}$"}`),
		new: object(`a: {type: string, maxLength: 4, pattern: "^[a-z]{3}$"}`), want: nil, why: "the pattern matches no longer text"},
	{tool: "crdify", check: "maxItems", what: "added", theirs: "error", old: object(`a: {type: array, items: {type: string}}`), new: object(`a: {type: array, maxItems: 2, items: {type: string}}`),
		want: []string{"breaks: v1 maxItems spec.a"}},
	{tool: "crdify", check: "maxProperties", what: "decreased", theirs: "error", old: object(`a: {type: object, maxProperties: 3, additionalProperties: {type: string}}`),
		new: object(`a: {type: object, maxProperties: 2, additionalProperties: {type: string}}`), want: []string{"breaks: v1 maxProperties spec.a"}},
	{tool: "crdify", check: "minimum", what: "decreased", theirs: "accepted", old: object(`a: {type: integer, minimum: 2}`), new: object(`a: {type: integer, minimum: 1}`), want: []string{"loosens: v1 minimum spec.a"}, why: "readers may meet smaller numbers"},
	{tool: "crdify", check: "minLength", what: "increased", theirs: "error", old: object(`a: {type: string, minLength: 1}`), new: object(`a: {type: string, minLength: 2}`), want: []string{"breaks: v1 minLength spec.a"}},
	{tool: "crdify", check: "minItems", what: "increased", theirs: "error", old: object(`a: {type: array, minItems: 1, items: {type: string}}`),
		new: object(`a: {type: array, minItems: 2, items: {type: string}}`), want: []string{"breaks: v1 minItems spec.a"}},
	{tool: "crdify", check: "minProperties", what: "increased", theirs: "error", old: object(`a: {type: object, minProperties: 1, additionalProperties: {type: string}}`),
		new: object(`a: {type: object, minProperties: 2, additionalProperties: {type: string}}`), want: []string{"breaks: v1 minProperties spec.a"}},
	{tool: "crdify", check: "required", what: "a field of a new optional object", theirs: "accepted", old: object(``), new: object(`a: {type: object, required: [b], properties: {b: {type: string}}}`), want: nil},
	{tool: "crdify", check: "pattern", what: "changed", theirs: "error", old: object(`a: {type: string, pattern: "^a"}`), new: object(`a: {type: string, pattern: "^b"}`),
		want: []string{"breaks: v1 pattern spec.a", "loosens: v1 pattern spec.a"}},
	{tool: "crdify", check: "(unhandled)", what: "a list becomes a set", theirs: "error: unhandled", old: object(`a: {type: array, items: {type: string}}`),
		new: object(`a: {type: array, x-kubernetes-list-type: set, items: {type: string}}`), want: []string{"breaks: v1 listType spec.a", "breaks: v1 listType definition spec.a"}},
	{tool: "crdify", check: "(unhandled)", what: "a rule is dropped", theirs: "error: unhandled", old: object(`a: {type: integer, x-kubernetes-validations: [{rule: "self != 3"}]}`), new: object(`a: {type: integer}`),
		want: []string{"loosens: v1 rule spec.a"}, why: "nothing is refused"},
	{tool: "crdify", check: "(unhandled)", what: "a format is added", theirs: "error: unhandled", old: object(`a: {type: string}`), new: object(`a: {type: string, format: date}`),
		want: []string{"breaks: v1 format spec.a", "loosens: v1 format spec.a"}, why: "a list passes for some formats, as for a server"},
	{tool: "crd-schema-checker", check: "NoFieldRemoval", what: "a field is gone", theirs: "error", old: object(`a: {type: string}`), new: object(``),
		want: []string{"loses data: v1 existingFieldRemoval spec.a"}, why: "nothing is refused; the field is dropped"},
	{tool: "crd-schema-checker", check: "NoEnumRemoval", what: "a value is removed", theirs: "error", old: object(`a: {type: string, enum: [x, "y"]}`), new: object(`a: {type: string, enum: [x]}`),
		want: []string{"breaks: v1 enum spec.a"}},
	{tool: "crd-schema-checker", check: "NoDataTypeChange", what: "string to integer", theirs: "error", old: object(`a: {type: string}`), new: object(`a: {type: integer}`),
		want: []string{"breaks: v1 type spec.a", "loosens: v1 type spec.a"}},
	{tool: "crd-schema-checker", check: "NoNewRequiredFields", what: "a field is required", theirs: "error", old: object(`a: {type: string}`),
		new: `{type: object, required: [a], properties: {a: {type: string}}}`, want: []string{"breaks: v1 required spec.a"}},
	{tool: "crd-schema-checker", check: "NoNewRequiredFields", what: "a required field of a new optional object", theirs: "accepted", old: object(``),
		new: object(`a: {type: object, required: [b], properties: {b: {type: string}}}`), want: nil},
	{tool: "crd-schema-checker", check: "NoBools", what: "a new boolean", theirs: "error", old: object(``), new: object(`a: {type: boolean}`), want: nil, why: "a matter of style"},
	{tool: "crd-schema-checker", check: "NoFloats", what: "a new number", theirs: "error", old: object(``), new: object(`a: {type: number}`), want: nil, why: "a matter of style"},
	{tool: "crd-schema-checker", check: "NoMaps", what: "a new map", theirs: "error", old: object(``), new: object(`a: {type: object, additionalProperties: {type: string}}`),
		want: nil, why: "a matter of style"},
	{tool: "crd-schema-checker", check: "ListsMustHaveSSATags", what: "a new list without a list type", theirs: "error", old: object(``),
		new: object(`a: {type: array, items: {type: string}}`), want: nil, why: "a matter of style"},
	{tool: "crd-schema-checker", check: "NoFieldRemoval", what: "a new version has the field no longer", theirs: "accepted", replace: [2]string{"  - name: v1\n", v2WithoutFields + "  - name: v1\n"}, want: nil},
	{tool: "crd-schema-checker", check: "NoEnumRemoval", what: "another order", theirs: "accepted", old: object(`a: {type: string, enum: [x, "y"]}`), new: object(`a: {type: string, enum: ["y", x]}`), want: nil},
	{tool: "crd-schema-checker", check: "NoEnumRemoval", what: "a value is added", theirs: "accepted", old: object(`a: {type: string, enum: [x]}`), new: object(`a: {type: string, enum: [x, "y"]}`),
		want: []string{"loosens: v1 enum spec.a"}, why: "readers may meet the new value"},
	{tool: "crd-schema-checker", check: "NoEnumRemoval", what: "an enum is added", theirs: "accepted", old: object(`a: {type: string}`), new: object(`a: {type: string, enum: [x]}`),
		want: []string{"breaks: v1 enum spec.a"}, why: "other values are refused now"},
	{tool: "crd-schema-checker", check: "NoDataTypeChange", what: "integer to number", theirs: "error", old: object(`a: {type: integer}`), new: object(`a: {type: number}`), want: []string{"loosens: v1 type spec.a"}, why: "every integer is a number"},
	{tool: "crd-schema-checker", check: "NoNewRequiredFields", what: "a field with a default is required", theirs: "error", old: object(`a: {type: string, default: x}`),
		new: `{type: object, required: [a], properties: {a: {type: string, default: x}}}`, want: nil, why: "the default fills it in"},
	{tool: "crd-schema-checker", check: "NoNewRequiredFields", what: "a field of items", theirs: "error", old: object(`a: {type: array, items: {type: object, properties: {b: {type: string}}}}`),
		new: object(`a: {type: array, items: {type: object, required: [b], properties: {b: {type: string}}}}`), want: []string{"breaks: v1 required spec.a[*].b"}},
	{tool: "crd-schema-checker", check: "NoNewRequiredFields", what: "a field of items of a new list", theirs: "accepted", old: object(``),
		new: object(`a: {type: array, items: {type: object, required: [b], properties: {b: {type: string}}}}`), want: nil},
	{tool: "crd-schema-checker", check: "NoNewRequiredFields", what: "a field of an existing optional object", theirs: "error", old: object(`a: {type: object, properties: {b: {type: string}}}`),
		new: object(`a: {type: object, required: [b], properties: {b: {type: string}}}`), want: []string{"breaks: v1 required spec.a.b"}},
	{tool: "crd-schema-checker", check: "NoNewRequiredFields", what: "a field of an object that is always empty", theirs: "error", old: object(`a: {type: object, maxProperties: 0, properties: {b: {type: string}}}`),
		new: object(`a: {type: object, maxProperties: 0, required: [b], properties: {b: {type: string}}}`), want: []string{"breaks: v1 required spec.a.b"}},
	{tool: "crd-schema-checker", check: "NoUints", what: "a new unsigned number", theirs: "error", old: object(``), new: object(`a: {type: integer, format: uint}`), want: nil, why: "a matter of style"},
	{tool: "crd-schema-checker", check: "MustHaveStatus", what: "the status subresource is gone", theirs: "error", replace: [2]string{"    subresources: {status: {}}\n", ""},
		want: []string{"changes: v1 subresource status", "breaks: v1 subresource status", "breaks: v1 subresource definition subresources.status"}},
	{tool: "crd-schema-checker", check: "ConditionsMustHaveProperSSATags", what: "new conditions in a list without keys", theirs: "error", old: object(``),
		new: object(`conditions: {type: array, items: {type: object, properties: {type: {type: string}}}}`), want: nil, why: "a matter of style"},
	{tool: "crd-schema-checker", check: "MustNotExceedCostBudget", what: "a rule that may cost too much", theirs: "error",
		old: object(`a: {type: array, items: {type: string}}`), new: object(`a: {type: array, items: {type: string}, x-kubernetes-validations: [{rule: "self.all(x, self.exists(z, x != z))"}]}`),
		want: []string{"breaks: update definition spec.validation.openAPIV3Schema", "breaks: update definition spec.validation.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-validations[0].rule",
			"breaks: update definition spec.validation.openAPIV3Schema.properties[spec].properties[a].x-kubernetes-validations[0].rule", "breaks: v1 rule spec.a"}, why: "a server refuses it, too; crdcheck.Costs has the estimates"},
	{tool: "crd-schema-checker", check: "(none)", what: "a lower maxLength", theirs: "accepted", old: object(`a: {type: string, maxLength: 5}`), new: object(`a: {type: string, maxLength: 4}`),
		want: []string{"breaks: v1 maxLength spec.a"}, why: "longer texts are refused now"},
	{tool: "crd-schema-checker", check: "(none)", what: "a rule is added", theirs: "accepted", old: object(`a: {type: integer}`), new: object(`a: {type: integer, x-kubernetes-validations: [{rule: "self != 3"}]}`),
		want: []string{"breaks: v1 rule spec.a"}, why: "what it refuses was accepted"},
}

// A second, served version of the definition that rows change.
const (
	v2WithoutFields = "  - name: v2\n    served: true\n    storage: false\n    subresources: {status: {}}\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {b: {type: string}}}, status: {type: object, properties: {ready: {type: boolean}, phase: {type: string}}}}}}\n"
	v2WithBound     = "  - name: v2\n    served: true\n    storage: false\n    subresources: {status: {}}\n    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string, maxLength: 4}}}, status: {type: object, properties: {ready: {type: boolean}, phase: {type: string}}}}}}\n"
)

var peersFile = flag.String("compat.peers", "", "where to write the pairs of TestPeers, as JSON")

func TestPeers(t *testing.T) {
	type pair struct{ Tool, Check, What, Theirs, Old, New string }
	var pairs []pair
	for _, c := range peers {
		t.Run(c.tool+" "+c.check+": "+c.what, func(t *testing.T) {
			texts := [2]string{definitionText(c.old), definitionText(c.new)}
			if c.replace[0] != "" {
				text := definitionText(object(`a: {type: string}`))
				require.Contains(t, text, c.replace[0])
				texts = [2]string{text, strings.ReplaceAll(text, c.replace[0], c.replace[1])}
			}
			pairs = append(pairs, pair{c.tool, c.check, c.what, c.theirs, texts[0], texts[1]})
			old, new := given.Definition(t, texts[0]), given.Definition(t, texts[1])
			r := compared(t, old, new, nil)
			require.Equal(t, c.want, lines(r), r.String())
			if c.replace[0] == "" {
				holds(t, old, new, r)
			}
		})
	}
	if *peersFile != "" {
		require.NoError(t, os.WriteFile(*peersFile, given.JSON(t, pairs), 0o644))
	}
}

func page() string {
	var b strings.Builder
	b.WriteString(`# Is this change of a definition breaking?

This page is written by ` + "`go test ./compat -update`" + ` from the tables of its tests, each row of which is run.

Package [compat](../compat) compares two definitions, or the versions of one. It never reports "safe": each finding is proved, shown by an object, or
unknown.

| Verdict | What it means | Proof |
|---|---|---|
| breaks | accepted before, refused now | the object, or the definition |
| loses data | accepted, and values are dropped | the object |
| changes | accepted, and stored with other values | the object |
| loosens | accepted now, refused before: readers may get values that were impossible before | the object |
| unknown | neither proved harmless nor shown | none |
| harmless | proved; listed only with ` + "`Options.Harmless`" + ` | the schemas |

The name of a finding has its version, check, request and path, for example ` + "`v1 maxLength spec.a`" + `. Without a request it is a create; ` + "`update`" + ` is an update
(which may change nothing), ` + "`status`" + ` an update of the status subresource, and ` + "`definition`" + ` is for findings about the definition itself. Checks have
the names of crdify, if it has them. The check ` + "`object`" + ` is for objects that several differences concern.

Each object shows the one difference that its finding names: without it, the object is handled as before, and with it alone as the finding says.

In tests, ` + "`crds.Compatible(t, old)`" + ` of package crdtest fails for findings that break something or lose data, and prints the object as YAML. The names of
intended findings are further arguments.

## Common changes

| Change | Findings |
|---|---|
`)
	cell := func(list []string) string {
		if len(list) == 0 {
			return "none"
		}
		return strings.ReplaceAll(strings.Join(list, "; "), "|", `\|`)
	}
	for _, c := range changes {
		fmt.Fprintf(&b, "| %s | %s |\n", c.name, cell(c.want))
	}
	for _, c := range definitionChanges {
		fmt.Fprintf(&b, "| %s | %s |\n", c.name, cell(c.want))
	}
	for _, tool := range []string{"crdify", "crd-schema-checker"} {
		fmt.Fprintf(&b, "\n## The checks of %s\n\n| Check | Change | %s | Here | Why it differs |\n|---|---|---|---|---|\n", tool, tool)
		for _, c := range peers {
			if c.tool == tool {
				fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", c.check, c.what, c.theirs, cell(c.want), c.why)
			}
		}
	}
	b.WriteString(`
The results of the other tools are those for the same pairs, with all checks in their strictest settings: crdify at commit 54162f2 and
crd-schema-checker at a406d10. ` + "`parity/testdata/peers/run`" + ` runs them again.
`)
	return b.String()
}

func TestPage(t *testing.T) {
	const file = "../docs/compat.md"
	if given.Update() {
		require.NoError(t, os.WriteFile(file, []byte(page()), 0o644))
	}
	require.Equal(t, page(), string(given.File(t, file)), "write it with go test ./compat -update")
}
