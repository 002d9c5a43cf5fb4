package audit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/audit"
	"github.com/crdkit/crdkit/internal/test/given"
)

// pools has what versions of Kubernetes answer differently.
const pools = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: pools.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: pools, kind: Pool}
  versions:
  - name: v1
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {
      asn: {type: integer, format: int32}, name: {type: string, minLength: 3}, mode: {type: string, default: fast}}}}}}
`

func pool(name, spec string) string {
	return strings.ReplaceAll(strings.Replace(widget(name, spec), "Widget", "Pool", 1), `,"status":{"ready":true}`, "")
}

// Findings say whether the server before an upgrade has them, too, whatever type of error it gives them.
func TestUpgrade(t *testing.T) {
	object := []byte(pool("a", `{"asn":4294967295,"name":"x","mode":"slow"}`))
	objectFound := func(o *audit.Options) []string {
		t.Helper()
		return found(newAudit(t, pools, o).Object(t.Context(), object))
	}
	asn := `create v1 spec.asn FieldValueInvalid: <nil>: Invalid value: "": Checked value must be of type integer with format int32 in spec.asn`
	name := `create v1 spec.name FieldValueInvalid: spec.name: Invalid value: "x": spec.name in body should be at least 3 chars long`
	require.Equal(t, []string{asn, name}, objectFound(nil))
	require.Equal(t, []string{name}, objectFound(&audit.Options{Kubernetes: "1.35"}))
	require.Equal(t, []string{asn, name + " before"}, objectFound(&audit.Options{Kubernetes: "1.36", OldKubernetes: "1.35"}))
	require.Equal(t, []string{asn, name + " before"}, objectFound(&audit.Options{OldKubernetes: "1.33"}))
	require.Equal(t, []string{asn + " before", name + " before"}, objectFound(&audit.Options{Kubernetes: "1.37", OldKubernetes: "1.37"}))
	require.Equal(t, []string{asn + " before",
		`create v1 spec.name FieldValueTooShort: spec.name: Too short: must be at least 3 characters before`,
	}, objectFound(&audit.Options{Kubernetes: "1.38", OldKubernetes: "1.37"}))

	// Both the definition and the server change.
	object = []byte(pool("a", `{"asn":4294967295,"name":"x","mode":"slow"}`))
	old := given.Definition(t, strings.Replace(pools, "minLength: 3", "minLength: 1", 1))
	require.Equal(t, []string{asn, name}, objectFound(&audit.Options{Old: old, Kubernetes: "1.36", OldKubernetes: "1.35"}))
	require.Equal(t, []string{name}, objectFound(&audit.Options{Old: old, Kubernetes: "1.35"}))
}

// What both servers accept may still be stored otherwise, or cause a warning.
func TestUpgradeOfWhatIsAccepted(t *testing.T) {
	o := &audit.Options{Kubernetes: "1.32", OldKubernetes: "1.31"}
	finalizers := strings.Replace(pool("a", `{"mode":"slow"}`), `"metadata":{`, `"metadata":{"finalizers":["example.com","plain"],`, 1)
	a := newAudit(t, pools, o)
	outcome := a.Object(t.Context(), []byte(finalizers))
	require.Equal(t, []string{
		`warn v1 metadata.finalizers : metadata.finalizers: "example.com": prefer a domain-qualified finalizer name including a path (/) ` +
			`to avoid accidental conflicts with other finalizer writers`,
	}, found(outcome))
	require.Equal(t, audit.Changed, outcome.Class)
	require.Equal(t, audit.Clean, a.Object(t.Context(), []byte(pool("a", `{"mode":"slow"}`))).Class)
	require.Empty(t, found(newAudit(t, pools, &audit.Options{Kubernetes: "1.31", OldKubernetes: "1.30"}).Object(t.Context(), []byte(finalizers))))

	o.Old = given.Definition(t, strings.Replace(pools, "default: fast", "default: slow", 1))
	a = newAudit(t, pools, o)
	missing := []byte(pool("a", `{"asn":1}`))
	outcome = a.Object(t.Context(), missing)
	require.Equal(t, []string{`store v1 spec.mode : changed "spec.mode"`, `default v1 spec.mode : default for "spec.mode" before`}, found(outcome))
	report, err := a.Run(t.Context(), audit.Objects(strings.NewReader(string(missing)+finalizers)))
	require.NoError(t, err)
	require.True(t, report.Compared)
	require.Zero(t, report.New, "nothing is refused")
	require.EqualValues(t, 2, report.Changed)
	require.Len(t, report.Findings, 3)

	// Without an upgrade, only refusals and fields are compared.
	o.Kubernetes = o.OldKubernetes
	require.Equal(t, []string{`default v1 spec.mode : default for "spec.mode" before`}, found(newAudit(t, pools, o).Object(t.Context(), missing)))
}

// Objects that cannot be read, and those of other kinds, are not compared.
func TestUpgradeOfOtherObjects(t *testing.T) {
	a := newAudit(t, pools, &audit.Options{Kubernetes: "1.36", OldKubernetes: "1.35"})
	require.Equal(t, audit.Damaged, a.Object(t.Context(), []byte(`{"a":`)).Class)
	require.Equal(t, audit.Damaged, a.Object(t.Context(), []byte(`null`)).Class)
	require.Equal(t, audit.Foreign, a.Object(t.Context(), []byte(widget("a", `{}`))).Class)
}

func TestUnknownKubernetes(t *testing.T) {
	d := given.Definition(t, pools)
	for _, o := range []*audit.Options{{Kubernetes: "1.29"}, {OldKubernetes: "1.36.1"}} {
		_, err := audit.New(d, o)
		require.ErrorContains(t, err, "of Kubernetes: must be a minor version from 1.30 to 1.38, without a patch release")
	}
}
