package keyword_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/schema"
)

type object struct {
	Kind string `keyword:"kind"`
	Size *int64 `keyword:"x-size"`
}

func TestTable(t *testing.T) {
	table := keyword.Of[object]()
	require.Equal(t, []string{"kind", "x-size"}, table.Names)
	i, ok := table.Find("x-size")
	require.True(t, ok)
	var o object
	*keyword.Field(reflect.ValueOf(&o).Elem(), i).(**int64) = new(int64)
	require.Equal(t, object{Size: new(int64)}, o)
	_, ok = table.Find("Kind")
	require.False(t, ok)
}

// Each field has a name of its own, and a bit in 64.
func TestSchemas(t *testing.T) {
	for _, table := range []*keyword.Table{
		keyword.Of[schema.JSONSchemaProps](), keyword.Of[schema.ValidationRule](), keyword.Of[schema.ExternalDocumentation](),
	} {
		require.LessOrEqual(t, len(table.Names), 64)
		for i, name := range table.Names {
			found, _ := table.Find(name)
			require.Equal(t, i, found, name)
		}
	}
}
