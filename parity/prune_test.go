package parity

import (
	"testing"

	"github.com/crdkit/crdkit/parity/gen"
	"github.com/crdkit/crdkit/prune"
)

var pruned = comparison{
	pkg: "prune", functions: "Prune, Unknown", reference: "pruning.PruneWithOptions", cases: 4000,
	draw: objectsOf(gen.Schemas{}),
	ask: eachObject(func(p *pair, obj map[string]any) []outcome {
		theirs, unknown := p.theirs.Prune(obj, true)
		return []outcome{
			valueOutcome(obj, prune.Prune(p.ours, obj), theirs),
			{prune.Unknown(p.ours, obj), unknown, len(unknown) > 0},
		}
	}),
}

// PRU-001 to PRU-013: whole objects.
func TestPrune(t *testing.T) { pruned.run(t) }

// PRU-003 to PRU-011: values that are not the root of a resource.
func TestPruneValue(t *testing.T) {
	comparison{
		pkg: "prune", functions: "Value, UnknownIn", reference: "pruning.PruneWithOptions", cases: 4000,
		draw: valuesOf(gen.Schemas{Wild: true}),
		ask: each(func(p *pair, v any) []outcome {
			theirs, unknown := p.theirs.Prune(v, false)
			return []outcome{
				valueOutcome(v, prune.Value(p.inner, v), theirs),
				{prune.UnknownValue(p.inner, v), unknown, len(unknown) > 0},
			}
		}),
	}.run(t)
}
