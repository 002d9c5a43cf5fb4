package crdtest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/unstructured"
)

// largeKind returns a definition with two versions, which have 500 fields and the same schema, but where the fields of
// spec.a are in spec.b in v2.
func largeKind() string {
	var fields strings.Builder
	for i := range 490 {
		types := [...]string{"{type: string}", "{type: integer, format: int64}", "{type: boolean}", "{type: string, enum: [one, two]}", "{type: number}"}
		fmt.Fprintf(&fields, "f%d: %s, ", i, types[i%len(types)])
	}
	schema := func(of string) string {
		return `{openAPIV3Schema: {type: object, required: [spec], properties: {
          spec: {type: object, properties: {` + of + `: {type: object, properties: {` + fields.String() + `}},
            size: {type: integer, format: int64}, mode: {type: string, enum: [fast, slow]},
            names: {type: array, items: {type: string}}, tags: {type: object, minProperties: 1, additionalProperties: {type: string}},
            extra: {type: object, x-kubernetes-preserve-unknown-fields: true}}},
          status: {type: object, properties: {ready: {type: boolean}, count: {type: integer}}}}}}`
	}
	return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: larges.example.com}
spec:
  group: example.com
  names: {kind: Large, plural: larges, singular: large, listKind: LargeList}
  scope: Namespaced
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: a, namespace: b}}}}
  versions:
    - {name: v1, served: true, storage: true, subresources: {status: {}}, schema: ` + schema("a") + `}
    - {name: v2, served: true, storage: false, subresources: {status: {}}, schema: ` + schema("b") + `}
`
}

// moved converts Larges without a mistake, and then calls change with the spec and the version.
func moved(change func(obj, spec map[string]any, to string)) conversion.ConverterFunc {
	return func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		for _, obj := range objects {
			spec, _ := obj["spec"].(map[string]any)
			from, to := "a", "b"
			if apiVersion == "example.com/v1" {
				from, to = to, from
			}
			if v, ok := spec[from]; ok {
				spec[to] = v
				delete(spec, from)
			}
			obj["apiVersion"] = apiVersion
			if change != nil && spec != nil {
				change(obj, spec, strings.TrimPrefix(apiVersion, "example.com/"))
			}
		}
		return objects, nil
	}
}

// roundTrips runs RoundTrips, and returns its failures.
func roundTrips(t *testing.T, definition string, conv conversion.ConverterFunc, opts ...RoundTripOption) (errors []string) {
	t.Helper()
	r := &recorder{TB: t}
	converting(t, definition, conv).RoundTrips(r, "", opts...)
	return r.errors
}

// mistakes that converters make, with a part of the failure.
var mistakes = map[string]struct {
	change func(obj, spec map[string]any, to string)
	want   string
}{
	"a field is forgotten one way": {func(_, spec map[string]any, to string) {
		if b, ok := spec["b"].(map[string]any); ok && to == "v2" {
			delete(b, "f17")
		}
	}, "spec.a.f17 is lost"},
	"a default is filled in on the way back": {func(_, spec map[string]any, to string) {
		if to == "v1" && spec["mode"] == nil {
			spec["mode"] = "fast"
		}
	}, "spec.mode is added"},
	"the order of a list": {func(_, spec map[string]any, _ string) {
		if names, ok := spec["names"].([]any); ok {
			slices.SortFunc(names, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
		}
	}, "spec.names[0] is changed"},
	"an integer goes through a float": {func(_, spec map[string]any, to string) {
		if size, ok := spec["size"].(int64); ok && to == "v2" {
			spec["size"] = int64(float64(size))
		}
	}, "spec.size is changed"},
	"labels are dropped": {func(obj, _ map[string]any, _ string) {
		delete(obj["metadata"].(map[string]any), "labels")
	}, "metadata.labels.crdtest.example.com/label is lost"},
	"an enum is renamed one way": {func(_, spec map[string]any, to string) {
		if to == "v2" && spec["mode"] == "fast" {
			spec["mode"] = "quick"
		}
	}, `in v2, it is not valid: NotSupported spec.mode`},
	"unknown fields are lost": {func(_, spec map[string]any, _ string) {
		if spec["extra"] != nil {
			spec["extra"] = map[string]any{}
		}
	}, "spec.extra.crdtestUnknown.kept is lost"},
	"the status is lost": {func(obj, _ map[string]any, to string) {
		if to == "v2" {
			delete(obj, "status")
		}
	}, "status.ready is lost"},
	"the name is changed": {func(obj, _ map[string]any, to string) {
		if to == "v2" {
			obj["metadata"].(map[string]any)["name"] = "other"
		}
	}, "the conversion to v2 is refused: conversion webhook for example.com/v1, Kind=Large returned invalid object: must have the same name"},
	"a nil map becomes an empty one": {func(_, spec map[string]any, _ string) {
		if spec["tags"] == nil {
			spec["tags"] = map[string]any{}
		}
	}, "in v2, it is not valid: Invalid spec.tags"},
}

// ECT-023: mistakes that converters make.
func TestRoundTripsFindsMistakes(t *testing.T) {
	definition := largeKind()
	for name, c := range mistakes {
		t.Run(name, func(t *testing.T) {
			conversions := 0
			conv := moved(c.change)
			errors := roundTrips(t, definition, func(ctx context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
				conversions++
				return conv(ctx, objects, apiVersion)
			})
			require.NotEmpty(t, errors)
			require.Contains(t, strings.Join(errors, "\n"), c.want)
			require.Less(t, len(errors[0]), 3000, "the object is small")
			require.Less(t, conversions, 250, "conversions, most of them to find a small object")
		})
	}
}

// How long a run takes for a definition with 500 fields.
func BenchmarkRoundTrips(b *testing.B) {
	definition := largeKind()
	run := func(name string, change func(obj, spec map[string]any, to string)) {
		b.Run(name, func(b *testing.B) {
			set := converting(b, definition, moved(change))
			b.ReportAllocs()
			for b.Loop() {
				set.RoundTrips(&recorder{TB: b}, "")
			}
		})
	}
	run("right", nil)
	for _, name := range slices.Sorted(maps.Keys(mistakes)) {
		run(name, mistakes[name].change)
	}
}

// ECT-023: converters without a mistake.
func TestRoundTripsPass(t *testing.T) {
	definition := largeKind()
	for name, conv := range map[string]conversion.ConverterFunc{
		"in place": moved(nil),
		"on a copy": func(ctx context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
			var out []map[string]any
			for _, obj := range objects {
				converted, err := moved(nil)(ctx, []map[string]any{unstructured.Clone(obj)}, apiVersion)
				if err != nil {
					return nil, err
				}
				out = append(out, converted...)
			}
			return out, nil
		},
		"through JSON": func(ctx context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
			for i, obj := range objects {
				text, err := json.Marshal(obj)
				if err != nil {
					return nil, err
				}
				if objects[i], err = unstructured.DecodeJSON(text); err != nil {
					return nil, err
				}
			}
			return moved(nil)(ctx, objects, apiVersion)
		},
		"with numbers of other types": moved(func(_, spec map[string]any, _ string) {
			if size, ok := spec["size"].(int64); ok {
				spec["size"] = json.Number(strconv.FormatInt(size, 10))
			}
		}),
		"without empty values": moved(func(_, spec map[string]any, _ string) {
			for key, v := range spec {
				if m, ok := v.(map[string]any); ok && len(m) == 0 {
					delete(spec, key)
				}
				if l, ok := v.([]any); ok && len(l) == 0 {
					spec[key] = nil
				}
			}
		}),
		"an integer as a text": moved(func(obj, spec map[string]any, _ string) {
			stash(obj, spec, "size", func(v any) string { return fmt.Sprint(v) }, func(s string) any {
				n, _ := strconv.ParseInt(s, 10, 64)
				return n
			})
		}),
		"a value in an annotation": moved(func(obj, spec map[string]any, _ string) {
			stash(obj, spec, "mode", func(v any) string { return v.(string) }, func(s string) any { return s })
		}),
		"fields that the other version drops": moved(func(_, spec map[string]any, _ string) { spec["unknown"] = true }),
		"metadata that a server restores": moved(func(obj, _ map[string]any, _ string) {
			meta := obj["metadata"].(map[string]any)
			delete(meta, "generation")
			meta["finalizers"] = []any{"example.com/a"}
		}),
		"an enum renamed both ways": moved(func(_, spec map[string]any, _ string) {
			other := map[any]any{"fast": "slow", "slow": "fast"}
			if mode := spec["mode"]; mode != nil {
				spec["mode"] = other[mode]
			}
		}),
	} {
		t.Run(name, func(t *testing.T) { require.Empty(t, roundTrips(t, definition, conv)) })
	}
}

// stash keeps a field of v1 in an annotation in v2.
func stash(obj, spec map[string]any, key string, write func(any) string, read func(string) any) {
	const name = "example.com/stash"
	meta := obj["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	value, has := annotations[name].(string)
	delete(annotations, name)
	was, had := spec[key]
	delete(spec, key)
	if had { // in v2, the field has another meaning, which v1 keeps in the annotation
		if annotations == nil {
			annotations = map[string]any{}
			meta["annotations"] = annotations
		}
		annotations[name] = write(was)
	}
	if has {
		spec[key] = read(value)
	}
	if len(annotations) == 0 {
		delete(meta, "annotations")
	}
}

// ECT-023: what may be lost is named; a name that excuses nothing fails.
func TestRoundTripsLossy(t *testing.T) {
	forget := moved(func(_, spec map[string]any, to string) {
		if to == "v2" {
			delete(spec, "names")
		}
	})
	definition := largeKind()
	require.Empty(t, roundTrips(t, definition, forget, Lossy(".spec.names")))
	require.Equal(t, []string{"line 1: larges.example.com: nothing is lost at spec.size"}, roundTrips(t, definition, forget, Lossy("spec.names", "spec.size")))
	require.NotEmpty(t, roundTrips(t, definition, forget, Lossy("spec.name")), "another field")
}

// ECT-023: given objects, a converter that depends on its calls or on the other objects, and one that refuses.
func TestRoundTripsGiven(t *testing.T) {
	magic := moved(func(_, spec map[string]any, _ string) {
		if spec["size"] == int64(4711) {
			delete(spec, "size")
		}
	})
	definition := largeKind()
	require.Empty(t, roundTrips(t, definition, magic))
	errors := roundTrips(t, definition, magic, Given("{apiVersion: example.com/v2, spec: {size: 4711}}", "spec: {size: 1}"))
	require.Len(t, errors, 1)
	require.Contains(t, errors[0], "Large v2 to v1 and back: spec.size is lost\n    - spec.size: 4711\n")

	calls := 0
	errors = roundTrips(t, definition, moved(func(_, spec map[string]any, to string) {
		if calls++; to == "v2" {
			spec["size"] = int64(calls)
		}
	}), Lossy("spec.size"))
	require.Contains(t, strings.Join(errors, "\n"), "the same conversion to v2 has another result the second time")

	swap := func(ctx context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		slices.Reverse(objects)
		return moved(nil)(ctx, objects, apiVersion)
	}
	errors = roundTrips(t, definition, swap)
	require.Contains(t, errors[0], "a list of different objects is refused")

	s := Parse(t, definition)
	r := &recorder{TB: t}
	require.PanicsWithValue(t, fatal("crdtest: line 8: larges.example.com: "+unconverted), func() { s.RoundTrips(r, "") })
}

// ECT-023: with the strategy None, what the other version does not have is lost.
func TestRoundTripsNone(t *testing.T) {
	definition := strings.Replace(routes, "strategy: Webhook\n    webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: a, namespace: b}}}", "strategy: None", 1)
	r := &recorder{TB: t}
	Parse(t, definition).RoundTrips(r, "Route")
	text := strings.Join(r.errors, "\n")
	for _, want := range []string{
		"v1 to v2 and back: spec.address is lost", "v1 to v2 and back: in v2, it is not valid: Required spec.host",
		"v2 to v1 and back: spec.port is lost", "v2 to v1 and back: spec.host is lost",
	} {
		require.Contains(t, text, want)
	}
	require.NotContains(t, text, "spec.tries")
}

// ECT-023: Fuzz converts the objects that it makes.
func TestFuzzConverts(t *testing.T) {
	tt, err := converting(t, largeKind(), moved(func(_, spec map[string]any, _ string) { delete(spec, "size") })).definitions[0].trips(nil)
	require.NoError(t, err)
	texts := tt.fuzzed(t.Context(), "v2", map[string]any{"spec": map[string]any{"size": int64(5), "mode": "fast"}})
	require.Len(t, texts, 1)
	require.Contains(t, texts[0], "Large v2 to v1 and back: spec.size is lost")
	require.NotContains(t, texts[0], "fast")
	require.Empty(t, tt.fuzzed(t.Context(), "v2", map[string]any{"spec": map[string]any{"mode": "fast"}}))
	require.Empty(t, tt.fuzzed(t.Context(), "v2", map[string]any{"spec": map[string]any{"mode": "none", "size": int64(5)}}), "it is not accepted")
}
