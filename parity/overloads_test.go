package parity

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/crdkit/crdkit/internal/test/given"
)

var recordOverloads = flag.Bool("record-overloads", false, "write the overloads of a server's functions into the testdata of internal/cel/check")

// CEN-001: the functions that a rule may call in a server, with all their overloads in order, are those that package
// check's tests compare its tables with.
func TestOverloads(t *testing.T) {
	base := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion())
	for name, env := range map[string]*cel.Env{"new": base.NewExpressionsEnv(), "stored": base.StoredExpressionsEnv()} {
		var out strings.Builder
		functions := env.Functions()
		for _, name := range slices.Sorted(maps.Keys(functions)) {
			if functions[name].IsDeclarationDisabled() { // an old name, which no expression may call
				continue
			}
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
		file := "../internal/cel/check/testdata/overloads-" + name + ".txt"
		if *recordOverloads {
			require.NoError(t, os.WriteFile(file, []byte(out.String()), 0o644))
		}
		require.Equal(t, string(given.File(t, file)), out.String())
	}
}
