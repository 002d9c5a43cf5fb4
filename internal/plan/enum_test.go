package plan

import (
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The conversions of VAL-013: a value becomes what the enum's value is, before they are compared.
func TestEnumHas(t *testing.T) {
	type object = map[string]any
	for _, row := range []struct {
		name   string
		values []any
		value  any
		want   bool
	}{
		{"string", []any{"A", "B"}, "B", true},
		{"other string", []any{"A", "B"}, "C", false},
		{"case counts", []any{"A"}, "a", false},
		{"empty string", []any{""}, "", true},
		{"string and number", []any{int64(1)}, "1", false},
		{"bool", []any{true}, true, true},
		{"other bool", []any{true}, false, false},
		{"bool and string", []any{"true"}, true, false},

		{"integer", []any{int64(1)}, int64(1), true},
		{"other integer", []any{int64(1)}, int64(2), false},
		{"float cut to the integer", []any{int64(1)}, 1.9, true},
		{"float cut towards zero", []any{int64(-1)}, -1.9, true},
		{"float cut to another", []any{int64(2)}, 1.9, false},
		{"float beyond int64 is the least", []any{int64(math.MinInt64)}, 1e300, true},
		{"float", []any{2.5}, 2.5, true},
		{"other float", []any{2.5}, 2.6, false},
		{"integer as float", []any{1.0}, int64(1), true},
		{"integer and half", []any{1.5}, int64(1), false},
		{"integer beyond 2^53 loses its end", []any{9007199254740992.0}, int64(9007199254740993), true},
		{"minus zero", []any{0.0}, math.Copysign(0, -1), true},

		{"65 is A", []any{"A"}, int64(65), true},
		{"66 is not", []any{"A"}, int64(66), false},
		{"65.0 is not: floats are no code points", []any{"A"}, 65.0, false},
		{"no code point", []any{"\uFFFD"}, int64(-1), true},
		{"a surrogate", []any{"\uFFFD"}, int64(0xD800), true},
		{"beyond Unicode", []any{"\uFFFD"}, int64(0x110000), true},
		{"beyond int32, whose low half is 65", []any{"A"}, int64(1)<<32 + 65, false},
		{"beyond int32", []any{"\uFFFD"}, int64(1)<<32 + 65, true},

		{"null", []any{"A", nil}, nil, false},
		{"null entry", []any{nil}, "A", false},
		{"null entry and object", []any{nil}, object{}, false},

		{"list", []any{[]any{int64(1), "a"}}, []any{int64(1), "a"}, true},
		{"list in another order", []any{[]any{int64(1), "a"}}, []any{"a", int64(1)}, false},
		{"numbers in lists are strict", []any{[]any{int64(1)}}, []any{1.0}, false},
		{"object", []any{object{"a": object{"b": int64(1)}}}, object{"a": object{"b": int64(1)}}, true},
		{"object with more", []any{object{"a": int64(1)}}, object{"a": int64(1), "b": nil}, false},
		{"numbers in objects are strict", []any{object{"a": 1.0}}, object{"a": int64(1)}, false},
		{"empty object", []any{object{}}, object{}, true},
		{"nil map as empty object", []any{object{}}, object(nil), true},
		{"empty list and empty object", []any{object{}}, []any{}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.want, NewEnum(row.values).Has(row.value))

			// The same among many: more texts than are compared one by one.
			var many []any
			for i := range 2 * fewValues {
				many = append(many, fmt.Sprint("text", i))
			}
			require.Equal(t, row.want, NewEnum(append(many, row.values...)).Has(row.value), "among many")
		})
	}
}

func TestEnumWithoutValues(t *testing.T) {
	require.Nil(t, NewEnum(nil))
	require.Nil(t, NewEnum([]any{}), "VAL-013: an empty list is no check")
}

// VAL-013, VAL-005: the texts for errors are the same for all who ask, at once or later.
func TestEnumTexts(t *testing.T) {
	e := NewEnum([]any{"a", int64(1), nil, map[string]any{"b": 1.5}})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			assert.Equal(t, `"a", "1", "null", "{\"b\":1.5}"`, e.Supported())
			assert.Equal(t, "[a 1 <nil> map[b:1.5]]", e.Printed())
		})
	}
	wg.Wait()
	require.Nil(t, NewEnum(nil))
	require.Nil(t, NewEnum([]any{}))
}
