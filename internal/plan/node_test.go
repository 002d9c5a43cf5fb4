package plan_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/schema"
)

// Names that were chosen to collide must not make a server work: neither declared ones nor those of an object.
func TestPropFindsEveryName(t *testing.T) {
	distinct := func(i int) string { return fmt.Sprintf("name%d", i) }
	colliding := func(i int) string { return fmt.Sprintf("a%08dmm%08dz", i, 7) }
	for name, of := range map[string]func(int) string{"distinct": distinct, "colliding": colliding} {
		for _, count := range []int{0, 1, 2, 3, 31, 33, 100, 1000, plan.MaxProps} {
			t.Run(fmt.Sprint(name, count), func(t *testing.T) {
				props := map[string]*schema.JSONSchemaProps{}
				for i := range count {
					props[of(i)] = &schema.JSONSchemaProps{}
				}
				s, err := schema.CompileLoose(&schema.JSONSchemaProps{Properties: props})
				require.NoError(t, err)
				require.Len(t, plan.Root(s).Props, count)
				for i := range count {
					if p := plan.Root(s).Prop(of(i)); p == nil || p.Name != of(i) {
						t.Fatalf("%s is not found", of(i))
					}
				}
				for i := range 3 * count {
					if plan.Root(s).Prop(of(count+i)) != nil {
						t.Fatalf("%s is found", of(count+i))
					}
				}
				require.Nil(t, plan.Root(s).Prop(""))
			})
		}
	}
}

func TestChild(t *testing.T) {
	s, err := schema.CompileLoose(&schema.JSONSchemaProps{
		Properties:           map[string]*schema.JSONSchemaProps{"a": {Type: "string"}, "": {Type: "integer"}},
		AdditionalProperties: &schema.SchemaOrBool{Allows: true, Schema: &schema.JSONSchemaProps{Type: "boolean"}},
	})
	require.NoError(t, err)
	for _, row := range []struct {
		key, typ string
		declared bool
	}{{"a", "string", true}, {"", "integer", true}, {"b", "boolean", false}} {
		n, declared := plan.Root(s).Child(row.key)
		require.Equal(t, row.typ, n.Type, row.key)
		require.Equal(t, row.declared, declared, row.key)
	}
	n, declared := plan.Root(s).Prop("a").Node.Child("a")
	require.Nil(t, n)
	require.False(t, declared)
}

func TestMaxSize(t *testing.T) {
	for _, row := range []struct {
		schema, keyword string
		most            int64
		declared        bool
	}{
		{`{type: array, maxItems: 3, maxLength: 2}`, "maxItems", 3, true},
		{`{type: array, maxLength: 2}`, "maxItems", math.MaxInt64, false},
		{`{type: object, maxProperties: 4}`, "maxProperties", 4, true},
		{`{type: string, maxLength: 9223372036854775807}`, "maxLength", math.MaxInt64, true},
		{`{type: string}`, "maxLength", math.MaxInt64, false},
		{`{type: string, minLength: 1}`, "maxLength", math.MaxInt64, false},
		{`{type: array, x-kubernetes-int-or-string: true, maxLength: 5, maxItems: 1}`, "maxLength", 5, true},
	} {
		n := plan.Root(given.Loose(t, row.schema))
		require.Equal(t, row.keyword, n.SizeKeyword(), row.schema)
		require.Equal(t, row.most, n.MaxSize(), row.schema)
		require.Equal(t, row.declared, n.Sized(), row.schema)
	}
}
