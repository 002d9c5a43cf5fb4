package crdcheck

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func BenchmarkCosts(b *testing.B) {
	d := dear(b, `{type: array, items: {type: object, properties: {name: {type: string}, hosts: {type: array, items: {type: string}}}},
x-kubernetes-validations: [{rule: "self.all(x, self.exists_one(y, y.name == x.name && y.hosts.all(h, h.startsWith(x.name))))"}]}`)
	require.NotEmpty(b, Costs(d).Schemas[0].Rules[0].Fixes)
	for b.Loop() {
		Costs(d)
	}
}
