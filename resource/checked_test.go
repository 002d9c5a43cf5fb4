package resource_test

import (
	"context"
	"fmt"
	"log"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

// A definition is compiled once: a Resource uses the trees of the check, and versions with equal schemas share one.
func TestCompileCheckedTakesTheSchemas(t *testing.T) {
	schema := `schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer, x-kubernetes-validations: [{rule: self < 100}]}}}}}}`
	for _, c := range []struct {
		name   string
		v2     string
		shared bool
	}{
		{"equal schemas", schema, true},
		{"different schemas", strings.Replace(schema, "100", "200", 1), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := definition(t, schema, c.v2)
			checked := crdcheck.Compile(d)
			require.Empty(t, checked.Errors())
			require.Same(t, d, checked.Definition())
			r, err := resource.CompileChecked(checked)
			require.NoError(t, err)
			v1, v2 := checked.Schema("v1"), checked.Schema("v2")
			require.NotNil(t, v1)
			require.NotNil(t, v2)
			require.Same(t, v1, r.Version("v1").Schema())
			require.Same(t, v2, r.Version("v2").Schema())
			require.Equal(t, c.shared, v1 == v2)

			result := r.Version("v1").Create(t.Context(), thing(t, "{spec: {size: 150}}"))
			require.Len(t, result.Errors, 1)
			require.Equal(t, "spec.size", result.Errors[0].Field)
		})
	}
}

// A rule is not compiled twice: for a second version with the same rules, a check allocates only what the rest of the
// version needs, and the first objects of a checked definition find compiled rules. The rest of the preparation for
// evaluation is done once for all Resources that use the same check.
func TestRulesAreCompiledOnce(t *testing.T) {
	const rules = 40
	spec := `{type: object, properties: {size: {type: integer}, name: {type: string, maxLength: 10}}, x-kubernetes-validations: [`
	for i := range rules {
		spec += fmt.Sprintf(`{rule: "self.size < %d && self.name.startsWith('a') && size(self.name) > 0", messageExpression: "self.size > %d ? 'a' : 'b'"}, `, 1000+i, i)
	}
	ruled := `schema: {openAPIV3Schema: {type: object, properties: {spec: ` + spec + `]}}}}`
	obj := thing(t, "{spec: {size: 1, name: abc}}")

	check := func(versions ...string) (*crdcheck.Checked, float64) {
		d := definition(t, versions...)
		var checked *crdcheck.Checked
		n := allocations(func() { checked = crdcheck.Compile(d) })
		require.Empty(t, checked.Errors())
		return checked, n
	}
	check(ruled) // builds what a process builds once
	_, one := check(ruled)
	checked, two := check(ruled, strings.Replace(ruled, "openAPIV3Schema: {type: object", "openAPIV3Schema: {description: d, type: object", 1))
	require.NotSame(t, checked.Schema("v1"), checked.Schema("v2"))
	require.Less(t, two-one, one/2, "a second version costs as much as the first: its rules are compiled again")

	serve := func(compile func() (*resource.Resource, error)) float64 {
		return allocations(func() {
			r, err := compile()
			require.NoError(t, err)
			for _, version := range []string{"v1", "v2"} {
				request := obj
				request["apiVersion"] = "example.com/" + version
				require.NoError(t, r.Version(version).Create(context.Background(), request).Err())
			}
		})
	}
	alone := serve(func() (*resource.Resource, error) { return resource.Compile(checked.Definition()) })
	handOn := func() (*resource.Resource, error) { return resource.CompileChecked(checked) }
	require.Less(t, serve(handOn), alone, "rules are compiled again for objects")
	require.Less(t, serve(handOn), alone/5, "what the first objects needed is made again for those of another Resource")

	// Neither are they compiled again for their estimates.
	estimates := allocations(func() { require.Len(t, checked.Rules("v1").Costs(), rules) })
	require.Less(t, estimates, alone/5, "rules are compiled again for their estimates")
}

// allocations counts the allocations of one call. A second call would find what the first one has compiled.
func allocations(f func()) float64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs - before.Mallocs)
}

// The Resource has the defaults as prepared by a server, the check has the original ones.
func TestCompileCheckedPreparesDefaults(t *testing.T) {
	d := definition(t, `schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, default: {}, properties: {
		pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "self.kind != 'X'"}],
			default: {apiVersion: v1, kind: Pod, metadata: {name: x, bogus: 1}}}}}}}}`)
	checked := crdcheck.Compile(d)
	require.Empty(t, checked.Errors())
	r, err := resource.CompileChecked(checked)
	require.NoError(t, err)
	created := r.Version("v1").Create(t.Context(), thing(t, "{}"))
	require.NoError(t, created.Err())
	require.JSONEq(t, `{"pod":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x"}}}`, encode(t, created.Object["spec"]), "DEF-020, DFV-008")
	refused := r.Version("v1").Create(t.Context(), thing(t, "{spec: {pod: {apiVersion: v1, kind: X}}}"))
	require.Len(t, refused.Errors, 1)

	original := plan.Root(checked.Schema("v1")).Prop("spec").Node.Prop("pod").Node.Default
	require.JSONEq(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","bogus":1}}`, encode(t, original))
}

// A refused definition is not compiled. The error has the reason.
func TestCompileCheckedRefuses(t *testing.T) {
	_, err := resource.CompileChecked(nil)
	require.EqualError(t, err, "resource: no definition")

	checked := crdcheck.Compile(definition(t, `schema: {openAPIV3Schema: {type: object, properties: {a: {}}}}`))
	_, err = resource.CompileChecked(checked)
	require.ErrorContains(t, err, "resource: spec.validation.openAPIV3Schema.properties[a].type: Required value")
	var e *field.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, field.ErrorTypeRequired, e.Type)

	// DFV-005, PUF-003: a server accepts the definition but cannot serve it.
	checked = crdcheck.Compile(definition(t, `schema: {openAPIV3Schema: {x-kubernetes-preserve-unknown-fields: true, default: x}}`))
	require.Empty(t, checked.Errors())
	_, err = resource.CompileChecked(checked)
	require.EqualError(t, err, "resource: version v1: failed to prune default value: object root default value must be of object type")
}

// PUF-001, UPD-001: an update may keep a schema that is not structural as long as nothing is pruned.
func TestCompileCheckedUpdate(t *testing.T) {
	document := given.OldHead("Cluster", "things.example.com", "Thing") + `
  preserveUnknownFields: true
  versions: [{name: v1, served: true, storage: true}]
  validation: {openAPIV3Schema: {properties: {spec: {properties: {size: {type: integer, maximum: 3}}}}}}
`
	d := given.Definition(t, document)
	require.NotEmpty(t, crdcheck.Compile(d).Errors())
	checked := crdcheck.CompileUpdate(d, given.Definition(t, document))
	require.Empty(t, checked.Errors())
	require.Nil(t, checked.Schema("v1"))
	r, err := resource.CompileChecked(checked)
	require.NoError(t, err)
	created := r.Version("v1").Create(t.Context(), thing(t, "{spec: {size: 4, other: 1}}"))
	require.Equal(t, []string{"FieldValueInvalid spec.size: Invalid value: 4: spec.size in body should be less than or equal to 3"}, given.Typed(created.Errors))
	created = r.Version("v1").Create(t.Context(), thing(t, "{spec: {size: 3, other: 1}}"))
	require.JSONEq(t, `{"size":3,"other":1}`, encode(t, created.Object["spec"]))
}

// Several goroutines may compile Resources from one check.
func TestCompileCheckedConcurrently(t *testing.T) {
	checked := crdcheck.Compile(given.Definition(t, gadgets))
	require.Empty(t, checked.Errors())
	var group sync.WaitGroup
	answers := make([]string, 8)
	for i := range answers {
		group.Go(func() {
			r, err := resource.CompileChecked(checked)
			if err != nil {
				answers[i] = err.Error()
				return
			}
			costs := checked.Rules("v1").Costs()
			result := r.Version("v1").Create(context.Background(), gadget(t, "{metadata: {name: a, namespace: ns}, spec: {replicas: 2}}"))
			answers[i] = fmt.Sprint(len(costs), result.Object, result.Errors)
		})
	}
	group.Wait()
	for _, answer := range answers {
		require.Equal(t, answers[0], answer)
	}
}

// A definition that a server would refuse does not compile. The definition is checked only once.
func ExampleCompileChecked() {
	d, err := crd.Parse([]byte(`
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lamps.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {plural: lamps, kind: Lamp}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      watts: {type: integer, default: 60, x-kubernetes-validations: [{rule: self < 100, message: too hot}]}}}}}}
`))
	if err != nil {
		log.Fatal(err)
	}
	r, err := resource.CompileChecked(crdcheck.Compile(d))
	if err != nil {
		log.Fatal(err) // the errors of the definition
	}
	for _, watts := range []int64{40, 200} {
		result := r.Version("v1").Create(context.Background(), map[string]any{
			"apiVersion": "example.com/v1", "kind": "Lamp", "metadata": map[string]any{"name": "a"}, "spec": map[string]any{"watts": watts},
		})
		fmt.Println(result.Object["spec"], result.Errors)
	}
	// Output:
	// map[watts:40] []
	// map[watts:200] spec.watts: Invalid value: 200: too hot
}
