package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/unstructured"
)

// wrongValues are put in place of values.
var wrongValues = []string{
	`null`, `true`, `5`, `1.5`, `-3e2`, `3000000000`, `99999999999999999999`, `"x"`, `""`, `"5"`, `"100m"`, `" 1 "`, `"1x"`, `"3m0s"`, `"YQ=="`, `"50%"`,
	`"2024-01-01T00:00:00Z"`, `"2024-01-01T00:00:00.000000Z"`, `{}`, `{"a":1}`, `{"a":"b"}`, `{"a":{"b":[]}}`, `[]`, `["x"]`, `[1]`, `[{}]`, `[{"name":1}]`, `[[]]`,
}

// Package server refuses values of wrong types with the errors of Kubernetes' decoder, and finds the same unknown and
// duplicate fields.
func TestDecode(t *testing.T) {
	kinds, err := readKinds()
	require.NoError(t, err)
	for _, k := range kinds {
		t.Run(k.Type, func(t *testing.T) { compareDecoding(t, k.Type, k.newObject) })
	}
	for of, obj := range map[string]runtime.Object{
		"core.v1.Binding": &corev1.Binding{}, "policy.v1.Eviction": &policyv1.Eviction{}, "core.v1.Namespace": &corev1.Namespace{},
		catalog.TokenRequestType: &authenticationv1.TokenRequest{}, "authentication.v1.TokenReview": &authenticationv1.TokenReview{},
		"authorization.v1.SubjectAccessReview":     &authorizationv1.SubjectAccessReview{},
		"authorization.v1.SelfSubjectAccessReview": &authorizationv1.SelfSubjectAccessReview{},
	} {
		t.Run(of, func(t *testing.T) {
			compareDecoding(t, of, func() (runtime.Object, error) {
				empty := obj.DeepCopyObject()
				return empty, nil
			})
		})
	}
}

func compareDecoding(t *testing.T, of string, newObject func() (runtime.Object, error)) {
	r := newRandom(*seed)
	refused := 0
	for range *objects {
		obj, err := newObject()
		require.NoError(t, err)
		r.object(obj)
		text, err := json.Marshal(obj)
		require.NoError(t, err)
		var v any
		require.NoError(t, json.Unmarshal(text, &v))
		for range 1 + r.IntN(3) {
			v = r.spoil(v)
		}
		if _, is := v.(map[string]any); !is {
			continue
		}
		sent := []byte(r.text(v))
		into, err := newObject()
		require.NoError(t, err)
		strict, failed := kjson.UnmarshalStrict(sent, into)
		findings, got := catalog.BuiltInTypes().DecodeStrict(of, sent)
		require.Equal(t, textOfError(failed), textOfError(got), "%s", sent)
		require.Equal(t, got, catalog.BuiltInTypes().DecodeError(of, sent), "%s", sent)
		if failed != nil {
			refused++
			continue
		}
		var want []string
		for _, e := range strict {
			want = append(want, e.Error())
		}
		require.Equal(t, want, findings, "%s", sent)
	}
	require.Greater(t, refused, *objects/20)
}

func textOfError(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// spoil puts a wrong value in place of a random one, or adds a field.
func (r random) spoil(v any) any {
	switch x := v.(type) {
	case map[string]any:
		if r.IntN(8) == 0 {
			x[[]string{"unknown", "Name", "kind", "apiVersion"}[r.IntN(4)]] = r.wrong()
			return x
		}
		if all := keys(x); len(all) > 0 && r.IntN(6) > 0 {
			k := all[r.IntN(len(all))]
			x[k] = r.spoil(x[k])
			return x
		}
	case []any:
		if len(x) > 0 && r.IntN(6) > 0 {
			i := r.IntN(len(x))
			x[i] = r.spoil(x[i])
			return x
		}
	}
	return r.wrong()
}

func (r random) wrong() any { return json.RawMessage(r.oneOf(wrongValues)) }

// text returns the JSON of a value, with the keys of objects in random order, and some of them twice.
func (r random) text(v any) string {
	switch x := v.(type) {
	case map[string]any:
		all := keys(x)
		slices.Sort(all)
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if len(all) > 0 && r.IntN(10) == 0 {
			all = append(all, all[0])
		}
		var members []string
		for _, k := range all {
			members = append(members, `"`+k+`": `+r.text(x[k]))
		}
		return "{" + strings.Join(members, ",\n") + "}"
	case []any:
		var items []string
		for _, item := range x {
			items = append(items, r.text(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// A strategic merge patch that makes a value of a wrong type is refused with the errors of Kubernetes' converter.
func TestConvert(t *testing.T) {
	kinds, err := readKinds()
	require.NoError(t, err)
	for _, k := range kinds {
		t.Run(k.Type, func(t *testing.T) {
			r := newRandom(*seed)
			refused := 0
			for range *objects {
				obj, err := k.newObject()
				require.NoError(t, err)
				r.object(obj)
				text, err := json.Marshal(obj)
				require.NoError(t, err)
				var v any
				require.NoError(t, json.Unmarshal(text, &v))
				sent := []byte(r.text(r.spoil(v))) // only one value, since Kubernetes reports any
				m, err := unstructured.DecodeJSON(sent)
				if err != nil || m["kind"] != nil || m["apiVersion"] != nil {
					continue
				}
				into, err := k.newObject()
				require.NoError(t, err)
				failed := runtime.DefaultUnstructuredConverter.FromUnstructured(m, into)
				require.Equal(t, textOfError(failed), textOfError(catalog.BuiltInTypes().ConvertError(k.Type, m)), "%s", sent)
				if failed != nil {
					refused++
				}
			}
			require.Greater(t, refused, *objects/20)
		})
	}
}
