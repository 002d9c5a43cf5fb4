package kubeversion_test

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
	"github.com/crdkit/crdkit/kubeversion"
)

// routes is a definition of about the size of Gateway API's HTTPRoute: some 60 rules and 600 schemas.
func routes() string {
	var b strings.Builder
	b.WriteString("{type: object, properties: {")
	for i := range 60 {
		fmt.Fprintf(&b, `f%d: {type: array, maxItems: 16, items: {type: object, properties: {name: {type: string, maxLength: 253}, kind: {type: string},
  port: {type: integer, format: int32, minimum: 1, maximum: 65535}, type: {type: string, enum: [Exact, Prefix]}, a: {type: string}, b: {type: string},
  c: {type: string}, d: {type: string}}, x-kubernetes-validations: [{rule: "has(self.port) ? self.type == 'Exact' && self.name != '' : true"}]}},`, i)
	}
	b.WriteString("end: {type: string}}}")
	return b.String()
}

// BenchmarkRange has names of the form definition/operation: Range, and one check of the newest version. The variable
// CRDKIT_CONFORMANCE may name a directory of recorded answers, from which it uses HTTPRoute.
func BenchmarkRange(b *testing.B) {
	definitions := map[string]*crd.CustomResourceDefinition{"made": define(b, routes())}
	if dir := os.Getenv("CRDKIT_CONFORMANCE"); dir != "" {
		data := given.File(b, filepath.Join(dir, "random/crds/standard-httproutes.gateway.networking.k8s.io-v1.yaml"))
		definitions["HTTPRoute"] = given.Definition(b, data)
	}
	for name, d := range definitions {
		require.Empty(b, crdcheck.Validate(d))
		for operation, run := range map[string]func(){
			"Range":    func() { kubeversion.Range(d) },
			"Validate": func() { crdcheck.Validate(d) },
		} {
			b.Run(name+"/"+operation, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					run()
				}
			})
		}
	}
}
