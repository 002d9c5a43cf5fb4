package given

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/schema"
)

// Laws checks properties of an operation for any schema and object, and reports whether the operation had nothing to
// do.
type Laws func(t *testing.T, p *schema.JSONSchemaProps, s *schema.Structural, obj map[string]any) bool

// Random checks laws for three objects of each of n random schemas. It returns for how many objects the operation had
// something to do.
func Random(t *testing.T, n uint64, laws Laws) (changed int) {
	for seed := range n {
		m := NewMaker(seed)
		doc := m.Schema()
		p, err := schema.FromValue(doc)
		require.NoError(t, err)
		s := Compiled(t, doc)
		for range 3 {
			if !laws(t, p, s, m.Object(doc)) {
				changed++
			}
		}
	}
	return changed
}

// Fuzz checks laws for the schemas and objects of a fuzzer, which starts with random ones.
func Fuzz(f *testing.F, laws Laws) {
	for seed := range uint64(20) {
		m := NewMaker(seed)
		doc := m.Schema()
		f.Add([]byte(ExactJSON(doc)), []byte(ExactJSON(m.Object(doc))))
	}
	f.Fuzz(func(t *testing.T, schemaText, object []byte) {
		if p, s, obj, ok := Decode(schemaText, object); ok {
			laws(t, p, s, obj)
		}
	})
}
