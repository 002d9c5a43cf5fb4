package kubeversion_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/kubeversion"
	"github.com/stretchr/testify/require"
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

func BenchmarkRange(b *testing.B) {
	d := define(b, routes())
	require.True(b, kubeversion.Range(d)[0].Accepted())
	for b.Loop() {
		kubeversion.Range(d)
	}
}
