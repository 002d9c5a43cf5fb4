package crdtest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// definitionOf returns a definition whose spec has the given schema, in YAML's flow style.
func definitionOf(spec string) string {
	return given.Kind("Namespaced", "things.example.com", "Thing", "{type: object, properties: {spec: "+spec+"}}")
}

func TestAcceptedSince(t *testing.T) {
	s := Parse(t, definitionOf(`{type: string, maxLength: 20, x-kubernetes-validations: [{rule: isIP(self)}]}`))
	s.AcceptedSince(t, "1.31")
	r := &recorder{TB: t}
	s.AcceptedSince(r, "1.30")
	require.Len(t, r.errors, 1)
	require.Contains(t, r.errors[0], "Kubernetes 1.30: ")
	require.Contains(t, r.errors[0], "undeclared reference to 'isIP'")
	require.Len(t, r.logs, 1)
	require.True(t, strings.HasSuffix(r.logs[0], "isIP came with 1.31"), r.logs[0])

	r = &recorder{TB: t}
	s = Parse(t, definitionOf(`{type: string, x-kubernetes-validations: [{rule: "!oldSelf.hasValue() || true", optionalOldSelf: true}]}`))
	s.AcceptedSince(r, "1.28")
	all := strings.Join(r.errors, "\n")
	require.Contains(t, all, "Kubernetes 1.28: line 1: things.example.com: unknown field \"spec.versions[0].schema.openAPIV3Schema.properties.spec.x-kubernetes-validations[0].optionalOldSelf\"")
	require.Contains(t, all, "is dropped")
	require.NotContains(t, all, "Kubernetes 1.30")

	r = &recorder{TB: t}
	s.AcceptedSince(r, "1.24")
	require.Equal(t, []string{`unknown version "1.24": must be one of 1.28, 1.29, 1.30, 1.31, 1.32, 1.33, 1.34, 1.35, 1.36, 1.37`}, r.errors)
}

func TestAcceptedShowsFixes(t *testing.T) {
	const pattern = `{type: array, items: {type: string, maxLength: 253, x-kubernetes-validations: [{rule: "self.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')"}]}}`
	r := &recorder{TB: t}
	Parse(t, definitionOf(pattern)).Accepted(r)
	require.NotEmpty(t, r.errors)
	require.Len(t, r.logs, 2)
	const spec = "spec.versions[0].schema.openAPIV3Schema.properties[spec]"
	require.Contains(t, r.logs[0], spec+".items.x-kubernetes-validations[0] fits with maxItems: 8192 at "+spec+" (+kubebuilder:validation:MaxItems=8192)")
	require.Contains(t, r.logs[1], "hint: matches-of-constant: ")

	// Two rules that need bounds of their own, and both together.
	r = &recorder{TB: t}
	Parse(t, definitionOf(`{type: object, properties: {a: `+pattern+`, b: `+pattern+`}}`)).Accepted(r)
	require.Len(t, r.logs, 5)
	require.Contains(t, r.logs[4], "all rules of spec.versions[0].schema.openAPIV3Schema fit with maxItems: 8192 at "+spec+".properties[a], maxItems: 8192 at "+spec+".properties[b]")

	r = &recorder{TB: t}
	Parse(t, definitionOf(`{type: string, maxLength: 20, x-kubernetes-validations: [{rule: "self != ''"}]}`)).Accepted(r)
	require.Empty(t, r.errors)
	require.Empty(t, r.logs)
}
