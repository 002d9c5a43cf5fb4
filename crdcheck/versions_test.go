package crdcheck_test

import (
	"strings"
	"testing"
)

func TestVersions(t *testing.T) {
	const (
		v1     = `{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}`
		v2     = `{name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}`
		values = `[{"Name":"v1","Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,"Schema":null,"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}`
	)
	warning := func(text string) change {
		return change{version: `{deprecated: true, deprecationWarning: "` + text + `"}`}
	}
	requireRows(t, []row{
		{"CVL-018 two versions", change{spec: `{versions: [` + v1 + `, ` + v2 + `]}`}, nil},
		{"CVL-012 no schema, served or not", change{spec: `{versions: [{name: v1, storage: true}, {name: v2, schema: {}}, {name: v3, schema: {openAPIV3Schema: null}}]}`}, []string{
			`spec.versions[0].schema.openAPIV3Schema: Required value`,
			`spec.versions[1].schema.openAPIV3Schema: Required value`,
			`spec.versions[2].schema.openAPIV3Schema: Required value`,
		}},
		{"CVL-013 defaults and unknown fields", change{spec: `{preserveUnknownFields: true}`, schema: `{type: object, properties: {a: {type: integer, default: 1}}}`}, []string{
			`spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema`,
			`spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead`,
		}},
		{"CVL-080 a default anywhere counts", change{spec: `{preserveUnknownFields: true}`, schema: `{type: object, anyOf: [{not: {items: {default: 1}}}]}`}, []string{
			`spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema`,
			`P.anyOf[0].not.items.default: Forbidden: must be undefined to be structural`,
			`P.items: Required value: because it is defined in P.anyOf[0].not.items`,
			`spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead`,
		}},
		{"UPD-004 unknown fields are not preserved in new definitions", change{spec: `{preserveUnknownFields: true}`}, []string{
			`spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead`,
		}},
		{"CVL-014 and CVL-019, the first name has two errors", change{version: `{name: "1.0"}`}, []string{
			`spec.versions[0].name: Invalid value: "1.0": M1035`,
			`spec.version: Invalid value: "1.0": M1035`,
		}},
		{"CVL-014 any label is a name", change{version: `{name: foo}`}, nil},
		{"CVL-018 two of a name, and two to store", change{spec: `{versions: [` + v1 + `, ` + v1 + `]}`}, []string{
			`spec.versions: Invalid value: ` + values + `,` + values[1:] + `]: must contain unique version names`,
			`spec.versions: Invalid value: ` + values + `,` + values[1:] + `]: must have exactly one version marked as storage version`,
			`status.storedVersions: Invalid value: ["v1"]: must have the storage version v1`,
		}},
		{"CVL-018 none to store", change{version: `{storage: false}`}, []string{
			`spec.versions: Invalid value: ` + strings.Replace(values, `"Storage":true`, `"Storage":false`, 1) +
				`]: must have exactly one version marked as storage version`,
			`status.storedVersions: Invalid value: null: must have at least one stored version`,
		}},
		{"CVL-018 no versions", change{spec: `{versions: []}`}, []string{
			`spec.versions: Invalid value: []: must have exactly one version marked as storage version`,
			`status.storedVersions: Invalid value: null: must have at least one stored version`,
		}},
		{"CVL-018 nothing served", change{version: `{served: false}`}, nil},
		{"CVL-023 two to store", change{spec: `{versions: [` + v1 + `, {name: v2, storage: true, schema: {openAPIV3Schema: {type: object}}}]}`}, []string{
			`spec.versions: Invalid value: ` + values + `,{"Name":"v2","Served":false,` + strings.SplitAfterN(values, `,`, 3)[2] +
				`]: must have exactly one version marked as storage version`,
			`status.storedVersions: Invalid value: ["v1"]: must have the storage version v2`,
		}},
		{"CVL-015 not deprecated", change{version: `{deprecationWarning: ""}`}, []string{
			`spec.versions[0].deprecationWarning: Invalid value: "": can only be set for deprecated versions`,
		}},
		{"CVL-015 a warning", warning("gone soon"), nil},
		{"CVL-015 empty", warning(""), []string{`spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string`}},
		{"CVL-015 too long, and not to be printed", warning(strings.Repeat("x", 256) + `\t`), []string{
			`spec.versions[0].deprecationWarning: Invalid value: "` + strings.Repeat("x", 256) + `\t": must be <= 256 characters long`,
			`spec.versions[0].deprecationWarning: Invalid value: "` + strings.Repeat("x", 256) + `\t": must only contain printable UTF-8 characters; non-printable character found at index 256`,
		}},
		{"CVL-015 the index is that of a byte", warning(`é\0`), []string{
			`spec.versions[0].deprecationWarning: Invalid value: "é\u0000": must only contain printable UTF-8 characters; non-printable character found at index 2`,
		}},
		{"CVL-015 printed as JSON", warning(`<\t>`), []string{
			`spec.versions[0].deprecationWarning: Invalid value: "\u003c\t\u003e": must only contain printable UTF-8 characters; non-printable character found at index 1`,
		}},
	})
}

// BET-003: errors are in the version if versions differ, and at the top level if they do not.
func TestPlaces(t *testing.T) {
	const versions = `{versions: [
		{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: array}}, subresources: {scale: {}}, additionalPrinterColumns: [{}]},
		{name: v2, schema: {openAPIV3Schema: {type: SECOND}}, subresources: {scale: {}}, additionalPrinterColumns: [{COLUMN}]}]}`
	requireRows(t, []row{
		{"BET-003 equal", change{spec: strings.NewReplacer("SECOND", "array", "COLUMN", "").Replace(versions)}, []string{
			`P.items: Required value: must be specified`,
			`P.type: Invalid value: "array": must be object at the root`,
			`spec.subresources.scale.specReplicasPath: Required value`,
			`spec.subresources.scale.statusReplicasPath: Required value`,
			`spec.additionalPrinterColumns[0].name: Required value`,
			`spec.additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string`,
			`spec.additionalPrinterColumns[0].JSONPath: Required value`,
		}},
		{"BET-003 different schemas and columns", change{spec: strings.NewReplacer("SECOND", "string", "COLUMN", "name: c").Replace(versions)}, []string{
			`spec.versions[0].schema.openAPIV3Schema.items: Required value: must be specified`,
			`spec.versions[0].schema.openAPIV3Schema.type: Invalid value: "array": must be object at the root`,
			`spec.versions[0].additionalPrinterColumns[0].name: Required value`,
			`spec.versions[0].additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string`,
			`spec.versions[0].additionalPrinterColumns[0].JSONPath: Required value`,
			`spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "string": must be object at the root`,
			`spec.versions[1].additionalPrinterColumns[0].type: Required value: must be one of boolean,date,integer,number,string`,
			`spec.versions[1].additionalPrinterColumns[0].JSONPath: Required value`,
			`spec.subresources.scale.specReplicasPath: Required value`,
			`spec.subresources.scale.statusReplicasPath: Required value`,
		}},
	})
}

// v1beta1 has two places for most things.
func TestV1beta1(t *testing.T) {
	const (
		head   = `"Served":true,"Storage":true,"Deprecated":false,"DeprecationWarning":null,`
		scale  = `{"Status":{},"Scale":null}`
		column = `[{"Name":"c","Type":"string","Format":"","Description":"","Priority":0,"JSONPath":".c"}]`
	)
	requireRows(t, []row{
		{"BET-001 nothing is wrong", change{base: oldLamp}, nil},
		{"UPD-004 the default of preserveUnknownFields is true", change{base: oldLamp, spec: `{preserveUnknownFields: null}`}, []string{
			`spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead`,
		}},
		{"CVL-016 in both places, CVL-017 the same in each", change{
			base:    oldLamp,
			spec:    `{subresources: {status: {}}, validation: {openAPIV3Schema: {type: object}}, additionalPrinterColumns: [{name: c, type: string, JSONPath: .c}]}`,
			version: `{subresources: {status: {}}, schema: {}, additionalPrinterColumns: [{name: c, type: string, JSONPath: .c}]}`,
		}, []string{
			`spec.validation: Forbidden: top-level and per-version schemas are mutually exclusive`,
			`spec.subresources: Forbidden: top-level and per-version subresources are mutually exclusive`,
			`spec.additionalPrinterColumns: Forbidden: top-level and per-version additionalPrinterColumns are mutually exclusive`,
			`spec.versions: Invalid value: [{"Name":"v1",` + head + `"Schema":{"OpenAPIV3Schema":null},"Subresources":` + scale + `,"AdditionalPrinterColumns":` + column + `,"SelectableFields":null}]: per-version schemas may not all be set to identical values (top-level validation should be used instead)`,
			`spec.versions: Invalid value: [{"Name":"v1",` + head + `"Schema":{"OpenAPIV3Schema":null},"Subresources":` + scale + `,"AdditionalPrinterColumns":` + column + `,"SelectableFields":null}]: per-version subresources may not all be set to identical values (top-level subresources should be used instead)`,
			`spec.versions: Invalid value: [{"Name":"v1",` + head + `"Schema":{"OpenAPIV3Schema":null},"Subresources":` + scale + `,"AdditionalPrinterColumns":` + column + `,"SelectableFields":null}]: per-version additionalPrinterColumns may not all be set to identical values (top-level additionalPrinterColumns should be used instead)`,
		}},
		{"CVL-016 not for selectable fields, which count in both places", change{
			base:    oldLamp,
			spec:    `{validation: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}, selectableFields: [{jsonPath: .a}, {jsonPath: .b}]}`,
			version: `{selectableFields: [{jsonPath: .a}]}`,
		}, []string{
			"spec.versions[0].selectableFields: Invalid value: \"\": may only be set when `version.schema.openAPIV3Schema` is not included",
			`spec.selectableFields[1].jsonPath: Invalid value: ".b": is an invalid path: does not refer to a valid field`,
		}},
		{"CVL-019 version is the first one's name", change{base: oldLamp, spec: `{version: v2}`}, []string{
			`spec.version: Invalid value: "v2": must match the first version in spec.versions`,
		}},
		{"CVL-018 no version", change{base: oldLamp, spec: `{versions: null}`}, []string{
			`spec.versions: Invalid value: null: must have exactly one version marked as storage version`,
			`status.storedVersions: Invalid value: null: must have at least one stored version`,
		}},
		{"CVL-012 nothing at the top, CVL-054 nor a schema for the field there", change{
			base: oldLamp, spec: `{validation: null, selectableFields: [{jsonPath: .a}]}`, version: `{schema: {}}`,
		}, []string{
			`spec.versions[0].schema.openAPIV3Schema: Required value`,
			`spec.versions: Invalid value: [{"Name":"v1",` + head + `"Schema":{"OpenAPIV3Schema":null},"Subresources":null,"AdditionalPrinterColumns":null,"SelectableFields":null}]: per-version schemas may not all be set to identical values (top-level validation should be used instead)`,
			`spec.selectableFields: Invalid value: "": may only be set when validations.schema is included`,
		}},
	})
}
