package crdcheck_test

import "testing"

func TestColumns(t *testing.T) {
	const (
		at      = "spec.additionalPrinterColumns[0]."
		types   = "must be one of boolean,date,integer,number,string"
		formats = "must be one of byte,date,date-time,double,float,int32,int64,password"
	)
	of := func(column string) change { return change{version: `{additionalPrinterColumns: [` + column + `]}`} }
	requireRows(t, []row{
		{"CVL-050 nothing", of(`{}`), []string{at + "name: Required value", at + "type: Required value: " + types, at + "JSONPath: Required value"}},
		{"CVL-050 names may repeat", of(`{name: a, type: string, jsonPath: .a}, {name: a, type: date, jsonPath: .b}`), nil},
		{"CVL-051 type and format", of(`{name: a, type: object, format: name, jsonPath: .a}`), []string{
			at + `type: Invalid value: "object": ` + types, at + `format: Invalid value: "name": ` + formats,
		}},
		{"CVL-052 no dot", of(`{name: a, type: string, jsonPath: "{.a}"}`), []string{
			at + `JSONPath: Invalid value: "{.a}": must be a simple json path starting with .`,
		}},
		{"CVL-052 more is not asked for", of(`{name: a, type: string, jsonPath: ".spec[", priority: -5}, {name: b, type: string, jsonPath: .}`), nil},
	})
}

func TestScale(t *testing.T) {
	const at = "spec.subresources.scale."
	of := func(spec, status, selector string) change {
		return change{version: `{subresources: {scale: {specReplicasPath: "` + spec + `", statusReplicasPath: "` + status + `", labelSelectorPath: "` + selector + `"}}}`}
	}
	requireRows(t, []row{
		{"CVL-053 a scale", of(".spec.replicas", ".status.replicas", ""), nil},
		{"CVL-053 what comes behind the dot does not matter", of(".spec.", ".status.a[0]", ".spec.x"), nil},
		{"CVL-053 nothing", of("", "", ""), []string{at + "specReplicasPath: Required value", at + "statusReplicasPath: Required value"}},
		{"CVL-053 elsewhere", of(".spec", ".statusx.a", ".metadata.x<"), []string{
			at + `specReplicasPath: Invalid value: ".spec": should be a json path under .spec`,
			at + `statusReplicasPath: Invalid value: ".statusx.a": should be a json path under .status`,
			at + `labelSelectorPath: Invalid value: ".metadata.x\u003c": should be a json path under either .spec or .status`,
		}},
		{"CVL-053 no dot", of("spec.a", "status.a", "x<"), []string{
			at + `specReplicasPath: Invalid value: "spec.a": must be a simple json path starting with .`,
			at + `statusReplicasPath: Invalid value: "status.a": must be a simple json path starting with .`,
			at + `labelSelectorPath: Invalid value: "x<": must be a simple json path starting with .`,
		}},
	})
}

func TestSelectableFields(t *testing.T) {
	const (
		schema = `{type: object, properties: {
			metadata: {type: object, properties: {name: {type: string}}},
			spec: {type: object, properties: {
				a: {type: string}, b: {type: boolean}, c: {type: integer}, d: {type: number}, e: {x-kubernetes-int-or-string: true},
				any: {type: object, additionalProperties: true}, map: {type: object, additionalProperties: {type: string}},
				list: {type: array, items: {type: object, properties: {x: {type: string}}}}}}}}`
		at       = "spec.selectableFields"
		bad      = "is an invalid path: does not refer to a valid field"
		kind     = "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."
		excluded = "spec.versions[0].selectableFields: Invalid value: \"\": may only be set when `version.schema.openAPIV3Schema` is not included"
		eight    = `{jsonPath: .spec.map.a}, {jsonPath: .spec.map.b}, {jsonPath: .spec.map.c}, {jsonPath: .spec.map.d}, {jsonPath: .spec.map.e}, {jsonPath: .spec.map.f}, {jsonPath: .spec.map.g}, {jsonPath: .spec.map.h}`
	)
	of := func(fields string) change {
		return change{schema: schema, version: `{selectableFields: [` + fields + `]}`}
	}
	requireRows(t, []row{
		{"CVL-056 fields", of(`{jsonPath: .spec.a}, {jsonPath: .spec.b}, {jsonPath: .spec.c}, {jsonPath: .spec.map.k}`), nil},
		{"CVL-056 wrong fields", of(`{}, {jsonPath: .kind}, {jsonPath: spec.a}, {jsonPath: ".spec['a']"}, {jsonPath: .spec.list.x}, {jsonPath: ..spec}`), []string{
			at + `[0].jsonPath: Required value`,
			at + `[1].jsonPath: Invalid value: ".kind": ` + bad,
			at + `[2].jsonPath: Invalid value: "spec.a": is an invalid path: expected [ or . but got: spec`,
			at + `[3].jsonPath: Invalid value: ".spec['a']": is an invalid path: array notation is not allowed`,
			at + `[4].jsonPath: Invalid value: ".spec.list.x": ` + bad,
			at + `[5].jsonPath: Invalid value: "..spec": ` + bad,
		}},
		{"CVL-056 what may not be selected, and twice the same", of(`{jsonPath: .metadata.name}, {jsonPath: .metadata}, {jsonPath: .spec.d}, {jsonPath: .spec.e}, {jsonPath: .spec.any.x}, {jsonPath: .spec.e}`), []string{
			at + `[0].jsonPath: Invalid value: ".metadata.name": must not point to fields in metadata`,
			at + `[1].jsonPath: Invalid value: ".metadata": must not point to fields in metadata`,
			at + `[1].jsonPath: Invalid value: ".metadata": ` + kind,
			at + `[2].jsonPath: Invalid value: ".spec.d": ` + kind,
			at + `[3].jsonPath: Invalid value: ".spec.e": ` + kind,
			at + `[4].jsonPath: Invalid value: ".spec.any.x": ` + kind,
			at + `[5].jsonPath: Invalid value: ".spec.e": ` + kind,
			at + `[5].jsonPath: Duplicate value: ".spec.e"`,
		}},
		{"CVL-057 eight, the same twice", of(eight + `, {jsonPath: .spec.map.a}`), []string{at + `[8].jsonPath: Duplicate value: ".spec.map.a"`}},
		{"CVL-057 nine", of(eight + `, {jsonPath: .spec.a}`), []string{at + `: Too many: 9: must have at most 8 items`}},
		{"CVL-055 same schemas, other fields", change{spec: `{versions: [
			{name: v1, served: true, storage: true, schema: {openAPIV3Schema: ` + schema + `}, selectableFields: [{jsonPath: .spec.a}]},
			{name: v2, served: true, schema: {openAPIV3Schema: ` + schema + `}}]}`}, []string{excluded}},
		{"CVL-055 other schemas, same fields", change{spec: `{versions: [
			{name: v1, served: true, storage: true, schema: {openAPIV3Schema: ` + schema + `}, selectableFields: [{jsonPath: .spec.a}]},
			{name: v2, served: true, schema: {openAPIV3Schema: {type: object}}, selectableFields: [{jsonPath: .spec.a}]}]}`}, []string{
			`spec.selectableFields: Invalid value: "": may only be set when validations.schema is included`,
		}},
		{"CVL-055 all different", change{spec: `{versions: [
			{name: v1, served: true, storage: true, schema: {openAPIV3Schema: ` + schema + `}, selectableFields: [{jsonPath: .spec.a}]},
			{name: v2, served: true, schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}, selectableFields: [{jsonPath: .b}]}]}`}, []string{
			`spec.versions[1].selectableFields[0].jsonPath: Invalid value: ".b": ` + bad,
		}},
		{"CVL-054 a schema that cannot be compiled, each path empty", change{
			schema: `{type: object, definitions: {a: {}}}`, version: `{selectableFields: [{}]}`,
		}, []string{
			`P.definitions: Forbidden: definitions is not supported`,
			`spec.schema.openAPIV3Schema: Invalid value: "": OpenAPIV3Schema 'definitions' is not supported`,
			at + `[0].jsonPath: Required value`,
		}},
		{"CVL-054 a schema that is not structural is looked into", change{
			schema: `{type: object, properties: {a: {}, b: {type: string}}}`, version: `{selectableFields: [{jsonPath: .a}, {jsonPath: .b}]}`,
		}, []string{
			`P.properties[a].type: Required value: must not be empty for specified object fields`,
			at + `[0].jsonPath: Invalid value: ".a": ` + kind,
		}},
	})
}

// JPV-003, PAN-001, PAN-002: where a server crashes, the path is invalid.
func TestSelectableFieldsWithoutSchema(t *testing.T) {
	const bad = "is an invalid path: does not refer to a valid field"
	requireRows(t, []row{
		{"below additionalProperties: true", change{
			schema: `{type: object, properties: {spec: {type: object, additionalProperties: true}}}`, version: `{selectableFields: [{jsonPath: .spec.a.b}]}`,
		}, []string{`spec.selectableFields[0].jsonPath: Invalid value: ".spec.a.b": ` + bad}},
		{"no schema", change{version: `{schema: {openAPIV3Schema: null}, selectableFields: [{jsonPath: .spec}]}`}, []string{
			`spec.versions[0].schema.openAPIV3Schema: Required value`,
			`spec.selectableFields[0].jsonPath: Invalid value: ".spec": ` + bad,
		}},
		{"a schema that cannot be compiled", change{
			schema: `{type: object, $schema: x, properties: {a: {type: string}}}`, version: `{selectableFields: [{jsonPath: .a}]}`,
		}, []string{
			`P: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`,
			`spec.schema.openAPIV3Schema: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`,
			`spec.selectableFields[0].jsonPath: Invalid value: ".a": ` + bad,
		}},
	})
}
