package eval

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/cel-go/cel"
	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/cel/types"
)

// celLiteral returns an expression for a value of cel-go, or false if there is none.
func celLiteral(v ref.Val) (string, bool) {
	switch x := v.(type) {
	case celtypes.Bool, celtypes.Int:
		return fmt.Sprint(x), true
	case celtypes.Uint:
		return fmt.Sprint(x) + "u", true
	case celtypes.Double:
		text := strconv.FormatFloat(float64(x), 'e', -1, 64)
		return text, float64(x) == float64(x) && !strings.Contains(text, "Inf")
	case celtypes.String:
		return strconv.Quote(string(x)), true
	case celtypes.Bytes:
		text := "b'"
		for _, b := range x {
			text += fmt.Sprintf(`\x%02x`, b)
		}
		return text + "'", true
	case celtypes.Null:
		return "null", true
	case celtypes.Duration:
		return "duration('" + strconv.FormatInt(int64(x.Duration), 10) + "ns')", true
	case celtypes.Timestamp:
		return "timestamp('" + x.UTC().Format(time.RFC3339Nano) + "')", true
	case *celtypes.Type:
		return x.TypeName(), true
	}
	return "", false
}

// TestOperators compares each operator and conversion, with values of all kinds at hand, with cel-go: results, types
// and the texts of errors.
func TestOperators(t *testing.T) {
	operands := []string{
		"null", "true", "0", "7", "9223372036854775807", "-9223372036854775808", "0u", "3u", "18446744073709551615u", "-0.0", "2.5", "9223372036854775808.0",
		"'a'", "'7'", "b'a'", "duration('90m')", "duration('2562047h47m16s')", "timestamp('2020-02-29T12:00:00.5Z')",
		"timestamp('9999-12-31T23:59:59Z')", "timestamp('0001-01-01T00:00:00Z')", "int", "[1, 2]", "{'a': 1}",
	}
	others := []string{
		"false", "1", "-1", "0.0", "-1e300", "1e300", "-7.9", "'-7'", "'true'", "'1.5'", "'3s'", "'2020-02-29T12:00:00.5Z'", "''", "b''", "b'\\xff'",
		"duration('-1ns')", "[]", "{1: 2}",
	}
	var exprs []string
	for _, a := range slices.Concat(operands, others) {
		for _, f := range []string{"-", "!", "int", "uint", "double", "string", "bytes", "bool", "duration", "timestamp", "type", "size", "dyn"} {
			exprs = append(exprs, f+"(dyn("+a+"))")
		}
		for _, f := range []string{"getFullYear", "getMonth", "getDayOfYear", "getDayOfMonth", "getDate", "getDayOfWeek", "getHours", "getMinutes",
			"getSeconds", "getMilliseconds"} {
			exprs = append(exprs, "dyn("+a+")."+f+"()", "dyn("+a+")."+f+"('-02:30')")
		}
		exprs = append(exprs, "dyn("+a+").matches('^[a7]')", "dyn("+a+").getHours('nowhere')", "dyn("+a+").all(x, x == x)", "dyn("+a+").map(x, x)")
	}
	for _, a := range operands {
		for _, b := range operands {
			for _, op := range []string{"+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "in"} {
				exprs = append(exprs, "dyn("+a+") "+op+" dyn("+b+")")
			}
			exprs = append(exprs, "dyn("+a+")[dyn("+b+")]", "dyn("+a+") ? dyn("+b+") : 1", "dyn("+a+").contains(dyn("+b+"))")
		}
	}
	env, err := cel.NewEnv(cel.CrossTypeNumericComparisons(true), cel.DefaultUTCTimeZone(true))
	require.NoError(t, err)
	n := compiled(t, everything)
	// ours returns the outcome of a rule. What is constant is evaluated when a program is made.
	ours := func(rule string) (holds bool, text string) {
		checked, err := CheckRule(rule, types.Scope(n), false)
		require.NoError(t, err, rule)
		p, err := Plan(checked, n)
		if err != nil {
			return false, err.Error()
		}
		r := NewMachine(t.Context(), 1_000_000).Run(p, &Input{Node: n})
		return r.Outcome == 0, r.Text
	}
	for _, expr := range exprs {
		ast, issues := env.Compile(expr)
		require.NoError(t, issues.Err(), expr)
		var want ref.Val
		program, err := env.Program(ast, cel.EvalOptions(cel.OptOptimize))
		if err == nil {
			want, _, err = program.Eval(map[string]any{})
		}
		if err != nil {
			if _, text := ours("dyn(" + expr + ") == dyn(1)"); text != err.Error() {
				t.Errorf("%s: want %q got %q", expr, err.Error(), text)
			}
			continue
		}
		lit, ok := celLiteral(want)
		if !ok {
			continue
		}
		if holds, text := ours("dyn(" + expr + ") == dyn(" + lit + ") && type(dyn(" + expr + ")) == type(dyn(" + lit + "))"); !holds || text != "" {
			t.Errorf("%s: want %s got %q", expr, lit, text)
		}
	}
}
