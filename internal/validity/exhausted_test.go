package validity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// A walk whose work is used up says so once, so that a value that was not checked to its end is not valid.
func TestExhausted(t *testing.T) {
	r := reporter{base: field.NewPath("spec")}
	require.True(t, r.exhausted())
	require.True(t, r.exhausted())
	require.Len(t, r.errs.Errors(), 1)
	require.Equal(t, "spec: Invalid value: the patterns and combinators of the schema take too long for this value", r.errs.Errors()[0].Error())
	r = reporter{budget: jsonval.Budget{Work: 1}}
	require.False(t, r.exhausted())
	require.Empty(t, r.errs.Errors())
}
