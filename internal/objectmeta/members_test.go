package objectmeta_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// The struct for strict decoding has the members of the table, and decodes into what has members of its own.
func TestKeys(t *testing.T) {
	var same func(o *objectmeta.Object, keys reflect.Type)
	same = func(o *objectmeta.Object, keys reflect.Type) {
		require.Len(t, o.Members, keys.NumField())
		for i, m := range o.Members {
			f := keys.Field(i)
			require.Equal(t, m.Name, f.Tag.Get("json"))
			require.Equal(t, m.Kind == objectmeta.StringMap, f.Type.Kind() == reflect.Map, m.Name)
			if m.Kind == objectmeta.ObjectList {
				same(m.Items, f.Type.Elem())
			}
		}
	}
	same(objectmeta.Metadata, reflect.TypeOf(objectmeta.NewKeys()).Elem())
}
