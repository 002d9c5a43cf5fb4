package hostile

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/crdkit/crdkit/admission"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/server/guard"
)

// webhookRows are reviews of admission and conversion webhooks, and what else comes over HTTP. In each, a server that
// is attacked must answer the reviews of an honest client, too.
var webhookRows = slices.Concat(webhookTransportRows(), webhookFailureRows(), webhookReviewRows(), webhookConversionRows())

// A webhookTransport is an attack on the server and not on what validates reviews. It says what came of it, and may
// leave connections open that stop closes.
type webhookTransport struct {
	name   string
	n      int
	want   string
	attack func(to webhookTarget, n int) (answer string, stop func())
}

var webhookTransports = []webhookTransport{
	{"connections without a handshake", 3_000, "3000 opened", func(to webhookTarget, n int) (string, func()) {
		return to.open(n, func() (net.Conn, error) { return net.Dial("tcp", to.address) })
	}},
	{"connections kept idle", 1_500, "1500 opened", func(to webhookTarget, n int) (string, func()) {
		return to.open(n, func() (net.Conn, error) { return to.dial("http/1.1", "") })
	}},
	{"headers that do not end", 1_500, "1500 opened", func(to webhookTarget, n int) (string, func()) {
		return to.open(n, func() (net.Conn, error) {
			return to.dial("http/1.1", "POST /validate HTTP/1.1\r\nHost: webhook\r\nX-Slow: ")
		})
	}},
	{"slow bodies", 1_500, "1500 opened", func(to webhookTarget, n int) (string, func()) {
		return to.open(n, func() (net.Conn, error) {
			return to.dial("http/1.1", "POST /validate HTTP/1.1\r\nHost: webhook\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{")
		})
	}},
	{"slow bodies of 8 MiB", 300, "300 opened", func(to webhookTarget, n int) (string, func()) {
		start := fmt.Sprintf("POST /validate HTTP/1.1\r\nHost: webhook\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", 8<<20)
		return to.open(n, func() (net.Conn, error) { return to.dial("http/1.1", start+strings.Repeat(" ", guard.SmallBody+1)) })
	}},
	{"a body in chunks without an end", 64, "413", func(to webhookTarget, n int) (string, func()) {
		endless := io.LimitReader(webhookEndless{}, int64(n)<<20)
		return webhookVerdict(to.post("/validate", "application/json", struct{ io.Reader }{endless})), nil
	}},
	{"chunks of one byte", 1_000_000, "400", func(to webhookTarget, n int) (string, func()) {
		return to.raw("POST /validate HTTP/1.1\r\nHost: webhook\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" +
			strings.Repeat("1\r\n[\r\n", n) + "0\r\n\r\n"), nil
	}},
	{"long headers", 1 << 20, "431", func(to webhookTarget, n int) (string, func()) {
		return to.raw("POST /validate HTTP/1.1\r\nHost: webhook\r\nX-Long: " + strings.Repeat("a", n) + "\r\n\r\n"), nil
	}},
	{"many headers", 100_000, "431", func(to webhookTarget, n int) (string, func()) {
		return to.raw("POST /validate HTTP/1.1\r\nHost: webhook\r\n" + strings.Repeat("X-A: b\r\n", n) + "\r\n"), nil
	}},
	{"a long query", 1 << 20, "431", func(to webhookTarget, n int) (string, func()) {
		return to.raw("POST /validate?" + strings.Repeat("timeout=1h&", n/11) + " HTTP/1.1\r\nHost: webhook\r\n\r\n"), nil
	}},
	{"requests of another content type", 5_000, "415", func(to webhookTarget, n int) (string, func()) {
		return to.raw(strings.Repeat("POST /validate HTTP/1.1\r\nHost: webhook\r\nContent-Type: text/yaml\r\nContent-Length: 2\r\n\r\n{}", n)), nil
	}},
	{"small requests that are no reviews", 5_000, "400", func(to webhookTarget, n int) (string, func()) {
		return to.raw(strings.Repeat("POST /validate HTTP/1.1\r\nHost: webhook\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}", n)), nil
	}},
	{"gzip", 1 << 20, "415", func(to webhookTarget, n int) (string, func()) {
		return to.raw("POST /validate HTTP/1.1\r\nHost: webhook\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n" +
			fmt.Sprintf("Content-Length: %d\r\n\r\n", n) + strings.Repeat("\x1f", n)), nil
	}},
	{"streams of HTTP/2 that are reset at once", 20_000, "opened", func(to webhookTarget, n int) (string, func()) {
		return to.streams(1, n, func(id uint32) []byte {
			return append(webhookStream(id, ""), webhookFrame(3, 0, id, "\x00\x00\x00\x08")...)
		})
	}},
	{"reviews over HTTP/2 that are reset at once", 5_000, "opened", func(to webhookTarget, n int) (string, func()) {
		body := webhookCreate("items", map[string]any{"word": strings.Repeat("a", 10_000)})
		return to.streams(1, n, func(id uint32) []byte {
			return slices.Concat(webhookStream(id, ""), webhookFrame(0, 1, id, body), webhookFrame(3, 0, id, "\x00\x00\x00\x08"))
		})
	}},
	{"streams of HTTP/2 with slow bodies", 2_000, "opened", func(to webhookTarget, n int) (string, func()) {
		return to.streams(40, n/40, func(id uint32) []byte { return webhookStream(id, "{") })
	}},
	{"streams of HTTP/2 with 32 KiB each of slow bodies", 2_000, "opened", func(to webhookTarget, n int) (string, func()) {
		return to.streams(40, n/40, func(id uint32) []byte {
			return slices.Concat(webhookStream(id, strings.Repeat(" ", 16<<10)), webhookFrame(0, 0, id, strings.Repeat(" ", 16<<10)))
		})
	}},
	{"settings and pings of HTTP/2", 50_000, "opened", func(to webhookTarget, n int) (string, func()) {
		return to.streams(1, n, func(uint32) []byte { return append(webhookFrame(4, 0, 0, ""), webhookFrame(6, 0, 0, "12345678")...) })
	}},
	{"headers of HTTP/2 that do not end", 5_000, "opened", func(to webhookTarget, n int) (string, func()) {
		first := true
		return to.streams(1, n, func(uint32) []byte {
			if first {
				first = false
				return webhookFrame(1, 0, 1, webhookHeaders)
			}
			return webhookFrame(9, 0, 1, "\x40\x01a\x7f\x81\x07"+strings.Repeat("b", 264))
		})
	}},
	{"answers that nobody reads", 200, "opened", func(to webhookTarget, n int) (string, func()) {
		body := webhookReview("items", 1<<20, "CREATE", map[string]any{}, nil)
		return to.open(n, func() (net.Conn, error) {
			return to.dial("http/1.1", fmt.Sprintf("POST /validate HTTP/1.1\r\nHost: webhook\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				len(body), body))
		})
	}},
}

func webhookTransportRows() []row {
	var all []row
	for _, a := range webhookTransports {
		all = append(all, webhookRow("webhook: "+a.name, a.n, "items", a.want, a.attack))
	}
	return all
}

// webhookFailureRows are reviews whose work fails in the worst ways.
func webhookFailureRows() []row {
	return []row{
		webhookRow("webhook: work that takes no notice of its end", 2, "items", "2 x 504 in time", func(to webhookTarget, n int) (string, func()) {
			var all sync.WaitGroup
			answers := make([]string, n)
			for i := range answers {
				all.Go(func() {
					before := time.Now()
					answers[i] = to.post("/deaf?timeout=1s", "application/json", strings.NewReader("{}"))[:3]
					if time.Since(before) < time.Second {
						answers[i] += " in time"
					}
				})
			}
			all.Wait()
			return webhookTally(answers), nil
		}),
		webhookRow("webhook: panics", 1_000, "items", "1000 x 500", func(to webhookTarget, n int) (string, func()) {
			answers := make([]string, n)
			for i := range answers {
				answers[i] = to.post("/panic", "application/json", strings.NewReader("{}"))[:3]
			}
			return webhookTally(answers), nil
		}),
	}
}

// webhookReviewRows are rows of one review each, which is posted to both endpoints.
func webhookReviewRows() []row {
	var all []row
	for _, a := range webhookAttacks {
		all = append(all, webhookRow("webhook: "+a.name, a.n, a.plural, a.want, func(to webhookTarget, n int) (string, func()) {
			body := a.body(n)
			return webhookVerdict(to.post("/validate", "application/json", strings.NewReader(body))) + ", " +
				webhookVerdict(to.post("/mutate", "application/json", strings.NewReader(body))), nil
		}))
	}
	return all
}

func webhookConversionRows() []row {
	review := func(objects string) string {
		return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"1","desiredAPIVersion":"a.example/v2","objects":[` +
			objects + `]}}`
	}
	post := func(body func(n int) string) func(webhookTarget, int) (string, func()) {
		return func(to webhookTarget, n int) (string, func()) {
			return webhookVerdict(to.post("/convert", "application/json", strings.NewReader(body(n)))), nil
		}
	}
	const object = `{"apiVersion":"a.example/v1","kind":"A","metadata":{"name":"a"}}`
	return []row{
		webhookRow("webhook: a conversion of many objects", 100_000, "items", `200 "status":"Success"`, post(func(n int) string {
			return review(strings.Repeat(object+",", n-1) + object)
		})),
		webhookRow("webhook: a conversion of an object nested deep", 1_000_000, "items", "400", post(func(n int) string {
			return review(`{"apiVersion":"a.example/v1","kind":"A","a":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`)
		})),
		webhookRow("webhook: a conversion of wrong objects", 1_000_000, "items", "400", post(func(n int) string {
			return review(strings.Repeat("0,", n-1) + "0")
		})),
		webhookRow("webhook: a conversion that fails with a long text", 3_000_000, "items", `200 "status":"Failure"`, post(func(n int) string {
			return review(`{"apiVersion":"a.example/v1","kind":"A","fail":"` + strings.Repeat("<", n) + `"}`)
		})),
	}
}

// A webhookAttack is a review that needs much work or much memory, for the definitions of webhookDefinitions.
type webhookAttack struct {
	name   string
	n      int
	want   string // of the answer of /validate
	plural string // the resource that it is about
	body   func(n int) string
}

var webhookAttacks = []webhookAttack{
	{"no more than brackets", 6 << 20, "400", "items", func(n int) string { return strings.Repeat("[", n) }},
	{"a uid of 1 MiB", 1 << 20, `200 "allowed":true`, "items", func(n int) string {
		return webhookReview("items", n, "CREATE", map[string]any{}, nil)
	}},
	{"an operation of 3 MiB", 3 << 20, "400", "items", func(n int) string {
		return webhookReview("items", 1, strings.Repeat("x", n), map[string]any{}, nil)
	}},
	{"unknown fields of the review", 1_000_000, "400", "items", func(n int) string { return "{" + strings.Repeat(`"a":{},`, n-1) + `"a":{}}` }},
	{"a review whose object alternates", 10_000, `200 "allowed":true`, "items", func(n int) string {
		body := webhookReview("items", 1, "CREATE", map[string]any{}, nil)
		object := body[strings.Index(body, `"object":`):strings.Index(body, `,"oldObject"`)]
		return strings.Replace(body, object, strings.Repeat(object+`,"object":[],`, n)+object, 1)
	}},
	{"a huge old object", 3_500_000, `200 "allowed":true`, "items", func(n int) string {
		return webhookReview("items", 1, "UPDATE", map[string]any{}, map[string]any{"any": json.RawMessage("[" + strings.Repeat("0,", n-1) + "0]")})
	}},
	{"a huge object of empty maps", 2_700_000, `200 "allowed":true`, "items", webhookItems("items", "any", "{}")},
	{"an object nested deep", 1_000_000, "400", "items", func(n int) string {
		deep := strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n)
		return strings.Replace(webhookCreate("items", map[string]any{"any": "deep"}), `"deep"`, deep, 1)
	}},
	{"a number with a million digits", 1_000_000, "400", "items", func(n int) string {
		return webhookCreate("items", map[string]any{"any": json.RawMessage("1" + strings.Repeat("0", n))})
	}},
	{"unknown fields", 100_000, `200 "allowed":true`, "items", func(n int) string { return webhookCreate("items", errorMembers(n, 1)) }},
	{"wrong items", 400_000, `200 "allowed":false`, "items", webhookItems("items", "integers", `""`)},
	{"wrong integers under a key of 100 KB", 2_000, `200 "allowed":false`, "items", func(n int) string {
		wrong := json.RawMessage("[" + strings.Repeat(`"",`, n-1) + `""]`)
		return webhookCreate("items", map[string]any{"lists": map[string]any{strings.Repeat("k", 50*n): wrong}})
	}},
	{"wrong items of an enum of 10,000 values", 1_000, `200 "allowed":false`, "items", webhookItems("items", "words", `"x"`)},
	{"a wrong text of 3 MB", 3_000_000, `200 "allowed":false`, "items", func(n int) string {
		return webhookCreate("items", map[string]any{"word": json.RawMessage(`"` + strings.Repeat("<", n) + `"`)})
	}},
	{"items that are equal", 200_000, `200 "allowed":false`, "items", webhookItems("items", "set", `1`)},
	{"entries with the same key", 50_000, `200 "allowed":false`, "items", webhookItems("items", "entries", `{"name":"a"}`)},
	{"an update of 100,000 wrong entries", 100_000, `200 "allowed":false`, "items", func(n int) string {
		entries := func(value string) json.RawMessage {
			var text strings.Builder
			for i := range n {
				fmt.Fprintf(&text, `,{"name":"%d","value":%s}`, i, value)
			}
			return json.RawMessage("[" + text.String()[1:] + "]")
		}
		return webhookReview("items", 1, "UPDATE", map[string]any{"entries": entries("1")}, map[string]any{"entries": entries("2")})
	}},
	{"defaults that multiply", 900_000, `200 "allowed":`, "defaults", webhookItems("defaults", "items", "{}")},
	{"defaults that multiply, in a small review", 20_000, `200 "allowed":`, "defaults", webhookItems("defaults", "items", "{}")},
	{"a pattern with 6,000 groups", 1, `200 "allowed":true`, "patterns", func(int) string {
		return webhookCreate("patterns", map[string]any{"groups": "a"})
	}},
	{"a pattern of 300,000 classes", 10_000, `200 "allowed":false`, "patterns", webhookItems("patterns", "classes", `"a"`)},
	{"a rule: findAll", 32 << 10, `200 "allowed":`, "rules", func(n int) string {
		return webhookCreate("rules", map[string]any{"hay": strings.Repeat("a", n)})
	}},
	{"a rule: findAll over 3 MB", 3_000_000, `200 "allowed":`, "rules", func(n int) string {
		return webhookCreate("rules", map[string]any{"hay": strings.Repeat("a", n)})
	}},
	{"a rule: findAll of nothing", 3_000_000, `200 "allowed":`, "rules", func(n int) string {
		return webhookCreate("rules", map[string]any{"empty": strings.Repeat("a", n)})
	}},
	{"a rule: a pattern from the object", 6_000, `200 "allowed":`, "rules", func(n int) string {
		return webhookCreate("rules", map[string]any{"pattern": strings.Repeat("(a|b)?", n), "text": "a"})
	}},
	{"a rule: a pattern of 3 MB from the object", 3_000_000, `200 "allowed":`, "rules", func(n int) string {
		return webhookCreate("rules", map[string]any{"pattern": strings.Repeat("a", n), "text": "a"})
	}},
	{"a rule: a map in a loop", 5_000, `200 "allowed":`, "rules", func(n int) string {
		keys := errorMembers(n, 1)
		return webhookCreate("rules", map[string]any{"list": slices.Repeat([]any{1}, n), "map": keys})
	}},
	{"a rule: equal lists in a loop", 50_000, `200 "allowed":`, "rules", func(n int) string {
		ones := json.RawMessage("[" + strings.Repeat("1,", n-1) + "1]")
		return webhookCreate("rules", map[string]any{"left": ones, "right": ones})
	}},
	{"a rule: patterns made in a loop", 1_000, `200 "allowed":`, "rules", func(n int) string {
		return webhookCreate("rules", map[string]any{"made": slices.Repeat([]any{1}, n)})
	}},
	{"a rule: different patterns", 100_000, `200 "allowed":`, "rules", func(n int) string {
		words := given.List(n, func(i int) any { return fmt.Sprintf("a%d[b-z]?", i) })
		return webhookCreate("rules", map[string]any{"patterns": words})
	}},
}

// webhookDefinitions are what the reviews are about: definitions with ways to much work, and an honest one. Given
// names, they are only those.
func webhookDefinitions(plurals ...string) string {
	str, integer := map[string]any{"type": "string"}, map[string]any{"type": "integer"}
	list := func(items any) any { return map[string]any{"type": "array", "items": items} }
	values := given.List(10_000, func(i int) string { return fmt.Sprintf("value-%d", i) })
	defaults := map[string]any{}
	for i := range 1_000 {
		defaults[fmt.Sprintf("d%d", i)] = map[string]any{"type": "integer", "default": i}
	}
	entry := func(value any) any {
		return map[string]any{"type": "object", "properties": map[string]any{"name": str, "value": value}, "required": []string{"name"}}
	}
	definitions := map[string]map[string]any{
		"honest": {
			"properties": map[string]any{
				"name": map[string]any{"type": "string", "pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63},
				"size": map[string]any{"type": "integer", "minimum": 1, "maximum": 100},
				"mode": map[string]any{"type": "string", "enum": []string{"fast", "thorough"}, "default": "fast"},
				"ports": map[string]any{
					"type": "array", "maxItems": 1000, "items": entry(integer),
					"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []string{"name"},
				},
			},
			"x-kubernetes-validations": []any{
				map[string]any{"rule": "!has(self.ports) || self.ports.all(p, p.value < 65536)", "message": "no such port"},
				map[string]any{"rule": "!has(self.size) || !has(oldSelf.size) || self.size >= oldSelf.size", "message": "it does not shrink"},
			},
		},
		"items": {"properties": map[string]any{
			"integers": list(integer),
			"lists":    map[string]any{"type": "object", "additionalProperties": list(integer)},
			"words":    list(map[string]any{"type": "string", "enum": values}),
			"word":     map[string]any{"type": "string", "enum": values[:10]},
			"set":      map[string]any{"type": "array", "items": integer, "x-kubernetes-list-type": "set"},
			"entries": map[string]any{
				"type": "array", "items": entry(str), "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": []string{"name"},
			},
			"any": map[string]any{"x-kubernetes-preserve-unknown-fields": true},
		}},
		"defaults": {"properties": map[string]any{"items": list(map[string]any{"type": "object", "properties": defaults})}},
		"patterns": {"properties": map[string]any{
			"groups":  map[string]any{"type": "string", "pattern": strings.Repeat("(a|b)?", 6_000)},
			"classes": list(map[string]any{"type": "string", "pattern": strings.Repeat("[^a]", 300_000)}),
		}},
		"rules": {
			"properties": map[string]any{
				"hay": str, "empty": str, "pattern": str, "text": str, "list": list(integer), "left": list(integer), "right": list(integer),
				"made": list(integer), "patterns": list(str),
				"map": map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "boolean"}},
			},
			"x-kubernetes-validations": []any{
				map[string]any{"rule": "!has(self.hay) || self.hay.findAll('a*?b|a').size() >= 0"},
				map[string]any{"rule": "!has(self.empty) || self.empty.findAll('').size() >= 0"},
				map[string]any{"rule": "!has(self.pattern) || self.text.matches(self.pattern)"},
				map[string]any{"rule": "!has(self.list) || self.list.all(i, self.map.exists(k, true))"},
				map[string]any{"rule": "!has(self.left) || self.left.all(i, self.left == self.right)"},
				map[string]any{"rule": "!has(self.made) || self.made.all(i, 'a'.matches('[a-z]{1000}' + string(i)) || true)"},
				map[string]any{"rule": "!has(self.patterns) || self.patterns.all(p, 'a'.matches(p) || true)"},
			},
		},
	}
	var text strings.Builder
	for plural, spec := range definitions {
		if plurals != nil && !slices.Contains(plurals, plural) {
			continue
		}
		spec["type"] = "object"
		kind := webhookKind(plural)
		text.WriteString("---\n" + webhookJSON(map[string]any{
			"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
			"metadata": map[string]any{"name": plural + ".hostile.example.org"},
			"spec": map[string]any{
				"group": "hostile.example.org", "scope": "Namespaced", "names": map[string]any{"kind": kind, "plural": plural},
				"versions": []any{map[string]any{
					"name": "v1", "served": true, "storage": true,
					"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": spec}}},
				}},
			},
		}) + "\n")
	}
	return text.String()
}

func webhookKind(plural string) string { return strings.ToUpper(plural[:1]) + plural[1:] }

func webhookJSON(v any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// webhookCreate returns the review of a create of an object with that spec.
func webhookCreate(plural string, spec map[string]any) string {
	return webhookReview(plural, 1, "CREATE", spec, nil)
}

// webhookItems makes the review of a create of an object with n equal items in a list.
func webhookItems(plural, list, item string) func(n int) string {
	return func(n int) string {
		return webhookCreate(plural, map[string]any{list: json.RawMessage("[" + errorJSON(n, item) + "]")})
	}
}

// webhookReview returns a review whose uid has that length. Without an old spec there is no old object.
func webhookReview(plural string, uid int, operation string, spec, oldSpec map[string]any) string {
	kind := webhookKind(plural)
	object := func(spec map[string]any) any {
		if spec == nil {
			return nil
		}
		return map[string]any{
			"apiVersion": "hostile.example.org/v1", "kind": kind, "metadata": map[string]any{"name": "a", "namespace": "b"}, "spec": spec,
		}
	}
	group := map[string]any{"group": "hostile.example.org", "version": "v1"}
	return webhookJSON(map[string]any{
		"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": map[string]any{
			"uid": strings.Repeat("u", uid), "operation": operation, "namespace": "b",
			"kind":     map[string]any{"group": group["group"], "version": "v1", "kind": kind},
			"resource": map[string]any{"group": group["group"], "version": "v1", "resource": plural},
			"object":   object(spec), "oldObject": object(oldSpec),
		},
	})
}

// A webhookTarget is a server that is attacked.
type webhookTarget struct {
	address string
	tls     *tls.Config
	client  *http.Client
}

// newWebhookTarget returns the server at an address, whose certificate is trusted.
func newWebhookTarget(address string, trusted *x509.CertPool) webhookTarget {
	config := &tls.Config{RootCAs: trusted, ServerName: "localhost"}
	transport := &http.Transport{TLSClientConfig: config, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 100}
	return webhookTarget{address, config, &http.Client{Transport: transport, Timeout: 15 * time.Second}}
}

// webhookServe starts a server in this process, for the honest reviews and those of one resource more.
func webhookServe(plural string) (to webhookTarget, stop func()) {
	dir := must(os.MkdirTemp("", "webhook"))
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "crds.yaml")
	if err := os.WriteFile(file, []byte(webhookDefinitions("honest", plural)), 0o600); err != nil {
		panic(err)
	}
	w := must(admission.Compile(must(registry.Load(file)), nil))
	g := guard.New(guard.Limits{Memory: memoryLimit}, io.Discard)
	mux, released := http.NewServeMux(), make(chan bool)
	mux.Handle("POST /validate", g.Handler(w.RespondValidating))
	mux.Handle("POST /mutate", g.Handler(w.RespondMutating))
	mux.Handle("POST /convert", g.Handler(func(ctx context.Context, review []byte) ([]byte, error) {
		return conversion.Respond(ctx, review, conversion.ConverterFunc(webhookConvert))
	}))
	mux.Handle("POST /panic", g.Handler(func(context.Context, []byte) ([]byte, error) { panic("on purpose") }))
	mux.Handle("POST /deaf", g.Handler(func(context.Context, []byte) ([]byte, error) {
		<-released
		return nil, nil
	}))
	certificate, trusted := webhookCertificate()
	listener := must(net.Listen("tcp", "127.0.0.1:0"))
	server := g.Server(mux, &tls.Config{Certificates: []tls.Certificate{certificate}})
	go func() { _ = server.ServeTLS(g.Listen(listener), "", "") }()
	to = newWebhookTarget(listener.Addr().String(), trusted)
	return to, func() {
		close(released)
		to.client.CloseIdleConnections()
		server.Close()
	}
}

func webhookConvert(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	for i, o := range objects {
		if text, ok := o["fail"].(string); ok {
			return nil, errors.New(text)
		}
		objects[i] = conversion.None(o, apiVersion)
	}
	return objects, nil
}

func webhookCertificate() (tls.Certificate, *x509.CertPool) {
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{"localhost"},
		IsCA: true, BasicConstraintsValid: true,
	}
	signed := must(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))
	leaf := must(x509.ParseCertificate(signed))
	trusted := x509.NewCertPool()
	trusted.AddCert(leaf)
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key, Leaf: leaf}, trusted
}

// webhookRow returns a row in which a server of its own, with the definition of plural, is attacked. The attack says
// what came of it, and may leave things open that stop closes. Until then, an honest client posts 20 reviews; the
// answer of the row is about those if one fails.
func webhookRow(name string, n int, plural, want string, attack func(to webhookTarget, n int) (answer string, stop func())) row {
	return row{name: name, n: n, want: want, setup: func(n int) func() string {
		return func() string {
			to, end := webhookServe(plural)
			defer end()
			answer, stop := attack(to, n)
			if stop != nil {
				defer stop()
			}
			for i := range 20 {
				if err := to.honest(i, 5*time.Second); err != nil {
					return err.Error()
				}
			}
			return answer
		}
	}}
}

// webhookHonest are reviews of an honest client, and what their answers hold.
var webhookHonest = []struct{ path, body, want string }{
	{"/validate", webhookCreate("honest", map[string]any{"name": "a", "size": 2}), `"allowed":true}`},
	{"/mutate", webhookCreate("honest", map[string]any{"name": "a", "size": 2}), `"patchType":"JSONPatch"`},
	{"/validate", webhookCreate("honest", map[string]any{"name": "A", "size": 0}), "should be greater than or equal to 1"},
	{"/validate", webhookReview("honest", 36, "UPDATE", map[string]any{"size": 1}, map[string]any{"size": 2}), "it does not shrink"},
	{
		"/validate", webhookReview("honest", 36, "UPDATE", map[string]any{"ports": webhookPorts(300)}, map[string]any{"ports": webhookPorts(299)}),
		`"allowed":true}`,
	},
}

func webhookPorts(n int) []any {
	return given.List(n, func(i int) any { return map[string]any{"name": fmt.Sprintf("port-%d", i), "value": i} })
}

// honest posts one of the honest reviews. An error says that the answer is wrong, or takes too long.
func (to webhookTarget) honest(i int, within time.Duration) error {
	h := webhookHonest[i%len(webhookHonest)]
	before := time.Now()
	answer := to.post(h.path+"?timeout=10s", "application/json", strings.NewReader(h.body))
	switch took := time.Since(before); {
	case !strings.Contains(answer, h.want):
		return fmt.Errorf("an honest review is answered: %.200s", answer)
	case took > within:
		return fmt.Errorf("an honest review took %v", took.Round(time.Millisecond))
	}
	return nil
}

// post returns the code and the answer, or an error's text.
func (to webhookTarget) post(path, contentType string, body io.Reader) string {
	response, err := to.client.Post("https://"+to.address+path, contentType, body)
	if err != nil {
		return "error: " + err.Error()
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return "error: " + err.Error()
	}
	return fmt.Sprintf("%d: %s", response.StatusCode, text)
}

// dial opens a connection for a protocol and sends the start of something. What is not taken does not matter.
func (to webhookTarget) dial(protocol, start string) (net.Conn, error) {
	config := to.tls.Clone()
	config.NextProtos = []string{protocol}
	c, err := tls.Dial("tcp", to.address, config)
	if err != nil {
		return nil, err
	}
	_ = c.SetWriteDeadline(time.Now().Add(time.Second))
	_, _ = io.WriteString(c, start)
	return c, nil
}

// open opens n connections, which stay open until stop. Some may be refused.
func (to webhookTarget) open(n int, dial func() (net.Conn, error)) (answer string, stop func()) {
	var opened []net.Conn
	for range n {
		if c, err := dial(); err == nil {
			opened = append(opened, c)
		}
	}
	return fmt.Sprintf("%d opened", len(opened)), func() {
		for _, c := range opened {
			c.Close()
		}
	}
}

// raw sends something over HTTP/1.1 and returns how often the server answered with which codes.
func (to webhookTarget) raw(text string) string {
	c, err := to.dial("http/1.1", "")
	if err != nil {
		return "error: " + err.Error()
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	go func() { _, _ = io.WriteString(c, text) }()
	var all []byte
	part := make([]byte, 64<<10)
	for {
		n, err := c.Read(part)
		all = append(all, part[:n]...)
		if err != nil || bytes.Count(all, []byte("HTTP/1.1 ")) == max(1, strings.Count(text, "HTTP/1.1\r\n")) {
			break
		}
	}
	return webhookVerdict(strings.TrimPrefix(string(all), "HTTP/1.1 "))
}

// webhookVerdict returns the code of an answer, and of a review whether it allows the object or makes a conversion.
func webhookVerdict(answer string) string {
	for _, verdict := range []string{`"allowed":true`, `"allowed":false`, `"status":"Success"`, `"status":"Failure"`} {
		if strings.Contains(answer, verdict) && strings.HasPrefix(answer, "200") {
			return "200 " + verdict
		}
	}
	if strings.HasPrefix(answer, "error") {
		return answer
	}
	return answer[:min(len(answer), 3)]
}

// streams opens connections of HTTP/2 and on each sends so many times what the function says for a new stream. They
// stay open until stop.
func (to webhookTarget) streams(connections, each int, send func(id uint32) []byte) (answer string, stop func()) {
	return to.open(connections, func() (net.Conn, error) {
		c, err := to.dial("h2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"+string(webhookFrame(4, 0, 0, "")))
		if err != nil {
			return nil, err
		}
		go func() { _, _ = io.Copy(io.Discard, c) }() // else neither goes on
		var out []byte
		for i := range each {
			out = append(out, send(uint32(2*i+1))...)
			if len(out) < 16<<10 && i < each-1 {
				continue
			}
			_ = c.SetWriteDeadline(time.Now().Add(time.Second))
			if _, err := c.Write(out); err != nil {
				break // the server has enough
			}
			out = out[:0]
		}
		return c, nil
	})
}

// webhookFrame returns a frame of HTTP/2.
func webhookFrame(kind, flags byte, stream uint32, payload string) []byte {
	n := len(payload)
	return append([]byte{
		byte(n >> 16), byte(n >> 8), byte(n), kind, flags, byte(stream >> 24), byte(stream >> 16), byte(stream >> 8), byte(stream),
	}, payload...)
}

// webhookHeaders are the headers of a review in HPACK: POST, https, /validate, webhook, application/json.
const webhookHeaders = "\x83\x87\x04\x09/validate\x01\x07webhook\x0f\x10\x10application/json"

// webhookStream returns the frames that open a stream with the start of a body.
func webhookStream(id uint32, body string) []byte {
	frames := webhookFrame(1, 4, id, webhookHeaders) // END_HEADERS
	if body != "" {
		frames = append(frames, webhookFrame(0, 0, id, body)...)
	}
	return frames
}

// webhookTally returns how often there was which answer.
func webhookTally(answers []string) string {
	counts := map[string]int{}
	for _, a := range answers {
		counts[a]++
	}
	var text []string
	for a, n := range counts {
		text = append(text, fmt.Sprintf("%d x %s", n, a))
	}
	slices.SortFunc(text, cmp.Compare)
	return strings.Join(text, ", ")
}

// webhookEndless is a body of spaces.
type webhookEndless struct{}

func (webhookEndless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}
