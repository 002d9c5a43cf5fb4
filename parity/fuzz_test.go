package parity

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/crdkit/crdkit/parity/gen"
)

// The fuzz targets ask what the tests of the same name ask. The fuzzer's bytes are the choices of which a sample is
// made, so that each input is one, and inputs that are nearly equal make samples that are.

// fuzz compares the samples that the fuzzer makes.
func fuzz(f *testing.F, c comparison) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 20, 100, 200, 400, 400, 800} {
		seed := make([]byte, n)
		for i := range seed {
			seed[i] = byte(random.IntN(256))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		sample := c.draw(gen.Bytes(choices))
		if slices.ContainsFunc(c.outcomes(sample, c.most(tries)), outcome.differs) {
			t.Error("\n" + c.explain(sample))
		}
	})
}

func FuzzViolations(f *testing.F) { fuzz(f, violations) }

func FuzzPrune(f *testing.F) { fuzz(f, pruned) }

func FuzzDefault(f *testing.F) { fuzz(f, defaulted) }

func FuzzValidate(f *testing.F) { fuzz(f, validated) }

func FuzzCompileRules(f *testing.F) { fuzz(f, compiledRules) }

func FuzzEvaluateRules(f *testing.F) { fuzz(f, evaluatedRules) }
