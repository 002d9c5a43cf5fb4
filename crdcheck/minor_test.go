package crdcheck_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/internal/test/given"
)

// A server of another version has other functions and estimates in updates, too.
func TestUpdateOfAnotherVersion(t *testing.T) {
	define := func(rule string) change {
		return change{schema: `{type: object, properties: {list: {type: array, maxItems: 99, items: ` +
			`{type: object, properties: {a: {type: string}, b: {type: string}}}}, ` +
			`names: {type: array, maxItems: 3, items: {type: string, maxLength: 9}}}, x-kubernetes-validations: [{rule: "` + rule + `"}]}`}
	}
	update := func(minor since.Minor, rule string) []string {
		d := given.Definition(t, define(rule).document(t))
		old := given.Definition(t, define("true").document(t))
		var texts []string
		for _, e := range crdcheck.CompileFor(since.Server{Minor: minor}, d, old, nil).Errors() {
			texts = append(texts, string(e.Type))
		}
		return texts
	}
	const includes = "!has(self.names) || self.names.includes('a')"
	require.Empty(t, update(38, includes))
	require.Equal(t, []string{"FieldValueInvalid"}, update(37, includes))
	const presence = "!has(self.list) || self.list.all(x, has(x.a) == has(x.b))"
	require.Empty(t, update(37, presence))
	require.Contains(t, update(38, presence), "FieldValueForbidden")

	// A rule that is stored already, in a schema that does not change, is not refused because of its cost.
	d := given.Definition(t, define(presence).document(t))
	require.Empty(t, crdcheck.CompileFor(since.Server{Minor: 37}, d, d, nil).Errors())
}

// The errors of defaults have the texts of the version.
func TestDefaultsOfAnotherVersion(t *testing.T) {
	d := given.Definition(t, change{schema: `{type: object, properties: {a: {type: array, items: {type: string}, minItems: 2, default: [x]}, ` +
		`b: {type: string, minLength: 2, default: x}}}`}.document(t))
	texts := func(minor since.Minor) (texts []string) {
		for _, e := range crdcheck.CompileFor(since.Server{Minor: minor}, d, nil, nil).Errors() {
			texts = append(texts, e.Error())
		}
		return texts
	}
	const at = "spec.validation.openAPIV3Schema.properties"
	require.Equal(t, []string{
		at + `[a].default: Invalid value: 1:  in body should have at least 2 items`,
		at + `[b].default: Invalid value: "x":  in body should be at least 2 chars long`,
	}, texts(37))
	require.Equal(t, []string{
		at + `[a].default: Too few: 1: must have at least 2 items`,
		at + `[b].default: Too short: must be at least 2 characters`,
	}, texts(38))
}

// Defaults are validated as objects of the version are: numbers against their range since 1.36.
func TestDefaultsInTheRangeOfAnotherVersion(t *testing.T) {
	d := given.Definition(t, change{schema: `{type: object, properties: {a: {type: integer, default: 3.5e+38}, ` +
		`b: {type: integer, format: int32, default: 4294967295}}}`}.document(t))
	texts := func(minor since.Minor) (texts []string) {
		for _, e := range crdcheck.CompileFor(since.Server{Minor: minor}, d, nil, nil).Errors() {
			texts = append(texts, e.Error())
		}
		return texts
	}
	const at = "spec.validation.openAPIV3Schema.properties"
	notInteger := at + `[a].default: Invalid value: "number":  in body must be of type integer: "number"`
	require.Equal(t, []string{notInteger}, texts(35))
	require.Equal(t, []string{
		notInteger, at + `[a].default: Invalid value: "": Checked value must be of type integer (default format) in `,
		at + `[b].default: Invalid value: "": Checked value must be of type integer with format int32 in `,
	}, texts(36))
}

// WRN-001, WRN-002: older servers warn about less.
func TestWarningsOfAnotherVersion(t *testing.T) {
	d := given.Definition(t, change{schema: `{type: object, properties: {a: {type: string, format: foo}, b: {type: boolean, format: date}, ` +
		`c: {type: string, format: k8s-short-name}, d: {type: array, x-kubernetes-list-type: set, ` +
		`items: {type: object, x-kubernetes-map-type: atomic}}}}`}.document(t))
	paths := func(minor since.Minor) (paths []string) {
		for _, w := range crdcheck.CompileFor(since.Server{Minor: minor}, d, nil, nil).Warnings() {
			paths = append(paths, w.Path.String()[len("spec.validation.openAPIV3Schema."):])
		}
		return paths
	}
	require.Empty(t, paths(33))
	require.Equal(t, []string{"properties[a].format", "properties[c].format"}, paths(34))
	require.Equal(t, []string{"properties[a].format"}, paths(35))
	require.Equal(t, []string{"properties[a].format", "properties[b].format"}, paths(36))
	require.Equal(t, []string{"properties[a].format", "properties[b].format", "properties[d].x-kubernetes-list-type"}, paths(37))
	require.Equal(t, paths(37), paths(0))
}
