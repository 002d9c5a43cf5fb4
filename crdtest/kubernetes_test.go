package crdtest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/registry"
)

const sized = `{type: object, properties: {num: {type: integer, format: int32}}}`

// 1.36 enforces int32.
func TestRunOn(t *testing.T) {
	s := Parse(t, definitionOf(sized))
	s.RunOn(t, []string{"1.30", "1.35", "1.36", "1.37", "1.38"}, []Case{
		{Name: "small", Object: `spec: {num: 5}`},
		{Name: "large", Object: `spec: {num: 3000000000}`, Want: `spec: {num: 3000000000}`, Since: map[string]Answer{
			"1.36": {Errs: []Match{Invalid("spec.num", "int32")}},
		}},
	})
	require.Len(t, s.notes.of(s.definitions[0].versions["v1"]), 10, "all count for the coverage of the set")
}

func TestSince(t *testing.T) {
	s := Parse(t, definitionOf(sized))
	large := &Case{Object: `spec: {num: 3000000000}`, Since: map[string]Answer{
		"1.36": {Errs: []Match{Invalid("spec.num")}}, "1.34": {Want: `spec: {num: 1}`}, "1.38": {Errs: []Match{Required("spec")}},
	}}
	for version, want := range map[string]string{
		"1.33": "", "1.34": "num: 1", "1.35": "num: 1", "1.36": "", "1.37": "", "": "", "1.38": "- Required spec",
	} {
		of, err := s.For(version)
		require.NoError(t, err)
		failure, err := of.try(t.Context(), large)
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, failure, version)
		} else {
			require.Contains(t, failure, want, version)
		}
	}
	for _, version := range []string{"", "1.29", "next"} {
		_, err := s.try(t.Context(), &Case{Object: `spec: {num: 5}`, Since: map[string]Answer{version: {}}})
		require.ErrorContains(t, err, "Since: ", version)
	}
}

func TestSetFor(t *testing.T) {
	s := Parse(t, definitionOf(sized))
	_, err := s.For("1.29")
	require.EqualError(t, err, `crdtest: unknown version "1.29" of Kubernetes: must be a minor version from 1.30 to 1.38, without a patch release`)

	r, err := registry.Parse([]byte(definitionOf(sized)))
	require.NoError(t, err)
	r, err = r.For("1.35")
	require.NoError(t, err)
	failure, err := New(r).try(t.Context(), &Case{Object: `spec: {num: 3000000000}`, Since: map[string]Answer{"1.36": {Errs: []Match{Invalid("spec.num")}}}})
	require.NoError(t, err)
	require.Empty(t, failure)
}
