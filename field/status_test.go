package field_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
)

// The fields of a meta/v1 Status, in its order, and with its way of leaving out what is empty.
func TestStatus(t *testing.T) {
	a, b := field.Required(field.NewPath("spec", "a"), ""), field.Invalid(field.NewPath("spec", "b<"), "x", "why")
	for _, tc := range []struct {
		name   string
		status *field.Status
		want   string
	}{
		{"GEN-006 two errors", field.List{b, a}.Status("example.com", "Widget", "w"),
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",` +
				`"message":"Widget.example.com \"w\" is invalid: [spec.b\u003c: Invalid value: \"x\": why, spec.a: Required value]","reason":"Invalid",` +
				`"details":{"name":"w","group":"example.com","kind":"Widget","causes":[` +
				`{"reason":"FieldValueInvalid","message":"Invalid value: \"x\": why","field":"spec.b\u003c"},` +
				`{"reason":"FieldValueRequired","message":"Required value","field":"spec.a"}]},"code":422}`},
		{"GEN-006 an error twice: one text, two causes", field.List{a, a}.Status("g", "K", "n"),
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"K.g \"n\" is invalid: spec.a: Required value","reason":"Invalid",` +
				`"details":{"name":"n","group":"g","kind":"K","causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.a"},` +
				`{"reason":"FieldValueRequired","message":"Required value","field":"spec.a"}]},"code":422}`},
		{"GEN-006 no group, a name to be quoted", field.List{a}.Status("", "Scale", "a\"b"),
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Scale \"a\\\"b\" is invalid: spec.a: Required value","reason":"Invalid",` +
				`"details":{"name":"a\"b","kind":"Scale","causes":[{"reason":"FieldValueRequired","message":"Required value","field":"spec.a"}]},"code":422}`},
		{"GEN-006 no error", field.List(nil).Status("g", "K", ""),
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"K.g \"\" is invalid","reason":"Invalid","details":{"group":"g","kind":"K"},"code":422}`},
		{"a refusal without details", &field.Status{Code: 400, Reason: "BadRequest", Message: "why"},
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"why","reason":"BadRequest","code":400}`},
		{"a refusal without a reason", &field.Status{Code: 500, Message: "why"},
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"why","code":500}`},
		{"a conflict", &field.Status{Code: 409, Reason: "Conflict", Message: "why", Group: "g", Kind: "ks", Name: "n"},
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"why","reason":"Conflict","details":{"name":"n","group":"g","kind":"ks"},"code":409}`},
		{"KCT-040 what is invalid has details, if none", &field.Status{Code: 422, Reason: "Invalid", Message: "why"},
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"why","reason":"Invalid","details":{},"code":422}`},
		{"KCT-022 when to ask again", &field.Status{Code: 429, Reason: "TooManyRequests", Message: "why", RetryAfterSeconds: 3},
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"why","reason":"TooManyRequests","details":{"retryAfterSeconds":3},"code":429}`},
		{"KCT-021 a success", &field.Status{Code: 200, Group: "g", Kind: "ks", Name: "n", UID: "u"},
			`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"n","group":"g","kind":"ks","uid":"u"}}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b, err := json.Marshal(tc.status)
			require.NoError(t, err)
			require.Equal(t, tc.want, string(b))
			require.EqualError(t, tc.status, tc.status.Message)
		})
	}
}

func TestStatusAsError(t *testing.T) {
	err := errors.Join(errors.New("create"), field.List{field.Required(nil, "")}.Status("g", "K", "n"))
	var status *field.Status
	require.ErrorAs(t, err, &status)
	require.Equal(t, 422, status.Code)
	require.Equal(t, "Invalid", status.Reason)
	require.Equal(t, "g K n", status.Group+" "+status.Kind+" "+status.Name)
}

// Errors and statuses marshal in the same way by value, in a struct or a map, as by pointer.
func TestMarshalByValue(t *testing.T) {
	failure, status := field.Required(field.NewPath("a"), "why"), field.Status{Code: 400, Message: "why"}
	text, err := json.Marshal(struct {
		Error    field.Error
		Statuses map[string]field.Status
		None     *field.Error
	}{*failure, map[string]field.Status{"a": status}, nil})
	require.NoError(t, err)
	require.JSONEq(t, `{"Error": {"reason": "FieldValueRequired", "message": "Required value: why", "field": "a"},
		"Statuses": {"a": {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "why", "code": 400}}, "None": null}`, string(text))
}
