package objectmeta_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
)

// OME-001, OME-004, OME-011, EMB-005: what comes back of what was sent. The values were confirmed by running Kubernetes
// v0.37.2.
func TestRead(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"ordinary", ordinary, ordinary},
		{"null", `null`, `{}`},
		{"empty", `{}`, `{}`},
		{"unknown keys", `{"name": "a", "Name": "b", "clusterName": "c", "zz": {"a": [1.5]}}`, `{"name": "a"}`},
		{"nulls at the top", `{"name": null, "generation": null, "labels": null, "finalizers": null, "ownerReferences": null,
			"managedFields": null, "creationTimestamp": null, "deletionTimestamp": null, "deletionGracePeriodSeconds": null}`, `{}`},
		{"zero values", `{"name": "", "generation": 0, "labels": {}, "annotations": {}, "finalizers": [], "ownerReferences": [],
			"managedFields": []}`, `{}`},
		{"null label", `{"labels": {"a": null, "b": "x"}}`, `{"labels": {"a": "", "b": "x"}}`},
		{"null finalizer", `{"finalizers": [null, "a"]}`, `{"finalizers": ["", "a"]}`},
		{"null and empty owner", `{"ownerReferences": [null, {}, {"name": "a", "controller": null, "X": 1}]}`, `{"ownerReferences": [
			{"apiVersion": "", "kind": "", "name": "", "uid": ""}, {"apiVersion": "", "kind": "", "name": "", "uid": ""},
			{"apiVersion": "", "kind": "", "name": "a", "uid": ""}]}`},
		{"owner with false", `{"ownerReferences": [{"controller": false, "blockOwnerDeletion": false}]}`, `{"ownerReferences": [
			{"apiVersion": "", "kind": "", "name": "", "uid": "", "controller": false, "blockOwnerDeletion": false}]}`},
		{"grace period zero", `{"deletionGracePeriodSeconds": 0}`, `{"deletionGracePeriodSeconds": 0}`},
		{"whole floats", `{"generation": 1.0, "deletionGracePeriodSeconds": -3e1}`, `{"generation": 1, "deletionGracePeriodSeconds": -30}`},
		{"negative zero", `{"generation": -0.0}`, `{}`},
		{"large whole float", `{"generation": 9.2e18}`, `{"generation": 9200000000000000000}`},
		{"fraction of a second and offset", `{"creationTimestamp": "2020-01-01T00:00:00.5+02:00"}`, `{"creationTimestamp": "2019-12-31T22:00:00Z"}`},
		{"hour with one digit", `{"creationTimestamp": "2020-01-01T0:00:00Z"}`, `{"creationTimestamp": "2020-01-01T00:00:00Z"}`},
		{"zero times", `{"creationTimestamp": "0001-01-01T00:00:00Z", "deletionTimestamp": "0001-01-01T01:00:00+01:00",
			"managedFields": [{"time": "0001-01-01T00:00:00Z"}]}`, `{"deletionTimestamp": null, "managedFields": [{"time": null}]}`},
		{"just after the zero time", `{"creationTimestamp": "0001-01-01T00:00:00.5Z"}`, `{"creationTimestamp": "0001-01-01T00:00:00Z"}`},
		{"year 10000", `{"creationTimestamp": "9999-12-31T23:59:59-23:59"}`, `{"creationTimestamp": "10000-01-01T23:58:59Z"}`},
		{"year -1", `{"creationTimestamp": "0000-01-01T00:00:00+23:59"}`, `{"creationTimestamp": "-0001-12-31T00:01:00Z"}`},
		{"managed fields", `{"managedFields": [null, {}, {"manager": "", "time": null, "fieldsV1": null, "x": 1}, {"operation": "o"}]}`,
			`{"managedFields": [{}, {}, {}, {"operation": "o"}]}`},
		{"fieldsV1 of any kind", `{"managedFields": [{"fieldsV1": 5}, {"fieldsV1": "x"}, {"fieldsV1": []}, {"fieldsV1": {}}, {"fieldsV1": true}]}`,
			`{"managedFields": [{"fieldsV1": 5}, {"fieldsV1": "x"}, {"fieldsV1": []}, {"fieldsV1": {}}, {"fieldsV1": true}]}`},
		{"floats in fieldsV1", `{"managedFields": [{"fieldsV1": 1.0}, {"fieldsV1": {"a": [1.0, 1.5, 1e30, null]}}]}`,
			`{"managedFields": [{"fieldsV1": 1}, {"fieldsV1": {"a": [1, 1.5, 1e30, null]}}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, want := decode(t, tt.in), decode(t, tt.want)
			before := clone(in)
			for _, drop := range []bool{false, true} {
				meta, changed, err := objectmeta.Read(in, drop)
				require.NoError(t, err)
				require.Equal(t, want, any(meta))
				require.Equal(t, before, in, "the argument is unmodified")
				require.Equal(t, !objectmeta.Canonical(in), changed)
			}
		})
	}
}

// Bytes that are no UTF-8 become U+FFFD, each one; of two keys that become equal the last one wins.
func TestReadInvalidUTF8(t *testing.T) {
	meta, changed, err := objectmeta.Read(map[string]any{
		"name":        "a\xff\xfe",
		"labels":      map[string]any{"a\xfe": "first", "a\xff": "second", "b": "\xff"},
		"finalizers":  []any{"\xff"},
		"annotations": map[string]any{"ok": "ok"},
		"managedFields": []any{map[string]any{
			"fieldsV1": map[string]any{"f:\xfe": "first", "f:\xff": "second", "f:a": []any{"\xff"}},
		}},
		"\xff": "unknown",
	}, false)
	require.NoError(t, err)
	require.True(t, changed)
	require.Equal(t, map[string]any{
		"name":        "a\ufffd\ufffd",
		"labels":      map[string]any{"a\ufffd": "second", "b": "\ufffd"},
		"finalizers":  []any{"\ufffd"},
		"annotations": map[string]any{"ok": "ok"},
		"managedFields": []any{map[string]any{
			"fieldsV1": map[string]any{"f:\ufffd": "second", "f:a": []any{"\ufffd"}},
		}},
	}, meta)
}

// What did not change is shared, and only that.
func TestReadShares(t *testing.T) {
	in := decodeMap(t, `{"labels": {"a": "b"}, "annotations": {"a": null}, "zz": 1}`)
	meta, _, err := objectmeta.Read(in, false)
	require.NoError(t, err)
	meta["labels"].(map[string]any)["shared"] = "yes"
	meta["annotations"].(map[string]any)["shared"] = "no"
	require.Equal(t, decode(t, `{"labels": {"a": "b", "shared": "yes"}, "annotations": {"a": null}, "zz": 1}`), any(in))

	in = decodeMap(t, ordinary)
	meta, changed, err := objectmeta.Read(in, false)
	require.NoError(t, err)
	require.False(t, changed)
	meta["same"] = true
	require.Contains(t, in, "same")
}

// OME-002: the texts of the server's decoder, and which of several errors it reports.
func TestReadErrors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"array", `[]`, `json: cannot unmarshal array into Go value of type v1.ObjectMeta`},
		{"string", `"x"`, `json: cannot unmarshal string into Go value of type v1.ObjectMeta`},
		{"number", `1.5`, `json: cannot unmarshal number into Go value of type v1.ObjectMeta`},
		{"bool", `true`, `json: cannot unmarshal bool into Go value of type v1.ObjectMeta`},
		{"name", `{"name": []}`, `json: cannot unmarshal array into Go struct field ObjectMeta.name of type string`},
		{"uid", `{"uid": 5}`, `json: cannot unmarshal number into Go struct field ObjectMeta.uid of type types.UID`},
		{"labels", `{"labels": []}`, `json: cannot unmarshal array into Go struct field ObjectMeta.labels of type map[string]string`},
		{"label", `{"labels": {"a": 5}}`, `json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`},
		{"first label", `{"labels": {"b": {}, "a": true}}`, `json: cannot unmarshal bool into Go struct field ObjectMeta.labels of type string`},
		{"finalizers", `{"finalizers": {}}`, `json: cannot unmarshal object into Go struct field ObjectMeta.finalizers of type []string`},
		{"finalizer", `{"finalizers": ["a", 5]}`, `json: cannot unmarshal number into Go struct field ObjectMeta.finalizers of type string`},
		{"generation fraction", `{"generation": 1.5}`, `json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64`},
		{"generation large", `{"generation": 1e30}`, `json: cannot unmarshal number 1e+30 into Go struct field ObjectMeta.generation of type int64`},
		{"generation too large", `{"generation": 1e20}`,
			`json: cannot unmarshal number 100000000000000000000 into Go struct field ObjectMeta.generation of type int64`},
		{"generation string", `{"generation": "1"}`, `json: cannot unmarshal string into Go struct field ObjectMeta.generation of type int64`},
		{"grace period", `{"deletionGracePeriodSeconds": 0.5}`,
			`json: cannot unmarshal number 0.5 into Go struct field ObjectMeta.deletionGracePeriodSeconds of type int64`},
		{"time", `{"creationTimestamp": "yesterday"}`,
			`parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"`},
		{"empty time", `{"creationTimestamp": ""}`, `parsing time "" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "2006"`},
		{"time number", `{"deletionTimestamp": 7}`, `json: cannot unmarshal number into Go struct field ObjectMeta.deletionTimestamp of type string`},
		{"owners", `{"ownerReferences": {}}`, `json: cannot unmarshal object into Go struct field ObjectMeta.ownerReferences of type []v1.OwnerReference`},
		{"owner", `{"ownerReferences": [[]]}`, `json: cannot unmarshal array into Go struct field ObjectMeta.ownerReferences of type v1.OwnerReference`},
		{"owner name", `{"ownerReferences": [{"name": 5, "uid": 5}]}`,
			`json: cannot unmarshal number into Go struct field OwnerReference.ownerReferences.name of type string`},
		{"owner uid", `{"ownerReferences": [{"uid": {}}]}`,
			`json: cannot unmarshal object into Go struct field OwnerReference.ownerReferences.uid of type types.UID`},
		{"owner controller", `{"ownerReferences": [{"controller": "true"}]}`,
			`json: cannot unmarshal string into Go struct field OwnerReference.ownerReferences.controller of type bool`},
		{"managed fields", `{"managedFields": 7}`, `json: cannot unmarshal number into Go struct field ObjectMeta.managedFields of type []v1.ManagedFieldsEntry`},
		{"managed fields entry", `{"managedFields": [7]}`, `json: cannot unmarshal number into Go struct field ObjectMeta.managedFields of type v1.ManagedFieldsEntry`},
		{"operation", `{"managedFields": [{"operation": 7}]}`,
			`json: cannot unmarshal number into Go struct field ManagedFieldsEntry.managedFields.operation of type v1.ManagedFieldsOperationType`},
		{"managed fields time", `{"managedFields": [{"time": true}]}`,
			`json: cannot unmarshal bool into Go struct field ManagedFieldsEntry.managedFields.time of type string`},
		{"the first key", `{"name": 7, "labels": 7, "finalizers": 7}`,
			`json: cannot unmarshal number into Go struct field ObjectMeta.finalizers of type []string`},
		{"a time before all", `{"annotations": 7, "managedFields": [{"time": "x"}], "uid": 7}`,
			`parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`},
		{"the first time", `{"annotations": 7, "creationTimestamp": 7, "deletionTimestamp": "x"}`,
			`json: cannot unmarshal number into Go struct field ObjectMeta.creationTimestamp of type string`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := decode(t, tt.in)
			meta, changed, err := objectmeta.Read(in, false)
			require.EqualError(t, err, tt.want)
			require.Nil(t, meta)
			require.False(t, changed)
			require.Equal(t, decode(t, tt.in), in)
			require.False(t, objectmeta.Canonical(in))
		})
	}
}

// Other Go types than those of values are refused where they are read, and dropped where the key is unknown.
func TestReadOtherTypes(t *testing.T) {
	tests := []struct {
		name string
		in   any
		want string
	}{
		{"int", map[string]any{"generation": 1}, `json: cannot unmarshal Go int into Go struct field ObjectMeta.generation of type int64`},
		{"map of strings", map[string]any{"labels": map[string]string{}},
			`json: cannot unmarshal Go map[string]string into Go struct field ObjectMeta.labels of type map[string]string`},
		{"list of strings", map[string]any{"finalizers": []string{}},
			`json: cannot unmarshal Go []string into Go struct field ObjectMeta.finalizers of type []string`},
		{"in fieldsV1", map[string]any{"managedFields": []any{map[string]any{"fieldsV1": map[string]any{"f:a": int32(1)}}}},
			`json: cannot unmarshal Go int32 into Go struct field ManagedFieldsEntry.managedFields.fieldsV1 of type v1.FieldsV1`},
		{"metadata itself", map[string]string{}, `json: cannot unmarshal Go map[string]string into Go value of type v1.ObjectMeta`},
		{"no number", map[string]any{"generation": math.NaN()}, `json: unsupported value: NaN`},
		{"infinity", map[string]any{"managedFields": []any{map[string]any{"fieldsV1": math.Inf(1)}}}, `json: unsupported value: +Inf`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := objectmeta.Read(tt.in, false)
			require.EqualError(t, err, tt.want)
			require.False(t, objectmeta.Canonical(tt.in))
		})
	}

	meta, _, err := objectmeta.Read(map[string]any{"zz": 1, "name": "a"}, false)
	require.NoError(t, err)
	require.Equal(t, map[string]any{"name": "a"}, meta)

	// A nil map or list is like null.
	for _, v := range []any{map[string]any(nil), []any(nil)} {
		meta, changed, err := objectmeta.Read(v, false)
		require.NoError(t, err)
		require.True(t, changed)
		require.Equal(t, map[string]any{}, meta)

		meta, _, err = objectmeta.Read(map[string]any{"name": v, "labels": v, "finalizers": v, "generation": v, "creationTimestamp": v,
			"managedFields": []any{map[string]any{"fieldsV1": v}}, "annotations": map[string]any{"a": v}}, false)
		require.NoError(t, err)
		require.Equal(t, decode(t, `{"managedFields": [{}], "annotations": {"a": ""}}`), any(meta))
	}
}

// No value, however deep or cyclic, overflows the stack.
func TestReadDeep(t *testing.T) {
	fields := func(v any) map[string]any {
		return map[string]any{"managedFields": []any{map[string]any{"fieldsV1": v}}}
	}
	nest := func(depth int, inner any) any {
		for i := range depth {
			if i%2 == 0 {
				inner = map[string]any{"f:a": inner}
			} else {
				inner = []any{inner}
			}
		}
		return inner
	}
	// DEC-007: 10000 containers, of which metadata, the list and its entry are three.
	meta, _, err := objectmeta.Read(fields(nest(9997, 1.0)), false)
	require.NoError(t, err)
	require.Equal(t, fields(nest(9997, int64(1))), meta)
	_, _, err = objectmeta.Read(fields(nest(9998, "x")), false)
	require.EqualError(t, err, "invalid character '{' exceeded max depth")

	cycle := map[string]any{}
	cycle["f:a"] = []any{cycle, cycle}
	for _, v := range []any{nest(100_000, nil), cycle} {
		_, _, err := objectmeta.Read(fields(v), false)
		require.ErrorContains(t, err, "exceeded max depth")
		require.False(t, objectmeta.Canonical(fields(v)))
		require.Len(t, objectmeta.ValidateCreate(fields(v), metadata, false, objectmeta.Subdomain, field.Limit{}), 1)
		require.Empty(t, objectmeta.Unknown(fields(v)))
		require.Empty(t, objectmeta.WithManagedFields(map[string]any{"managedFields": []any{map[string]any{
			"operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": v,
		}}}, nil))
		meta, _, err := objectmeta.Read(fields(v), true)
		require.NoError(t, err)
		require.Empty(t, meta)
	}
	meta, _, err = objectmeta.Read(map[string]any{"zz": cycle}, false)
	require.NoError(t, err)
	require.Empty(t, meta)
	cycle["labels"] = cycle
	_, _, err = objectmeta.Read(cycle, false)
	require.EqualError(t, err, "json: cannot unmarshal array into Go struct field ObjectMeta.labels of type string")
}

// OME-003: what cannot be read is dropped key by key.
func TestReadDropping(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"one bad label drops all", `{"name": "a", "labels": {"a": "b", "c": 5}, "annotations": {"a": "b"}}`,
			`{"name": "a", "annotations": {"a": "b"}}`},
		{"one bad owner drops all", `{"ownerReferences": [{"name": "a"}, {"name": 5}], "finalizers": ["a"]}`, `{"finalizers": ["a"]}`},
		{"bad times", `{"creationTimestamp": "x", "deletionTimestamp": 5, "managedFields": [{"time": "x"}], "uid": "u"}`, `{"uid": "u"}`},
		{"the rest is written back", `{"name": 5, "generation": 2.0, "labels": {}, "zz": 1}`, `{"generation": 2}`},
		{"wrong, but well typed", `{"labels": {"x y": "a/b"}, "generation": "1"}`, `{"labels": {"x y": "a/b"}}`},
		{"nothing left", `{"name": 5}`, `{}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := decode(t, tt.in)
			meta, changed, err := objectmeta.Read(in, true)
			require.NoError(t, err)
			require.True(t, changed)
			require.Equal(t, decode(t, tt.want), any(meta))
			require.Equal(t, decode(t, tt.in), in)
		})
	}
	for in, want := range map[string]string{
		`"x"`: "string", `[1]`: "[]interface {}", `5`: "int64", `1.5`: "float64", `true`: "bool",
	} {
		_, _, err := objectmeta.Read(decode(t, in), true)
		require.EqualError(t, err, "invalid metadata: expected object, got "+want)
	}
}

// OME-005, DEC-022.
func TestUnknown(t *testing.T) {
	require.Equal(t, []string{"Name", "a.b", "managedFields[0].f", "ownerReferences[1].X", "ownerReferences[1].z", "zz"},
		objectmeta.Unknown(decode(t, `{"zz": {"a": 1}, "Name": "x", "a.b": 1, "name": "n", "labels": {"Any": "x"}, "managedFields": [{"f": 1,
			"fieldsV1": {"any": 1}}], "ownerReferences": [null, {"z": 1, "X": 1, "name": "a"}]}`)))
	for _, none := range []string{`null`, `{}`, `"x"`, `[{"a": 1}]`, ordinary} {
		require.Nil(t, objectmeta.Unknown(decode(t, none)), none)
	}

	// Keys that are no UTF-8: equal texts once, equal labels as duplicates.
	require.Equal(t, []string{"labels.a\ufffd", "\ufffd"}, objectmeta.Unknown(map[string]any{
		"\xfe": 1, "\xff": 2, "labels": map[string]any{"a\xfe": "x", "a\xff": "y", "b": "z"},
	}))

	many := map[string]any{}
	for i := range 200 {
		many["u"+strings.Repeat("x", i)] = true
	}
	require.Len(t, objectmeta.Unknown(many), 100)
}

func TestCanonical(t *testing.T) {
	for _, yes := range []string{
		ordinary, `{}`, `{"deletionGracePeriodSeconds": 0}`, `{"finalizers": [""]}`, `{"labels": {"": ""}}`,
		`{"creationTimestamp": "2020-02-29T23:59:59Z"}`, `{"creationTimestamp": "0000-01-01T00:00:00Z"}`, `{"managedFields": [{}]}`,
		`{"ownerReferences": [{"apiVersion": "", "kind": "", "name": "", "uid": "", "controller": false}]}`,
	} {
		require.True(t, objectmeta.Canonical(decode(t, yes)), yes)
	}
	for _, no := range []string{
		`null`, `[]`, `"x"`, `{"name": ""}`, `{"name": null}`, `{"generation": 0}`, `{"generation": 1.0}`, `{"generation": null}`, `{"labels": {}}`, `{"labels": {"a": null}}`,
		`{"finalizers": []}`, `{"finalizers": [null]}`, `{"Name": "a"}`, `{"deletionGracePeriodSeconds": null}`,
		`{"creationTimestamp": "2020-01-01T00:00:00.5Z"}`, `{"creationTimestamp": "2020-01-01T00:00:00+01:00"}`,
		`{"creationTimestamp": "2021-02-29T00:00:00Z"}`, `{"creationTimestamp": "2100-02-29T00:00:00Z"}`, `{"creationTimestamp": "2020-04-31T00:00:00Z"}`,
		`{"creationTimestamp": "2020-13-01T00:00:00Z"}`, `{"creationTimestamp": "2020-00-01T00:00:00Z"}`, `{"creationTimestamp": "2020-01-00T00:00:00Z"}`,
		`{"creationTimestamp": "2020-01-01T24:00:00Z"}`, `{"creationTimestamp": "2020-01-01T00:60:00Z"}`, `{"creationTimestamp": "2020-01-01T00:00:60Z"}`,
		`{"creationTimestamp": "2020-01-01T00:00:0aZ"}`, `{"creationTimestamp": "202a-01-01T00:00:00Z"}`, `{"creationTimestamp": "2020-01-01t00:00:00z"}`,
		`{"creationTimestamp": "0001-01-01T00:00:00Z"}`, `{"creationTimestamp": ""}`, `{"creationTimestamp": 5}`,
		`{"ownerReferences": [{}]}`, `{"ownerReferences": [null]}`, `{"ownerReferences": []}`,
		`{"ownerReferences": [{"apiVersion": "", "kind": "", "name": "", "uid": "", "x": ""}]}`,
		`{"ownerReferences": [{"apiVersion": "", "kind": "", "name": "", "uid": "", "controller": null}]}`,
		`{"managedFields": []}`, `{"managedFields": [null]}`, `{"managedFields": [{"manager": ""}]}`, `{"managedFields": [{"time": null}]}`,
		`{"managedFields": [{"fieldsV1": null}]}`, `{"managedFields": [{"fieldsV1": {"a": 1.0}}]}`, `{"managedFields": [{"x": 1}]}`,
	} {
		require.False(t, objectmeta.Canonical(decode(t, no)), no)
	}
	require.False(t, objectmeta.Canonical(map[string]any{"name": "\xff"}))
	require.False(t, objectmeta.Canonical(map[string]any{"labels": map[string]any{"\xff": "a"}}))
	require.False(t, objectmeta.Canonical(map[string]any(nil)))
}
