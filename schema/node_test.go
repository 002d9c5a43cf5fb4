package schema

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Names that were chosen to collide must not make a server work: neither declared ones nor those of an object.
func TestPropFindsEveryName(t *testing.T) {
	distinct := func(i int) string { return fmt.Sprintf("name%d", i) }
	colliding := func(i int) string { return fmt.Sprintf("a%08dmm%08dz", i, 7) }
	for name, of := range map[string]func(int) string{"distinct": distinct, "colliding": colliding} {
		for _, count := range []int{0, 1, 2, 3, 31, 33, 100, 1000, maxProps} {
			t.Run(fmt.Sprint(name, count), func(t *testing.T) {
				props := map[string]*JSONSchemaProps{}
				for i := range count {
					props[of(i)] = &JSONSchemaProps{}
				}
				s, err := CompileLoose(&JSONSchemaProps{Properties: props})
				require.NoError(t, err)
				require.Len(t, s.Root.Props, count)
				for i := range count {
					p := s.Root.Prop(of(i))
					require.NotNil(t, p)
					require.Equal(t, of(i), p.Name)
				}
				for i := range 2 * maxProps { // in time
					require.Nil(t, s.Root.Prop(of(count+i)))
				}
				require.Nil(t, s.Root.Prop(""))
			})
		}
	}
}
