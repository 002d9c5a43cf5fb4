package crdlint

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
)

// largeDefinition returns a definition of about 1 MB in two versions, with descriptions, defaults, enums, lists and rules.
func largeDefinition() string {
	long := strings.Repeat("what it is for, ", 12)
	component := func(i int) string {
		return fmt.Sprintf(`component%d: {type: object, description: %q, required: [name], properties: {
			name: {type: string, maxLength: 63, description: %q, x-kubernetes-validations: [{rule: self == oldSelf, message: is immutable}]},
			mode: {type: string, enum: [Fast, Slow, ""], default: Fast, description: %q},
			replicas: {type: integer, format: int32, minimum: 0, maximum: %d, default: 1, description: %q},
			size: {type: string, maxLength: 20, description: %q},
			metadata: {type: object},
			ports: {type: array, items: {type: object, required: [name], properties: {name: {type: string}, port: {type: integer, description: %q}}}}},
			x-kubernetes-validations: [{rule: "!has(self.size) || self.size.size() > 1 && self.replicas <= 10", message: must be small}]}, `,
			i, long, long, long, 100+i, long, long, long)
	}
	spec := func(n, from int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(component(from + i))
		}
		return "{type: object, properties: {spec: {type: object, properties: {" + b.String() + "}}, status: {type: object, properties: {phase: {type: string}}}}}"
	}
	return given.Head("Namespaced", "widgets.example.com", "Widget") +
		"  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: " + spec(230, 0) + "}}" +
		"\n  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: " + spec(230, 10) + "}}\n"
}

// BenchmarkFind parses, checks and lints a definition of about 1 MB, and the largest recorded ones in the directory that
// CRDKIT_CONFORMANCE names.
func BenchmarkFind(b *testing.B) {
	texts := map[string]string{"large": largeDefinition()}
	if dir := os.Getenv("CRDKIT_CONFORMANCE"); dir != "" {
		for _, name := range []string{"applicationsets.argoproj.io-v1alpha1", "prometheuses.monitoring.coreos.com-v1"} {
			texts[name] = string(given.File(b, filepath.Join(dir, "random/crds", name+".yaml")))
		}
	}
	for name, text := range texts {
		d, err := crd.Parse([]byte(text))
		require.NoError(b, err)
		checked := crdcheck.Compile(d)
		require.NoError(b, checked.Errors().Err())
		require.NotEmpty(b, Find(b.Context(), checked, nil))
		b.Run(name+"/whole", func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				d, _ := crd.Parse([]byte(text))
				Find(b.Context(), crdcheck.Compile(d), nil)
			}
		})
		b.Run(name+"/find", func(b *testing.B) {
			for b.Loop() {
				Find(b.Context(), checked, nil)
			}
		})
	}
}
