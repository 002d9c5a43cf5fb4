package crdtest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/unstructured"
)

// several returns the definitions of those kinds, each with their group behind it, in versions v1beta1 and v1, which is
// stored. The schemas of both have a spec with a size; only v1 bounds it.
func several(kinds ...string) string {
	var b strings.Builder
	for _, k := range kinds {
		kind, group, _ := strings.Cut(k, ".")
		plural := strings.ToLower(kind) + "s"
		schema := func(size string) string {
			return "{openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {name: {type: string}, size: {type: integer" + size + "}}}}}}"
		}
		fmt.Fprintf(&b, `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %s.%s}
spec:
  group: %s
  scope: Namespaced
  names: {kind: %s, plural: %s}
  versions:
  - {name: crdtest, served: true, storage: false, schema: %s}
  - {name: v1, served: true, storage: true, schema: %s}
`, plural, group, group, kind, plural, schema(""), schema(", maximum: 10"))
	}
	return b.String()
}

type sizes struct {
	Name string `json:"name,omitempty"`
	Size int32  `json:"size,omitempty"`
}

type (
	Gadget struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Spec       sizes  `json:"spec"`
	}
	Gizmo     struct{ Spec sizes }
	GizmoList map[string]any
)

// ECT-006: the kind of a Go struct is the name of its type, where one definition has it; otherwise the case says it.
func TestKindOfStruct(t *testing.T) {
	s := Parse(t, several("Gadget.a.example.com", "Doodad.a.example.com"))
	large := []Match{Invalid("spec.size")}
	s.Run(t, []Case{
		{Name: "pointer", Version: "v1", Object: &Gadget{Spec: sizes{Size: 11}}, Errs: large},
		{Name: "value", Version: "v1", Object: Gadget{Spec: sizes{Size: 11}}, Errs: large},
		{Name: "the package's name is a version", Object: &Gadget{Spec: sizes{Size: 11}}, Want: `apiVersion: a.example.com/crdtest`},
		{Name: "the object's own version", Object: &Gadget{APIVersion: "a.example.com/v1", Spec: sizes{Size: 11}}, Errs: large},
		{Name: "base", Version: "v1", Base: &Gadget{}, Patch: `spec: {size: 11}`, Errs: large},
		{Name: "old", Version: "v1", Old: &Gadget{Spec: sizes{Name: "a"}}, Patch: `spec: {size: 11}`, Errs: large},
		{Name: "old and a text", Version: "v1", Old: &Gadget{}, Object: `spec: {size: 11}`, Errs: large},
		{Name: "another type", Kind: "Doodad", Object: &Gizmo{}, Want: `kind: Doodad`, Pruned: []string{"Spec"}},
		{Name: "a text", Kind: "Doodad", Object: `spec: {size: 11}`, Errs: large},
		{Name: "the object's own kind", Kind: "Gadget", Object: `kind: Doodad`, Want: `kind: Doodad`},
	})
	for _, c := range []struct {
		c    Case
		want string
	}{
		{Case{Object: &Gizmo{}}, "the object has no kind, and the name of its type *crdtest.Gizmo is not that of one definition: set Case.Kind to one of Doodad, Gadget"},
		{Case{Object: GizmoList{}}, "the name of its type crdtest.GizmoList is not"},
		{Case{Object: map[string]any{}}, "the object has no kind, and there are several definitions: set its kind or Case.Kind to one of Doodad, Gadget"},
		{Case{Object: `spec: {}`}, "the object has no kind, and there are several definitions: set its kind or Case.Kind to one of Doodad, Gadget"},
		{Case{Object: &Gadget{}, Kind: "Gizmo"}, "no definition has the kind Gizmo: the kinds are Doodad, Gadget"},
	} {
		_, err := s.try(t.Context(), &c.c)
		require.ErrorContains(t, err, c.want)
	}

	s = Parse(t, several("Gadget.a.example.com", "Gadget.b.example.com", "Doodad.a.example.com"))
	s.Run(t, []Case{
		{Name: "one kind in two groups", Kind: "Gadget.b.example.com", Object: &Gadget{}, Want: `apiVersion: b.example.com/crdtest`},
		{Name: "the object's own group", Object: &Gadget{APIVersion: "b.example.com/v1", Spec: sizes{Size: 11}}, Errs: large},
	})
	_, err := s.try(t.Context(), &Case{Object: &Gadget{}})
	require.ErrorContains(t, err, "set Case.Kind to one of Doodad, Gadget.a.example.com, Gadget.b.example.com")
	_, err = s.try(t.Context(), &Case{Object: "kind: Gadget"})
	require.ErrorContains(t, err, "the kind Gadget is in several groups")
	require.NotNil(t, s.Sample(t, "Gadget.b.example.com", "").Minimal)
}

// Without a kind, the definition is the only one.
func TestMissingKind(t *testing.T) {
	d, err := Parse(t, several("A.example.com")).find("", "")
	require.NoError(t, err)
	require.Equal(t, "A", d.Spec.Names.Kind)
	_, err = Parse(t, several("A.example.com", "B.example.com")).find("", "")
	require.EqualError(t, err, "the kind is missing, and there are several: A, B")
}

// A set of a registry has its converters.
func TestNew(t *testing.T) {
	reg, err := registry.Parse([]byte(several("Gadget.a.example.com")))
	require.NoError(t, err)
	reg, err = reg.WithConverter("gadgets.a.example.com", conversion.ConverterFunc(upper))
	require.NoError(t, err)
	New(reg).Run(t, []Case{{Name: "converted", Version: "crdtest", Object: `spec: {name: a}`, Want: `spec: {name: AAA}`}})
}

// A definition that was not read from a file has no line.
func TestNoSource(t *testing.T) {
	reg, err := registry.New(&crd.CustomResourceDefinition{Metadata: map[string]any{"name": "gadgets.a.example.com"}})
	require.NoError(t, err)
	r := &recorder{TB: t}
	New(reg).Accepted(r)
	require.NotEmpty(t, r.errors)
	for _, text := range r.errors {
		require.True(t, strings.HasPrefix(text, "gadgets.a.example.com: "), text)
	}
}

// upper raises the name of an object and adds a letter: a create converts there and back.
func upper(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	var out []map[string]any
	for _, obj := range objects {
		obj = unstructured.Clone(conversion.None(obj, apiVersion))
		if spec, ok := obj["spec"].(map[string]any); ok {
			spec["name"] = strings.ToUpper(spec["name"].(string)) + "A"
		}
		out = append(out, obj)
	}
	return out, nil
}
