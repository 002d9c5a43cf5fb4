package openapi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/schema"
)

// wide returns a definition with the given number of objects, each with seven fields and descriptions.
func wide(objects int) *crd.CustomResourceDefinition {
	root := &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{}}
	for i := range objects {
		o := &schema.JSONSchemaProps{Type: "object", Required: []string{"name"}, Properties: map[string]*schema.JSONSchemaProps{},
			Description: strings.Repeat("It says what the part is for, and when to leave it out. ", 3)}
		for j, typ := range []string{"string", "integer", "boolean", "string", "number", "string", "string"} {
			o.Properties[fmt.Sprintf("field%d", j)] = &schema.JSONSchemaProps{Type: typ, Description: strings.Repeat("This field holds a value.\n", 4)}
		}
		o.Properties["name"] = &schema.JSONSchemaProps{Type: "string", Pattern: "^[a-z]+$"}
		root.Properties[fmt.Sprintf("part%d", i)] = o
	}
	d := &crd.CustomResourceDefinition{APIVersion: crd.APIVersionV1, Metadata: map[string]any{"name": "shirts.shop.example.com"}}
	d.Spec = crd.Spec{Group: "shop.example.com", Scope: crd.NamespaceScoped, Names: crd.Names{Plural: "shirts", Kind: "Shirt"},
		Versions: []crd.Version{{Name: "v1", Served: true, Storage: true, Schema: &crd.Validation{OpenAPIV3Schema: root}}}}
	return d.WithDefaults()
}

// Building and marshalling.
func BenchmarkDocument(b *testing.B) {
	for _, size := range []int{1, 20, 250} {
		d := wide(size)
		for _, f := range []struct {
			name  string
			build func() (*Document, error)
		}{
			{"V3", func() (*Document, error) { return V3(d, "v1") }},
			{"V2", func() (*Document, error) { return V2(d) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", f.name, size*8), func(b *testing.B) {
				b.ReportAllocs()
				var buf []byte
				for b.Loop() {
					doc, err := f.build()
					if err != nil {
						b.Fatal(err)
					}
					buf = doc.AppendJSON(buf[:0])
				}
				b.SetBytes(int64(len(buf)))
			})
		}
	}
}

// The bytes allocated grow with the definition, but the number of allocations hardly does.
func TestAllocations(t *testing.T) {
	count := func(d *crd.CustomResourceDefinition) float64 {
		return testing.AllocsPerRun(5, func() {
			_, err := V3(d, "v1")
			if err != nil {
				panic(err)
			}
		})
	}
	small, large := count(wide(1)), count(wide(250))
	require.Less(t, small, 150.0)
	require.Less(t, large, small+50)
	doc := v3(t, wide(1), "v1")
	buf := make([]byte, 0, doc.Size())
	require.Zero(t, testing.AllocsPerRun(5, func() { buf = doc.AppendJSON(buf[:0]) }))
}
