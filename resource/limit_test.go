package resource_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
)

const limited = `schema: {openAPIV3Schema: {type: object, properties: {
	numbers: {type: array, items: {type: integer, minimum: 0}},
	rules: {type: array, maxItems: 9, items: {type: string, maxLength: 9, x-kubernetes-validations: [{rule: "self == 'z'"}]}},
	defaults: {type: array, items: {type: object, properties: {a: {type: integer, default: 1}}}}}}}`

// The limit cuts the errors, and the last one reports it.
func TestLimitOfErrors(t *testing.T) {
	v := things(t, limited).Version("v1").With(resource.RequestOptions{Limit: field.Limit{Errors: 2}})
	ctx := context.Background()
	const (
		wrong   = "{numbers: [a, b, c]}"
		omitted = "<nil>: Too many errors: %d more are not listed"
	)
	blocked := fmt.Sprintf(omitted, 2) // the third, and that rules were not checked
	for name, r := range map[string]resource.Result{
		"create": v.Create(ctx, thing(t, wrong)),
		"update": v.Update(ctx, thing(t, wrong), thing(t, "{}")),
		"patch":  v.Patch(ctx, mergePatch, []byte(`{"numbers":["a","b","c"]}`), thing(t, "{}")),
	} {
		require.Len(t, r.Errors, 3, name)
		require.Equal(t, blocked, r.Errors[2].Error(), name)
		causes := r.Status().Causes
		require.Equal(t, field.StatusCause{Reason: "TooManyErrors", Message: "Too many errors: 2 more are not listed", Field: "<nil>"}, causes[2], name)
		require.ErrorIs(t, r.Err(), &field.Error{Type: field.ErrorTypeTooManyErrors}, name)
		require.Zero(t, r.Cost, name)
	}

	r := v.Create(ctx, thing(t, "{rules: [a, b, c]}"))
	require.Equal(t, "<nil>: Too many errors: 1 more is not listed", r.Errors[2].Error())
	require.Positive(t, r.Cost)
}

// An error that blocks rules does so even if it is not listed.
func TestBlockedBeyondTheLimit(t *testing.T) {
	v := things(t, limited).Version("v1")
	ctx := context.Background()
	for _, most := range []int{0, 1} {
		v := v.With(resource.RequestOptions{Limit: field.Limit{Errors: most}})
		require.Positive(t, v.Create(ctx, thing(t, "{numbers: [-1], rules: [z]}")).Cost, "a number that is too small does not block them")
		require.Zero(t, v.Create(ctx, thing(t, "{numbers: [-1, a], rules: [z]}")).Cost)
		require.Zero(t, v.Update(ctx, thing(t, "{numbers: [-1, a], rules: [z]}"), thing(t, "{}")).Cost)
	}
}

func TestLimitOfWarnings(t *testing.T) {
	v := things(t, limited).Version("v1")
	limit := field.Limit{Errors: 2}
	ctx := context.Background()
	warned := v.With(resource.RequestOptions{Limit: limit})
	const unknown = "{d: 1, c: 1, b: 1, a: 1}"
	fields := []string{`unknown field "a"`, `unknown field "b"`, "too many unknown or duplicate fields: 2 more are not listed"}
	require.Equal(t, fields, warned.Create(ctx, thing(t, unknown)).Warnings)
	require.Equal(t, []string{
		`metadata.finalizers: "a": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
		`metadata.finalizers: "b": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
		"too many warnings about finalizers: 2 more are not listed",
	}, warned.Create(ctx, thing(t, "{metadata: {name: a, finalizers: [d, c, b, a]}}")).Warnings)
	require.Equal(t, "<nil>: Too many errors: 1 more is not listed",
		warned.Update(ctx, thing(t, "{rules: [a, b, c], numbers: [1]}"), thing(t, "{rules: [a, b, c]}")).Warnings[2])

	strict := v.With(resource.RequestOptions{Limit: limit, FieldValidation: resource.FieldValidationStrict})
	require.Equal(t, `Thing in version "v1" cannot be handled as a Thing: strict decoding error: unknown field "a", unknown field "b", `+
		"too many unknown or duplicate fields: 2 more are not listed", strict.Create(ctx, thing(t, unknown)).Failure.Message)
}

func TestLimitOfDefaults(t *testing.T) {
	v := things(t, limited).Version("v1").With(resource.RequestOptions{Defaults: defaulting.Limit{Values: 6}})
	ctx := context.Background()
	const few, many = "{defaults: [{}, {}]}", "{defaults: [{}, {}, {}]}"
	require.NoError(t, v.Create(ctx, thing(t, few)).Err())
	const refused = "Request entity too large: the object's defaults are more than 6 values or 67108864 bytes"
	for name, r := range map[string]resource.Result{
		"create": v.Create(ctx, thing(t, many)),
		"update": v.Update(ctx, thing(t, many), thing(t, "{}")),
		"patch":  v.Patch(ctx, mergePatch, []byte(`{"defaults":[{},{},{}]}`), thing(t, "{}")),
	} {
		require.NotNil(t, r.Failure, name)
		require.Equal(t, 413, r.Failure.Code, name)
		require.Equal(t, refused, r.Failure.Message, name)
	}
	require.Equal(t, 500, v.Read(thing(t, many)).Status().Code)
	require.Equal(t, 500, v.Update(ctx, thing(t, few), thing(t, many)).Status().Code)
}
