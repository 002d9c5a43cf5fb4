package kubeversion_test

import (
	"os"
	"testing"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/kubeversion"
)

func BenchmarkRangeReal(b *testing.B) {
	data, err := os.ReadFile(os.Getenv("CRD"))
	if err != nil {
		b.Skip(err)
	}
	d, err := crd.Parse(data)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for _, v := range []string{"1.28", "1.29", "1.30", "1.31", "1.32", "1.33", "1.34", "1.35", "1.36", "1.37"} {
			if _, err := kubeversion.Check(d, v); err != nil {
				b.Fatal(err)
			}
		}
	}
}
