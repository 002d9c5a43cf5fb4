package field_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
)

func TestErrorText(t *testing.T) {
	p := field.NewPath("spec", "x")
	for _, tc := range []struct {
		name string
		err  *field.Error
		typ  field.ErrorType
		want string
	}{
		{"EMD-001 Required", field.Required(p, "why"), "FieldValueRequired", "spec.x: Required value: why"},
		{"EMD-001 Required without detail", field.Required(p, ""), "FieldValueRequired", "spec.x: Required value"},
		{"EMD-001 Forbidden", field.Forbidden(p, "why"), "FieldValueForbidden", "spec.x: Forbidden: why"},
		{"EMD-001 Invalid", field.Invalid(p, "v", "why"), "FieldValueInvalid", `spec.x: Invalid value: "v": why`},
		{"EMD-001 Invalid without detail", field.Invalid(p, int64(1), ""), "FieldValueInvalid", `spec.x: Invalid value: 1`},
		{"EMD-001 TypeInvalid", field.TypeInvalid(p, "v", "why"), "FieldValueTypeInvalid", `spec.x: Invalid value: "v": why`},
		{"EMD-001 Duplicate", field.Duplicate(p, "v"), "FieldValueDuplicate", `spec.x: Duplicate value: "v"`},
		{"EMD-001 NotFound", field.NotFound(p, "v"), "FieldValueNotFound", `spec.x: Not found: "v"`},
		{"EMD-001 NotSupported", field.NotSupported(p, "v"), "FieldValueNotSupported", `spec.x: Unsupported value: "v"`},
		{"EMD-005 NotSupported lists in the order given", field.NotSupported(p, "v", "b", `a"c`), "FieldValueNotSupported", `spec.x: Unsupported value: "v": supported values: "b", "a\"c"`},
		{"EMD-005 TooLong", field.TooLong(p, 0), "FieldValueTooLong", `spec.x: Too long: may not be more than 0 bytes`},
		{"EMD-005 TooLong, one", field.TooLong(p, 1), "FieldValueTooLong", `spec.x: Too long: may not be more than 1 byte`},
		{"EMD-005 TooLong, negative", field.TooLong(p, -1), "FieldValueTooLong", `spec.x: Too long: value is too long`},
		{"EMD-005 TooMany", field.TooMany(p, 4, 3), "FieldValueTooMany", `spec.x: Too many: 4: must have at most 3 items`},
		{"EMD-005 TooMany, one", field.TooMany(p, 4, 1), "FieldValueTooMany", `spec.x: Too many: 4: must have at most 1 item`},
		{"EMD-005 TooMany, negative", field.TooMany(p, 0, -1), "FieldValueTooMany", `spec.x: Too many: 0: has too many items`},
		{"EMD-001 TooMany, unknown count", field.TooMany(p, -1, 3), "FieldValueTooMany", `spec.x: Too many: must have at most 3 items`},
		{"EMD-001 InternalError", field.InternalError(p, errors.New("boom")), "InternalError", `spec.x: Internal error: boom`},
		{"EMD-001 TooShort", &field.Error{Type: field.ErrorTypeTooShort, Field: "a", BadValue: "v", Detail: "why"}, "FieldValueTooShort", `a: Too short: why`},
		{"EMD-001 TooFew", &field.Error{Type: field.ErrorTypeTooFew, Field: "a", BadValue: int64(1), Detail: "why"}, "FieldValueTooFew", `a: Too few: 1: why`},
		{"GEN-003 an omitted value", field.Invalid(p, field.OmitValue, "why"), "FieldValueInvalid", "spec.x: Invalid value: why"},
		{"GEN-003 an omitted value of another type", field.Duplicate(p, field.OmitValue), "FieldValueDuplicate", "spec.x: Duplicate value"},
		{"EMD-004 no place", field.Invalid(nil, "", "why"), "FieldValueInvalid", `<nil>: Invalid value: "": why`},
		{"a type of somebody else's", &field.Error{Type: "Odd", Field: "a", BadValue: true}, "Odd", `a: Odd: true`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, tc.err.Error())
			require.Equal(t, tc.typ, tc.err.Type)
			require.Equal(t, tc.want, tc.err.Field+": "+tc.err.ErrorBody())
		})
	}
}

type stringer struct{ C chan int }

func (stringer) String() string { return "I cannot be JSON" }

func TestErrorValues(t *testing.T) {
	text := ".x<&>"
	cyclic := map[string]any{}
	cyclic["self"] = []any{cyclic}
	for _, tc := range []struct {
		name  string
		value any
		want  string
	}{
		{"EMD-002 nil", nil, "null"},
		{"EMD-002 bool", true, "true"},
		{"EMD-002 int64", int64(math.MinInt64), "-9223372036854775808"},
		{"EMD-002 int32", int32(7), "7"},
		{"EMD-002 int", 7, "7"},
		{"EMD-002 float64", 1.5, "1.5"},
		{"EMD-002 a whole float64", 3.0, "3"},
		{"EMD-002 a large float64", 1e21, "1e+21"},
		{"EMD-002 a float64 that JSON has not", math.NaN(), "NaN"},
		{"EMD-002 infinity", math.Inf(-1), "-Inf"},
		{"EMD-002 float32", float32(0.1), "0.1"},
		{"EMD-002 string", "a\n\"<&>é\x00", `"a\n\"<&>é\x00"`},
		{"EMD-002 pointer to a string", &text, `".x\u003c\u0026\u003e"`},
		{"EMD-002 nil pointer", (*string)(nil), "null"},
		{"EMD-002 list", []any{int64(1), "a<", nil, 1.0}, `[1,"a\u003c",null,1]`},
		{"EMD-002 nil list", []any(nil), "null"},
		{"EMD-002 map", map[string]any{"b": true, "a": map[string]any{}}, `{"a":{},"b":true}`},
		{"EMD-002 struct", struct{ B, A int }{1, 2}, `{"B":1,"A":2}`},
		{"EMD-002 what is no JSON but has a text", stringer{}, "I cannot be JSON"},
		{"what is no JSON and has none", make(chan int), "chan int"},
		{"a cyclic map", cyclic, "map[string]interface {}"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, "a: Invalid value: "+tc.want+": why", field.Invalid(field.NewPath("a"), tc.value, "why").Error())
			require.Equal(t, "a: Required value", (&field.Error{Type: field.ErrorTypeRequired, Field: "a", BadValue: tc.value}).Error())
		})
	}
}

func TestErrorEncoded(t *testing.T) {
	b, err := json.Marshal(field.Invalid(field.NewPath("a"), field.OmitValue, "why"))
	require.NoError(t, err)
	require.JSONEq(t, `{"reason": "FieldValueInvalid", "message": "Invalid value: why", "field": "a"}`, string(b))
}

func TestListString(t *testing.T) {
	a, b := field.Required(field.NewPath("a"), ""), field.Forbidden(field.NewPath("b"), "why")
	for _, tc := range []struct {
		name string
		list field.List
		want string
	}{
		{"EMD-006 one error as it is", field.List{a}, "a: Required value"},
		{"EMD-006 several in brackets", field.List{b, a}, "[b: Forbidden: why, a: Required value]"},
		{"EMD-006 each text once, where it comes first", field.List{b, a, b}, "[b: Forbidden: why, a: Required value]"},
		{"EMD-006 one text only", field.List{a, a, field.Required(field.NewPath("a"), "")}, "a: Required value"},
		{"no error", nil, "[]"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, tc.list.String())
			if tc.list != nil {
				require.EqualError(t, tc.list.Err(), tc.want)
			}
		})
	}
}

func TestListErr(t *testing.T) {
	require.NoError(t, field.List(nil).Err())
	require.NoError(t, field.List{}.Err())

	list := field.List{
		field.Required(field.NewPath("spec", "replicas"), ""),
		field.Invalid(field.NewPath("spec", "name"), "a", "why"),
	}
	err := fmt.Errorf("create: %w", list.Err())
	require.Equal(t, list, field.ErrorList(err))
	require.Nil(t, field.ErrorList(nil))
	require.Nil(t, field.ErrorList(errors.New("another")))

	var e *field.Error
	require.ErrorAs(t, err, &e)
	require.Same(t, list[0], e)

	for _, tc := range []struct {
		name    string
		pattern error
		want    bool
	}{
		{"type and field", &field.Error{Type: field.ErrorTypeRequired, Field: "spec.replicas"}, true},
		{"type", &field.Error{Type: field.ErrorTypeInvalid}, true},
		{"field", &field.Error{Field: "spec.name"}, true},
		{"what the pattern says besides does not count", &field.Error{Field: "spec.name", BadValue: "b", Detail: "other"}, true},
		{"the very error", list[1], true},
		{"another type at the field", &field.Error{Type: field.ErrorTypeInvalid, Field: "spec.replicas"}, false},
		{"another field", &field.Error{Field: "spec"}, false},
		{"another type", &field.Error{Type: field.ErrorTypeTypeInvalid}, false},
		{"an empty pattern", &field.Error{}, false},
		{"no pattern", (*field.Error)(nil), false},
		{"no such error", errors.New("spec.name"), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			require.Equal(t, tc.want, errors.Is(err, tc.pattern))
		})
	}
}

// FuzzError checks how a text is put together, and that a list of errors has the text of each of them.
func FuzzError(f *testing.F) {
	f.Add("spec.x", "v", "why", uint8(1))
	f.Add("", "\xff\n", "", uint8(0))
	types := []field.ErrorType{field.ErrorTypeRequired, field.ErrorTypeInvalid, field.ErrorTypeTypeInvalid, field.ErrorTypeDuplicate,
		field.ErrorTypeNotSupported, field.ErrorTypeNotFound, field.ErrorTypeForbidden, field.ErrorTypeTooLong, field.ErrorTypeTooShort,
		field.ErrorTypeTooMany, field.ErrorTypeTooFew, field.ErrorTypeInternal, ""}
	f.Fuzz(func(t *testing.T, name, value, detail string, n uint8) {
		e := &field.Error{Type: types[int(n)%len(types)], Field: name, BadValue: value, Detail: detail}
		require.True(t, strings.HasPrefix(e.Error(), name+": "))
		require.True(t, strings.HasSuffix(e.Error(), detail))
		omitted := *e
		omitted.BadValue = field.OmitValue
		require.True(t, e.Error() == omitted.Error() || e.Error() == strings.TrimSuffix(omitted.Error(), tail(detail))+fmt.Sprintf(": %q", value)+tail(detail))

		list := field.List{e, &omitted, e}
		require.Contains(t, list.String(), e.Error())
		require.Contains(t, list.String(), omitted.Error())
		status := list.Status("g", "K", name)
		require.Len(t, status.Causes, 3)
		require.Contains(t, status.Message, list.String())
		_, err := json.Marshal(status)
		require.NoError(t, err)
	})
}

func tail(detail string) string {
	if detail == "" {
		return ""
	}
	return ": " + detail
}
