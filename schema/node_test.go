package schema

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
)

// Names that were chosen to collide must not make a server work: neither declared ones nor those of an object.
func TestPropFindsEveryName(t *testing.T) {
	distinct := func(i int) string { return fmt.Sprintf("name%d", i) }
	colliding := func(i int) string { return fmt.Sprintf("a%08dmm%08dz", i, 7) }
	for name, of := range map[string]func(int) string{"distinct": distinct, "colliding": colliding} {
		for _, count := range []int{0, 1, 2, 3, 31, 33, 100, 1000, maxProps} {
			t.Run(fmt.Sprint(name, count), func(t *testing.T) {
				props := map[string]*JSONSchemaProps{}
				for i := range count {
					props[of(i)] = &JSONSchemaProps{}
				}
				s, err := CompileLoose(&JSONSchemaProps{Properties: props})
				require.NoError(t, err)
				require.Len(t, s.Root.Props, count)
				for i := range count {
					if p := s.Root.Prop(of(i)); p == nil || p.Name != of(i) {
						t.Fatalf("%s is not found", of(i))
					}
				}
				for i := range 3 * count {
					if s.Root.Prop(of(count+i)) != nil {
						t.Fatalf("%s is found", of(count+i))
					}
				}
				require.Nil(t, s.Root.Prop(""))
			})
		}
	}
}

func TestChild(t *testing.T) {
	s, err := CompileLoose(&JSONSchemaProps{
		Properties:           map[string]*JSONSchemaProps{"a": {Type: "string"}, "": {Type: "integer"}},
		AdditionalProperties: &SchemaOrBool{Allows: true, Schema: &JSONSchemaProps{Type: "boolean"}},
	})
	require.NoError(t, err)
	for _, row := range []struct {
		key, typ string
		declared bool
	}{{"a", "string", true}, {"", "integer", true}, {"b", "boolean", false}} {
		n, declared := s.Root.Child(row.key)
		require.Equal(t, row.typ, n.Type, row.key)
		require.Equal(t, row.declared, declared, row.key)
	}
	n, declared := s.Root.Prop("a").Node.Child("a")
	require.Nil(t, n)
	require.False(t, declared)
}

// VAL-030: the first of maxLength, minLength and pattern, in runes.
func TestFault(t *testing.T) {
	ptr := func(n int64) *int64 { return &n }
	for _, row := range []struct {
		name  string
		props JSONSchemaProps
		text  string
		want  StringFault
	}{
		{"as long as may be", JSONSchemaProps{MaxLength: ptr(3)}, "abc", StringFine},
		{"longer", JSONSchemaProps{MaxLength: ptr(3)}, "abcd", TooLong},
		{"runes count, not bytes", JSONSchemaProps{MaxLength: ptr(3)}, "äöü", StringFine},
		{"runes of four bytes", JSONSchemaProps{MaxLength: ptr(3), MinLength: ptr(3)}, "😀😀😀", StringFine},
		{"one rune more", JSONSchemaProps{MaxLength: ptr(3)}, "äöüß", TooLong},
		{"invalid bytes count one each", JSONSchemaProps{MaxLength: ptr(2)}, "\xff\xff\xff", TooLong},
		{"as short as may be", JSONSchemaProps{MinLength: ptr(3)}, "äöü", StringFine},
		{"shorter", JSONSchemaProps{MinLength: ptr(3)}, "äö", TooShort},
		{"shorter by runes, not by bytes", JSONSchemaProps{MinLength: ptr(2)}, "😀", TooShort},
		{"nothing is too long for 0", JSONSchemaProps{MaxLength: ptr(0)}, "a", TooLong},
		{"empty", JSONSchemaProps{MaxLength: ptr(0), MinLength: ptr(0)}, "", StringFine},
		{"negative bounds", JSONSchemaProps{MaxLength: ptr(-1), MinLength: ptr(-1)}, "", TooLong},
		{"maxLength before minLength", JSONSchemaProps{MaxLength: ptr(1), MinLength: ptr(5)}, "abc", TooLong},
		{"minLength before pattern", JSONSchemaProps{MinLength: ptr(5), Pattern: "x"}, "abc", TooShort},
		{"pattern", JSONSchemaProps{Pattern: "b"}, "abc", StringFine},
		{"no match", JSONSchemaProps{Pattern: "^b"}, "abc", NoMatch},
		{"a pattern that does not compile", JSONSchemaProps{Pattern: "("}, "(", NoMatch},
		{"the format is not asked", JSONSchemaProps{Format: "date"}, "abc", StringFine},
		{"huge bounds", JSONSchemaProps{MaxLength: ptr(math.MaxInt64), MinLength: ptr(math.MinInt64)}, "abc", StringFine},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := CompileLoose(&row.props)
			require.NoError(t, err)
			require.Equal(t, row.want, s.Root.String.Fault(row.text))
		})
	}
}

// Bytes bound runes, so that most strings need no counting: the answer must be that of counting.
func TestFaultCountsLikeRunes(t *testing.T) {
	for _, unit := range []string{"a", "ä", "€", "😀", "\xff", "a😀"} {
		for count := range 12 {
			text := strings.Repeat(unit, count)
			for bound := range int64(26) {
				c := StringChecks{MinLength: bound, MaxLength: math.MaxInt64}
				require.Equal(t, int64(len([]rune(text))) < bound, c.Fault(text) == TooShort, "%q at least %d", text, bound)
				c = StringChecks{MinLength: math.MinInt64, MaxLength: bound}
				require.Equal(t, int64(len([]rune(text))) > bound, c.Fault(text) == TooLong, "%q at most %d", text, bound)
			}
		}
	}
}

func TestOf(t *testing.T) {
	type text string
	for _, row := range []struct {
		value any
		want  Kinds
	}{
		{nil, KindNull}, {true, KindBool}, {int64(1), KindInt}, {1.0, KindWhole}, {1.5, KindFloat}, {1e16, KindFloat},
		{"a", KindString}, {[]any{}, KindArray}, {[]any(nil), KindArray}, {map[string]any{}, KindObject}, {map[string]any(nil), KindObject},
		{math.NaN(), 0}, {math.Inf(1), 0}, {math.Inf(-1), 0},
		{1, 0}, {float32(1), 0}, {text("a"), 0}, {[]string{}, 0}, {map[string]string{}, 0}, {struct{}{}, 0}, {field.OmitValue, 0},
	} {
		require.Equal(t, row.want, KindOf(row.value), "%T %v", row.value, row.value)
	}
}
