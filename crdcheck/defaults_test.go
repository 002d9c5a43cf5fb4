package crdcheck_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// property is a change whose schema has one property, a.
func property(a string) change {
	return change{schema: `{type: object, properties: {a: ` + a + `}}`}
}

func TestDefaults(t *testing.T) {
	const resource = `type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true`
	const unknown = "must not have unknown fields"
	requireRows(t, []row{
		{"DFV-001 the node's own, its items', its properties' by name, and nothing else", property(`
			{type: object, default: 1, properties: {
				c: {type: string, default: 2},
				b: {type: array, default: 3, items: {type: string, default: 4}},
				m: {type: object, additionalProperties: {type: string, default: 5}}}}`), []string{
			`P.properties[a].default: Invalid value: "integer":  in body must be of type object: "integer"`,
			`P.properties[a].properties[b].default: Invalid value: "integer":  in body must be of type array: "integer"`,
			`P.properties[a].properties[b].items.default: Invalid value: "integer":  in body must be of type string: "integer"`,
			`P.properties[a].properties[c].default: Invalid value: "integer":  in body must be of type string: "integer"`,
		}},
		{"DFV-003 unknown fields, and what else is wrong", property(`{type: object, default: {x: 1, z: "1"}, properties: {z: {type: integer}}}`), []string{
			`P.properties[a].default: Invalid value: {"x":1,"z":"1"}: ` + unknown,
			`P.properties[a].default.z: Invalid value: "string": z in body must be of type integer: "string"`,
		}},
		{"DFV-003 unknown fields deeper down, and where they are kept", property(`{type: object, default: {l: [{x: 1}], k: {x: 1}}, properties: {
			l: {type: array, items: {type: object}}, k: {type: object, x-kubernetes-preserve-unknown-fields: true}}}`), []string{
			`P.properties[a].default: Invalid value: {"k":{"x":1},"l":[{"x":1}]}: ` + unknown,
		}},
		{"DFV-003 the apiVersion of an embedded resource has to be text before anything else counts, EMB-004", property(`
			{type: array, default: [{apiVersion: 5, kind: "-"}, 5], items: {` + resource + `}}`), []string{
			`P.properties[a].default[0].apiVersion: Invalid value: 5: must be a string`,
		}},
		{"EMB-004 so has its metadata to be metadata, in a map too", property(`
			{type: object, default: {k: {apiVersion: v1, kind: K, metadata: {labels: {b: 1}}}}, additionalProperties: {` + resource + `}}`), []string{
			`P.properties[a].default[k].metadata: Invalid value: {"labels":{"b":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`,
		}},
		{"EMB-006 then it has to be a resource, before its schema counts", property(`
			{` + resource + `, required: [b], default: {kind: "-", metadata: {name: a/b}}}`), []string{
			`P.properties[a].default.apiVersion: Required value`,
			`P.properties[a].default.kind: Invalid value: "-": may have mixed case, but should otherwise match: M1035`,
			`P.properties[a].default.metadata.name: Invalid value: "a/b": may not contain '/'`,
		}},
		{"DFV-008 unknown metadata is no matter, and gone in what is printed", property(`
			{type: object, x-kubernetes-embedded-resource: true, properties: {b: {type: string}},
			default: {apiVersion: v1, kind: K, metadata: {name: x, bogus: 1, creationTimestamp: null}, c: 1}}`), []string{
			`P.properties[a].default: Invalid value: {"apiVersion":"v1","c":1,"kind":"K","metadata":{"name":"x"}}: ` + unknown,
		}},
		{"DFV-004, EMB-007 a default in metadata has to make a resource, as deep in it as it stands", property(`
			{` + resource + `, properties: {metadata: {type: object, default: {labels: {"a/b/c": d}}, properties: {
				name: {type: string, default: A/B},
				finalizers: {type: array, default: [x], items: {type: string, default: 5}},
				labels: {type: object, additionalProperties: {type: string}, default: {a: 1}}}}}}`), []string{
			`P.properties[a].properties[metadata].default: Invalid value: {"labels":{"a/b/c":"d"}}: must result in valid metadata: ` +
				`metadata.labels: Invalid value: "a/b/c": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character ` +
				`(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
			`P.properties[a].properties[metadata].properties[finalizers].items.default: Invalid value: 5: must result in valid metadata: ` +
				`metadata: Invalid value: {"finalizers":[5]}: json: cannot unmarshal number into Go struct field ObjectMeta.finalizers of type string`,
			`P.properties[a].properties[metadata].properties[labels].default: Invalid value: {"a":1}: must result in valid metadata: ` +
				`metadata: Invalid value: {"labels":{"a":1}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`,
			`P.properties[a].properties[metadata].properties[name].default: Invalid value: "A/B": must result in valid metadata: metadata.name: Invalid value: "A/B": may not contain '/'`,
		}},
		{"DFV-004 several reasons at once, and unknown fields are none", property(`
			{` + resource + `, properties: {metadata: {type: object, default: {name: a/b, generateName: c/, bogus: 1}}}}`), []string{
			`P.properties[a].properties[metadata].default: Invalid value: {"bogus":1,"generateName":"c/","name":"a/b"}: must result in valid metadata: ` +
				`[metadata.generateName: Invalid value: "c/": may not contain '/', metadata.name: Invalid value: "a/b": may not contain '/']`,
		}},
		{"DFV-004 the schema counts after that", property(`{` + resource + `, properties: {
			kind: {type: string, default: Pod, maxLength: 2}, apiVersion: {type: string, default: a/b/c}}}`), []string{
			`P.properties[a].properties[apiVersion].default: Invalid value: "a/b/c": must result in valid metadata: apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c`,
			`P.properties[a].properties[kind].default: Too long: may not be more than 2 bytes`,
		}},
		{"DFV-002 a resource in a resource is one of its own", property(`{` + resource + `, properties: {metadata: {type: object, default: {name: x}},
			inner: {` + resource + `, default: {metadata: {name: z}}, properties: {metadata: {type: object, default: {x: 1}}, name: {type: string, default: A/B}}}}}`), []string{
			`P.properties[a].properties[inner].default.apiVersion: Required value`,
			`P.properties[a].properties[inner].default.kind: Required value`,
		}},
		{"DFV-002 the fields of what is no resource are any fields", property(`{type: object, properties: {
			metadata: {type: object, default: {name: 1}, properties: {name: {type: integer}}}, kind: {type: string, default: "-"}}}`), nil},
		{"DFV-001 the whole object is a resource, SCH-012 and its metadata has no defaults besides", change{schema: `{type: object, properties: {
			metadata: {type: object, properties: {name: {type: string, default: A/B}}}}}`}, []string{
			`P.properties[metadata].properties[name].default: Invalid value: "A/B": must result in valid metadata: metadata.name: Invalid value: "A/B": may not contain '/'`,
			`P.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata`,
		}},
		{"DFV-005 so a default of the whole needs a kind", change{schema: `{type: object, default: {a: b, metadata: {labels: 1}}, properties: {a: {type: string}}}`}, []string{
			`P.default.metadata: Invalid value: {"labels":1}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string`,
		}},
		{"DFV-005 it is required", change{schema: `{type: object, default: {a: b}, properties: {a: {type: string}}}`}, []string{
			`P.default.apiVersion: Required value`, `P.default.kind: Required value`,
		}},
		{"DFV-005 unless it is no object", change{schema: `{type: object, default: x}`}, []string{
			`P.default: Invalid value: "string":  in body must be of type object: "string"`,
		}},
		{"DFV-005 which may be right", change{schema: `{x-kubernetes-preserve-unknown-fields: true, default: x}`}, nil},
		{"DFV-007 places", property(`{type: object, default: {b: {c.d: 1}, e: [x, 1]}, properties: {
			b: {type: object, additionalProperties: {type: string}}, e: {type: array, default: [1], items: {type: string}}}}`), []string{
			`P.properties[a].default.b.c.d: Invalid value: "integer": b.c.d in body must be of type string: "integer"`,
			`P.properties[a].default.e[1]: Invalid value: "integer": e[1] in body must be of type string: "integer"`,
			`P.properties[a].properties[e].default.[0]: Invalid value: "integer": [0] in body must be of type string: "integer"`,
		}},
		{"DFV-009 null is no default, and fine in one where it may be", change{schema: `{type: object, properties: {
			a: {type: string, default: null}, b: {type: string, nullable: true, default: null},
			c: {type: array, default: [null], items: {type: string, nullable: true}},
			d: {type: object, default: {x: null, z: null}, properties: {x: {type: string}, z: {x-kubernetes-preserve-unknown-fields: true}}}}}`}, []string{
			`P.properties[d].default.x: Invalid value: "null": x in body must be of type string: "null"`,
		}},
		{"DFV-009 errors as of objects", change{schema: `{type: object, properties: {
			a: {type: string, enum: [w, x], default: z}, b: {type: object, required: [c], default: {}}, c: {type: array, items: {type: string}, maxItems: 1, default: [x, x]}}}`}, []string{
			`P.properties[a].default: Unsupported value: "z": supported values: "w", "x"`,
			`P.properties[b].default.c: Required value`,
			`P.properties[c].default: Too many: 2: must have at most 1 item`,
		}},
	})
}

// DFV-006: where the validation of defaults differs from that of objects.
func TestReadingOfDefaults(t *testing.T) {
	const number = `P.properties[a].default: Invalid value: "number":  in body must be of type `
	requireRows(t, []row{
		{"int-or-string is anything", property(`{x-kubernetes-int-or-string: true, default: {a: 1.5}}`), []string{
			`P.properties[a].default: Invalid value: {"a":1.5}: must not have unknown fields`}},
		{"int-or-string is any scalar", property(`{x-kubernetes-int-or-string: true, default: 1.5}`), nil},
		{"int-or-string beneath the default", property(`{type: array, default: [1.5, true, x], items: {x-kubernetes-int-or-string: true}}`), nil},
		{"int-or-string is what its type is", property(`{x-kubernetes-int-or-string: true, type: string, default: 1}`), []string{
			`P.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"`}},
		{"int-or-string with the branches that say so", property(`{x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], default: true}`), []string{
			`P.properties[a].default: Invalid value: "": "" must validate at least one schema (anyOf)`,
			`P.properties[a].default: Invalid value: "boolean":  in body must be of type integer: "boolean"`}},
		{"list types", change{schema: `{type: object, properties: {
			s: {type: array, x-kubernetes-list-type: set, default: [x, x], items: {type: string}},
			m: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], default: [{k: 1}, {k: 1}],
				items: {type: object, required: [k], properties: {k: {type: integer}}}}}}`}, nil},
		{"SVT-006 additionalProperties in combinators", property(`{type: object, x-kubernetes-preserve-unknown-fields: true, default: {b: 1}, allOf: [{additionalProperties: false}]}`), nil},
		{"an unknown format takes strings and arrays from the type", change{schema: `{type: object, properties: {
			a: {type: string, format: foo, default: [1]}, b: {type: object, format: foo, default: x}, c: {x-kubernetes-preserve-unknown-fields: true, format: foo, default: x}}}`}, nil},
		{"an unknown format is named", property(`{type: string, format: foo, default: 1.5}`), []string{
			`P.properties[a].default: Invalid value: "float64":  in body must be of type foo: "float64"`}},
		{"without a type nothing else is right", property(`{x-kubernetes-preserve-unknown-fields: true, format: foo, default: true}`), []string{
			`P.properties[a].default: Invalid value: "":  in body must be of type foo: ""`}},
		{"a format of Go's is the value's, the type is not", property(`{type: integer, format: float64, default: 1.5}`), []string{
			number + `integer: "number"`,
			`P.properties[a].default: Invalid value: "": Checked value must be of type integer (default format) in `}},
		{"a format of strings holds for all strings", property(`{type: boolean, format: date, default: x}`), []string{
			`P.properties[a].default: Invalid value: "x":  in body must be of type date: "x"`}},
		{"a format of integers that is none of CRDs has no range", property(`{type: integer, format: uint32, default: -1, minimum: 1.5, maximum: 9}`), []string{
			`P.properties[a].default: Invalid value: "": Minimum boundary value must be of type integer (default format) in `,
			`P.properties[a].default: Invalid value: -1:  in body should be greater than or equal to 1.5`}},
		{"formats that CRDs know", property(`{type: integer, format: int32, default: 3000000000}`), []string{
			`P.properties[a].default: Invalid value: "": Checked value must be of type integer with format int32 in `}},
		{"formats in combinators", property(`{type: integer, default: 1, not: {format: foo}, anyOf: [{format: foo}, {maximum: 0}], allOf: [{not: {format: bar}}], oneOf: [{format: bar}, {minimum: 1}]}`), []string{
			`P.properties[a].default: Invalid value: "": "" must validate at least one schema (anyOf)`,
			`P.properties[a].default: Invalid value: "int64":  in body must be of type foo: "int64"`}},
		{"whole numbers", property(`{type: object, default: {b: 1.5}, properties: {b: {type: integer}}}`), []string{
			`P.properties[a].default.b: Invalid value: "number": b in body must be of type integer: "number"`,
			`P.properties[a].default: Invalid value: "": Checked value must be of type integer (default format) in b`}},
	})

	// Numbers have not been through storage yet, in a document that is JSON.
	for _, c := range []struct{ name, schema, want string }{
		{"a float that is whole is an integer", `{"type": "integer", "default": 1.0}`, ""},
		{"but no integer to a rule", `{"type": "integer", "default": 1.0, "x-kubernetes-validations": [{"rule": "self == 1"}]}`,
			"invalid data, expected int, got float64 evaluating rule: self == 1"},
		{"an enum of floats does not cut numbers", `{"type": "number", "default": 1.5, "enum": [1.0]}`, `supported values: "1"`},
		{"one of integers does", `{"type": "number", "default": 1.5, "enum": [1]}`, ""},
		{"floats within values of an enum", `{"type": "array", "default": [1.0], "items": {"type": "number"}, "enum": [[1.0]]}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			const here = `"HERE"`
			doc := strings.Replace(string(change{schema: `{type: object, properties: {a: HERE}}`}.document(t)), here, c.schema, 1)
			got := ""
			for _, e := range crdcheck.Validate(given.Definition(t, doc)) {
				got += e.Detail
			}
			require.Equal(t, c.want, got)
		})
	}
}

// CWH-012, DFV-003: rules are evaluated on the defaults at their node and above it, as stored expressions, before any
// of them is checked.
func TestRulesOfDefaults(t *testing.T) {
	const includes = `"[self.b].includes('x')"`
	requireRows(t, []row{
		{"CWH-012 a rule that is false, of the node or beneath it", property(`
			{type: object, default: {b: q}, x-kubernetes-validations: [{rule: "self.b == 'a'", fieldPath: .b, reason: FieldValueForbidden}],
			properties: {b: {type: string, x-kubernetes-validations: [{rule: self == 'a', messageExpression: "self + '!'"}]}}}`), []string{
			`P.properties[a].default.b: Forbidden: failed rule: self.b == 'a'`,
			`P.properties[a].default.b: Invalid value: "q": q!`,
		}},
		{"CWH-012 one that does not compile, which hides all else", change{schema: `{type: object, x-kubernetes-validations: [{rule: self.nope}], properties: {
			a: {type: object, default: {x: q}, properties: {x: {type: string, x-kubernetes-validations: [{rule: self.zz, messageExpression: "1"}, {rule: "true", messageExpression: "1"}]}}}}}`}, []string{
			`P.properties[a].default.x: Invalid value: "string": rule compile error: compilation failed: ERROR: <input>:1:5: type 'string' does not support field selection` +
				"\n | self.zz\n | ....^",
		}},
		{"CWH-012 stored functions are known", property(`{type: object, default: {b: x}, properties: {b: {type: string}}, x-kubernetes-validations: [{rule: ` + includes + `}]}`), []string{
			`P.properties[a].x-kubernetes-validations[0].rule: Invalid value: ` +
				`{"Rule":"[self.b].includes('x')","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: ` +
				"compilation failed: ERROR: <input>:1:18: undeclared reference to 'includes' (in container '')\n | [self.b].includes('x')\n | .................^",
		}},
		{"DFV-003 with itself as the old value, and with none", property(`{type: string, default: q, x-kubernetes-validations: [
			{rule: self == oldSelf}, {rule: "!oldSelf.hasValue()", optionalOldSelf: true, message: as it was}]}`), []string{
			`P.properties[a].default: Invalid value: "q": as it was`,
		}},
		{"DFV-003 the second time only if the first is fine", property(`{type: string, default: q, x-kubernetes-validations: [
			{rule: oldSelf.hasValue(), optionalOldSelf: true, message: new}, {rule: "self != 'q'"}]}`), []string{
			`P.properties[a].default: Invalid value: "q": failed rule: self != 'q'`,
		}},
		{"DFV-003 nothing old", property(`{type: string, default: q, x-kubernetes-validations: [{rule: oldSelf.hasValue(), optionalOldSelf: true, message: new}]}`), []string{
			`P.properties[a].default: Invalid value: "q": new`,
		}},
		{"DFV-003 values before rules", property(`{type: string, default: q, maxLength: 0, x-kubernetes-validations: [{rule: "false"}]}`), []string{
			`P.properties[a].default: Too long: may not be more than 0 bytes`,
		}},
		{"CWH-012 the metadata of a resource by its own schema, DFV-004", property(`{type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {
			type: object, default: {labels: {b: c}}, properties: {labels: {type: object, additionalProperties: {type: string}}}, x-kubernetes-validations: [{rule: self.labels.b == 'd'}]}}}`), []string{
			`P.properties[a].properties[metadata].default: Invalid value: failed rule: self.labels.b == 'd'`,
		}},
		{"DFV-003 of the budget that all defaults share, both times count once", property(nested(6, 4)), []string{
			`P.properties[a].items.items.default: Invalid value: "integer":  in body must be of type string: "integer"`,
		}},
		{"DFV-003 where it runs out, nothing is looked at any more", property(nested(6, 6)), []string{
			`P.properties[a].items.default: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run`,
		}},
	})
}

// nested is a list of lists of strings, with a number of expensive rules and a default for each: that of the strings is
// invalid.
func nested(outer, inner int) string {
	expensive := func(n int) string {
		return "x-kubernetes-validations: [" + strings.Repeat(`{rule: "lists.range(900000)[0] >= 0"},`, n) + "]"
	}
	return `{type: array, default: [], ` + expensive(outer) + `, items: {type: array, default: [], ` + expensive(inner) + `, items: {type: string, default: 5}}}`
}

// SEED-009, UPD-001: what was not pruned may stay so.
func TestUnprunedDefaults(t *testing.T) {
	bad := property(`{type: object, default: {x: 1}}`)
	requireUpdates(t, []updateRow{
		{"UPD-001 where the old one was not pruned", bad, property(`{type: object, default: {x: 1, z: 2}}`), nil},
		{"UPD-001 where it was", property(`{type: object, default: {}}`), bad, []string{
			`P.properties[a].default: Invalid value: {"x":1}: must not have unknown fields`,
		}},
	})
}

// DFV-008: nothing is normalised in the definition that is checked, and errors have the paths that they print.
func TestDefaultsArePure(t *testing.T) {
	doc := property(`{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true,
		default: {apiVersion: v1, kind: Foo, metadata: {name: x, bogus: 1, creationTimestamp: null}, n: 1},
		properties: {l: {type: array, default: [{kind: 5}], items: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}}`).document(t)
	d := given.Definition(t, doc)
	before := given.JSON(t, d)
	errs := crdcheck.Validate(d)
	require.Equal(t, spelled([]string{`P.properties[a].properties[l].default[0].kind: Invalid value: 5: must be a string`}), given.Texts(errs))
	require.Equal(t, []field.Segment{{Key: "spec"}, {Key: "validation"}, {Key: "openAPIV3Schema"}, {Key: "properties"}, {Key: "a"}, {Key: "properties"}, {Key: "l"},
		{Key: "default"}, {Index: 0, IsIndex: true}, {Key: "kind"}}, errs[0].Path.Segments())
	require.Equal(t, string(before), string(given.JSON(t, d)))
}

// A default that is made in Go has Go's numbers.
func TestDefaultsMadeInGo(t *testing.T) {
	d := given.Definition(t, lamp)
	a := &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{"b": {Type: "integer"}}}
	d.Spec.Versions[0].Schema = &crd.Validation{OpenAPIV3Schema: &schema.JSONSchemaProps{
		Type: "object", Properties: map[string]*schema.JSONSchemaProps{"a": a},
	}}
	a.Default = map[string]any{"b": int32(1)}
	require.Empty(t, given.Texts(crdcheck.Validate(d)))
	a.Default = map[string]any{"b": float32(1.5)}
	require.Len(t, given.Texts(crdcheck.Validate(d)), 2)
}
