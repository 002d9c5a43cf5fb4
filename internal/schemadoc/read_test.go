package schemadoc_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/schema"
)

// read returns the schema that text holds, nil if it is declined or, with strict, has an unknown key.
func read(text string, strict bool) *schema.JSONSchemaProps {
	s := jsonscan.New([]byte(text))
	r := schemadoc.NewReader(s)
	p := r.Schema()
	if !s.End() || strict && r.Unknown() > 0 {
		return nil
	}
	return p
}

// slow returns what package schema makes of text.
func slow(t *testing.T, text string) *schema.JSONSchemaProps {
	t.Helper()
	var v any
	require.NoError(t, kjson.UnmarshalCaseSensitivePreserveInts([]byte(text), &v))
	p, err := schema.FromValue(v)
	require.NoError(t, err)
	return p
}

// everyKey has every key that a schema may have, but for dependencies.
const everyKey = `{
  "id": "i", "$schema": "s", "$ref": "r", "description": "d\n", "type": "object", "format": "f", "title": "t", "default": {"a": [1, 1.0, null]},
  "nullable": true, "maximum": 1.5, "exclusiveMaximum": true, "minimum": 0, "exclusiveMinimum": true, "multipleOf": 2, "maxLength": 3,
  "minLength": 0, "pattern": "^\\d$", "maxItems": 4, "minItems": 5, "uniqueItems": true, "maxProperties": 6, "minProperties": 7,
  "enum": ["a", null, 1], "required": ["a", null], "properties": {"a": {"type": "string"}, "b": null}, "patternProperties": {"b": {}},
  "definitions": {"c": {}}, "items": {"type": "integer"}, "additionalItems": false, "additionalProperties": {"type": "number"},
  "allOf": [{"title": "1"}, null], "oneOf": [{"title": "2"}], "anyOf": [], "not": {"title": "4"}, "externalDocs": {"description": "d", "url": "u"},
  "example": [1], "x-kubernetes-preserve-unknown-fields": false, "x-kubernetes-embedded-resource": true, "x-kubernetes-int-or-string": true,
  "x-kubernetes-list-map-keys": ["k"], "x-kubernetes-list-type": "map", "x-kubernetes-map-type": "atomic",
  "x-kubernetes-validations": [{"rule": "r", "message": "m", "messageExpression": "e", "reason": "FieldValueInvalid", "fieldPath": ".a", "optionalOldSelf": false}, null]
}`

// keys returns the members of everyKey, as texts.
func keys(t *testing.T) []string {
	t.Helper()
	var all []string
	s := jsonscan.New([]byte(everyKey))
	for key, ok := s.FirstKey(); ok; key, ok = s.NextKey() {
		all = append(all, key)
		s.Skip()
	}
	require.True(t, s.End())
	return all
}

func TestSchema(t *testing.T) {
	for _, r := range []struct{ name, text string }{
		{"TYP-008 every key", everyKey},
		{"CDC-002 null", "null"},
		{"nothing", "{}"},
		{"CDC-010 items that are a list", `{"items": [{"type": "string"}, null]}`},
		{"CDC-010 items that are an empty list", `{"items": []}`},
		{"CDC-011 a boolean", `{"additionalProperties": true, "additionalItems": {}}`},
		{"empty lists", `{"enum": [], "required": [], "allOf": [], "properties": {}, "x-kubernetes-list-map-keys": [], "x-kubernetes-validations": []}`},
		{"many schemas", `{"allOf": [` + strings.Repeat(`{"title":"a"},`, 300) + `{}]}`},
	} {
		require.Equal(t, slow(t, r.text), read(r.text, true), r.name)
	}
	// CDC-002: a null is as good as no key.
	for _, key := range keys(t) {
		text := `{"` + key + `": null, "type": "object"}`
		if key == "type" {
			text = `{"type": null}`
		}
		require.Equal(t, slow(t, text), read(text, true), key)
	}
	// CDC-003: unknown keys are dropped, and are what strict decoding may have something to say about.
	for _, text := range []string{`{"x": [{"y": 1}], "Type": "a", "type": "b"}`, `{"items": {"x": 1}}`, `{"externalDocs": {"x": 1}}`,
		`{"x-kubernetes-validations": [{"x": 1}]}`} {
		require.Equal(t, slow(t, text), read(text, false), text)
		require.Nil(t, read(text, true), text)
	}
}

func TestDeclines(t *testing.T) {
	for _, key := range keys(t) {
		// No key may have a value of any kind, but for default and example, which may have all.
		declined := 0
		for _, v := range []string{"1.5", `"a"`, "true", `{"a": 1}`, "[1]"} {
			if read(`{"`+key+`": `+v+`}`, false) == nil {
				declined++
			}
		}
		if key != "default" && key != "example" {
			require.Positive(t, declined, key)
		}
		require.Nil(t, read(`{"`+key+`": null, "`+key+`": null}`, false), "%s twice", key)
	}
	for _, text := range []string{
		`{"dependencies": {"a": ["b"]}}`, `{"maxLength": 1.0}`, `{"minLength": 1e3}`, `{"properties": {"a": {}, "a": {}}}`, `{"properties": {"a": []}}`,
		`{"enum": {}}`, `{"required": [1]}`, `{"externalDocs": {"url": 1}}`, `{"externalDocs": {"url": "a", "url": "b"}}`, `{"x-kubernetes-validations": [{"rule": 1}]}`,
		`{"x-kubernetes-validations": [{"rule": "a", "rule": "b"}]}`, `[]`, `1`, ``, `{`, `{"not": {"not": {"not": 1}}}`,
		strings.Repeat(`{"not":`, 600) + "{}" + strings.Repeat("}", 600),
	} {
		require.Nil(t, read(text, false), text)
	}
}

// What is not declined is what package schema makes of it.
func FuzzSchema(f *testing.F) {
	for _, s := range []string{everyKey, "null", `{"items": [], "x": {"a": 1, "a": 2}}`, `{"default": {"a": 1, "a": 2}}`, `{"maximum": 1e400}`, `{"pattern": "\ud800"}`,
		`{"description": "é\u00e9", "properties": {"\u0061": {"type": "a"}}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		strict, lax := read(text, true), read(text, false)
		if strict != nil {
			require.Equal(t, strict, lax)
		}
		if lax != nil {
			require.Equal(t, slow(t, text), lax)
		}
	})
}
