package compat_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
)

// For any two definitions, witnesses show the difference of their findings, and the report is deterministic.
func FuzzCompare(f *testing.F) {
	for _, c := range changes {
		f.Add(c.old, c.new)
	}
	f.Add(`{type: object, properties: {a: {x-kubernetes-int-or-string: true, pattern: "^a"}}}`,
		`{type: object, properties: {a: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], minimum: 5}}}`)
	f.Add(`{type: object, properties: {a: {type: object, additionalProperties: {type: string}}}}`,
		`{type: object, properties: {a: {type: object, properties: {b: {type: string, maxLength: 3}}}}}`)
	f.Fuzz(func(t *testing.T, old, new string) {
		if len(old)+len(new) > 2000 {
			return
		}
		before, ok := accepted(t, old)
		if !ok {
			return
		}
		after, ok := accepted(t, new)
		if !ok {
			return
		}
		start := time.Now()
		r := compared(t, before, after, &compat.Options{Effort: 2000})
		if time.Since(start) > 10*time.Second {
			t.Errorf("%s and %s take %v", old, new, time.Since(start))
		}
		holds(t, before, after, r)
		again := compared(t, before, after, &compat.Options{Effort: 2000})
		require.Equal(t, r, again)
		same := compared(t, before, before, nil)
		require.Empty(t, same.Findings, "%s", same)
	})
}

// accepted returns the definition with the given spec, if a server accepts it.
func accepted(t *testing.T, spec string) (*crd.CustomResourceDefinition, bool) {
	text := definitionText(spec)
	d, err := crd.Parse([]byte(text))
	if err != nil || len(d.Spec.Versions) != 1 || len(crdcheck.Validate(d)) > 0 {
		return nil, false
	}
	return d, true
}
