package parity

import (
	"testing"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/parity/gen"
)

var defaulted = comparison{
	pkg: "defaulting", functions: "Default, Fill, DropNulls", reference: "defaulting.PruneNonNullableNullsWithoutDefaults, Default", cases: 4000,
	draw: objectsOf(gen.Schemas{}),
	ask: eachObject(func(p *pair, obj map[string]any) []outcome {
		return []outcome{
			valueOutcome(obj, defaulting.Default(p.ours, obj), p.theirs.Default(obj)),
			valueOutcome(obj, defaulting.Fill(p.ours, obj), p.theirs.Fill(obj)),
			valueOutcome(obj, defaulting.DropNulls(p.ours, obj), p.theirs.DropNulls(obj)),
		}
	}),
}

// DEF-001 to DEF-012.
func TestDefault(t *testing.T) { defaulted.run(t) }

// DEF-005, DEF-011: values of any kind.
func TestDefaultValue(t *testing.T) {
	comparison{
		pkg: "defaulting", functions: "Value", reference: "defaulting.PruneNonNullableNullsWithoutDefaults, Default", cases: 4000,
		draw: valuesOf(gen.Schemas{Wild: true}),
		ask: each(func(p *pair, v any) []outcome {
			return []outcome{valueOutcome(v, defaulting.Value(p.inner, v), p.theirs.Default(v))}
		}),
	}.run(t)
}
