package plan_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// The figures of VAL-020 to VAL-023, also those that surprise.
func TestNumberChecks(t *testing.T) {
	ptr := func(f float64) *float64 { return &f }
	plain := func(typ string) schema.JSONSchemaProps { return schema.JSONSchemaProps{Type: typ} }
	formatted := func(typ, format string) schema.JSONSchemaProps {
		return schema.JSONSchemaProps{Type: typ, Format: format}
	}
	least := func(p schema.JSONSchemaProps, f float64) schema.JSONSchemaProps { p.Minimum = ptr(f); return p }
	most := func(p schema.JSONSchemaProps, f float64) schema.JSONSchemaProps { p.Maximum = ptr(f); return p }
	multiple := func(p schema.JSONSchemaProps, f float64) schema.JSONSchemaProps { p.MultipleOf = ptr(f); return p }
	open := func(p schema.JSONSchemaProps) schema.JSONSchemaProps {
		p.ExclusiveMinimum, p.ExclusiveMaximum = true, true
		return p
	}
	intOrString := schema.JSONSchemaProps{XIntOrString: true}

	for _, row := range []struct {
		name  string
		props schema.JSONSchemaProps
		value any
		want  plan.NumberFault
	}{
		// VAL-020: the range of the value.
		{"no range without a type", schema.JSONSchemaProps{Format: "int32"}, int64(1) << 40, 0},
		{"int32 takes the greatest", formatted("integer", "int32"), int64(math.MaxInt32), 0},
		{"int32 takes the least", formatted("integer", "int32"), int64(math.MinInt32), 0},
		{"int32 refuses one more", formatted("integer", "int32"), int64(math.MaxInt32) + 1, plan.ValueRange},
		{"int32 refuses one less", formatted("integer", "int32"), int64(math.MinInt32) - 1, plan.ValueRange},
		{"int32 takes a whole float", formatted("integer", "int32"), 5.0, 0},
		{"int32 refuses a float beyond it", formatted("integer", "int32"), 2147483648.0, plan.ValueRange},
		{"int64 takes all", formatted("integer", "int64"), int64(math.MinInt64), 0},
		{"integer refuses a fraction", plain("integer"), 1.5, plan.ValueRange},
		{"integer refuses what is nearly whole", plain("integer"), 1.0000000001, plan.ValueRange},
		{"integer takes minus zero", plain("integer"), math.Copysign(0, -1), 0},
		{"integer takes 1e18", plain("integer"), 1e18, 0},
		{"integer takes the last float before 2^63", plain("integer"), 9223372036854774784.0, 0},
		{"integer refuses 2^63", plain("integer"), 9223372036854775808.0, plan.ValueRange},
		{"integer refuses -2^63 as a float: its text is -9223372036854776000", plain("integer"), -9223372036854775808.0, plan.ValueRange},
		{"integer takes the float after -2^63", plain("integer"), -9223372036854774784.0, 0},
		{"float takes what float32 rounds", formatted("number", "float"), 0.1, 0},
		{"float takes what float32 rounds to 0", formatted("number", "float"), 5e-324, 0},
		{"float refuses what float32 cannot hold", formatted("number", "float"), 3.5e38, plan.ValueRange},
		{"float takes half a step more than float32 holds: its text is a little less", formatted("number", "float"), 3.4028235677973366e38, 0},
		{"float refuses one step more", formatted("number", "float"), 3.402823567797337e38, plan.ValueRange},
		{"float takes every integer", formatted("number", "float"), int64(math.MaxInt64), 0},
		{"double takes all", formatted("number", "double"), math.MaxFloat64, 0},
		{"int-or-string has no range", intOrString, 1.0000000001, 0},

		// VAL-020: the range of the bound. A bound out of it is compared all the same, as a float64.
		{"a fractional minimum refuses a greater integer", least(plain("integer"), 5.5), int64(7), plan.MinimumRange},
		{"a fractional minimum refuses a smaller integer twice", least(plain("integer"), 5.5), int64(5), plan.MinimumRange | plan.BelowMinimum},
		{"a fractional maximum", most(plain("integer"), 5.5), int64(6), plan.MaximumRange | plan.AboveMaximum},
		{"a fractional minimum and a float", least(plain("integer"), 5.5), 7.0, plan.MinimumRange},
		{"a maximum beyond int32", most(formatted("integer", "int32"), 2147483648), int64(1), plan.MaximumRange},
		{"a maximum of 1e300", most(plain("integer"), 1e300), int64(1), plan.MaximumRange},
		{"a maximum beyond float32", most(formatted("number", "float"), 3.5e38), 1.5, plan.MaximumRange},
		{"a fractional factor is applied as it is", multiple(plain("integer"), 2.5), int64(5), plan.FactorRange},
		{"a fractional factor that does not divide", multiple(plain("integer"), 2.5), int64(6), plan.FactorRange | plan.NotMultiple},
		{"a factor below 1 of an integer", multiple(plain("integer"), 0.5), int64(3), plan.FactorRange},
		{"all at once", multiple(most(least(formatted("integer", "int32"), 5.5), -0.5), 2.5), int64(1),
			plan.FactorRange | plan.NotMultiple | plan.MinimumRange | plan.BelowMinimum | plan.MaximumRange | plan.AboveMaximum},

		// VAL-021: integers are compared with the bound without its fraction.
		{"minimum 5.5 takes 5", least(plain("number"), 5.5), int64(5), 0},
		{"minimum 5.5 refuses 4", least(plain("number"), 5.5), int64(4), plan.BelowMinimum},
		{"minimum 5.5 refuses 5.25", least(plain("number"), 5.5), 5.25, plan.BelowMinimum},
		{"maximum 10.5 takes 10", most(plain("number"), 10.5), int64(10), 0},
		{"maximum 10.5 refuses 11", most(plain("number"), 10.5), int64(11), plan.AboveMaximum},
		{"maximum -0.5 takes 0: it is cut to 0", most(plain("number"), -0.5), int64(0), 0},
		{"maximum 1e300 refuses every integer: it is cut to the least", most(plain("number"), 1e300), int64(5), plan.AboveMaximum},
		{"maximum 1e300 takes the least integer", most(plain("number"), 1e300), int64(math.MinInt64), 0},
		{"maximum 1e300 takes a float", most(plain("number"), 1e300), 5.5, 0},
		{"minimum 1e300 takes every integer", least(plain("number"), 1e300), int64(5), 0},
		{"minimum 2^53+1 is 2^53", least(plain("number"), 9007199254740993), int64(1) << 53, 0},
		{"int-or-string cuts bounds", most(intOrString, 10.5), int64(11), plan.AboveMaximum},

		// VAL-022.
		{"maximum takes itself", most(plain("integer"), 5), int64(5), 0},
		{"exclusive maximum refuses itself", open(most(plain("integer"), 5)), int64(5), plan.AboveMaximum},
		{"exclusive minimum refuses itself", open(least(plain("integer"), 5)), int64(5), plan.BelowMinimum},
		{"exclusive bounds take what is between", open(most(least(plain("number"), 1), 5)), int64(3), 0},
		{"exclusive bounds take a float between", open(most(least(plain("number"), 1), 5)), 3.5, 0},
		{"exclusive bounds out of range take what is between", open(most(least(plain("integer"), 0.5), 5.5)), int64(3), plan.MinimumRange | plan.MaximumRange},
		{"exclusive maximum refuses itself as a float", open(most(plain("number"), 5)), 5.0, plan.AboveMaximum},
		{"exclusive minimum refuses itself as a float", open(least(plain("number"), 5)), 5.0, plan.BelowMinimum},
		{"exclusive maximum 5.5 refuses 5: it is cut", open(most(plain("number"), 5.5)), int64(5), plan.AboveMaximum},
		{"exclusive alone does nothing", open(plain("number")), 5.0, 0},

		// VAL-023.
		{"2.5 acts as 2 on an integer", multiple(plain("number"), 2.5), int64(4), 0},
		{"2.5 is 2.5 on a float", multiple(plain("number"), 2.5), 4.0, plan.NotMultiple},
		{"no integer passes 0.5", multiple(plain("number"), 0.5), int64(1), plan.FactorNotPositive},
		{"a float passes 0.5", multiple(plain("number"), 0.5), 1.5, 0},
		{"0.3 is a multiple of 0.1: tiny errors pass", multiple(plain("number"), 0.1), 0.3, 0},
		{"0.35 is none", multiple(plain("number"), 0.1), 0.35, plan.NotMultiple},
		{"a quotient of 2^53 is not whole", multiple(plain("number"), 1), 9007199254740992.0, plan.NotMultiple},
		{"a quotient of 2^53-1 is", multiple(plain("number"), 1), 9007199254740991.0, 0},
		{"a large integer is exact", multiple(plain("number"), 3), int64(9223372036854775806), 0},
		{"a large integer that is off by one", multiple(plain("number"), 3), int64(9223372036854775807), plan.NotMultiple},
		{"the least integer", multiple(plain("integer"), 2), int64(math.MinInt64), 0},
		{"zero", multiple(plain("integer"), 0), int64(4), plan.FactorNotPositive},
		{"zero and a float", multiple(plain("number"), 0), 4.0, plan.FactorNotPositive},
		{"negative", multiple(plain("integer"), -2), int64(4), plan.FactorNotPositive},
		{"negative and a float", multiple(plain("number"), -2.5), 5.0, plan.FactorNotPositive},
		{"1e300 is cut to the least integer", multiple(plain("number"), 1e300), int64(5), plan.FactorNotPositive},
		{"0 is a multiple of all", multiple(plain("number"), 7), 0.0, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := schema.CompileLoose(&row.props)
			require.NoError(t, err)
			var got plan.NumberFault
			if c := plan.Root(s).Number; c != nil {
				switch v := row.value.(type) {
				case int64:
					got = c.Int(v)
				case float64:
					got = c.Float(v)
				}
			}
			require.Equal(t, fmt.Sprintf("%08b", row.want), fmt.Sprintf("%08b", got))
		})
	}
}
