package schema_test

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// Each schema is written as YAML. The expected errors are complete and in order, with P before each path.
var structuralCases = []struct {
	name   string
	schema string
	want   string
}{
	{"structural: every keyword that may stand in a node", `{type: object, description: d, title: t, nullable: true, default: {}, externalDocs: {url: u}, example: 1,
		x-kubernetes-map-type: atomic, x-kubernetes-validations: [{rule: "true"}], required: [a], minProperties: 1,
		properties: {a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}}}}}}`, ``},
	{"structural: every keyword that may stand in a branch", `{type: object, properties: {a: {type: string}, l: {type: array, items: {type: integer}}},
		anyOf: [{externalDocs: {url: u}, example: 1, required: [x], properties: {a: {format: date, pattern: b, maxLength: 1, minLength: 1, enum: [a]}}}],
		not: {properties: {l: {maxItems: 1, minItems: 1, uniqueItems: true, items: {maximum: 1, exclusiveMaximum: true, multipleOf: 2}}}, maxProperties: 1}}`, ``},

	// STC-003: what the compiled form has no place for. Only the first is reported, with the path of the schema.
	{"STC-003 id", `{id: i, type: bogus}`, `P: Invalid value: "": OpenAPIV3Schema 'id' is not supported`},
	{"STC-003 $schema (SCH-011)", `{$schema: s}`, `P: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`},
	{"STC-003 $ref", `{$ref: r}`, `P: Invalid value: "": OpenAPIV3Schema '$ref' is not supported`},
	{"STC-003 patternProperties", `{patternProperties: {a: {}}}`, `P: Invalid value: "": OpenAPIV3Schema 'patternProperties' is not supported`},
	{"STC-003 dependencies", `{dependencies: {a: [b]}}`, `P: Invalid value: "": OpenAPIV3Schema 'dependencies' is not supported`},
	{"STC-003 additionalItems, even false", `{additionalItems: false}`, `P: Invalid value: "": OpenAPIV3Schema 'additionalItems' is not supported`},
	{"STC-003 definitions", `{definitions: {a: {}}}`, `P: Invalid value: "": OpenAPIV3Schema 'definitions' is not supported`},
	{"STC-003 items that are a list", `{type: object, properties: {a: {items: [{}]}}}`, `P: Invalid value: "": OpenAPIV3Schema 'items' must be a schema, but is an array`},
	{"STC-003 preserve-unknown-fields false", `{type: object, x-kubernetes-preserve-unknown-fields: false}`,
		`P: Invalid value: "": internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined`},
	{"STC-003 empty values are fine", `{type: object, id: "", $schema: "", $ref: "", patternProperties: {}, dependencies: {}, definitions: {}, x-kubernetes-preserve-unknown-fields: null}`, ``},
	{"STC-003 order of keys in one schema", `{definitions: {a: {}}, additionalItems: true, dependencies: {a: [b]}, patternProperties: {a: {}}, $ref: r}`,
		`P: Invalid value: "": OpenAPIV3Schema '$ref' is not supported`},
	{"STC-003 not before allOf", `{allOf: [{id: i}], not: {$ref: r}}`, `P: Invalid value: "": OpenAPIV3Schema '$ref' is not supported`},
	{"STC-003 allOf before anyOf", `{anyOf: [{id: i}], allOf: [{}, {$ref: r}]}`, `P: Invalid value: "": OpenAPIV3Schema '$ref' is not supported`},
	{"STC-003 anyOf before oneOf", `{oneOf: [{id: i}], anyOf: [{$ref: r}]}`, `P: Invalid value: "": OpenAPIV3Schema '$ref' is not supported`},
	{"STC-003 oneOf before preserve-unknown-fields", `{x-kubernetes-preserve-unknown-fields: false, oneOf: [{id: i}]}`, `P: Invalid value: "": OpenAPIV3Schema 'id' is not supported`},
	{"STC-003 preserve-unknown-fields before items", `{items: {id: i}, x-kubernetes-preserve-unknown-fields: false}`,
		`P: Invalid value: "": internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined`},
	{"STC-003 items before properties", `{properties: {a: {id: i}}, items: {$ref: r}}`, `P: Invalid value: "": OpenAPIV3Schema '$ref' is not supported`},
	{"STC-003 properties by name", `{properties: {c: {id: i}, b: {$ref: r}, a: {}, d: {$schema: s}}}`, `P: Invalid value: "": OpenAPIV3Schema '$ref' is not supported`},
	{"STC-003 properties before additionalProperties", `{additionalProperties: {id: i}, properties: {a: {$ref: r}}}`, `P: Invalid value: "": OpenAPIV3Schema '$ref' is not supported`},
	{"STC-003 inside additionalProperties", `{additionalProperties: {not: {additionalProperties: {id: i}}}}`, `P: Invalid value: "": OpenAPIV3Schema 'id' is not supported`},

	{"SVL-001 sorted by text", `{type: object, properties: {b: {}, a: {type: array}, c: {x-kubernetes-int-or-string: true, x-kubernetes-preserve-unknown-fields: true}}}`, `
		P.properties[a].items: Required value: must be specified
		P.properties[b].type: Required value: must not be empty for specified object fields
		P.properties[c].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true`},

	{"SVL-002 SVL-003 a missing type at each level", `{properties: {a: {type: array, items: {}}, b: {type: object, additionalProperties: {}}}}`, `
		P.properties[a].items.type: Required value: must not be empty for specified array items
		P.properties[b].additionalProperties.type: Required value: must not be empty for specified object fields
		P.type: Required value: must not be empty at the root`},
	{"SVL-003 null is an empty schema (CDC-002)", `{type: object, properties: {a: null}, allOf: [null]}`, `P.properties[a].type: Required value: must not be empty for specified object fields`},
	{"SVL-003 nullable and other extensions do not excuse a missing type", `{type: object, properties: {a: {nullable: true, x-kubernetes-list-type: set, x-kubernetes-map-type: atomic}}}`,
		`P.properties[a].type: Required value: must not be empty for specified object fields`},
	{"SVL-003 preserve-unknown-fields excuses it", `{x-kubernetes-preserve-unknown-fields: true, properties: {a: {x-kubernetes-preserve-unknown-fields: true}}}`, ``},
	{"SVL-003 int-or-string excuses it", `{x-kubernetes-int-or-string: true, properties: {a: {x-kubernetes-int-or-string: true}}}`, ``},
	{"SVL-003 the root is an object", `{type: string}`, `P.type: Invalid value: "string": must be object at the root`},
	{"SVL-003 embedded without a type", `{type: object, properties: {a: {x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}`,
		`P.properties[a].type: Required value: must be object if x-kubernetes-embedded-resource is true`},
	{"SVL-003 embedded of another type, at the root too", `{type: array, items: {type: string}, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}`, `
		P.type: Invalid value: "array": must be object at the root
		P.type: Invalid value: "array": must be object if x-kubernetes-embedded-resource is true`},

	{"SVL-004 an array has items, whatever it preserves", `{type: object, properties: {a: {type: array, x-kubernetes-preserve-unknown-fields: true}}}`, `P.properties[a].items: Required value: must be specified`},
	{"SVL-004 items that are no schema are none (CDC-010)", `{type: object, properties: {a: {type: array, items: "x"}, b: {type: array, items: []}}}`, `
		P.properties[a].items: Required value: must be specified
		P.properties[b].items: Required value: must be specified`},
	{"SVL-004 items and properties of other types", `{type: object, properties: {a: {type: string, items: {type: string}, properties: {b: {type: string}}}}}`, ``},

	{"SVL-005 additionalProperties at the root", `{type: object, additionalProperties: false}`, `P.additionalProperties: Forbidden: must not be used at the root`},
	{"SVL-005 at an embedded resource", `{type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, additionalProperties: true}}}`,
		`P.properties[a].additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set`},
	{"SVL-005 at both", `{type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, additionalProperties: {type: string}}`, `
		P.additionalProperties: Forbidden: must not be used at the root
		P.additionalProperties: Forbidden: must not be used if x-kubernetes-embedded-resource is set`},
	{"SVL-005 elsewhere", `{type: object, properties: {a: {type: object, additionalProperties: false}, b: {type: object, additionalProperties: {type: array}}}}`,
		`P.properties[b].additionalProperties.items: Required value: must be specified`},

	{"SVL-006 int-or-string with other extensions", `{type: object, properties: {a: {type: object, x-kubernetes-int-or-string: true, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}}}`, `
		P.properties[a].x-kubernetes-embedded-resource: Invalid value: true: must be false if x-kubernetes-int-or-string is true
		P.properties[a].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true`},
	{"SVL-006 int-or-string with any type", `{type: object, properties: {a: {type: boolean, x-kubernetes-int-or-string: true}}}`, ``},

	{"SVL-007 an embedded resource says what it holds", `{type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true, properties: {}}}}`,
		`P.properties[a].properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`},
	{"SVL-007 or preserves it", `{type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true},
		b: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}}}}`, ``},

	{"SVL-008 types of kind, apiVersion and metadata at the root", `{type: object, properties: {kind: {type: integer}, apiVersion: {x-kubernetes-int-or-string: true}, metadata: {type: string}}}`, `
		P.properties[apiVersion].type: Invalid value: "": must be string
		P.properties[kind].type: Invalid value: "integer": must be string
		P.properties[metadata].type: Invalid value: "string": must be object`},
	{"SVL-008 in an embedded resource", `{type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true,
		properties: {kind: {type: object}, apiVersion: {type: string}, metadata: {x-kubernetes-preserve-unknown-fields: true}}}}}`, `
		P.properties[a].properties[kind].type: Invalid value: "object": must be string
		P.properties[a].properties[metadata].type: Invalid value: "": must be object`},
	{"SVL-008 elsewhere the names are free", `{type: object, properties: {a: {type: object, properties: {kind: {type: object}, metadata: {type: string, description: d}}}}}`, ``},

	{"SVL-009 metadata may be declared", `{type: object, properties: {metadata: {type: object, default: {}}}}`, ``},
	{"SVL-009 with name", `{type: object, properties: {metadata: {type: object, properties: {name: {type: string, maxLength: 3, pattern: a, description: d}}}}}`, ``},
	{"SVL-009 with generateName", `{type: object, properties: {metadata: {type: object, properties: {generateName: {type: string, x-kubernetes-validations: [{rule: "true"}]}}}}}`, ``},
	{"SVL-009 with both", `{type: object, properties: {metadata: {type: object, properties: {name: {type: string}, generateName: {type: string}}}}}`, ``},
	{"SVL-009 with nothing in properties, and lists of branches without any (SVT-003)", `{type: object, properties: {metadata: {type: object, properties: {}, enum: [], allOf: [], anyOf: [], oneOf: [], default: null, items: []}}}`, ``},
	{"SVL-009 with another property", `{type: object, properties: {metadata: {type: object, properties: {name: {type: string}, labels: {type: string}}}}}`, metadataRestricted},
	{"SVL-009 with an empty list that counts", `{type: object, properties: {metadata: {type: object, required: []}}}`, metadataRestricted},
	{"SVL-009 with additionalProperties, even false", `{type: object, properties: {metadata: {type: object, additionalProperties: false}}}`, metadataRestricted},
	{"SVL-009 with a description", `{type: object, properties: {metadata: {type: object, description: d}}}`, metadataRestricted},
	{"SVL-009 embedded metadata is free", `{type: object, properties: {a: {type: object, x-kubernetes-embedded-resource: true, properties: {metadata: {type: object, description: d, required: [name], properties: {labels: {type: object}}}}}}}`, ``},

	{"SVL-010 everything that a branch may not have", `{type: object, not: {type: object, title: t, description: d, default: false, nullable: true, additionalProperties: {},
		x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true, x-kubernetes-int-or-string: true,
		x-kubernetes-list-map-keys: [k], x-kubernetes-list-type: "", x-kubernetes-map-type: "", x-kubernetes-validations: [{rule: "true"}]}}`, `
		P.not.additionalProperties: Forbidden: must be undefined to be structural
		P.not.default: Forbidden: must be undefined to be structural
		P.not.description: Forbidden: must be empty to be structural
		P.not.nullable: Forbidden: must be false to be structural
		P.not.title: Forbidden: must be empty to be structural
		P.not.type: Forbidden: must be empty to be structural
		P.not.x-kubernetes-embedded-resource: Forbidden: must be false to be structural
		P.not.x-kubernetes-int-or-string: Forbidden: must be false to be structural
		P.not.x-kubernetes-list-map-keys: Forbidden: must be empty to be structural
		P.not.x-kubernetes-list-type: Forbidden: must be undefined to be structural
		P.not.x-kubernetes-map-type: Forbidden: must be undefined to be structural
		P.not.x-kubernetes-preserve-unknown-fields: Forbidden: must be false to be structural
		P.not.x-kubernetes-validations: Forbidden: must be empty to be structural`},
	{"SVL-010 their empty values", `{type: object, not: {type: "", title: "", description: "", default: null, nullable: false, additionalProperties: false,
		x-kubernetes-embedded-resource: false, x-kubernetes-int-or-string: false, x-kubernetes-list-map-keys: [], x-kubernetes-list-type: null, x-kubernetes-validations: []}}`, ``},
	{"SVL-010 at each depth of each combinator", `{type: object, properties: {a: {type: array, items: {type: object, properties: {b: {type: string}}}}},
		allOf: [{anyOf: [{oneOf: [{not: {title: t}}]}]}], anyOf: [{}, {properties: {a: {title: t}}}], oneOf: [{properties: {a: {items: {properties: {b: {title: t}}}}}}]}`, `
		P.allOf[0].anyOf[0].oneOf[0].not.title: Forbidden: must be empty to be structural
		P.anyOf[1].properties[a].title: Forbidden: must be empty to be structural
		P.oneOf[0].properties[a].items.properties[b].title: Forbidden: must be empty to be structural`},
	{"SVL-010 below a node", `{type: object, properties: {a: {type: array, items: {type: string, not: {type: string}}}}}`, `P.properties[a].items.not.type: Forbidden: must be empty to be structural`},
	{"SVL-010 additionalProperties are not entered", `{type: object, not: {additionalProperties: {title: t, pattern: "("}}}`, `P.not.additionalProperties: Forbidden: must be undefined to be structural`},
	{"SVL-010 additionalProperties true", `{type: object, not: {additionalProperties: true}}`, `P.not.additionalProperties: Forbidden: must be undefined to be structural`},
	{"SVL-010 metadata", `{type: object, properties: {metadata: {type: object}, a: {type: object, not: {properties: {metadata: {}}}}}, not: {properties: {metadata: {}}}}`, `
		P.not.properties[metadata]: Forbidden: must not be specified in a nested context
		P.properties[a].not.properties[metadata]: Forbidden: must not be specified in a nested context`},

	{"SVL-011 anyOf of integer and string", `{type: object, properties: {a: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}}}`, ``},
	{"SVL-011 without the extension", `{type: object, properties: {a: {type: string, anyOf: [{type: integer}, {type: string}]}}}`, ``},
	{"SVL-011 in the first of allOf", `{type: object, properties: {a: {type: string, allOf: [{minLength: 1, anyOf: [{type: integer}, {type: string}]}, {maxLength: 1}]}}}`, ``},
	{"SVL-011 in both places at once", `{type: object, properties: {a: {type: string, anyOf: [{type: integer}, {type: string}], allOf: [{anyOf: [{type: integer}, {type: string}]}]}}}`, ``},
	{"SVL-011 the rest of the first of allOf is checked", `{type: object, properties: {a: {type: string, allOf: [{title: t, anyOf: [{type: integer}, {type: string}]}]}}}`,
		`P.properties[a].allOf[0].title: Forbidden: must be empty to be structural`},
	{"SVL-011 in the second of allOf", `{type: object, properties: {a: {type: string, allOf: [{}, {anyOf: [{type: integer}, {type: string}]}]}}}`, `
		P.properties[a].allOf[1].anyOf[0].type: Forbidden: must be empty to be structural
		P.properties[a].allOf[1].anyOf[1].type: Forbidden: must be empty to be structural`},
	{"SVL-011 the other way round", `{type: object, properties: {a: {type: string, anyOf: [{type: string}, {type: integer}]}}}`, intOrStringRefused},
	{"SVL-011 with a condition", `{type: object, properties: {a: {type: string, anyOf: [{type: integer, minimum: 1}, {type: string}]}}}`, intOrStringRefused},
	{"SVL-011 with an empty list that counts", `{type: object, properties: {a: {type: string, anyOf: [{type: integer}, {type: string, required: []}]}}}`, intOrStringRefused},
	{"SVL-011 with an empty map that counts", `{type: object, properties: {a: {type: string, anyOf: [{type: integer, properties: {}}, {type: string}]}}}`, intOrStringRefused},
	{"SVL-011 with what does not count", `{type: object, properties: {a: {type: string, anyOf: [{type: integer, enum: [], allOf: [], additionalProperties: false, $ref: ""}, {type: string, items: [], definitions: {}, default: null}]}}}`, ``},
	{"SVL-011 with a third", `{type: object, properties: {a: {type: string, anyOf: [{type: integer}, {type: string}, {}]}}}`, intOrStringRefused},
	{"SVL-011 not below a branch", `{type: object, properties: {a: {type: string, not: {anyOf: [{type: integer}, {type: string}]}}}}`, `
		P.properties[a].not.anyOf[0].type: Forbidden: must be empty to be structural
		P.properties[a].not.anyOf[1].type: Forbidden: must be empty to be structural`},

	{"SVL-012 a pattern in a node and in a branch", `{type: object, properties: {a: {type: string, pattern: "a(?=b)", not: {pattern: "("}}, b: {type: string, pattern: "a(?=b)"}}}`,
		"P.properties[a].not.pattern: Invalid value: \"(\": must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`\n" +
			"P.properties[a].pattern: Invalid value: \"a(?=b)\": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: `(?=`\n" +
			"P.properties[b].pattern: Invalid value: \"a(?=b)\": must be a valid regular expression, but isn't: error parsing regexp: invalid or unsupported Perl syntax: `(?=`"},
	{"SVL-012 an empty pattern", `{type: object, properties: {a: {type: string, pattern: ""}}}`, ``},

	{"SVL-020 properties and items of branches are declared", `{type: object, properties: {l: {type: array, items: {type: object, properties: {x: {type: string}}}}, o: {type: object}},
		allOf: [{properties: {l: {items: {properties: {x: {}, w: {}}}}, m: {properties: {z: {}}}}}, {not: {oneOf: [{properties: {o: {items: {items: {}}}}}]}}]}`, `
		P.properties[l].items.properties[w]: Required value: because it is defined in P.allOf[0].properties[l].items.properties[w]
		P.properties[m]: Required value: because it is defined in P.allOf[0].properties[m]
		P.properties[o].items: Required value: because it is defined in P.allOf[1].not.oneOf[0].properties[o].items`},
	{"SVL-020 each branch tells", `{type: object, not: {properties: {a: {}}}, allOf: [{properties: {a: {}}}], anyOf: [{properties: {a: {}}}], oneOf: [{}, {properties: {a: {}}}]}`, `
		P.properties[a]: Required value: because it is defined in P.allOf[0].properties[a]
		P.properties[a]: Required value: because it is defined in P.anyOf[0].properties[a]
		P.properties[a]: Required value: because it is defined in P.not.properties[a]
		P.properties[a]: Required value: because it is defined in P.oneOf[1].properties[a]`},
	{"SVL-020 required names need no property", `{type: object, anyOf: [{required: [a]}]}`, ``},
	{"SVL-020 additionalProperties declare nothing", `{type: object, properties: {m: {type: object, additionalProperties: {type: string}}}, not: {properties: {m: {properties: {a: {}}}}}}`,
		`P.properties[m].properties[a]: Required value: because it is defined in P.not.properties[m].properties[a]`},
	{"SVL-021 combinators of other nodes are not asked", `{type: object, properties: {a: {type: object, oneOf: [{properties: {b: {minimum: 1}}, items: {}}]}}}`, ``},
	{"SVL-021 the same from the root is", `{type: object, properties: {a: {type: object}}, allOf: [{properties: {a: {oneOf: [{properties: {b: {minimum: 1}}}]}}}]}`,
		`P.properties[a].properties[b]: Required value: because it is defined in P.allOf[0].properties[a].oneOf[0].properties[b]`},
	{"SVL-021 preserve-unknown-fields is no excuse", `{type: object, x-kubernetes-preserve-unknown-fields: true, allOf: [{properties: {a: {}}}]}`,
		`P.properties[a]: Required value: because it is defined in P.allOf[0].properties[a]`},

	// SVL-040: the three things that the server's own library can be told to allow, and that definitions never get.
	{"SVL-040 validations in allOf, however deep", `{type: object, properties: {a: {type: string}}, allOf: [{x-kubernetes-validations: [{rule: "true"}],
		allOf: [{properties: {a: {x-kubernetes-validations: [{rule: "true"}]}}}]}]}`, `
		P.allOf[0].allOf[0].properties[a].x-kubernetes-validations: Forbidden: must be empty to be structural
		P.allOf[0].x-kubernetes-validations: Forbidden: must be empty to be structural`},
	{"SVL-040 additionalProperties in a branch, though the node has the same", `{type: object, properties: {m: {type: object, additionalProperties: {type: string}}},
		allOf: [{properties: {m: {additionalProperties: {maxLength: 3}}}}]}`,
		`P.allOf[0].properties[m].additionalProperties: Forbidden: must be undefined to be structural`},
	{"SVL-040 a property of a branch that only additionalProperties cover", `{type: object, properties: {m: {type: object, additionalProperties: {type: string}}},
		allOf: [{properties: {m: {properties: {a: {maxLength: 3}}}}}]}`,
		`P.properties[m].properties[a]: Required value: because it is defined in P.allOf[0].properties[m].properties[a]`},

	{"SVL-050 the example of the documentation", `{properties: {foo: {pattern: abc}, metadata: {type: object, properties: {name: {type: string, pattern: "^a"}, finalizers: {type: array, items: {type: string}}}}},
		anyOf: [{properties: {bar: {type: integer, minimum: 42}}, required: [bar], description: d}]}`, `
		P.anyOf[0].description: Forbidden: must be empty to be structural
		P.anyOf[0].properties[bar].type: Forbidden: must be empty to be structural
		P.properties[bar]: Required value: because it is defined in P.anyOf[0].properties[bar]
		P.properties[foo].type: Required value: must not be empty for specified object fields
		P.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified
		P.type: Required value: must not be empty at the root`},

	{"EMD-004 keys print as they are", `{type: object, properties: {"a.b/c[0]": {}, "": {type: array}}}`, `
		P.properties[].items: Required value: must be specified
		P.properties[a.b/c[0]].type: Required value: must not be empty for specified object fields`},
}

const (
	metadataRestricted = `P.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`
	intOrStringRefused = `
		P.properties[a].anyOf[0].type: Forbidden: must be empty to be structural
		P.properties[a].anyOf[1].type: Forbidden: must be empty to be structural`
)

func TestViolations(t *testing.T) {
	for _, tc := range structuralCases {
		t.Run(tc.name, func(t *testing.T) {
			p, before := decodeSchema(t, tc.schema), decodeSchema(t, tc.schema)
			errs := schema.Violations(field.NewPath("P"), p)
			require.Equal(t, unindent(tc.want), texts(errs), tc.schema)
			if tc.want == "" {
				require.Nil(t, errs)
			}
			require.Equal(t, before, p, "the schema is not modified")
			for _, e := range errs {
				require.Equal(t, "P", e.Path.Segments()[0].Key)
			}
		})
	}
}

// TestViolationsAlone has no path before the schema.
func TestViolationsAlone(t *testing.T) {
	require.Nil(t, schema.Violations(nil, nil), "STC-002")
	require.Equal(t, "type: Required value: must not be empty at the root", texts(schema.Violations(nil, &schema.JSONSchemaProps{})))
	require.Equal(t, "properties[a].type: Required value: must not be empty for specified object fields\n"+
		"properties[b]: Required value: because it is defined in not.properties[b]",
		texts(schema.Violations(nil, decodeSchema(t, `{type: object, properties: {a: {}}, not: {properties: {b: {}}}}`))))
	require.Equal(t, `<nil>: Invalid value: "": OpenAPIV3Schema 'id' is not supported`,
		texts(schema.Violations(nil, decodeSchema(t, `{id: i}`))))

	// A limit.
	require.Equal(t, "properties[a].type: Required value: must not be empty for specified object fields\n<nil>: Too many errors: 1 more is not listed",
		texts(schema.Violations(nil, decodeSchema(t, `{type: object, properties: {a: {}, b: {}}}`), field.Limit{Errors: 1})))
	require.Len(t, schema.Violations(nil, decodeSchema(t, `{id: i}`), field.Limit{Errors: -1}), 1, "that it is not supported is always reported")
}

// TestViolationsErrors looks at an error as data.
func TestViolationsErrors(t *testing.T) {
	p := decodeSchema(t, `{type: object, properties: {a.b: {type: string, anyOf: [{}, {pattern: (}]}}}`)
	errs := schema.Violations(field.NewPath("spec", "schema"), p)
	require.Len(t, errs, 1)
	e := errs[0]
	require.Equal(t, field.ErrorTypeInvalid, e.Type)
	require.Equal(t, "spec.schema.properties[a.b].anyOf[1].pattern", e.Field)
	require.Equal(t, "(", e.BadValue)
	require.Equal(t, "must be a valid regular expression, but isn't: error parsing regexp: missing closing ): `(`", e.Detail)
	require.Equal(t, field.NewPath("spec", "schema").Child("properties").Key("a.b").Child("anyOf").Index(1).Child("pattern"), e.Path)
	require.Equal(t, field.Cause{Keyword: "pattern", Schema: "properties[a.b].anyOf[1]", Rule: -1}, e.Cause())
}

// TestViolationsSameText has two places whose paths print alike: their order does not depend on that of the map either.
func TestViolationsSameText(t *testing.T) {
	p := decodeSchema(t, `{type: object, properties: {"a].properties[b": {}, a: {type: object, properties: {b: {}}}}}`)
	for range 50 {
		errs := schema.Violations(nil, p)
		require.Len(t, errs, 2)
		require.Equal(t, errs[0].Error(), errs[1].Error())
		require.Equal(t, "/properties/a/properties/b/type", errs[0].Pointer())
		require.Equal(t, "/properties/a].properties[b/type", errs[1].Pointer())
	}
}

// TestViolationsEveryField sets each field of a schema in turn, so that one added later cannot be forgotten where
// everything counts: in the metadata of the root (SVL-009), and in the branches that say int-or-string (SVL-011).
func TestViolationsEveryField(t *testing.T) {
	free := map[string]string{ // and why
		"Type": "checked by itself", "Default": "checked by itself", "Properties": "has rules of its own",
	}
	unsupported := map[string]bool{"ID": true, "Schema": true, "Ref": true, "PatternProperties": true, "Dependencies": true, "AdditionalItems": true, "Definitions": true}
	set := reflect.TypeFor[schema.JSONSchemaProps]()
	for i := range set.NumField() {
		name := set.Field(i).Name
		p := &schema.JSONSchemaProps{}
		setSomething(t, reflect.ValueOf(p).Elem().Field(i))
		if free[name] == "" {
			m := *p
			m.Type = "object"
			errs := schema.Violations(nil, object("metadata", &m))
			require.NotEmpty(t, errs, name)
			want := "must not specify anything other than name and generateName, but metadata is implicitly specified"
			if unsupported[name] {
				want = "is not supported"
			}
			require.Contains(t, errs.String(), want, name)
		}
		if name != "Type" {
			m := *p
			m.Type = "integer"
			a := &schema.JSONSchemaProps{Type: "string", AnyOf: []*schema.JSONSchemaProps{&m, {Type: "string"}}}
			require.NotEmpty(t, schema.Violations(nil, object("a", a)), name)
		}
	}
}

// setSomething gives v a value that is not its zero value.
func setSomething(t *testing.T, v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *any:
		*x = "x"
	case **schema.SchemaOrArray:
		*x = &schema.SchemaOrArray{Schema: &schema.JSONSchemaProps{Type: "string"}}
	case **schema.SchemaOrBool:
		*x = &schema.SchemaOrBool{Allows: true}
	case **bool:
		b := true
		*x = &b
	case **string:
		s := "x"
		*x = &s
	default:
		switch v.Kind() {
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		case reflect.Map:
			v.Set(reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.ValueOf("x"), reflect.Zero(v.Type().Elem()))
		case reflect.String:
			v.SetString("x")
		case reflect.Bool:
			v.SetBool(true)
		default:
			t.Fatalf("%s is of a type that this test does not know", v.Type())
		}
	}
	require.False(t, v.IsZero())
}

// TestViolationsHandMade has schemas that no decoder makes.
func TestViolationsHandMade(t *testing.T) {
	p := &schema.JSONSchemaProps{
		Type:       "object",
		AllOf:      []*schema.JSONSchemaProps{nil},
		AnyOf:      []*schema.JSONSchemaProps{nil, nil},
		Properties: map[string]*schema.JSONSchemaProps{"metadata": nil},
		Not:        &schema.JSONSchemaProps{Properties: map[string]*schema.JSONSchemaProps{"a": nil, "metadata": nil}},
	}
	require.Equal(t, unindent(`
		not.properties[metadata]: Forbidden: must not be specified in a nested context
		properties[a]: Required value: because it is defined in not.properties[a]
		properties[metadata].type: Invalid value: "": must be object
		properties[metadata].type: Required value: must not be empty for specified object fields`), texts(schema.Violations(nil, p)))

	falseWithSchema := &schema.JSONSchemaProps{Type: "object", Not: &schema.JSONSchemaProps{
		AdditionalProperties: &schema.SchemaOrBool{Schema: &schema.JSONSchemaProps{}},
	}}
	require.Equal(t, "not.additionalProperties: Forbidden: must be undefined to be structural", texts(schema.Violations(nil, falseWithSchema)))
}

// TestViolationsDepth checks schemas as deep as a document can be, and cyclic ones.
func TestViolationsDepth(t *testing.T) {
	nest := map[string]func(p *schema.JSONSchemaProps) *schema.JSONSchemaProps{
		"not": func(p *schema.JSONSchemaProps) *schema.JSONSchemaProps { return &schema.JSONSchemaProps{Not: p} },
		"allOf": func(p *schema.JSONSchemaProps) *schema.JSONSchemaProps {
			return &schema.JSONSchemaProps{AllOf: []*schema.JSONSchemaProps{p}}
		},
		"items": func(p *schema.JSONSchemaProps) *schema.JSONSchemaProps {
			return &schema.JSONSchemaProps{Type: "array", Items: &schema.SchemaOrArray{Schema: p}}
		},
		"properties": func(p *schema.JSONSchemaProps) *schema.JSONSchemaProps { return object("a", p) },
		"additionalProperties": func(p *schema.JSONSchemaProps) *schema.JSONSchemaProps {
			return &schema.JSONSchemaProps{Type: "object", AdditionalProperties: &schema.SchemaOrBool{Schema: p}}
		},
	}
	for _, name := range slices.Sorted(maps.Keys(nest)) {
		t.Run(name, func(t *testing.T) {
			build := func(depth int) *schema.JSONSchemaProps {
				p := &schema.JSONSchemaProps{Type: "string", Pattern: "("}
				for range depth - 1 {
					p = nest[name](p)
				}
				return object("root", &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{"a": p}})
			}
			errs := schema.Violations(nil, build(jsonval.MaxDepth-1))
			require.NotEmpty(t, errs)
			require.Contains(t, errs[0].Error(), name)
			require.NotContains(t, errs.String(), "deeper")

			errs = schema.Violations(field.NewPath("P"), build(jsonval.MaxDepth))
			require.Equal(t, `P: Invalid value: "": must not be nested deeper than 10000 levels`, texts(errs))

			cycle := nest[name](nil)
			*cycle = *nest[name](cycle)
			cycle.Properties = map[string]*schema.JSONSchemaProps{"a": cycle, "b": cycle}
			errs = schema.Violations(field.NewPath("P"), cycle)
			require.Equal(t, `P: Invalid value: "": must not be nested deeper than 10000 levels`, texts(errs))
		})
	}
}

func object(property string, p *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	return &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{property: p}}
}

func decodeSchema(t testing.TB, text string) *schema.JSONSchemaProps {
	t.Helper()
	p, err := schema.Decode([]byte(strings.ReplaceAll(text, "\t", " ")))
	require.NoError(t, err, text)
	return p
}

func texts(errs field.List) string { return strings.Join(given.Texts(errs), "\n") }

var indentation = regexp.MustCompile(`(?m)^\s+`)

func unindent(text string) string { return indentation.ReplaceAllString(text, "") }

// bigSchema is structural and has 2,000 nodes and no pattern.
func bigSchema() *schema.JSONSchemaProps {
	least := int64(1)
	root := object("spec", &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{}})
	for i := range 200 {
		item := &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{}, AnyOf: []*schema.JSONSchemaProps{
			{Properties: map[string]*schema.JSONSchemaProps{"p0": {MinLength: &least}}},
			{Required: []string{"p1"}},
		}}
		for j := range 5 {
			item.Properties[fmt.Sprintf("p%d", j)] = &schema.JSONSchemaProps{Type: "string"}
		}
		list := &schema.JSONSchemaProps{Type: "array", Items: &schema.SchemaOrArray{Schema: item}}
		root.Properties["spec"].Properties[fmt.Sprintf("list%d", i)] = list
	}
	return root
}

func TestViolationsNoAllocs(t *testing.T) {
	p := bigSchema()
	at := field.NewPath("spec")
	require.Nil(t, schema.Violations(at, p))
	given.RequireNoAllocs(t, map[string]func(){"Violations": func() { schema.Violations(at, p) }})
}

func BenchmarkViolations(b *testing.B) {
	p := bigSchema()
	given.Bench(b, "none", func() { schema.Violations(nil, p) })
	p.Properties["spec"].Properties["list7"].Items.Schema.Properties["p3"].Type = ""
	given.Bench(b, "one", func() { schema.Violations(nil, p) })
}

// FuzzViolations checks what holds for any schema: no panic, the same errors each time, sorted, at paths below the
// given one; and a structural schema stays structural as a property, as items and as additional properties.
func FuzzViolations(f *testing.F) {
	for _, tc := range structuralCases {
		f.Add([]byte(strings.ReplaceAll(tc.schema, "\t", " ")))
	}
	f.Add([]byte(`{"type":"object","properties":{"a":{"items":{"oneOf":[{"not":{"default":1}}]}}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := schema.Decode(data)
		if err != nil {
			return
		}
		errs := schema.Violations(field.NewPath("P"), p)
		require.Equal(t, errs, schema.Violations(field.NewPath("P"), p))
		require.Len(t, schema.Violations(nil, p), len(errs))
		require.Equal(t, len(errs) == 0, errs == nil)
		require.True(t, slices.IsSortedFunc(errs, func(a, b *field.Error) int { return strings.Compare(a.Error(), b.Error()) }))
		for _, e := range errs {
			require.True(t, e.Field == "P" || strings.HasPrefix(e.Field, "P."), e.Field)
			require.Equal(t, "P", e.Path.Segments()[0].Key)
			require.NotEmpty(t, e.Detail)
		}
		if errs == nil {
			list := &schema.JSONSchemaProps{Type: "array", Items: &schema.SchemaOrArray{Schema: p}}
			others := &schema.JSONSchemaProps{Type: "object", AdditionalProperties: &schema.SchemaOrBool{Allows: true, Schema: list}}
			require.Nil(t, schema.Violations(nil, object("a", others)))
		}
	})
}

func ExampleViolations() {
	p, err := schema.Decode([]byte(`
type: object
properties:
  spec:
    type: object
    properties:
      replicas: {}
anyOf:
- properties:
    spec: {required: [replicas], description: needs replicas}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range schema.Violations(field.NewPath("openAPIV3Schema"), p) {
		fmt.Println(e)
	}
	// Output:
	// openAPIV3Schema.anyOf[0].properties[spec].description: Forbidden: must be empty to be structural
	// openAPIV3Schema.properties[spec].properties[replicas].type: Required value: must not be empty for specified object fields
}
