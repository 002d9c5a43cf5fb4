package resource_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/resource"
)

// ORD-002, CNV-001: a write through a version other than the storage version. Fields that the other version does not
// have are lost, required or not, and so are the defaults of the request's version.
func TestWritesThroughAnotherVersion(t *testing.T) {
	v := things(t, books...).Version("v2")
	answer{object: thing(t, "{apiVersion: example.com/v2, spec: {both: v2}}")}.
		require(t, v.Create(t.Context(), thing(t, "{apiVersion: example.com/v2, spec: {req: x}}")))

	// CNV-003: values of another type are stored, and later updates keep them.
	created := v.Create(t.Context(), thing(t, "{apiVersion: example.com/v2, spec: {typed: text}}"))
	require.NoError(t, created.Err())
	v1 := things(t, books...).Version("v1")
	read := v1.Read(created.Object)
	answer{object: thing(t, "{spec: {typed: text, both: v2}}")}.require(t, read)
	answer{object: thing(t, "{metadata: {name: a, generation: 2}, spec: {typed: text, d: new, both: v2}}")}.
		require(t, v1.Update(t.Context(), thing(t, "{spec: {typed: text, d: new, both: v2}}"), read.Object))

	// CNV-001: the version of the request validates.
	answer{errors: []string{`FieldValueTypeInvalid spec.typed: Invalid value: "integer": spec.typed in body must be of type string: "integer"`}}.
		require(t, v.Create(t.Context(), thing(t, "{apiVersion: example.com/v2, spec: {typed: 5}}")))
}

// colours has a version with one field for a colour, and one with three.
var colours = []string{
	`subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {rgb: {type: string, default: "0 0 0"}}}}}}`,
	`subresources: {status: {}}, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {red: {type: string}, rest: {type: string, default: "9 9"}}}}}}`,
}

// halve converts Things between the versions of colours.
func halve(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	for _, obj := range objects {
		spec, _ := obj["spec"].(map[string]any)
		rgb, _ := spec["rgb"].(string)
		red, _ := spec["red"].(string)
		rest, _ := spec["rest"].(string)
		switch {
		case rgb == "no" || red == "no":
			return nil, errors.New("no such colour")
		case apiVersion == "example.com/v2" && len(rgb) > 1:
			obj["spec"] = map[string]any{"red": rgb[:1], "rest": rgb[2:], "unknown": "dropped"}
		case apiVersion == "example.com/v1":
			obj["spec"] = map[string]any{"rgb": red + " " + rest}
		}
		obj["apiVersion"] = apiVersion
	}
	return objects, nil
}

// CNV-001, CNV-002, CNV-040: a converter is called wherever a request needs it.
func TestConverter(t *testing.T) {
	r := things(t, colours...).WithConverter(conversion.ConverterFunc(halve))
	v1, v2 := r.Version("v1"), r.Version("v2")
	stored := thing(t, "{spec: {rgb: 1 2 3}}")

	answer{object: thing(t, "{apiVersion: example.com/v2, spec: {red: '1', rest: 2 3}}")}.require(t, v2.Read(stored))
	answer{object: stored}.require(t, v1.Read(stored)) // CNV-004
	// The default of v1 is set before the conversion, and no default of v2 after it.
	answer{object: thing(t, "{apiVersion: example.com/v2, spec: {red: '0', rest: 0 0}}")}.require(t, v2.Read(thing(t, "{spec: {}}")))
	// A write: the default of v2 is set, and the object is converted to v1 and back.
	answer{object: thing(t, "{apiVersion: example.com/v2, spec: {red: '5', rest: 9 9}}")}.
		require(t, v2.Create(t.Context(), thing(t, "{apiVersion: example.com/v2, spec: {red: '5'}}")))
	answer{object: thing(t, "{apiVersion: example.com/v2, metadata: {name: a, generation: 2}, spec: {red: '7', rest: 2 3}}")}.
		require(t, v2.Patch(t.Context(), mergePatch, []byte(`{"spec":{"red":"7"}}`), stored))
	answer{object: thing(t, "{apiVersion: example.com/v2, metadata: {name: a, generation: 2}, spec: {red: '7', rest: 2 3}}")}.
		require(t, v2.Update(t.Context(), thing(t, "{apiVersion: example.com/v2, spec: {red: '7', rest: 2 3}}"), stored))

	require.Equal(t, "{}", encode(t, things(t, colours...).Version("v2").Read(stored).Object["spec"]), "the resource itself has no converter")
}

// CNV-033: the error of a failing converter: its own text for the object of a write, another one for the old object of
// an update, and a text about storage for a read.
func TestConverterThatFails(t *testing.T) {
	r := things(t, colours...).WithConverter(conversion.ConverterFunc(halve))
	const corrupt = "500 InternalError: Internal error occurred: StorageError: corrupt object, Code: 7, Key: /example.com/things/a, ResourceVersion: 0, " +
		"AdditionalErrorMsg: object not decodable revision=: conversion webhook for example.com/v1, Kind=Thing failed: no such colour"
	stored := thing(t, "{spec: {rgb: 'no'}}")
	answer{failure: corrupt}.require(t, r.Version("v2").Read(stored))
	const undecodable = "500 : object not decodable revision=: conversion webhook for example.com/v1, Kind=Thing failed: no such colour"
	answer{failure: undecodable}.require(t, r.Version("v2").Patch(t.Context(), mergePatch, []byte("{}"), stored))
	answer{failure: undecodable}.require(t, r.Version("v2").Update(t.Context(), thing(t, "{apiVersion: example.com/v2, spec: {red: '1'}}"), stored))
	answer{failure: corrupt}.require(t, r.Version("v2").Delete(t.Context(), stored, resource.DeleteOptions{}))
	answer{failure: "500 : conversion webhook for example.com/v2, Kind=Thing failed: no such colour"}.
		require(t, r.Version("v2").Create(t.Context(), thing(t, "{apiVersion: example.com/v2, spec: {red: 'no'}}")))
	answer{failure: "500 : conversion webhook for example.com/v2, Kind=Thing failed: no such colour"}.
		require(t, r.Version("v2").Update(t.Context(), thing(t, "{apiVersion: example.com/v2, spec: {red: 'no'}}"), thing(t, "{spec: {rgb: 1 2 3}}")))
}

// CNV-002, ORD-008: the result of a converter is pruned, but neither defaulted nor validated.
func TestConverterIsNotChecked(t *testing.T) {
	wrong := conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		objects[0]["apiVersion"], objects[0]["spec"] = apiVersion, map[string]any{"red": int64(5), "zz": true}
		return objects, nil
	})
	v := things(t, colours...).WithConverter(wrong).Version("v2")
	answer{object: thing(t, "{apiVersion: example.com/v2, spec: {red: 5}}")}.require(t, v.Read(thing(t, "{spec: {rgb: 1 2 3}}")))
}

// CNV-020: stored objects have no resourceVersion, so a converter does not see it. It is not lost.
func TestConverterSeesNoResourceVersion(t *testing.T) {
	var seen any
	spy := conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		seen = objects[0]["metadata"]
		objects[0]["apiVersion"] = apiVersion
		return objects, nil
	})
	v := things(t, colours...).WithConverter(spy).Version("v2")
	result := v.Read(thing(t, `{metadata: {name: a, generation: 1, resourceVersion: "7"}, spec: {}}`))
	require.NoError(t, result.Err())
	require.Equal(t, map[string]any{"name": "a", "generation": int64(1)}, seen)
	require.Equal(t, "7", result.Object["metadata"].(map[string]any)["resourceVersion"])
}

// CNV-005: a definition whose webhook is not called, and one with an unknown strategy.
func TestConversionByAWebhook(t *testing.T) {
	d := definition(t, colours...)
	d.Spec.Conversion.Strategy = "Webhook"
	r, err := resource.Compile(d)
	require.NoError(t, err)
	answer{object: thing(t, "{spec: {rgb: 1 2 3}}")}.require(t, r.Version("v1").Read(thing(t, "{spec: {rgb: 1 2 3}}")))
	answer{object: thing(t, "{apiVersion: example.com/v2, spec: {red: '0', rest: 0 0}}")}.
		require(t, r.WithConverter(conversion.ConverterFunc(halve)).Version("v2").Read(thing(t, "{spec: {}}")))

	d = definition(t, colours...)
	d.Spec.Conversion.Strategy = "Magic"
	_, err = resource.Compile(d)
	require.ErrorContains(t, err, `unknown conversion strategy "Magic" for CRD things.example.com`)
}

// CNV-006: what the webhook does not decide is answered without it, and the rest is unknown, in each kind of request.
func TestConversionByAnUnknownWebhook(t *testing.T) {
	d := definition(t, colours...)
	d.Spec.Conversion.Strategy = "Webhook"
	r, err := resource.Compile(d)
	require.NoError(t, err)
	v1, v2 := r.Version("v1"), r.Version("v2")
	inV2 := thing(t, "{apiVersion: example.com/v2, spec: {red: '1'}}")
	known := func(name string, got resource.Result) {
		require.NoError(t, got.Err(), name)
		require.False(t, got.Unconverted, name)
		require.NotNil(t, got.Object, name)
	}
	// valid: the object that was validated is known, and not what is stored.
	valid := func(name string, got resource.Result) {
		require.NoError(t, got.Err(), name)
		require.True(t, got.Unconverted, name)
		require.Nil(t, got.Stored, name)
		require.Equal(t, map[string]any{"red": "1", "rest": "9 9"}, got.Object["spec"], name)
	}
	unknown := func(name string, got resource.Result) {
		require.True(t, got.Unconverted, name)
		require.Equal(t, 500, got.Status().Code, name)
		require.Nil(t, got.Stored, name)
	}
	ctx := t.Context()
	known("create in the storage version", v1.Create(ctx, thing(t, "{spec: {rgb: 1 2 3}}")))
	known("read in the version that it is stored in", v2.Read(inV2))

	valid("create", v2.Create(ctx, inV2))
	valid("create from text", v2.CreateBody(ctx, []byte(encode(t, inV2))))
	valid("update", v2.Update(ctx, inV2, inV2))
	valid("status", v2.UpdateStatus(ctx, inV2, inV2))
	valid("patch", v2.Patch(ctx, mergePatch, []byte("{}"), inV2))
	refused := v2.Create(ctx, thing(t, "{apiVersion: example.com/v2, spec: {red: 1}}"))
	require.Equal(t, 422, refused.Status().Code)
	require.False(t, refused.Unconverted, "the object is not valid, whatever the webhook does")

	stored := thing(t, "{spec: {rgb: 1 2 3}}")
	unknown("read", v2.Read(stored))
	unknown("update of another version", v2.Update(ctx, inV2, stored))
	unknown("patch of another version", v2.Patch(ctx, mergePatch, []byte("{}"), stored))
	unknown("function of another version", v2.PatchFunc(ctx, func(old map[string]any) (map[string]any, error) { return old, nil }, stored))
	unknown("delete of another version", v2.Delete(ctx, stored, resource.DeleteOptions{}))
	require.False(t, v2.Read(thing(t, "{apiVersion: example.com/v9}")).Unconverted, "no webhook converts a version that does not exist")

	// A nil converter is none, also after another one.
	valid("nil converter", r.WithConverter(conversion.ConverterFunc(halve)).WithConverter(nil).Version("v2").Create(ctx, inV2))
}
