package objectmeta_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// decode reads JSON with the number rules of DEC-004.
func decode(t testing.TB, text string) any {
	t.Helper()
	v, err := decodeValue([]byte(text))
	require.NoError(t, err, text)
	return v
}

func decodeMap(t testing.TB, text string) map[string]any {
	t.Helper()
	return decode(t, text).(map[string]any)
}

func decodeValue(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return numbers(v)
}

func numbers(v any) (any, error) {
	var err error
	switch x := v.(type) {
	case json.Number:
		if n, err := x.Int64(); err == nil && !strings.Contains(x.String(), ".") {
			return n, nil
		}
		return x.Float64()
	case []any:
		for i := range x {
			if x[i], err = numbers(x[i]); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for k := range x {
			if x[k], err = numbers(x[k]); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

func clone(v any) any {
	switch x := v.(type) {
	case []any:
		if x == nil {
			return x
		}
		c := make([]any, len(x))
		for i := range x {
			c[i] = clone(x[i])
		}
		return c
	case map[string]any:
		if x == nil {
			return x
		}
		c := make(map[string]any, len(x))
		for k := range x {
			c[k] = clone(x[k])
		}
		return c
	}
	return v
}

// ordinary is metadata as a server answers it.
const ordinary = `{
	"name": "web", "generateName": "w-", "namespace": "default", "uid": "d4bc53ca-5285-4c64-a7f9-f0aa985c6974", "resourceVersion": "91690",
	"generation": 3, "creationTimestamp": "2026-11-21T17:14:06Z", "deletionTimestamp": "2026-11-22T00:00:00Z",
	"deletionGracePeriodSeconds": 0,
	"labels": {"app.kubernetes.io/name": "web", "empty": ""}, "annotations": {"Example.com/Note": "a text, ümläuts and \u0000"},
	"finalizers": ["example.com/keep", "orphan"],
	"ownerReferences": [
		{"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u1", "controller": true, "blockOwnerDeletion": true},
		{"apiVersion": "v1", "kind": "ConfigMap", "name": "c", "uid": "u2"}
	],
	"managedFields": [{
		"manager": "kubectl", "operation": "Update", "apiVersion": "example.com/v1", "time": "2026-11-21T17:14:06Z", "fieldsType": "FieldsV1",
		"fieldsV1": {"f:spec": {".": {}, "f:ports": {"k:{\"port\":80}": {".": {}, "f:port": {}}}}}
	}]
}`
