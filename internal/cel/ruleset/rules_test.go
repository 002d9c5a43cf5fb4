package ruleset_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// object decodes an object, nil for an empty text.
func object(t testing.TB, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	return given.Object(t, text)
}

// texts prints each error on a line: its type, then its text.
func texts(errs field.List) []string {
	out := []string{}
	for _, e := range errs {
		out = append(out, strings.TrimPrefix(string(e.Type), "FieldValue")+" "+e.Error())
	}
	return out
}

const ruleJSON = `{"Rule":"%","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}`

func invalidRule(rule, detail string) string {
	return "Invalid value: " + strings.Replace(ruleJSON, "%", rule, 1) + ": " + detail
}

func TestCompileErrors(t *testing.T) {
	const undefined = "compilation failed: ERROR: <input>:1:5: undefined field 'zz'\n | self.zz\n | ....^"
	for _, c := range []struct {
		name, schema string
		options      *ruleset.Options
		want         []string
	}{
		{"no rules", `{type: object}`, nil, nil},
		{"CWH-001: beneath first: properties by name, items, own rules", `
type: object
x-kubernetes-validations: [{rule: "1"}]
properties:
  b: {type: array, items: {type: string, x-kubernetes-validations: [{rule: "2"}]}, x-kubernetes-validations: [{rule: "3"}, {rule: "4"}]}
  a: {type: object, additionalProperties: {type: string, x-kubernetes-validations: [{rule: "5"}]}}`, nil, []string{
			"Invalid properties[a].additionalProperties.x-kubernetes-validations[0].rule: " + invalidRule("5", "cel expression must evaluate to a bool"),
			"Invalid properties[b].items.x-kubernetes-validations[0].rule: " + invalidRule("2", "cel expression must evaluate to a bool"),
			"Invalid properties[b].x-kubernetes-validations[0].rule: " + invalidRule("3", "cel expression must evaluate to a bool"),
			"Invalid properties[b].x-kubernetes-validations[1].rule: " + invalidRule("4", "cel expression must evaluate to a bool"),
			"Invalid x-kubernetes-validations[0].rule: " + invalidRule("1", "cel expression must evaluate to a bool"),
		}},
		{"CER-001: the path of the schema comes first", `{type: object, x-kubernetes-validations: [{rule: self.zz}]}`,
			&ruleset.Options{Path: "spec.versions[2].schema.openAPIV3Schema"}, []string{
				"Invalid spec.versions[2].schema.openAPIV3Schema.x-kubernetes-validations[0].rule: " + invalidRule("self.zz", undefined)}},
		{"CER-011, CER-040: what fails when the program is made", `{type: object, x-kubernetes-validations: [{rule: "int('x') == 1"}]}`, nil, []string{
			"Invalid x-kubernetes-validations[0].rule: " + invalidRule("int('x') == 1", "program instantiation failed: type conversion error from 'string' to 'int'")}},
		{"CER-012: a messageExpression that is no string", `{type: object, x-kubernetes-validations: [{rule: "true", messageExpression: "1"}]}`, nil, []string{
			`Invalid x-kubernetes-validations[0].messageExpression: Invalid value: {"Rule":"true","Message":"","MessageExpression":"1","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression must evaluate to a string`}},
		{"CER-005: a rule that fails hides its messageExpression", `{type: object, x-kubernetes-validations: [{rule: "1", messageExpression: "1"}]}`, nil, []string{
			`Invalid x-kubernetes-validations[0].rule: Invalid value: {"Rule":"1","Message":"","MessageExpression":"1","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool`}},
		{"CCO-005, CRF-007: optionalOldSelf without oldSelf", `{type: object, x-kubernetes-validations: [{rule: "true", optionalOldSelf: false}]}`, nil, []string{
			"Invalid x-kubernetes-validations[0].optionalOldSelf: Invalid value: false: may not be set if oldSelf is not used in rule"}},
		{"CCO-003: oldSelf where items have none, the outermost list counts", `
type: object
properties:
  l:
    type: array
    x-kubernetes-validations: [{rule: self == oldSelf}]
    items: {type: object, properties: {m: {type: array, items: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf}]}}}}`,
			&ruleset.Options{Path: "s"}, []string{
				`Invalid s.properties[l].items.properties[m].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": ` +
					"oldSelf cannot be used on the uncorrelatable portion of the schema within s.properties[l]"}},
		{"CCO-003, CCO-004: fine in a list that is a map, and in maps", `
type: object
properties:
  l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], maxItems: 9, items: {type: object, required: [k], properties: {k: {type: string, maxLength: 9}}, x-kubernetes-validations: [{rule: self.k == oldSelf.k}]}}
  m: {type: object, maxProperties: 9, x-kubernetes-map-type: atomic, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf}]}}`, nil, nil},
		{"CWH-007: no type", `
type: object
properties:
  x: {x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "true"}, {rule: "true"}]}`, nil, []string{
			"InternalError properties[x].x-kubernetes-validations: Internal error: internal error: failed to construct type information for " +
				"x-kubernetes-validations rules: unable to convert structural schema to CEL declarations"}},
		{"CWH-007: no type in what is no list, and of its items no more than that", `
type: object
properties:
  x: {x-kubernetes-int-or-string: true, items: {type: string, x-kubernetes-validations: [{rule: "true"}]}, x-kubernetes-validations: [{rule: "true"}]}
  y: {x-kubernetes-int-or-string: true, items: {type: string, x-kubernetes-validations: [{rule: "true"}]}}`, nil, []string{
			"InternalError properties[x].items.x-kubernetes-validations: Internal error: failed to convert to declType for CEL validation rules"}},
		{"CES-081, CES-082: over the limit of one expression", `
type: object
properties:
  l: {type: array, items: {type: string, x-kubernetes-validations: [{rule: "self.contains('abcdefghijklmnopqrstuvwxyz')", messageExpression: "self.replace('a', self)"}]}}`, nil, []string{
			"Forbidden properties[l].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x " + advice,
			"Forbidden properties[l].items.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
			"Forbidden <nil>: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x " + advice,
		}},
		{"CES-083: by how much", `
type: object
properties:
  a: {type: array, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(value, value >= 0 && value < 100)"}]}`, nil, []string{
			"Forbidden properties[a].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 1.101004x " + advice}},
		{"CES-090, CES-091: the total alone", `
type: object
properties:
  a: {type: array, maxItems: 3000000, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, true)"}]}
  b: {type: array, maxItems: 3000000, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, true)"}]}
  c: {type: array, maxItems: 3100000, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, true)"}]}
  d: {type: array, maxItems: 3000000, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, true)"}, {rule: "self.all(x, true) "}, {rule: " self.all(x, true)"}]}
  e: {type: array, maxItems: 3000000, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, true)"}, {rule: "self.all(x, true) "}, {rule: " self.all(x, true)"}, {rule: "(self.all(x, true))"}, {rule: "((self.all(x, true)))"}, {rule: "(self.all(x, true) )"}]}`, nil, []string{
			"Forbidden properties[c].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
			"Forbidden properties[a].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
			"Forbidden properties[b].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
			"Forbidden properties[d].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema",
			"Forbidden <nil>: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of 1.083000x " + advice,
		}},
		{"CWH-003, CWH-001: a wrong field hides what compiling would find there and above, and comes first", `
type: object
x-kubernetes-validations: [{rule: "1"}]
properties:
  a: {type: object, properties: {b: {type: string, x-kubernetes-validations: [{rule: "2", reason: Nope}, {rule: "3"}]}}, x-kubernetes-validations: [{rule: "4"}]}
  b: {type: string, x-kubernetes-validations: [{rule: "5"}]}`, nil, []string{
			`NotSupported properties[a].properties[b].x-kubernetes-validations[0].reason: Unsupported value: "Nope": supported values: ` +
				`"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
			"Invalid properties[b].x-kubernetes-validations[0].rule: " + invalidRule("5", "cel expression must evaluate to a bool"),
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, errs := ruleset.Compile(given.Structural(t, c.schema), c.options)
			require.NotNil(t, r)
			require.Equal(t, append([]string{}, c.want...), texts(errs))
		})
	}
}

const advice = "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"

// CRF-002 to CRF-006: the fields of a rule.
func TestFieldsOfARule(t *testing.T) {
	const at = "x-kubernetes-validations[0]"
	for _, c := range []struct {
		name, rule string
		want       []string
	}{
		{"CRF-002 no rule", `{rule: ""}`, []string{"Required " + at + ".rule: Required value: rule is not specified"}},
		{"CRF-001 blank is any white space", `{rule: "\u2028\u00a0\u0085 "}`, []string{"Required " + at + ".rule: Required value: rule is not specified"}},
		{"CRF-002 blank message", `{rule: "true", message: " "}`, []string{"Invalid " + at + `.message: Invalid value: " ": must be non-empty if specified`}},
		{"CRF-002 message of two lines", `{rule: "true", message: "a\rb"}`, []string{"Invalid " + at + `.message: Invalid value: "a\rb": must not contain line breaks`}},
		{"CRF-002 rule of two lines", `{rule: "true ||\nfalse"}`, []string{"Required " + at + ".message: Required value: message must be specified if rule contains line breaks"}},
		{"CRF-002 with a message it may be", `{rule: "true ||\nfalse", message: m}`, nil},
		{"CRF-002 trailing line breaks are none", `{rule: "true\n", message: "m\n"}`, nil},
		{"CRF-003 blank messageExpression", `{rule: "true", messageExpression: "\t"}`, []string{"Required " + at + ".messageExpression: Required value: messageExpression must be non-empty if specified"}},
		{"CRF-004 empty reason", `{rule: "true", reason: ""}`, []string{"NotSupported " + at + `.reason: Unsupported value: "": supported values: ` +
			`"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`}},
		{"CRF-005 all that is wrong with a fieldPath", `{rule: "true", fieldPath: "\n"}`, []string{
			"Invalid " + at + `.fieldPath: Invalid value: "\n": must be non-empty if specified`,
			"Invalid " + at + `.fieldPath: Invalid value: "\n": must not contain line breaks`,
			"Invalid " + at + `.fieldPath: Invalid value: "\n": must be a valid path`}},
		{"CRF-006 a field", `{rule: "true", fieldPath: .a}`, nil},
		{"CRF-006 no field", `{rule: "true", fieldPath: .b}`, []string{"Invalid " + at + `.fieldPath: Invalid value: ".b": must be a valid path`}},
		{"CRF-008 several of one rule", `{rule: "", messageExpression: " ", reason: x}`, []string{
			"Required " + at + ".rule: Required value: rule is not specified",
			"Required " + at + ".messageExpression: Required value: messageExpression must be non-empty if specified",
			"NotSupported " + at + `.reason: Unsupported value: "x": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, errs := ruleset.Compile(given.Structural(t, `{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [`+c.rule+`]}`), nil)
			require.Equal(t, append([]string{}, c.want...), texts(errs))
		})
	}
}

// CWH-010: only stored expressions can call includes, in a rule as well as in a messageExpression. Evaluated
// expressions always can.
func TestStoredExpressions(t *testing.T) {
	const rule, message = "self.l.includes('a')", "'%s'.format([self.l.includes('a')])"
	s := given.Structural(t, `{type: object, properties: {l: {type: array, maxItems: 5, items: {type: string, maxLength: 5}}},
x-kubernetes-validations: [{rule: "`+rule+`", messageExpression: "`+message+`"}]}`)
	stored := func(known ...string) *ruleset.Options {
		return &ruleset.Options{Stored: func(e string) bool { return strings.Contains(strings.Join(known, "\n"), e) }}
	}
	r, errs := ruleset.Compile(s, stored(rule, message))
	require.Empty(t, errs)
	require.Len(t, r.Costs(), 1)
	require.NotZero(t, r.Costs()[0].MessageCost)

	r, errs = ruleset.Compile(s, stored(rule))
	require.Len(t, errs, 1)
	require.Contains(t, errs[0].Error(), "x-kubernetes-validations[0].messageExpression: Invalid value: ")
	require.Contains(t, errs[0].Error(), "messageExpression compilation failed: ERROR: <input>:1:29: undeclared reference to 'includes' (in container '')")
	require.Len(t, r.Costs(), 1)
	require.Zero(t, r.Costs()[0].MessageCost)

	r, errs = ruleset.Compile(s, nil)
	require.Len(t, errs, 1)
	require.Contains(t, errs[0].Error(), "x-kubernetes-validations[0].rule: Invalid value: ")
	require.Empty(t, r.Costs())
	require.Equal(t, []string{"Invalid <nil>: Invalid value: false"},
		texts(r.Evaluate(t.Context(), object(t, "{l: [b]}"), nil, nil).Errors), "validated as stored ones all the same")
	require.Empty(t, r.Evaluate(t.Context(), object(t, "{l: [a]}"), nil, nil).Errors)
}

// CWH-010: the text of a stored messageExpression is new as a rule, and the reverse, if both functions are set.
func TestStoredMessages(t *testing.T) {
	const text = "self.l.includes('a')" // a rule as it is, and a messageExpression inside a call
	s := given.Structural(t, `{type: object, properties: {l: {type: array, maxItems: 5, items: {type: string, maxLength: 5}}},
x-kubernetes-validations: [{rule: "`+text+`", messageExpression: "'%s'.format([`+text+`])"}]}`)
	known := func(prefix string) func(string) bool {
		return func(e string) bool { return strings.HasPrefix(e, prefix) }
	}
	for _, c := range []struct {
		name    string
		options ruleset.Options
		want    []string // the fields in error
	}{
		{"both", ruleset.Options{Stored: known("self"), StoredMessage: known("'")}, []string{}},
		{"each stored as the other", ruleset.Options{Stored: known("'"), StoredMessage: known("self")}, []string{"rule"}},
		{"the rule only", ruleset.Options{Stored: known(""), StoredMessage: known("self")}, []string{"messageExpression"}},
		{"messageExpressions only", ruleset.Options{StoredMessage: known("")}, []string{"rule"}},
		{"one set for both", ruleset.Options{Stored: known("")}, []string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			fields := []string{}
			for _, e := range ruleset.Prepare(s).Validate(&c.options) {
				require.Contains(t, e.Detail, "undeclared reference to 'includes'")
				fields = append(fields, e.Field[strings.LastIndexByte(e.Field, '.')+1:])
			}
			require.Equal(t, c.want, fields)
		})
	}
}

// CWH-011: for the stored schema, only the total has a cost limit.
func TestUnchangedSchemas(t *testing.T) {
	s := given.Structural(t, `{type: object, properties: {l: {type: array, items: {type: string,
x-kubernetes-validations: [{rule: "self.contains('abcdefghijklmnopqrstuvwxyz')", messageExpression: "self.zz"}]}}}}`)
	rules := ruleset.Prepare(s)
	var details []string
	for _, e := range rules.Validate(nil) {
		details = append(details, e.Detail[:9])
	}
	require.Equal(t, []string{"estimated", "messageEx", "contribut", "x-kuberne"}, details)
	details = nil
	for _, e := range rules.Validate(&ruleset.Options{Unchanged: true}) {
		details = append(details, e.Detail[:9])
	}
	require.Equal(t, []string{"messageEx", "contribut", "x-kuberne"}, details)
}

// CWH-003: other errors keep the rules there and above from being compiled and counted. Rules may be checked
// repeatedly.
func TestFaultySchemas(t *testing.T) {
	s := given.Structural(t, `
type: object
x-kubernetes-validations: [{rule: "1"}]
properties:
  a: {type: array, items: {type: object, properties: {b: {type: string, x-kubernetes-validations: [{rule: "2"}]}}, x-kubernetes-validations: [{rule: "3"}]}, x-kubernetes-validations: [{rule: "4"}]}
  c: {type: object, additionalProperties: {type: string, x-kubernetes-validations: [{rule: "5"}]}, x-kubernetes-validations: [{rule: "6"}]}`)
	rules := ruleset.Prepare(s)
	var asked []string
	for _, c := range []struct {
		name, path string
		want       []string
	}{
		{"nowhere", "", []string{"2", "3", "4", "5", "6", "1"}},
		{"at a leaf", "s.properties[a].items.properties[b]", []string{"5", "6"}},
		{"in the middle: what is beneath is compiled", "s.properties[a].items", []string{"2", "5", "6"}},
		{"at another node", "s.properties[c]", []string{"2", "3", "4", "5"}},
		{"at the root", "s", []string{"2", "3", "4", "5", "6"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			asked = nil
			got := []string{}
			for _, e := range rules.Validate(&ruleset.Options{Path: "s", Faulty: func(at *field.Path) bool {
				asked = append(asked, at.String())
				return at.String() == c.path
			}}) {
				got = append(got, e.BadValue.(schema.ValidationRule).Rule)
			}
			require.Equal(t, c.want, got)
		})
	}
	require.Equal(t, []string{"s.properties[a].items.properties[b]", "s.properties[a].items", "s.properties[a]",
		"s.properties[c].additionalProperties", "s.properties[c]", "s"}, asked, "in the order of the errors")
	require.Empty(t, rules.Costs(), "none of them compiles")
}

// CWH-012: a part of the schema as one of its own. What is implied above it is not implied there.
func TestWithin(t *testing.T) {
	s := given.Structural(t, `
type: object
properties:
  e:
    type: object
    x-kubernetes-embedded-resource: true
    properties:
      metadata:
        type: object
        properties: {labels: {type: object, additionalProperties: {type: string}}}
        x-kubernetes-validations: [{rule: "self.labels.a == 'b'"}]
  i: {type: integer, x-kubernetes-validations: [{rule: "self > 1"}]}`)
	r := ruleset.Prepare(s)
	e := s.Root().Property("e")
	meta := e.Property("metadata")
	value := object(t, "{labels: {a: c}}")
	at := field.NewPath("metadata", "default")

	require.Contains(t, r.EvaluateValue(t.Context(), e, nil, object(t, "{metadata: {labels: {a: c}}}"), nil, nil).Errors.Err().Error(),
		"undefined field 'labels'", "a resource has a name only")
	require.Equal(t, []string{"Invalid metadata.default: Invalid value: failed rule: self.labels.a == 'b'"},
		texts(r.At(meta).EvaluateValue(t.Context(), meta, at, value, value, nil).Errors))
	require.Empty(t, r.At(meta).EvaluateValue(t.Context(), meta, at, object(t, "{labels: {a: b}}"), nil, nil).Errors)
	require.Len(t, r.At(s.Root()).EvaluateValue(t.Context(), s.Root(), nil, object(t, "{i: 0}"), nil, nil).Errors, 1)

	require.Zero(t, r.At(meta).EvaluateValue(t.Context(), e, nil, value, nil, nil), "not beneath that node")
	require.Zero(t, r.At(schema.Node{}).EvaluateValue(t.Context(), meta, nil, value, nil, nil))
	require.Empty(t, (*ruleset.Rules)(nil).At(meta).Costs())
	require.Empty(t, r.At(meta.Property("labels")).Validate(nil), "no rules there")
	require.Equal(t, []ruleset.RuleCost{{Cost: 2, Cardinality: 1, Estimate: 2}}, r.At(s.Root().Property("i")).Costs())
}

func TestCosts(t *testing.T) {
	s := given.Structural(t, `
type: object
x-kubernetes-validations: [{rule: "has(self.b)"}, {rule: "self.zz"}, {rule: "self.b == oldSelf.b", messageExpression: "'no'"}]
properties:
  b: {type: array, maxItems: 7, items: {type: object, maxProperties: 3, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}}}
  a: {type: object, additionalProperties: {type: string, maxLength: 10, x-kubernetes-validations: [{rule: "self != 'x'"}]}}
`)
	want := []ruleset.RuleCost{
		{Path: "", Index: 0, Cost: 1, Cardinality: 1, Estimate: 1},
		{Path: "", Index: 2, Transition: true, Cost: 5, Cardinality: 1, Estimate: 5},
		{Path: "properties[a].additionalProperties", Cost: 2, Cardinality: math.MaxUint64, Estimate: 2097152},
		{Path: "properties[b].items.additionalProperties", Cost: 2, Cardinality: 21, Estimate: 42},
	}
	r, errs := ruleset.Compile(s, nil)
	require.Len(t, errs, 1, "the field zz")
	got := r.Costs()
	require.Equal(t, want, got, "CES-080: in the schema's order; a rule that does not compile has no cost")

	got[0].Path = "changed"
	require.Equal(t, want, r.Costs(), "the result is the caller's")
	require.Equal(t, want, ruleset.Prepare(s).Costs(), "lazy rules are compiled for their costs")
}

// There is nothing to compile or evaluate.
func TestNothing(t *testing.T) {
	r, errs := ruleset.Compile(nil, nil)
	require.Empty(t, errs)
	for name, r := range map[string]*ruleset.Rules{
		"no schema": r, "no Rules": nil, "prepared of nothing": ruleset.Prepare(nil), "CEV-002: no rules": ruleset.Prepare(given.Structural(t, "{type: object}")),
		"an empty schema": ruleset.Prepare(&schema.Structural{}),
	} {
		require.Empty(t, r.Costs(), name)
		require.Empty(t, r.Validate(nil), name)
		require.NotNil(t, r.At(schema.Node{}), name)
		require.Zero(t, r.Evaluate(t.Context(), map[string]any{"a": 1}, nil, nil), name)
		require.Zero(t, r.EvaluateValue(t.Context(), schema.Node{}, nil, "x", nil, nil), name)
	}
}

// The versions of a definition share what they have in common, but are checked separately.
func TestPrepareAll(t *testing.T) {
	a := given.Structural(t, `{type: object, properties: {num: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}}}`)
	b := given.Structural(t, `{type: object, properties: {num: {type: integer, x-kubernetes-validations: [{rule: self > 0, message: "b"}]}}}`)
	all := ruleset.PrepareAll(a, nil, b)
	require.Len(t, all, 3)
	obj := object(t, "{num: 0}")
	require.Equal(t, []string{"Invalid num: Invalid value: 0: failed rule: self > 0"}, texts(all[0].Evaluate(t.Context(), obj, nil, nil).Errors))
	require.Empty(t, all[1].Evaluate(t.Context(), obj, nil, nil).Errors)
	require.Equal(t, []string{"Invalid num: Invalid value: 0: b"}, texts(all[2].Evaluate(t.Context(), obj, nil, nil).Errors))
}
