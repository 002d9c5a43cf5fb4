package crdcheck_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
)

func TestCauses(t *testing.T) {
	keyword := func(keyword, schema string) field.Cause {
		return field.Cause{Keyword: keyword, Schema: schema, Rule: -1}
	}
	rule := func(schema string, i int) field.Cause {
		return field.Cause{Keyword: "x-kubernetes-validations", Schema: schema, Rule: i}
	}
	for _, c := range []struct {
		name string
		change
		want []field.Cause
	}{
		{"a structural keyword is missing", change{schema: `{type: object, properties: {a.b: {}}}`}, []field.Cause{keyword("type", "properties[a.b]")}},
		{"in a branch", change{schema: `{type: object, anyOf: [{}, {properties: {a: {type: string}}}]}`},
			[]field.Cause{keyword("properties", ""), keyword("type", "anyOf[1].properties[a]")}},
		{"what no structural schema can express", change{schema: `{type: object, properties: {a: {type: array, items: {type: string, definitions: {}}}, b: {type: object, x-kubernetes-preserve-unknown-fields: false}}}`},
			[]field.Cause{keyword("x-kubernetes-preserve-unknown-fields", "properties[b]")}},
		{"the same, alone", change{schema: `{type: object, properties: {a: {type: array, items: {type: object, $schema: x}}}}`}, []field.Cause{keyword("$schema", "properties[a].items")}},
		{"a default", change{schema: `{type: object, properties: {a: {type: object, default: {b: xyz}, properties: {b: {type: string, maxLength: 2}}}}}`},
			[]field.Cause{keyword("maxLength", "properties[a].properties[b]")}},
		{"a default with an unknown field", change{schema: `{type: object, properties: {a: {type: object, default: {c: 1}}}}`}, []field.Cause{keyword("default", "properties[a]")}},
		{"a default and a rule", change{schema: `{type: object, properties: {a: {type: array, items: {type: string, default: b, x-kubernetes-validations: [{rule: "true"}, {rule: "self == 'a'"}]}}}}`},
			[]field.Cause{rule("properties[a].items", 1)}},
		{"a rule that does not compile", change{schema: `{type: object, properties: {a: {type: object, additionalProperties: {type: string, x-kubernetes-validations: [{rule: "true"}, {rule: self.}]}}}}`},
			[]field.Cause{rule("properties[a].additionalProperties", 1)}},
		{"a field of a rule", change{schema: `{type: object, x-kubernetes-validations: [{rule: "true", reason: none}]}`}, []field.Cause{rule("", 0)}},
		{"cost", change{schema: `{type: object, properties: {a: {type: array, items: {type: string, x-kubernetes-validations: [{rule: "self.contains(self)"}]}}}}`},
			[]field.Cause{rule("properties[a].items", 0), rule("properties[a].items", 0), keyword("x-kubernetes-validations", "")}},
		{"a list type", change{schema: `{type: object, properties: {a: {type: array, x-kubernetes-list-type: map, items: {type: object, properties: {k: {type: string}}}, x-kubernetes-list-map-keys: [k]}}}`},
			[]field.Cause{keyword("default", "properties[a].items.properties[k]")}},
		{"the root", change{version: `{subresources: {status: {}}}`, schema: `{type: object, nullable: true}`}, []field.Cause{keyword("nullable", ""), keyword("nullable", "")}},
		{"other parts", change{spec: `{names: {plural: Lamps}}`}, []field.Cause{{}, keyword("spec.names.plural", "")}},
		{"a column", change{version: `{additionalPrinterColumns: [{name: a, type: float, jsonPath: .a}]}`},
			[]field.Cause{keyword("spec.additionalPrinterColumns.type", "")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []field.Cause
			for _, e := range crdcheck.Validate(given.Definition(t, c.document(t))) {
				got = append(got, e.Cause())
			}
			require.ElementsMatch(t, c.want, got)
		})
	}
}
