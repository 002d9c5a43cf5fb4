package check

import (
	"strings"
	"testing"

	"github.com/google/cel-go/common/debug"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/parse"
	"github.com/crdkit/crdkit/internal/test/celgo"
)

// TestExpansions proves the table of CEN-010 for the macros of this package. A loop is printed with its variables,
// range, accumulator, start, condition, step and result.
func TestExpansions(t *testing.T) {
	loop := func(variables, start, condition, step, result string) string {
		return "__comprehension__(//Variable" + variables + ",//Target r,//Accumulator @result,//Init " + start +
			",//LoopCondition " + condition + ",//LoopStep " + step + ",//Result " + result + ")"
	}
	bind := func(name, value, body string) string {
		return "__comprehension__(//Variable #unused,//Target [],//Accumulator " + name + ",//Init " + value +
			",//LoopCondition false,//LoopStep " + name + ",//Result " + body + ")"
	}
	const two = " k, v"
	for _, tt := range []struct{ call, want string }{
		{"r.all(k, v, p)", loop(two, "true", "@not_strictly_false(@result)", "_&&_(@result,p)", "@result")},
		{"r.exists(k, v, p)", loop(two, "false", "@not_strictly_false(!_(@result))", "_||_(@result,p)", "@result")},
		{"r.exists_one(k, v, p)", loop(two, "0", "true", "_?_:_(p,_+_(@result,1),@result)", "_==_(@result,1)")},
		{"r.existsOne(k, v, p)", loop(two, "0", "true", "_?_:_(p,_+_(@result,1),@result)", "_==_(@result,1)")},
		{"r.transformList(k, v, f)", loop(two, "[]", "true", "_+_(@result,[f])", "@result")},
		{"r.transformList(k, v, p, f)", loop(two, "[]", "true", "_?_:_(p,_+_(@result,[f]),@result)", "@result")},
		{"r.transformMap(k, v, f)", loop(two, "{}", "true", "cel.@mapInsert(@result,k,f)", "@result")},
		{"r.transformMap(k, v, p, f)", loop(two, "{}", "true", "_?_:_(p,cel.@mapInsert(@result,k,f),@result)", "@result")},
		{"r.transformMapEntry(k, v, f)", loop(two, "{}", "true", "cel.@mapInsert(@result,f)", "@result")},
		{"r.transformMapEntry(k, v, p, f)", loop(two, "{}", "true", "_?_:_(p,cel.@mapInsert(@result,f),@result)", "@result")},
		{"t.optMap(x, e)", "_?_:_(t.hasValue(),optional.of(" + bind("x", "t.value()", "e") + "),optional.none())"},
		{"t.optFlatMap(x, e)", "_?_:_(t.hasValue()," + bind("x", "t.value()", "e") + ",optional.none())"},
		{"t.sortBy(x, k)", bind("@__sortBy_input__", "t", "@__sortBy_input__.@sortByAssociatedKeys("+
			strings.Replace(loop(" x", "[]", "true", "_+_(@result,[k])", "@result"), "Target r", "Target @__sortBy_input__", 1)+")")},

		{"r.all(x, p)", loop(" x", "true", "@not_strictly_false(@result)", "_&&_(@result,p)", "@result")},
		{"r.exists(x, p)", loop(" x", "false", "@not_strictly_false(!_(@result))", "_||_(@result,p)", "@result")},
		{"r.exists_one(x, p)", loop(" x", "0", "true", "_?_:_(p,_+_(@result,1),@result)", "_==_(@result,1)")},
		{"r.map(x, f)", loop(" x", "[]", "true", "_+_(@result,[f])", "@result")},
		{"r.map(x, p, f)", loop(" x", "[]", "true", "_?_:_(p,_+_(@result,[f]),@result)", "@result")},
		{"r.filter(x, p)", loop(" x", "[]", "true", "_?_:_(p,_+_(@result,[x]),@result)", "@result")},
		{"has(e.f)", "e.f~test-only~"},
		{"r.existsOne(x, p)", "r.existsOne(x,p)"}, // no macro
	} {
		t.Run(tt.call, func(t *testing.T) {
			parsed, problems := parse.Full(tt.call, syntax(0))
			require.Nil(t, problems)
			got := debug.ToDebugString(celgo.Expr(parsed.Root))
			require.Equal(t, squeeze(tt.want), squeeze(got))
		})
	}
}

func squeeze(s string) string {
	return strings.NewReplacer("\n", "", " ", "", "^#*expr.Expr_CallExpr#", "").Replace(s)
}

func TestCopiesAreBounded(t *testing.T) {
	require.NoError(t, compileText("optional.of(1)"+strings.Repeat(".optMap(x, x)", 6)))

	// The link that exceeds the limit is refused. The expression after it is refused too, however small.
	err := compileText("optional.of(1)" + strings.Repeat(".optMap(x, x)", 16))
	require.ErrorContains(t, err, "ERROR: <input>:1:178: expression count exceeds limit of 100000 while expanding macro 'optMap'\n")
	require.Equal(t, 4, strings.Count(err.Error(), "ERROR"))

	require.ErrorContains(t, compileText("optional.of(1)"+strings.Repeat(".optFlatMap(x, optional.of(x))", 40)),
		"expression count exceeds limit of 100000 while expanding macro 'optFlatMap'")
}
