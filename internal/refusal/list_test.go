package refusal_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/test/given"
)

func invalid(i int) *field.Error { return field.Invalid(field.NewPath("a").Index(i), int64(i), "d") }

func TestList(t *testing.T) {
	l := refusal.Within(field.Limit{Errors: 2})
	require.Empty(t, l.Errors())
	l.Add(invalid(0))
	l.Add(invalid(1))
	require.False(t, l.Full())
	require.Equal(t, []string{"a[0]: Invalid value: 0: d", "a[1]: Invalid value: 1: d"}, given.Texts(l.Errors()))
	l.Add(field.Required(nil, ""))
	require.True(t, l.Full())
	l.Skip(field.ErrorTypeTooLong)
	l.Skip(field.ErrorTypeTooLong)
	require.Equal(t, 5, l.Len())
	require.True(t, l.Has(field.ErrorTypeInvalid), "kept")
	require.True(t, l.Has(field.ErrorTypeForbidden, field.ErrorTypeTooLong), "skipped")
	require.True(t, l.Has(field.ErrorTypeRequired), "omitted")
	require.False(t, l.Has(field.ErrorTypeForbidden))

	errs := l.Errors()
	require.Len(t, errs, 3)
	last := errs[2]
	require.Equal(t, "<nil>: Too many errors: 3 more are not listed", last.Error())
	require.Equal(t, field.ErrorTypeTooManyErrors, last.Type)
	require.Equal(t, &field.Omitted{Errors: 3, Types: []field.ErrorType{field.ErrorTypeRequired, field.ErrorTypeTooLong}}, last.BadValue)
}

// A list that was cut goes on to be cut in another.
func TestAppend(t *testing.T) {
	inner := refusal.Within(field.Limit{Errors: 1})
	for i := range 3 {
		inner.Add(invalid(i))
	}
	var outer refusal.List
	outer.Append(inner.Errors()...)
	outer.Add(field.Required(nil, ""))
	require.Equal(t, []string{"a[0]: Invalid value: 0: d", "<nil>: Too many errors: 3 more are not listed"}, given.Texts(outer.Errors()))
	require.True(t, outer.Has(field.ErrorTypeRequired))
}

func TestLeft(t *testing.T) {
	l := refusal.Within(field.Limit{Errors: 2, Bytes: 100})
	l.Add(invalid(0))
	require.Equal(t, field.Limit{Errors: 1, Bytes: 100 - refusal.Size(invalid(0), 100)}, l.Left())
	l.Add(invalid(0))
	require.Equal(t, -1, l.Left().Errors, "zero would be the default")
	none := refusal.Within(l.Left())
	none.Add(invalid(1))
	require.Equal(t, []string{"<nil>: Too many errors: 1 more is not listed"}, given.Texts(none.Errors()))
}

// The first error is kept whatever its length, and none after one that does not fit.
func TestBytes(t *testing.T) {
	long := field.Invalid(nil, strings.Repeat("x", 1000), "")
	l := refusal.Within(field.Limit{Bytes: 500})
	l.Add(long)
	l.Add(invalid(0))
	require.Len(t, l.Errors(), 2)
	require.Equal(t, long, l.Errors()[0])

	l = refusal.Within(field.Limit{Bytes: 500})
	l.Add(invalid(0))
	l.Add(long)
	l.Add(invalid(1))
	require.Equal(t, []string{"a[0]: Invalid value: 0: d", "<nil>: Too many errors: 2 more are not listed"}, given.Texts(l.Errors()))

	l = refusal.Within(field.Limit{Bytes: 500})
	l.Spend(501)
	l.Add(invalid(0))
	require.Equal(t, []string{"<nil>: Too many errors: 1 more is not listed"}, given.Texts(l.Errors()))
}

// What an error is taken for is about what it prints.
func TestSize(t *testing.T) {
	deep := any("x")
	for range 20_000 {
		deep = []any{deep}
	}
	cycle := map[string]any{}
	cycle["self"] = cycle
	for _, v := range []any{
		nil, true, int64(-12345), 1.5, int32(3), "text", strings.Repeat(`"\`, 50), strings.Repeat("\x00\n<", 50), "äöü",
		[]any{}, map[string]any{}, []any{int64(1), "a", []any{nil}}, map[string]any{"a": map[string]any{"b": "<>"}, "c": "d"},
		json.RawMessage(`{"a":1}`), []string{"a", "b"}, []byte("bytes"), field.OmitValue,
	} {
		e := field.Invalid(field.NewPath("spec", "a"), v, "detail")
		size, printed := refusal.Size(e, 1<<20), len(e.Error())
		require.LessOrEqual(t, printed-40, size, "%v", v)
		require.LessOrEqual(t, size, 3*printed+40, "%v", v)
	}
	for _, v := range []any{deep, cycle, []any{make(chan int)}} {
		require.NotPanics(t, func() { refusal.Size(field.Invalid(nil, v, ""), 1<<20) }, fmt.Sprintf("%T", v))
	}
	require.Greater(t, refusal.Size(field.Invalid(nil, cycle, ""), 1000), 1000)
	require.Greater(t, refusal.Size(field.Invalid(nil, deep, ""), 1000), 1000)
}

func TestDistinct(t *testing.T) {
	require.Equal(t, []string{"b", "a", "c"}, refusal.Distinct([]string{"b", "a", "b", "c", "a"}))
	require.Equal(t, []string{"a"}, refusal.Distinct([]string{"a"}))
	require.Nil(t, refusal.Distinct(nil))
}
