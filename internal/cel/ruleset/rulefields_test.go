package ruleset_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

const supported = `supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`

func TestCheckFields(t *testing.T) {
	p := given.Schema(t, `
type: object
properties:
  a-b: {type: string}
  "": {type: string}
  namespace: {type: string}
  m: {type: object, additionalProperties: {type: object, properties: {x: {type: string}}}}
  any: {type: object, additionalProperties: true}
  list: {type: array, items: {type: object, properties: {x: {type: string}}}}
`)
	s, errs := schema.Compile(p)
	require.Empty(t, errs)
	reason := func(text string) *string { return &text }

	for _, c := range []struct {
		name string
		rule schema.ValidationRule
		want []string
	}{
		{"CRF-002: a rule", schema.ValidationRule{Rule: "true"}, nil},
		{"SCH-040: no rule, which hides what is wrong with the message", schema.ValidationRule{Rule: "\u2028\u00a0", Message: " "},
			[]string{"r.rule: Required value: rule is not specified"}},
		{"CRF-001: a byte order mark is not blank", schema.ValidationRule{Rule: "\ufeff"}, nil},
		{"SCH-040: a blank message", schema.ValidationRule{Rule: "a\nb", Message: " "}, []string{`r.message: Invalid value: " ": must be non-empty if specified`}},
		{"SCH-040: a message of two lines", schema.ValidationRule{Rule: "a", Message: "a\nb"}, []string{`r.message: Invalid value: "a\nb": must not contain line breaks`}},
		{"CRF-001: other separators break no lines", schema.ValidationRule{Rule: "a\u2028b", Message: "a\u0085b"}, nil},
		{"SCH-040: a rule of two lines, for which a messageExpression is no help", schema.ValidationRule{Rule: "a\rb", MessageExpression: "'x'"},
			[]string{"r.message: Required value: message must be specified if rule contains line breaks"}},
		{"SCH-040: line breaks at the ends are none", schema.ValidationRule{Rule: "\na\n", Message: "\nm\r\n"}, nil},
		{"CRF-003, SCH-041: a blank messageExpression", schema.ValidationRule{Rule: "a", MessageExpression: "\t"},
			[]string{"r.messageExpression: Required value: messageExpression must be non-empty if specified"}},
		{"CRF-004, SCH-041: a reason", schema.ValidationRule{Rule: "a", Reason: reason("FieldValueDuplicate")}, nil},
		{"CRF-004: an empty reason is none of them", schema.ValidationRule{Rule: "a", Reason: reason("")}, []string{`r.reason: Unsupported value: "": ` + supported}},
		{"CRF-008: all of one rule", schema.ValidationRule{MessageExpression: " ", Reason: reason("x"), FieldPath: "\n"}, []string{
			"r.rule: Required value: rule is not specified",
			"r.messageExpression: Required value: messageExpression must be non-empty if specified",
			`r.reason: Unsupported value: "x": ` + supported,
			`r.fieldPath: Invalid value: "\n": must be non-empty if specified`,
			`r.fieldPath: Invalid value: "\n": must not contain line breaks`,
			`r.fieldPath: Invalid value: "\n": must be a valid path`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := c.rule
			for _, errs := range []field.List{
				ruleset.CheckFields(plan.Root(s), (*plan.Rule)(&c.rule), field.NewPath("r")), ruleset.CheckFieldsIn(p, &c.rule, field.NewPath("r")),
			} {
				require.Equal(t, c.want, given.Texts(errs))
			}
			require.Equal(t, before, c.rule)
		})
	}

	// CRF-006: names as they are declared.
	for path, ok := range map[string]bool{
		".a-b": true, "['a-b']": true, "['']": true, ".namespace": true, ".m.k": true, ".m['k'].x": true, ".any": true, ".any.x": true, ".list": true,
		"a-b": false, ".zz": false, ".m.k.y": false, ".list.x": false, ".list[0]": false, "..m": false, ".m.": false, " .m": false, ".m ": false,
		".__namespace__": false, ".metadata.name": false, ".kind": false, ".namespace.x": false,
	} {
		rule := schema.ValidationRule{Rule: "true", FieldPath: path}
		require.Equal(t, ok, len(ruleset.CheckFields(plan.Root(s), (*plan.Rule)(&rule), nil)) == 0, path)
		require.Equal(t, ok, len(ruleset.CheckFieldsIn(p, &rule, nil)) == 0, path)
		require.Empty(t, ruleset.CheckFields(nil, (*plan.Rule)(&rule), nil), "SCH-041: without a structural schema, any path will do: %s", path)
		require.Empty(t, ruleset.CheckFieldsIn(nil, &rule, nil), path)
	}
}
