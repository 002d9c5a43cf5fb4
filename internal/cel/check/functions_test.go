package check

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/decls"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/test/given"
)

// declareNothing returns the types that every expression knows.
func declareNothing() types.Provider { return types.NewProvider(nil) }

func declared(t *testing.T, stored bool) map[string]*decls.FunctionDecl {
	t.Helper()
	all, err := declarations(functions(environment{stored: stored}))
	require.NoError(t, err)
	byName := make(map[string]*decls.FunctionDecl, len(all))
	for _, f := range all {
		if known := byName[f.Name()]; known != nil { // as the checker does
			f, err = known.Merge(f)
			require.NoError(t, err)
		}
		byName[f.Name()] = f
	}
	return byName
}

// TestOverloads: CEN-001. The functions of both environments, with all their overloads, are those recorded from a
// server, in the same order. The parity module records them.
func TestOverloads(t *testing.T) {
	for file, stored := range map[string]bool{"testdata/overloads-new.txt": false, "testdata/overloads-stored.txt": true} {
		recorded := given.File(t, file)
		functions := declared(t, stored)
		var out strings.Builder
		for _, name := range slices.Sorted(maps.Keys(functions)) {
			fmt.Fprintf(&out, "%s\n", name)
			for _, o := range functions[name].OverloadDecls() {
				args := make([]string, len(o.ArgTypes()))
				for i, a := range o.ArgTypes() {
					args[i] = checker.FormatCELType(a)
				}
				form := "function"
				if o.IsMemberFunction() {
					form = "method"
				}
				fmt.Fprintf(&out, "\t%s %s(%s) %s\n", form, o.ID(), strings.Join(args, ", "), checker.FormatCELType(o.ResultType()))
			}
		}
		require.Equal(t, string(recorded), out.String())
	}
}
