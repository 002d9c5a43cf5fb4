package crdcheck_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wholeSchema is what an error prints for a schema: EMD-003.
func wholeSchema(set map[string]string) string {
	fields := strings.Fields(`ID="" Schema="" Ref=null Description="" Type="" Nullable=false Format="" Title="" Default=null Maximum=null ` +
		`ExclusiveMaximum=false Minimum=null ExclusiveMinimum=false MaxLength=null MinLength=null Pattern="" MaxItems=null MinItems=null ` +
		`UniqueItems=false MultipleOf=null Enum=null MaxProperties=null MinProperties=null Required=null Items=null AllOf=null OneOf=null ` +
		`AnyOf=null Not=null Properties=null AdditionalProperties=null PatternProperties=null Dependencies=null AdditionalItems=null ` +
		`Definitions=null ExternalDocs=null Example=null XPreserveUnknownFields=null XEmbeddedResource=false XIntOrString=false ` +
		`XListMapKeys=null XListType=null XMapType=null XValidations=null`)
	for i, f := range fields {
		name, zero, _ := strings.Cut(f, "=")
		if v, ok := set[name]; ok {
			zero = v
		}
		fields[i] = `"` + name + `":` + zero
	}
	return "{" + strings.Join(fields, ",") + "}"
}

const rootFields = "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern MaxItems " +
	"MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] fields are allowed at " +
	"the root of the schema if the status subresource is enabled"

func TestRootWithStatus(t *testing.T) {
	const object = `only "object" is allowed as the type at the root of the schema if the status subresource is enabled`
	of := func(schema string) change { return change{version: `{subresources: {status: {}}}`, schema: schema} }
	forbidden := func(schema map[string]string) string {
		return `P: Invalid value: ` + wholeSchema(schema) + `: ` + rootFields
	}
	requireRows(t, []row{
		{"SCH-003 what is allowed", of(`{type: object, description: d, title: t, required: [a], properties: {a: {type: string}}, externalDocs: {url: u}, example: 1, maxLength: 1, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "true"}]}`), nil},
		{"SCH-003 another type", of(`{type: array, items: {type: string}, nullable: true}`), []string{
			`P.type: Invalid value: "array": ` + object,
			`P.nullable: Forbidden: nullable cannot be true at the root`,
			`P.type: Invalid value: "array": must be object at the root`,
		}},
		{"SCH-003 no type passes", of(`{x-kubernetes-preserve-unknown-fields: true}`), nil},
		{"SCH-003 what stands before the type goes first", of(`{$ref: "", type: array, items: {type: string}}`), []string{
			forbidden(map[string]string{"Ref": `""`, "Type": `"array"`, "Items": `{"Schema":` + wholeSchema(map[string]string{"Type": `"string"`}) + `,"JSONSchemas":null}`}),
			`P.type: Invalid value: "array": must be object at the root`,
			`P.$ref: Forbidden: $ref is not supported`,
		}},
		{"SCH-003 an empty list is one", of(`{type: object, allOf: []}`), []string{forbidden(map[string]string{"Type": `"object"`, "AllOf": "[]"})}},
		{"SCH-003 only the first is told", of(`{type: object, minProperties: 1, maxProperties: 2, x-kubernetes-map-type: atomic}`), []string{
			forbidden(map[string]string{"Type": `"object"`, "MinProperties": "1", "MaxProperties": "2", "XMapType": `"atomic"`}),
		}},
		{"SCH-004 nullable, without a status", change{schema: `{type: object, nullable: true}`}, []string{
			`P.nullable: Forbidden: nullable cannot be true at the root`,
		}},
	})
	for _, key := range []string{
		`enum: [{}]`, `default: {apiVersion: v1, kind: Lamp}`, `oneOf: []`, `anyOf: []`, `not: {}`, `x-kubernetes-list-map-keys: []`, `maxProperties: 1`,
	} {
		t.Run("SCH-003 "+key, func(t *testing.T) {
			c := of(`{type: object, ` + key + `}`)
			errs := errorsOf(t, c.document(t), nil)
			require.Len(t, errs, 1)
			require.Contains(t, errs[0], rootFields)
			require.Empty(t, errorsOf(t, change{schema: c.schema}.document(t), nil), "without a status")
		})
	}
}

// SCH-002: whose status counts.
func TestStatusOfVersions(t *testing.T) {
	const enabled, bad = `subresources: {status: {}}`, `{type: object, maxProperties: 1}`
	versions := func(first, second string) change {
		return change{spec: `{versions: [
			{name: v1, served: true, storage: true, ` + first + `}, {name: v2, ` + second + `}]}`}
	}
	check := func(name string, c change, fields ...string) {
		t.Run(name, func(t *testing.T) {
			var want []string
			for _, f := range fields {
				want = append(want, f+`: Invalid value: `+wholeSchema(map[string]string{"Type": `"object"`, "MaxProperties": "1"})+`: `+rootFields)
			}
			requireErrors(t, c.document(t), nil, want...)
		})
	}
	same := `schema: {openAPIV3Schema: ` + bad + `}`
	check("the same schema, one has a status", versions(same, same+`, `+enabled), "spec.validation.openAPIV3Schema")
	check("the same schema, none has", versions(same, same))
	other := `schema: {openAPIV3Schema: {type: object}}`
	check("its own schema, and no status of its own", versions(same, other+`, `+enabled))
	check("its own schema, and a status of its own", versions(same+`, `+enabled, other), "spec.versions[0].schema.openAPIV3Schema")
	check("its own schema, and a status of all", versions(same+`, `+enabled, other+`, `+enabled), "spec.versions[0].schema.openAPIV3Schema")
}

func TestStructural(t *testing.T) {
	requireRows(t, []row{
		{"SCH-001 violations, then keywords", change{schema: `{type: object, properties: {b: {}, a: {type: string, uniqueItems: true}}}`}, []string{
			`P.properties[b].type: Required value: must not be empty for specified object fields`,
			`P.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
		}},
		{"SCH-001 what cannot be compiled hides the violations", change{schema: `{properties: {b: {x-kubernetes-preserve-unknown-fields: false}}}`}, []string{
			`P.properties[b].x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`,
		}},
		{"SCH-011 $schema is told only if nothing else is", change{schema: `{type: object, $schema: x}`}, []string{
			`P: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`,
		}},
		{"SCH-011 else it is not", change{schema: `{type: object, $schema: x, id: x}`}, []string{`P.id: Forbidden: id is not supported`}},
		{"SCH-011 nor behind the nullable of its own root", change{schema: `{type: object, $schema: x, nullable: true}`}, []string{
			`P.nullable: Forbidden: nullable cannot be true at the root`,
		}},
		{"SCH-044 formats are no errors, patterns are", change{schema: `{type: object, properties: {a: {type: string, format: foo, pattern: "("}}}`}, []string{
			"P.properties[a].pattern: Invalid value: \"(\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`",
		}},
		{"SCH-045 what passed the rest can be a validator", change{schema: `{type: object, properties: {a: {type: integer, format: foo, minLength: -1, enum: [null, x]}}}`}, nil},
		{"DFV-003 the defaults of a structural schema, SCH-042 whose rules are not compiled then", change{
			schema: `{type: object, properties: {a: {type: integer, default: x}, b: {type: integer, x-kubernetes-validations: [{rule: nope}]}}}`,
		}, []string{
			`P.properties[a].default: Invalid value: "string":  in body must be of type integer: "string"`,
		}},
		{"SCH-042 rules come last, DFV-003 if there is nothing to say about the defaults", change{
			schema: `{type: object, properties: {a: {type: integer, x-kubernetes-validations: [{rule: "self"}]}, b: {type: string, uniqueItems: true}}}`,
		}, []string{
			`P.properties[b].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
			`P.properties[a].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool`,
		}},
		{"CWH-003 not at a node with an error, or above one", change{
			schema: `{type: object, x-kubernetes-validations: [{rule: self}], properties: {
				a: {type: array, items: {type: object, additionalProperties: {type: string, uniqueItems: true}, x-kubernetes-validations: [{rule: self}]}},
				b: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, x-kubernetes-validations: [{rule: self}],
					properties: {k: {type: integer, x-kubernetes-validations: [{rule: self}]}}}}}}`,
		}, []string{
			`P.properties[a].items.additionalProperties.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
			`P.properties[b].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
			// The error about the key is that of the list.
			`P.properties[b].items.properties[k].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool`,
			`P.properties[b].items.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool`,
		}},
		{"SCH-043 oldSelf, PRE-003 optionalOldSelf is not dropped", change{
			schema: `{type: object, properties: {a: {type: array, maxItems: 2, items: {type: object, properties: {b: {type: string, maxLength: 2, x-kubernetes-validations: [{rule: self == oldSelf}, {rule: "true", optionalOldSelf: true}]}}}}}}`,
		}, []string{
			`P.properties[a].items.properties[b].x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within P.properties[a]`,
			`P.properties[a].items.properties[b].x-kubernetes-validations[1].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
		}},
	})
}

func TestKeywords(t *testing.T) {
	const meta = `inside additionalProperties applying to object metadata`
	requireRows(t, []row{
		{"SCH-009 types", change{schema: `{type: object, properties: {a: {type: foo}, b: {type: "null"}}}`}, []string{
			`P.properties[a].type: Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"`,
			`P.properties[b].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", "object", "string"`,
			`P.properties[b].type: Forbidden: type cannot be set to null, use nullable as an alternative`,
		}},
		{"SCH-010 forbidden keywords, in this order", change{
			schema: `{type: object, properties: {a: {type: array, $ref: "", dependencies: {}, definitions: {a: {}}, patternProperties: {a: {}}, additionalItems: false, id: x, items: [{type: string}]}}}`,
		}, []string{
			`P.properties[a].id: Forbidden: id is not supported`,
			`P.properties[a].additionalItems: Forbidden: additionalItems is not supported`,
			`P.properties[a].patternProperties: Forbidden: patternProperties is not supported`,
			`P.properties[a].definitions: Forbidden: definitions is not supported`,
			`P.properties[a].dependencies: Forbidden: dependencies is not supported`,
			`P.properties[a].$ref: Forbidden: $ref is not supported`,
			`P.properties[a].items: Forbidden: items must be a schema object and not an array`,
		}},
		{"SCH-010 empty ones", change{schema: `{type: object, properties: {a: {type: string, definitions: {}, patternProperties: {}, id: "", items: []}}}`}, nil},
		{"SCH-014 uniqueItems, and properties beside additionalProperties", change{
			schema: `{type: object, properties: {
				a: {type: object, uniqueItems: true, properties: {a: {type: string}}, additionalProperties: false},
				b: {type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}}}`,
		}, []string{
			`P.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
			`P.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
			`P.properties[b].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
		}},
		{"SCH-014 what does not exclude each other", change{
			schema: `{type: object, properties: {
				a: {type: object, properties: {a: {type: string}}, additionalProperties: true},
				b: {type: object, properties: {}, additionalProperties: {type: string}}, c: {type: object, additionalProperties: false}}}`,
		}, nil},
		{"SCH-012 defaults of what every object has", change{
			schema: `{type: object, properties: {
				apiVersion: {type: string, default: v1}, kind: {type: string, default: K},
				metadata: {type: object, default: {}, properties: {name: {type: string, default: a}}}}}`,
		}, []string{
			`P.properties[apiVersion].default: Forbidden: must not be set in top-level apiVersion`,
			`P.properties[kind].default: Forbidden: must not be set in top-level kind`,
			`P.properties[metadata].default: Forbidden: must not be set in top-level metadata`,
			`P.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata`,
		}},
		{"SCH-012 defaults in the metadata of an embedded resource", change{
			schema: `{type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true, properties: {
				metadata: {type: object, properties: {name: {type: string, default: a}, labels: {type: object, additionalProperties: {type: string, default: a}}}}}}}}`,
		}, []string{
			`P.properties[a].properties[metadata].properties[labels].additionalProperties.default: Forbidden: must not be set ` + meta,
		}},
		{"SCH-013 resources in metadata", change{
			schema: `{type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true, properties: {
				metadata: {type: object, properties: {e: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}}}}}`,
		}, []string{
			`P.properties[a].properties[metadata].properties[e].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta`,
		}},
		{"SCH-006 the order of a walk, SCH-007 also in combinators", change{
			schema: `{type: object, properties: {a: {uniqueItems: true, type: foo, items: {id: x}, x-kubernetes-list-type: x,
				anyOf: [{id: x}], oneOf: [{id: x}], allOf: [{id: x}], not: {id: x}, definitions: {d: {id: x}}, dependencies: {d: {id: x}, e: [id]},
				properties: {c: {id: x}, b: {id: x}}, additionalProperties: {id: x}, patternProperties: {p: {id: x}}, additionalItems: {id: x}}}}`,
		}, []string{
			`P.properties[a].type: Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"`,
			`P.properties[a].additionalItems: Forbidden: additionalItems is not supported`,
			`P.properties[a].patternProperties: Forbidden: patternProperties is not supported`,
			`P.properties[a].definitions: Forbidden: definitions is not supported`,
			`P.properties[a].dependencies: Forbidden: dependencies is not supported`,
			`P.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
			`P.properties[a].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`,
			`P.properties[a].additionalProperties.id: Forbidden: id is not supported`,
			`P.properties[a].properties[b].id: Forbidden: id is not supported`,
			`P.properties[a].properties[c].id: Forbidden: id is not supported`,
			`P.properties[a].not.id: Forbidden: id is not supported`,
			`P.properties[a].allOf[0].id: Forbidden: id is not supported`,
			`P.properties[a].oneOf[0].id: Forbidden: id is not supported`,
			`P.properties[a].anyOf[0].id: Forbidden: id is not supported`,
			`P.properties[a].definitions[d].id: Forbidden: id is not supported`,
			`P.properties[a].items.id: Forbidden: id is not supported`,
			`P.properties[a].dependencies[d].id: Forbidden: id is not supported`,
			`P.properties[a].type: Invalid value: "foo": must be array if x-kubernetes-list-type is specified`,
			`P.properties[a].x-kubernetes-list-type: Unsupported value: "x": supported values: "atomic", "set", "map"`,
		}},
		{"SCH-006 a single dependency, definition or pattern", change{
			schema: `{type: object, properties: {a: {type: object, dependencies: {d: {id: x}}}, b: {type: object, definitions: {d: {id: x}}},
				c: {type: object, patternProperties: {p: {id: x}}}}}`,
		}, []string{
			`P.properties[a].dependencies: Forbidden: dependencies is not supported`,
			`P.properties[a].dependencies[d].id: Forbidden: id is not supported`,
			`P.properties[b].definitions: Forbidden: definitions is not supported`,
			`P.properties[b].definitions[d].id: Forbidden: id is not supported`,
			`P.properties[c].patternProperties: Forbidden: patternProperties is not supported`,
		}},
		{"SCH-006 items in a list", change{schema: `{type: object, properties: {a: {type: array, items: [{id: x}, {type: foo}]}}}`}, []string{
			`P.properties[a].items: Forbidden: items must be a schema object and not an array`,
			`P.properties[a].items[0].id: Forbidden: id is not supported`,
			`P.properties[a].items[1].type: Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"`,
		}},
		{"EMD-004 odd names", change{schema: `{type: object, properties: {"a.b/c[0]": {type: string, id: x}, "": {type: string, id: x}}}`}, []string{
			`P.properties[].id: Forbidden: id is not supported`,
			`P.properties[a.b/c[0]].id: Forbidden: id is not supported`,
		}},
	})
}

func TestListsAndMaps(t *testing.T) {
	const (
		a    = "P.properties[a]."
		keys = a + "x-kubernetes-list-map-keys: "
	)
	of := func(schema string) change { return change{schema: `{type: object, properties: {a: {` + schema + `}}}`} }
	list := func(rest string) change { return of(`type: array, x-kubernetes-list-type: map, ` + rest) }
	requireRows(t, []row{
		{"SCH-020", of(`type: object, x-kubernetes-preserve-unknown-fields: false`), []string{
			a + `x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`,
		}},
		{"SCH-021 map-type, no type", of(`x-kubernetes-int-or-string: true, x-kubernetes-map-type: ""`), []string{
			a + `type: Required value: must be object if x-kubernetes-map-type is specified`,
			a + `x-kubernetes-map-type: Unsupported value: "": supported values: "atomic", "granular"`,
		}},
		{"SCH-021 map-type, another type", of(`type: string, x-kubernetes-map-type: granular`), []string{
			a + `type: Invalid value: "string": must be object if x-kubernetes-map-type is specified`,
		}},
		{"SCH-022 list-type", of(`type: string, x-kubernetes-list-type: list`), []string{
			a + `type: Invalid value: "string": must be array if x-kubernetes-list-type is specified`,
			a + `x-kubernetes-list-type: Unsupported value: "list": supported values: "atomic", "set", "map"`,
		}},
		{"SCH-022 no type", of(`x-kubernetes-preserve-unknown-fields: true, x-kubernetes-list-type: atomic`), []string{
			a + `type: Required value: must be array if x-kubernetes-list-type is specified`,
		}},
		{"SCH-023 a set of lists", of(`type: array, x-kubernetes-list-type: set, items: {type: array, x-kubernetes-list-type: set, items: {type: string}}`), []string{
			a + `items.x-kubernetes-list-type: Invalid value: "set": must be atomic as item of a list with x-kubernetes-list-type=set`,
		}},
		{"SCH-023 a set of objects, the value is the other type", of(`type: array, x-kubernetes-list-type: set, items: {type: object}`), []string{
			a + `items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
		}},
		{"SCH-023 sets of what is a whole", of(`type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic}`), nil},
		{"SCH-023 a list is atomic if it does not say otherwise", of(`type: array, x-kubernetes-list-type: set, items: {type: array, items: {type: string}}`), nil},
		{"SCH-030 keys, no list-type", of(`type: array, items: {type: string}, x-kubernetes-list-map-keys: [k]`), []string{
			a + `x-kubernetes-list-type: Required value: must be map if x-kubernetes-list-map-keys is non-empty`,
		}},
		{"SCH-030 keys of a set", of(`type: array, items: {type: string}, x-kubernetes-list-type: set, x-kubernetes-list-map-keys: [k]`), []string{
			a + `x-kubernetes-list-type: Invalid value: "set": must be map if x-kubernetes-list-map-keys is non-empty`,
		}},
		{"SCH-031 no keys, no items", list(`x-kubernetes-list-map-keys: []`), []string{
			a + `items: Required value: must be specified`,
			keys + `Required value: must not be empty if x-kubernetes-list-type is map`,
			a + `items: Required value: must have a schema if x-kubernetes-list-type is map`,
		}},
		{"SCH-031 items that are none", list(`x-kubernetes-list-map-keys: [k], items: true`), []string{
			a + `items: Required value: must be specified`,
			a + `items: Invalid value: {"Schema":null,"JSONSchemas":null}: must only have a single schema if x-kubernetes-list-type is map`,
		}},
		{"SCH-031 items that are no objects", list(`x-kubernetes-list-map-keys: [k], items: {type: string}`), []string{
			a + `items.type: Invalid value: "string": must be object if parent array's x-kubernetes-list-type is map`,
		}},
		{"SCH-032 keys", list(`x-kubernetes-list-map-keys: [x, k, l, k], items: {type: object, required: [k, l], properties: {k: {type: string}, l: {type: array, items: {type: string}}}}`), []string{
			keys + `Invalid value: ["x","k","l","k"]: entries must all be names of item properties`,
			a + `items.properties[l].type: Invalid value: "object": must be a scalar type if parent array's x-kubernetes-list-type is map`,
			keys + `Invalid value: ["x","k","l","k"]: must not contain duplicate entries`,
		}},
		{"SCH-032 a key without a type", list(`x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {x-kubernetes-int-or-string: true}}}`), nil},
		{"SCH-033 items and keys that may be null or missing", list(`x-kubernetes-list-map-keys: [k, l], items: {type: object, nullable: true, anyOf: [{required: [k]}], required: [l], properties: {k: {type: string, nullable: true}, l: {type: string}}}`), []string{
			a + `items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is map`,
			a + `items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
			a + `items.properties[k].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable`,
		}},
		{"SCH-033 a key with a default", list(`x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string, default: x}}}`), nil},
		{"DFV-009 null is none", list(`x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string, default: null}}}`), []string{
			a + `items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
		}},
		{"SCH-033 a set", of(`type: array, x-kubernetes-list-type: set, items: {type: string, nullable: true}`), []string{
			a + `items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set`,
		}},
	})
}

// STC-003: the fieldPath of a rule is not looked up in a schema that has what no structural schema can say, however
// little.
func TestRuleSyntaxOutsideStructure(t *testing.T) {
	for _, r := range []struct{ keyword, want string }{
		{"dependencies: {b: [any]}", "dependencies: Forbidden: dependencies is not supported"},
		{"definitions: {b: {}}", "definitions: Forbidden: definitions is not supported"},
		{"patternProperties: {b: {}}", "patternProperties: Forbidden: patternProperties is not supported"},
		{"additionalItems: true", "additionalItems: Forbidden: additionalItems is not supported"},
		{"$ref: x", "$ref: Forbidden: $ref is not supported"},
		{"id: x", "id: Forbidden: id is not supported"},
		{"items: [{type: string}]", "items: Forbidden: items must be a schema object and not an array"},
		{"x-kubernetes-preserve-unknown-fields: false", "x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined"},
		{"not: {id: x}", "not.id: Forbidden: id is not supported"},
		{"allOf: [{id: x}]", "allOf[0].id: Forbidden: id is not supported"},
		{"anyOf: [{id: x}]", "anyOf[0].id: Forbidden: id is not supported"},
		{"oneOf: [{id: x}]", "oneOf[0].id: Forbidden: id is not supported"},
		{"items: {id: x}", "items.id: Forbidden: id is not supported"},
		{"additionalProperties: {id: x}", "additionalProperties.id: Forbidden: id is not supported"},
		{"properties: {b: {id: x}}", "properties[b].id: Forbidden: id is not supported"},
	} {
		requireRows(t, []row{{r.keyword, change{schema: `{type: object, properties: {a: {type: object, ` + r.keyword +
			`, x-kubernetes-validations: [{rule: "true", fieldPath: .zz}]}}}`}, []string{"P.properties[a]." + r.want}}})
	}
}

func TestRuleSyntax(t *testing.T) {
	const at = "P.properties[a].x-kubernetes-validations[0]."
	of := func(rule string) change {
		return change{schema: `{type: object, properties: {a: {type: object, properties: {b: {type: string}, any: {type: object, additionalProperties: true}}, x-kubernetes-validations: [{` + rule + `}]}}}`}
	}
	requireRows(t, []row{
		{"SCH-040 no rule", of(`rule: " ", message: " "`), []string{at + `rule: Required value: rule is not specified`}},
		{"SCH-040 line breaks", of(`rule: "true\n&& true"`), []string{at + `message: Required value: message must be specified if rule contains line breaks`}},
		{"SCH-041 together", of(`rule: "true", messageExpression: " ", reason: "", fieldPath: ".b\n"`), []string{
			at + `messageExpression: Required value: messageExpression must be non-empty if specified`,
			at + `reason: Unsupported value: "": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
			at + `fieldPath: Invalid value: ".b\n": must not contain line breaks`,
			at + `fieldPath: Invalid value: ".b\n": must be a valid path`,
		}},
		{"SCH-041 a path", of(`rule: "true", fieldPath: "['b']"`), nil},
		{"SCH-041 no path", of(`rule: "true", fieldPath: .c`), []string{at + `fieldPath: Invalid value: ".c": must be a valid path`}},
		{"SCH-006 behind the keys of a list, SCH-007 also in combinators", change{
			schema: `{type: object, allOf: [{x-kubernetes-list-type: x, x-kubernetes-validations: [{rule: ""}]}]}`,
		}, []string{
			`P.allOf[0].x-kubernetes-list-type: Forbidden: must be undefined to be structural`,
			`P.allOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural`,
			`P.allOf[0].type: Required value: must be array if x-kubernetes-list-type is specified`,
			`P.allOf[0].x-kubernetes-list-type: Unsupported value: "x": supported values: "atomic", "set", "map"`,
			`P.allOf[0].x-kubernetes-validations[0].rule: Required value: rule is not specified`,
		}},
		{"SCH-041 a schema that cannot be compiled is not looked into, one beside it is", change{
			schema: `{type: object, x-kubernetes-validations: [{rule: "true", fieldPath: .x}], properties: {
				a: {type: object, $ref: x, x-kubernetes-validations: [{rule: "true", fieldPath: .x}]},
				b: {type: object, x-kubernetes-validations: [{rule: "true", fieldPath: .x}]}}}`,
		}, []string{
			`P.properties[a].$ref: Forbidden: $ref is not supported`,
			`P.properties[b].x-kubernetes-validations[0].fieldPath: Invalid value: ".x": must be a valid path`,
		}},
	})
	requireRows(t, []row{
		{"JPV-003 a path below additionalProperties: true", of(`rule: "true", fieldPath: .any.x.y`), []string{
			at + `fieldPath: Invalid value: ".any.x.y": must be a valid path`,
		}},
	})
}
