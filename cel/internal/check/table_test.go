package check

import (
	"testing"

	"github.com/crdkit/crdkit/cel/internal/declare"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/decls"
	"github.com/google/cel-go/common/types"
	"github.com/stretchr/testify/require"
)

// declareNothing returns the types that every expression knows.
func declareNothing() types.Provider { return declare.NewProvider(nil) }

func declared(t *testing.T, stored bool) map[string]*decls.FunctionDecl {
	t.Helper()
	all, err := declarations(libraries(stored))
	require.NoError(t, err)
	byName := make(map[string]*decls.FunctionDecl, len(all))
	for _, f := range all {
		require.NotContains(t, byName, f.Name())
		byName[f.Name()] = f
	}
	return byName
}

// TestEnvironments: CEN-001. The two environments differ in one function, and in where the lists library stands.
func TestEnvironments(t *testing.T) {
	fresh, stored := declared(t, false), declared(t, true)
	require.Contains(t, stored, "includes")
	delete(stored, "includes")
	require.Len(t, fresh, 154)
	require.Len(t, stored, 154)
	overloads := 0
	for name, f := range fresh {
		require.Contains(t, stored, name)
		require.ElementsMatch(t, signaturesOf(f), signaturesOf(stored[name]), name)
		overloads += len(f.OverloadDecls())
	}
	require.Equal(t, 339, overloads)
}

// TestOverloadOrder: the order is recorded from the two environments of a server. It is that of the overloads in a checked expression.
func TestOverloadOrder(t *testing.T) {
	fresh, stored := declared(t, false), declared(t, true)
	for _, tt := range []struct {
		name      string
		functions map[string]*decls.FunctionDecl
		want      []string
	}{
		{"indexOf", fresh, []string{
			"list_a_index_of_int(list(A), A) int", "string_index_of_string(string, string) int", "string_index_of_string_int(string, string, int) int"}},
		{"indexOf", stored, []string{
			"string_index_of_string(string, string) int", "string_index_of_string_int(string, string, int) int", "list_a_index_of_int(list(A), A) int"}},
		{"_[_]", fresh, []string{
			"index_list(list(A), int) A", "index_map(map(A, B), A) B",
			"optional_list_index_int(optional_type(list(V)), int) optional_type(V)",
			"optional_map_index_value(optional_type(map(K, V)), K) optional_type(V)"}},
		{"ip", fresh, []string{"string_to_ip(string) net.IP", "cidr_ip(net.CIDR) net.IP"}},
		{"compareTo", fresh, []string{
			"quantity_compare_to(kubernetes.Quantity, kubernetes.Quantity) int", "semver_compare_to(kubernetes.Semver, kubernetes.Semver) int"}},
		{"sum", fresh, []string{
			"list_int_sum_int(list(int)) int", "list_uint_sum_uint(list(uint)) uint",
			"list_double_sum_double(list(double)) double",
			"list_duration_sum_duration(list(duration)) duration"}},
	} {
		require.Equal(t, tt.want, signaturesOf(tt.functions[tt.name]), tt.name)
	}
}

func signaturesOf(f *decls.FunctionDecl) []string {
	var all []string
	for _, o := range f.OverloadDecls() {
		s := o.ID() + "("
		for i, arg := range o.ArgTypes() {
			if i > 0 {
				s += ", "
			}
			s += checker.FormatCELType(arg)
		}
		all = append(all, s+") "+checker.FormatCELType(o.ResultType()))
	}
	return all
}
