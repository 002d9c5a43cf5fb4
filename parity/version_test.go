package parity

import (
	"cmp"
	"slices"
	"testing"

	k8sversion "k8s.io/apimachinery/pkg/version"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/parity/gen"
	"github.com/crdkit/crdkit/version"
)

// VER-001 to VER-003. Names of equal priority keep their order in ours; so the reference's comparison sorts stably
// here.
func TestVersions(t *testing.T) {
	comparison{
		pkg: "version", functions: "Compare, Sort", reference: "version.CompareKubeAwareVersionStrings", cases: 10000,
		draw: func(s *gen.Source) any {
			return given.List(2+s.Intn(12), func(int) any { return gen.Version(s) })
		},
		ask: func(sample any) []outcome {
			var in []string
			list, _ := sample.([]any)
			for _, v := range list {
				name, _ := v.(string)
				in = append(in, name)
			}
			if len(in) < 2 {
				return nil
			}
			ours, theirs := slices.Clone(in), slices.Clone(in)
			version.Sort(ours)
			slices.SortStableFunc(theirs, func(a, b string) int { return k8sversion.CompareKubeAwareVersionStrings(b, a) })
			want := cmp.Compare(k8sversion.CompareKubeAwareVersionStrings(in[0], in[1]), 0)
			return []outcome{
				{cmp.Compare(version.Compare(in[0], in[1]), 0), want, want != 0},
				{ours, theirs, !slices.Equal(in, theirs)},
			}
		},
	}.run(t)
}
