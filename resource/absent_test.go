package resource_test

import (
	"context"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
)

// KCT-040: a nil Version refuses each request as a server does, and its other methods return zero values. The test also
// checks new methods.
func TestVersionThatIsNotThere(t *testing.T) {
	v := things(t, knobs).Version("v9").With(resource.RequestOptions{FieldValidation: "Strict"})
	require.Nil(t, v)
	answer{failure: "404 NotFound: 404 page not found"}.require(t, v.Create(t.Context(), thing(t, "{}")))

	all := reflect.ValueOf(v)
	for i := range all.NumMethod() {
		name := all.Type().Method(i).Name
		method := all.Method(i)
		args := make([]reflect.Value, method.Type().NumIn())
		for j := range args {
			args[j] = reflect.Zero(method.Type().In(j))
			if method.Type().In(j) == reflect.TypeFor[context.Context]() {
				args[j] = reflect.ValueOf(t.Context())
			}
		}
		for _, out := range method.Call(args) {
			switch x := out.Interface().(type) {
			case resource.Result:
				require.Equal(t, 404, x.Status().Code, name)
				require.Empty(t, x.Warnings, name)
			case *field.Status:
				require.Equal(t, 404, x.Code, name)
			case error:
				require.EqualError(t, x, "404 page not found", name)
			default:
				require.True(t, out.IsZero(), name)
			}
		}
	}
}
