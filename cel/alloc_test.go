//go:build !race

// The race detector makes sync.Pool forget.

package cel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/internal/test/given"
)

// The walk through a valid object allocates nothing: neither for maps, whose keys it sorts, nor for lists and their old
// items.
func TestNoAllocs(t *testing.T) {
	r := cel.Prepare(given.Structural(t, `
type: object
properties:
  m: {type: object, additionalProperties: {type: object, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: "true"}]}}}
  l: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, j], items: {type: object, required: [k, j], properties: {k: {type: string}, j: {type: number}, v: {type: integer, x-kubernetes-validations: [{rule: "self == oldSelf"}, {rule: "true"}]}}}}
  p: {type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: "true"}]}, b: {type: string}}}`))
	obj := given.Object(t, `{m: {b: {x: 1, w: 2}, a: {z: 1}}, l: [{k: a, j: 1.5, v: 1}, {k: b, j: 1.5, v: 2}], p: {a: x, b: w}}`)
	opts := &cel.EvalOptions{Ratchet: true}
	ctx := t.Context()
	require.Empty(t, r.Evaluate(ctx, obj, obj, opts).Errors)
	given.RequireNoAllocs(t, map[string]func(){"ratcheting": func() { r.Evaluate(ctx, obj, obj, opts) }})
}

// Typical rules allocate nothing after the first few objects.
func TestNoAllocsOfRules(t *testing.T) {
	r := cel.Prepare(given.Structural(t, `
type: object
properties:
  name: {type: string, x-kubernetes-validations: [{rule: "self != ''"}, {rule: "self in ['one', 'two'] || !self.find('^([^/]+)').endsWith('example.org')"}]}
  timeout: {type: string, x-kubernetes-validations: [{rule: "duration(self) != duration('0s') && duration(self) < duration('1h')"}]}
  labels:
    type: object
    maxProperties: 9
    additionalProperties: {type: string}
    x-kubernetes-validations: [{rule: "self.all(k, k.split('/')[0].size() < 253)"}, {rule: "self.all(k, k.matches('^[a-z.]+(/[a-z]+)?$'))"}]
  address: {type: string, x-kubernetes-validations: [{rule: "isIP(self) && cidr('10.0.0.0/8').containsIP(self)"}]}
  memory: {type: string, x-kubernetes-validations: [{rule: "quantity(self).isGreaterThan(quantity('1Mi'))"}]}
  listeners:
    type: array
    maxItems: 9
    x-kubernetes-validations:
    - {rule: "self.all(a, self.exists_one(b, a.port == b.port && (has(a.host) && has(b.host) ? a.host == b.host : !has(a.host) && !has(b.host))))"}
    - {rule: "self.filter(l, l.kind == 'TLS').size() <= 1"}
    - {rule: "self.map(l, l.port).exists(p, p > 100)"}
    - {rule: "(self.size() > 0 ? self[0].port : 0) + (self.size() > 1 ? self[1].port : 0) > 500"}
    items:
      type: object
      x-kubernetes-validations:
      - {rule: "!(has(self.tls) && self.kind == 'HTTP')"}
      - {rule: "self.kind in ['TLS', 'HTTPS'] ? has(self.tls) && self.tls.mode != '' : true"}
      properties: {host: {type: string}, port: {type: integer}, kind: {type: string}, tls: {type: object, properties: {mode: {type: string}}}}`))
	obj := given.Object(t, `{name: a/example.org, timeout: 30s, labels: {a: x, example.org/team: y}, address: 10.1.2.3, memory: 1Gi,
listeners: [{port: 80, kind: HTTP}, {port: 443, kind: TLS, tls: {mode: end}, host: a.example.org}, {port: 443, kind: HTTPS, tls: {mode: end}}]}`)
	ctx := t.Context()
	require.Empty(t, r.Evaluate(ctx, obj, nil, nil).Errors)
	given.RequireNoAllocs(t, map[string]func(){"rules": func() { r.Evaluate(ctx, obj, nil, nil) }})
}
