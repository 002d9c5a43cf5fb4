package plan_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// VAL-030: the first of maxLength, minLength and pattern, in runes.
func TestFault(t *testing.T) {
	ptr := func(n int64) *int64 { return &n }
	for _, row := range []struct {
		name  string
		props schema.JSONSchemaProps
		text  string
		want  plan.StringFault
	}{
		{"as long as may be", schema.JSONSchemaProps{MaxLength: ptr(3)}, "abc", plan.StringFine},
		{"longer", schema.JSONSchemaProps{MaxLength: ptr(3)}, "abcd", plan.TooLong},
		{"runes count, not bytes", schema.JSONSchemaProps{MaxLength: ptr(3)}, "äöü", plan.StringFine},
		{"runes of four bytes", schema.JSONSchemaProps{MaxLength: ptr(3), MinLength: ptr(3)}, "😀😀😀", plan.StringFine},
		{"one rune more", schema.JSONSchemaProps{MaxLength: ptr(3)}, "äöüß", plan.TooLong},
		{"invalid bytes count one each", schema.JSONSchemaProps{MaxLength: ptr(2)}, "\xff\xff\xff", plan.TooLong},
		{"as short as may be", schema.JSONSchemaProps{MinLength: ptr(3)}, "äöü", plan.StringFine},
		{"shorter", schema.JSONSchemaProps{MinLength: ptr(3)}, "äö", plan.TooShort},
		{"shorter by runes, not by bytes", schema.JSONSchemaProps{MinLength: ptr(2)}, "😀", plan.TooShort},
		{"nothing is too long for 0", schema.JSONSchemaProps{MaxLength: ptr(0)}, "a", plan.TooLong},
		{"empty", schema.JSONSchemaProps{MaxLength: ptr(0), MinLength: ptr(0)}, "", plan.StringFine},
		{"negative bounds", schema.JSONSchemaProps{MaxLength: ptr(-1), MinLength: ptr(-1)}, "", plan.TooLong},
		{"maxLength before minLength", schema.JSONSchemaProps{MaxLength: ptr(1), MinLength: ptr(5)}, "abc", plan.TooLong},
		{"minLength before pattern", schema.JSONSchemaProps{MinLength: ptr(5), Pattern: "x"}, "abc", plan.TooShort},
		{"pattern", schema.JSONSchemaProps{Pattern: "b"}, "abc", plan.StringFine},
		{"no match", schema.JSONSchemaProps{Pattern: "^b"}, "abc", plan.NoMatch},
		{"a pattern that does not compile", schema.JSONSchemaProps{Pattern: "("}, "(", plan.NoMatch},
		{"the format is not asked", schema.JSONSchemaProps{Format: "date"}, "abc", plan.StringFine},
		{"huge bounds", schema.JSONSchemaProps{MaxLength: ptr(math.MaxInt64), MinLength: ptr(math.MinInt64)}, "abc", plan.StringFine},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := schema.CompileLoose(&row.props)
			require.NoError(t, err)
			require.Equal(t, row.want, fault(plan.Root(s).String, row.text))
		})
	}
}

func fault(c *plan.StringChecks, text string) plan.StringFault {
	work := jsonval.MaxWork
	return c.Fault(text, &work)
}

// Bytes bound runes, so that most strings need no counting: the answer must be that of counting.
func TestFaultCountsLikeRunes(t *testing.T) {
	for _, unit := range []string{"a", "ä", "€", "😀", "\xff", "a😀"} {
		for count := range 12 {
			text := strings.Repeat(unit, count)
			for bound := range int64(26) {
				c := plan.StringChecks{MinLength: bound, MaxLength: math.MaxInt64}
				require.Equal(t, int64(len([]rune(text))) < bound, fault(&c, text) == plan.TooShort, "%q at least %d", text, bound)
				c = plan.StringChecks{MinLength: math.MinInt64, MaxLength: bound}
				require.Equal(t, int64(len([]rune(text))) > bound, fault(&c, text) == plan.TooLong, "%q at most %d", text, bound)
			}
		}
	}
}
