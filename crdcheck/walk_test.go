package crdcheck

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/schema"
)

// STC-003: what no structural schema can express is the same here and in package schema.
func TestUnsupported(t *testing.T) {
	found := 0
	for _, name := range keyword.Of[schema.JSONSchemaProps]().Names {
		for _, value := range []string{"null", `""`, "x", "1", "true", "false", "{}", "{a: {}}", "{a: [b]}", "[]", "[{}]"} {
			p, err := schema.Decode([]byte("{" + name + ": " + value + "}"))
			if err != nil {
				continue // not a value of this keyword
			}
			_, err = schema.CompileLoose(p)
			require.Equal(t, err != nil, unsupported(p), "%s: %s: %v", name, value, err)
			if err != nil {
				found++
			}
		}
	}
	require.Positive(t, found)
}
