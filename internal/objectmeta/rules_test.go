package objectmeta_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/test/given"
)

var metadata = field.NewPath("metadata")

// The messages of MET-020, which package format owns.
const (
	mLabel     = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
	mSubdomain = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
	m1035      = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
	mKey       = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
	mLabelVal  = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)

func TestValidateCreate(t *testing.T) {
	const clusterScoped, namespaced = false, true
	tests := []struct {
		name, in   string
		namespaced bool
		rule       *objectmeta.NameRule
		want       []string
	}{
		{"MET-003 ordinary", ordinary, namespaced, objectmeta.Subdomain, nil},
		{"MET-003 all at once, in order", `{"name": "A", "generateName": "B", "generation": -1, "labels": {"x y": ""}, "annotations": {"x y": ""},
			"ownerReferences": [{"apiVersion": "v1", "kind": "K", "name": "n"}], "finalizers": ["x y"], "managedFields": [{}]}`,
			namespaced, objectmeta.Subdomain, []string{
				`metadata.generateName: Invalid value: "B": ` + mSubdomain,
				`metadata.name: Invalid value: "A": ` + mSubdomain,
				`metadata.namespace: Required value`,
				`metadata.generation: Invalid value: -1: must be greater than or equal to 0`,
				`metadata.labels: Invalid value: "x y": name part ` + mKey,
				`metadata.annotations: Invalid value: "x y": name part ` + mKey,
				`metadata.ownerReferences[0].uid: Required value: must not be empty`,
				`metadata.finalizers: Invalid value: "x y": name part ` + mKey,
				`metadata.managedFields[0].operation: Required value: must not be empty`,
			}},
		{"MET-003 a zero time, which is read as null", `{"name": "A", "deletionTimestamp": "0001-01-01T00:00:00Z"}`, clusterScoped,
			objectmeta.Subdomain, []string{`metadata.name: Invalid value: "A": ` + mSubdomain}},
		{"MET-003 nothing", `{}`, clusterScoped, objectmeta.Subdomain, []string{`metadata.name: Required value: name or generateName is required`}},

		{"MET-001 name too long", `{"name": "` + strings.Repeat("a", 253) + `A"}`, clusterScoped, objectmeta.Subdomain, []string{
			`metadata.name: Invalid value: "` + strings.Repeat("a", 253) + `A": must be no more than 253 characters`,
			`metadata.name: Invalid value: "` + strings.Repeat("a", 253) + `A": ` + mSubdomain,
		}},
		{"MET-001 generateName beside a name", `{"name": "a", "generateName": "_-"}`, clusterScoped, objectmeta.Subdomain, nil},
		{"MET-001 generateName alone", `{"generateName": "a-"}`, clusterScoped, objectmeta.Subdomain, nil},
		{"MET-001 generateName makes a bad name", `{"generateName": "_-"}`, clusterScoped, objectmeta.Subdomain,
			[]string{`metadata.name: Invalid value: "_-xxxxx": ` + mSubdomain}},
		{"MET-001 only the first 58 bytes of generateName count", `{"generateName": "` + strings.Repeat("a", 58) + `_-"}`, clusterScoped,
			objectmeta.Subdomain, nil},
		{"MET-001 the first 58 bytes do count", `{"generateName": "` + strings.Repeat("a", 57) + `_-"}`, clusterScoped, objectmeta.Subdomain,
			[]string{`metadata.name: Invalid value: "` + strings.Repeat("a", 57) + `_xxxxx": ` + mSubdomain}},
		{"MET-001 bad generateName alone", `{"generateName": "A"}`, clusterScoped, objectmeta.Subdomain,
			[]string{`metadata.generateName: Invalid value: "A": ` + mSubdomain}},

		{"MET-002 any name", `{"name": "A b_"}`, clusterScoped, objectmeta.PathSegment, nil},
		{"MET-002 dot", `{"name": "."}`, clusterScoped, objectmeta.PathSegment, []string{`metadata.name: Invalid value: ".": may not be '.'`}},
		{"MET-002 slash and percent", `{"name": "%/", "generateName": ".."}`, clusterScoped, objectmeta.PathSegment, []string{
			`metadata.name: Invalid value: "%/": may not contain '/'`, `metadata.name: Invalid value: "%/": may not contain '%'`}},
		{"MET-002 generateName", `{"generateName": "/"}`, clusterScoped, objectmeta.PathSegment,
			[]string{`metadata.generateName: Invalid value: "/": may not contain '/'`}},

		{"MET-004 dots", `{"name": "a", "namespace": "a.b"}`, namespaced, objectmeta.Subdomain,
			[]string{`metadata.namespace: Invalid value: "a.b": must not contain dots`}},
		{"MET-004 letters", `{"name": "a", "namespace": "A"}`, namespaced, objectmeta.Subdomain,
			[]string{`metadata.namespace: Invalid value: "A": ` + mLabel}},
		{"MET-004 cluster-scoped", `{"name": "a", "namespace": "b"}`, clusterScoped, objectmeta.Subdomain,
			[]string{`metadata.namespace: Forbidden: not allowed on this type`}},

		{"MET-006 keys and values, by key", `{"name": "a", "labels": {"b": "x y", "a/b/c": "", "/": null}}`, clusterScoped, objectmeta.Subdomain, []string{
			`metadata.labels: Invalid value: "/": prefix part must be non-empty`,
			`metadata.labels: Invalid value: "/": name part must be non-empty`,
			`metadata.labels: Invalid value: "/": name part ` + mKey,
			`metadata.labels: Invalid value: "a/b/c": a valid label key ` + mKey + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
			`metadata.labels: Invalid value: "x y": ` + mLabelVal,
		}},
		{"MET-007 lower case counts", `{"name": "a", "annotations": {"B.c/X": "any value: ä"}}`, clusterScoped, objectmeta.Subdomain, nil},
		{"MET-007 original key", `{"name": "a", "annotations": {"B..c/X": ""}}`, clusterScoped, objectmeta.Subdomain,
			[]string{`metadata.annotations: Invalid value: "B..c/X": prefix part ` + mSubdomain}},
		{"MET-007 just small enough", `{"name": "a", "annotations": {"a": "` + strings.Repeat("x", 262142) + `", "b": ""}}`,
			clusterScoped, objectmeta.Subdomain, nil},
		{"MET-007 too large", `{"name": "a", "annotations": {"a": "` + strings.Repeat("x", 262142) + `", "bb": ""}}`,
			clusterScoped, objectmeta.Subdomain, []string{`metadata.annotations: Too long: may not be more than 262144 bytes`}},

		{"MET-008 empty", `{"name": "a", "ownerReferences": [{"apiVersion": "", "kind": "", "name": "", "uid": ""}]}`, clusterScoped, objectmeta.Subdomain, []string{
			`metadata.ownerReferences[0].apiVersion: Required value: must not be empty`,
			`metadata.ownerReferences[0].kind: Required value: must not be empty`,
			`metadata.ownerReferences[0].name: Required value: must not be empty`,
			`metadata.ownerReferences[0].uid: Required value: must not be empty`,
		}},
		{"MET-008 apiVersion", `{"name": "a", "ownerReferences": [{"apiVersion": "a/b/c", "kind": "K", "name": "n", "uid": "u"},
			{"apiVersion": "g/", "kind": "K", "name": "n", "uid": "u"}, {"apiVersion": "/v1", "kind": "K", "name": "n", "uid": "u"}]}`,
			clusterScoped, objectmeta.Subdomain, []string{
				`metadata.ownerReferences[0].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>`,
				`metadata.ownerReferences[1].apiVersion: Invalid value: "g/": must be <group>/<version> or <version>`,
			}},
		{"MET-008 event", `{"name": "a", "ownerReferences": [{"apiVersion": "v1", "kind": "Event", "name": "<n>", "uid": "u", "blockOwnerDeletion": false},
			{"apiVersion": "events.k8s.io/v1", "kind": "Event", "name": "n", "uid": "u"}]}`, clusterScoped, objectmeta.Subdomain, []string{
			`metadata.ownerReferences[0]: Invalid value: {"apiVersion":"v1","kind":"Event","name":"\u003cn\u003e","uid":"u","blockOwnerDeletion":false}: ` +
				`/v1, Kind=Event is disallowed from being an owner`}},
		{"MET-008 controllers", `{"name": "a", "ownerReferences": [{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u", "controller": true},
			{"apiVersion": "v1", "kind": "B", "name": "b", "uid": "u", "controller": false},
			{"apiVersion": "v1", "kind": "C", "name": "c", "uid": "u", "controller": true}]}`, clusterScoped, objectmeta.Subdomain, []string{
			`metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"A","name":"a","uid":"u","controller":true},` +
				`{"apiVersion":"v1","kind":"B","name":"b","uid":"u","controller":false},{"apiVersion":"v1","kind":"C","name":"c","uid":"u","controller":true}]: ` +
				`Only one reference can have Controller set to true. Found "true" in references for A/a and C/c`}},

		{"MET-009 both policies", `{"name": "a", "finalizers": ["orphan", "a.io/x", "foregroundDeletion"]}`, clusterScoped, objectmeta.Subdomain, []string{
			`metadata.finalizers: Invalid value: ["orphan","a.io/x","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set`}},

		{"MET-012", `{"name": "a", "managedFields": [{"operation": "apply", "fieldsType": "fieldsV1", "manager": "a\tb` + strings.Repeat("c", 128) + `",
			"subresource": "` + strings.Repeat("s", 257) + `"}, {"operation": "Update", "fieldsType": "FieldsV1", "subresource": "` + strings.Repeat("s", 256) + `"},
			{"operation": "<"}]}`, clusterScoped, objectmeta.Subdomain, []string{
			`metadata.managedFields[0].operation: Unsupported value: "apply": supported values: "Apply", "Update"`,
			"metadata.managedFields[0].fieldsType: Invalid value: \"fieldsV1\": must be `FieldsV1`",
			`metadata.managedFields[0].manager: Too long: may not be more than 128 bytes`,
			`metadata.managedFields[0].manager: Invalid value: "a\tb` + strings.Repeat("c", 128) + `": invalid character U+0009 (at position 1)`,
			`metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes`,
			`metadata.managedFields[2].operation: Unsupported value: "\u003c": supported values: "Apply", "Update"`,
		}},
		{"MET-013 no rules", `{"name": "a", "selfLink": "%", "resourceVersion": "%", "uid": "%", "creationTimestamp": "2020-01-01T00:00:00Z",
			"deletionTimestamp": "2019-01-01T00:00:00Z", "deletionGracePeriodSeconds": -1}`, clusterScoped, objectmeta.Subdomain, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := decodeMap(t, tt.in)
			require.Equal(t, tt.want, given.Texts(objectmeta.ValidateCreate(in, metadata, tt.namespaced, tt.rule, field.Limit{})))
			valid := true
			for _, rule := range []*objectmeta.NameRule{objectmeta.Subdomain, objectmeta.PathSegment} {
				valid = valid && objectmeta.ValidateCreate(in, metadata, tt.namespaced, rule, field.Limit{}) == nil
			}
			require.Equal(t, valid, objectmeta.ValidCreate(in, tt.namespaced))
			require.Equal(t, decode(t, tt.in), any(in))
		})
	}
}

// MET-002: a generateName that the first check takes and the second does not.
func TestValidCreateAsksBothNameRules(t *testing.T) {
	meta := map[string]any{"name": "a", "generateName": "/-"}
	require.Empty(t, objectmeta.ValidateCreate(meta, metadata, false, objectmeta.Subdomain, field.Limit{}))
	require.NotEmpty(t, objectmeta.ValidateCreate(meta, metadata, false, objectmeta.PathSegment, field.Limit{}))
	require.False(t, objectmeta.ValidCreate(meta, false))
}

// MET-000: metadata that cannot be read has one error, with the text of the reader.
func TestUnreadable(t *testing.T) {
	unreadable := func(in string) {
		meta := decodeMap(t, in)
		_, _, err := objectmeta.Read(meta, false)
		require.Error(t, err, in)
		create := objectmeta.ValidateCreate(meta, metadata, true, objectmeta.Subdomain, field.Limit{})
		require.Equal(t, field.List{field.Invalid(metadata, meta, err.Error())}, create, in)
		require.Equal(t, create, updateErrors(meta, nil))
		require.Equal(t, create, updateErrors(nil, meta))
		require.False(t, objectmeta.ValidCreate(meta, true))
		require.False(t, validUpdate(nil, meta, false))
	}
	for _, in := range []string{
		`{"name": 5}`, `{"uid": 5, "generation": "x"}`, `{"name": []}`, `{"generation": 1.5}`, `{"generation": "1", "labels": 5}`,
		`{"generation": 1e30}`, `{"creationTimestamp": "x"}`, `{"deletionTimestamp": 5}`, `{"labels": "x"}`, `{"labels": {"a": true, "b": 5}}`,
		`{"finalizers": {}}`, `{"finalizers": [5]}`, `{"ownerReferences": [[]]}`, `{"managedFields": [{"operation": 5}]}`,
		`{"managedFields": [{"time": "x"}]}`, `{"managedFields": [{"subresource": 5, "time": {}}]}`,
	} {
		unreadable(in)
	}
	// Each field by itself.
	for _, r := range []struct{ format, keys string }{
		{`{%q: true}`, "name generateName namespace selfLink uid resourceVersion generation deletionGracePeriodSeconds creationTimestamp " +
			"deletionTimestamp labels annotations finalizers ownerReferences managedFields"},
		{`{"ownerReferences": [{%q: 1.5}]}`, "apiVersion kind name uid controller blockOwnerDeletion"},
		{`{"managedFields": [{%q: 1.5}]}`, "manager operation apiVersion fieldsType subresource time"},
	} {
		for _, key := range strings.Fields(r.keys) {
			unreadable(fmt.Sprintf(r.format, key))
		}
	}

	// What can be read without being canonical counts as what it becomes.
	loose := decodeMap(t, `{"name": "a", "generation": 1.0, "labels": {"a": null}, "finalizers": null, "creationTimestamp": "2020-01-01T01:00:00+01:00", "zz": {}}`)
	require.True(t, objectmeta.ValidCreate(loose, false))
	require.True(t, validUpdate(loose, decodeMap(t, `{"name": "a", "generation": 1, "creationTimestamp": "2020-01-01T00:00:00Z"}`), false))
}

func TestValidateUpdate(t *testing.T) {
	const full = `{"name": "a", "namespace": "n", "uid": "u", "resourceVersion": "1", "generation": 2, "creationTimestamp": "2020-01-01T00:00:00Z"}`
	const immutable = "field is immutable"
	tests := []struct {
		name, in, old string
		want          []string
	}{
		{"MET-010 nothing", full, full, nil},
		{"MET-010 everything, in order", `{"name": "b", "namespace": "m", "uid": "v<", "generation": -1, "creationTimestamp": "2021-01-01T00:00:00Z",
			"deletionTimestamp": "2021-01-01T00:00:00Z", "deletionGracePeriodSeconds": 5, "labels": {"x y": ""}, "annotations": {"x y": ""},
			"ownerReferences": [{"apiVersion": "v1", "kind": "K", "name": "n", "uid": ""}], "finalizers": ["BAD_/x"], "managedFields": [{}]}`, full, []string{
			`metadata.resourceVersion: Invalid value: "": must be specified for an update`,
			`metadata.generation: Invalid value: -1: must be greater than or equal to 0`,
			`metadata.generation: Invalid value: -1: must not be decremented`,
			`metadata.name: Invalid value: "b": ` + immutable,
			`metadata.namespace: Invalid value: "m": ` + immutable,
			`metadata.uid: Invalid value: "v\u003c": ` + immutable,
			`metadata.creationTimestamp: Invalid value: "2021-01-01T00:00:00Z": ` + immutable,
			`metadata.deletionTimestamp: Invalid value: "2021-01-01T00:00:00Z": ` + immutable,
			`metadata.deletionGracePeriodSeconds: Invalid value: 5: ` + immutable,
			`metadata.labels: Invalid value: "x y": name part ` + mKey,
			`metadata.annotations: Invalid value: "x y": name part ` + mKey,
			`metadata.ownerReferences[0].uid: Required value: must not be empty`,
			`metadata.managedFields[0].operation: Required value: must not be empty`,
		}},
		{"MET-010 everything gone", `{"resourceVersion": "2"}`,
			`{"name": "a", "uid": "u", "generation": 2, "creationTimestamp": "2020-01-01T00:00:00Z", "deletionTimestamp": "2020-01-01T00:00:00Z",
				"deletionGracePeriodSeconds": 0}`, []string{
				`metadata.generation: Invalid value: 0: must not be decremented`,
				`metadata.name: Invalid value: "": ` + immutable,
				`metadata.uid: Invalid value: "": ` + immutable,
				`metadata.creationTimestamp: Invalid value: null: ` + immutable,
				`metadata.deletionTimestamp: Invalid value: null: ` + immutable,
				`metadata.deletionGracePeriodSeconds: Invalid value: null: ` + immutable,
			}},
		{"MET-010 grace period of zero where none was", `{"deletionGracePeriodSeconds": 0}`, `{}`,
			[]string{`metadata.deletionGracePeriodSeconds: Invalid value: 0: ` + immutable}},
		{"resourceVersion and uid are asked for only where old has them", `{"uid": "u"}`, `{}`, nil},
		{"a higher generation and another resourceVersion", `{"generation": 9, "resourceVersion": "2"}`, `{"generation": 2, "resourceVersion": "1"}`, nil},
		{"MET-011 new finalizers during deletion", `{"deletionTimestamp": "2020-01-01T00:00:00Z", "finalizers": ["c.io/d", "a", "BAD_/x", "c.io/d"]}`,
			`{"deletionTimestamp": "2020-01-01T00:00:00Z", "finalizers": ["a", "b"]}`, []string{
				`metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"BAD_/x", "c.io/d"}`}},
		{"MET-011 fewer finalizers during deletion", `{"deletionTimestamp": "2020-01-01T00:00:00Z", "finalizers": ["b"]}`,
			`{"deletionTimestamp": "2020-01-01T00:00:00Z", "finalizers": ["a", "b"]}`, nil},
		{"MET-011 new finalizers otherwise", `{"finalizers": ["BAD_/x"]}`, `{}`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, old := decodeMap(t, tt.in), decodeMap(t, tt.old)
			require.Equal(t, tt.want, given.Texts(updateErrors(in, old)))
			require.Equal(t, decode(t, tt.in), any(in))
			require.Equal(t, decode(t, tt.old), any(old))
			if tt.want != nil {
				require.False(t, validUpdate(in, old, false))
			}
		})
	}
	old := decodeMap(t, full)
	require.True(t, validUpdate(decodeMap(t, full), old, true))
	require.False(t, validUpdate(decodeMap(t, full), old, false), "the namespace is forbidden")
}

// MET-014.
func TestDeduplicate(t *testing.T) {
	a, b := field.Invalid(metadata, "a", "x"), field.Invalid(metadata, "b", "x")
	again := field.Invalid(metadata, "a", "x")
	require.Equal(t, field.List{a, b}, refusal.DistinctErrors(field.List{a, b, again}))
	for _, same := range []field.List{nil, {a}, {a, b}} {
		require.Equal(t, same, refusal.DistinctErrors(same))
	}

	// Errors of every kind of value, each twice.
	meta := decodeMap(t, `{"name": "A", "generation": -1, "labels": {"a": "x y", "b": "x y"}, "annotations": {"a": "`+strings.Repeat("x", 262144)+`"},
		"ownerReferences": [{"apiVersion": "v1", "kind": "Event", "name": "a", "uid": "a", "controller": true},
			{"apiVersion": "v1", "kind": "B", "name": "b", "uid": "b", "controller": true}, {"apiVersion": "v1", "kind": "B", "name": "b", "uid": "c", "controller": true}],
		"finalizers": ["orphan", "foregroundDeletion", "x y"], "managedFields": [{"operation": "<"}, {"operation": "<", "fieldsType": "x"}]}`)
	all := objectmeta.ValidateCreate(meta, metadata, true, objectmeta.Subdomain, field.Limit{})
	var want []string
	for _, text := range given.Texts(all) {
		if !slices.Contains(want, text) {
			want = append(want, text)
		}
	}
	require.Len(t, want, 12)
	require.Len(t, all, 14, "a label's value and a second controller once more")
	require.Equal(t, want, given.Texts(refusal.DistinctErrors(append(all, all...))))
	unread := field.Invalid(metadata, map[string]any{"name": int64(5)}, "x")
	require.Equal(t, field.List{unread}, refusal.DistinctErrors(field.List{unread, field.Invalid(metadata, map[string]any{"name": int64(5)}, "x")}))
}

// Of errors that print the same long value there are only ten: MET-008, MET-012 otherwise make answers of many
// megabytes.
func TestErrorsAreBounded(t *testing.T) {
	const n = 5000
	meta := func(key string, list []any) map[string]any { return map[string]any{"name": "a", key: list} }
	var controllers, many, managers, finalizers []any
	for i := range n {
		name := strconv.Itoa(i)
		controllers = append(controllers, map[string]any{"apiVersion": "v1", "kind": "K", "name": name, "uid": name, "controller": true})
		many = append(many, map[string]any{"apiVersion": "v1", "kind": "K", "name": name, "uid": "", "controller": i < 5})
		managers = append(managers, map[string]any{"operation": "Update", "manager": "\t" + strings.Repeat("m", 100)})
		finalizers = append(finalizers, "x y")
	}
	for _, tt := range []struct {
		name string
		meta map[string]any
		want int
		last string // the detail of the last error
	}{
		{"one manager", meta("managedFields", []any{map[string]any{"operation": "Update", "manager": strings.Repeat("\t", n)}}), 11,
			"invalid character U+0009 (at position 9)"},
		{"many managers", meta("managedFields", managers), n, "invalid character U+0009 (at position 0)"},
		{"controllers", meta("ownerReferences", controllers), 10,
			`Only one reference can have Controller set to true. Found "true" in references for K/0 and K/10`},
		{"other errors of owners go on", meta("ownerReferences", many), n + 4, "must not be empty"},
		{"finalizers", meta("finalizers", finalizers), n, "name part " + mKey},
	} {
		t.Run(tt.name, func(t *testing.T) {
			errs := objectmeta.ValidateCreate(tt.meta, metadata, false, objectmeta.Subdomain, field.Limit{Bytes: 1000 * n})
			require.Len(t, errs, tt.want)
			require.Equal(t, tt.last, errs[len(errs)-1].Detail)
			require.False(t, objectmeta.ValidCreate(tt.meta, false))
			size := 0
			for _, e := range errs {
				size += len(e.Error())
			}
			require.Less(t, size, 1000*n, "not linear")
			require.LessOrEqual(t, len(refusal.DistinctErrors(errs)), tt.want)
		})
	}
}

func TestValidateEmbedded(t *testing.T) {
	tests := []struct {
		name, in string
		want     []string
	}{
		{"OME-020 ordinary", `{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": ` + ordinary + `}`, nil},
		{"OME-020 without metadata", `{"apiVersion": "v1", "kind": "Pod"}`, nil},
		{"OME-020 odd apiVersions", `{"apiVersion": "/", "kind": "Pod", "metadata": null}`, nil},
		{"OME-020 empty version", `{"apiVersion": "foo/", "kind": "Pod", "metadata": {}}`, nil},
		{"OME-020 empty group", `{"apiVersion": "/v1", "kind": "Pod", "metadata": {"name": "Any_name"}}`, nil},
		{"OME-020 nothing", `{}`, []string{"spec.e.apiVersion: Required value", "spec.e.kind: Required value"}},
		{"OME-020 null", `{"apiVersion": null, "kind": null}`, []string{
			"spec.e.apiVersion: Invalid value: null: must be a string", "spec.e.kind: Invalid value: null: must be a string"}},
		{"OME-020 empty", `{"apiVersion": "", "kind": ""}`, []string{
			`spec.e.apiVersion: Invalid value: "": must not be empty`, `spec.e.kind: Invalid value: "": must not be empty`}},
		{"OME-020 missing before wrong", `{"apiVersion": 5, "metadata": "x"}`, []string{
			"spec.e.kind: Required value",
			"spec.e.apiVersion: Invalid value: 5: must be a string",
			`spec.e.metadata: Invalid value: "x": json: cannot unmarshal string into Go value of type v1.ObjectMeta`}},
		{"OME-020 syntax", `{"apiVersion": "a/b/c", "kind": "9K"}`, []string{
			`spec.e.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c`,
			`spec.e.kind: Invalid value: "9K": may have mixed case, but should otherwise match: ` + m1035}},
		{"OME-020 long kind", `{"apiVersion": "v1", "kind": "K-` + strings.Repeat("K", 62) + `-"}`, []string{
			`spec.e.kind: Invalid value: "K-` + strings.Repeat("K", 62) + `-": may have mixed case, but should otherwise match: must be no more than 63 characters,` + m1035}},
		{"OME-020 metadata that does not read", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": 5}}}`, []string{
			`spec.e.metadata: Invalid value: {"labels":{"a":5}}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string`}},
		{"OME-020 metadata that is not canonical", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": null}, "generation": 1.0, "zz": 1}}`, nil},
		{"MET-002 in embedded metadata", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "..", "generateName": "a%", "namespace": "a.b"}}`, []string{
			`spec.e.metadata.generateName: Invalid value: "a%": may not contain '%'`,
			`spec.e.metadata.name: Invalid value: "..": may not be '..'`,
			`spec.e.metadata.namespace: Invalid value: "a.b": must not contain dots`}},
		{"generateName alone", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"generateName": "."}}`, nil},
		{"MET-014 texts once", `{"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": "x y", "b": "x y"}}}`, []string{
			`spec.e.metadata.labels: Invalid value: "x y": ` + mLabelVal}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := decodeMap(t, tt.in)
			require.Equal(t, tt.want, given.Texts(objectmeta.ValidateEmbedded(in, field.NewPath("spec", "e"), field.Limit{})))
			require.Equal(t, tt.want == nil, objectmeta.ValidEmbedded(in))
			require.Equal(t, decode(t, tt.in), any(in))
		})
	}
	require.Equal(t, []string{"apiVersion: Required value", "kind: Required value"}, given.Texts(objectmeta.ValidateEmbedded(nil, nil, field.Limit{})))
}

// DEC-013.
func TestGroupVersion(t *testing.T) {
	for in, want := range map[string][2]string{
		"": {}, "/": {}, "v1": {"", "v1"}, "g/v1": {"g", "v1"}, "/v1": {"", "v1"}, "g/": {"g", ""}, "a b": {"", "a b"},
	} {
		group, version, err := objectmeta.GroupVersion(in)
		require.NoError(t, err)
		require.Equal(t, want, [2]string{group, version}, in)
	}
	for _, in := range []string{"a/b/c", "//", "a//"} {
		_, _, err := objectmeta.GroupVersion(in)
		require.EqualError(t, err, "unexpected GroupVersion string: "+in)
	}
}

// MET-000: a time may be written that cannot be read again. The rules then refuse the metadata as a whole, with no
// other error.
func TestYearsOfFiveDigits(t *testing.T) {
	meta, _, err := objectmeta.Read(decode(t, `{"name": "a", "creationTimestamp": "9999-12-31T23:59:59-23:59", "labels": {"x y": ""}}`), false)
	require.NoError(t, err)
	const want = `metadata: Invalid value: {"creationTimestamp":"10000-01-01T23:58:59Z","labels":{"x y":""},"name":"a"}: ` +
		`parsing time "10000-01-01T23:58:59Z" as "2006-01-02T15:04:05Z07:00": cannot parse "0-01-01T23:58:59Z" as "-"`
	require.Equal(t, []string{want}, given.Texts(objectmeta.ValidateCreate(meta, metadata, false, objectmeta.Subdomain, field.Limit{})))
	require.Equal(t, []string{want}, given.Texts(updateErrors(meta, meta)))
}

// The rules for single values, as readers of JSON apply them.
func TestSingleValues(t *testing.T) {
	for i, c := range []struct {
		got, want bool
	}{
		{objectmeta.ValidLabel("a.b/c", "d"), true},
		{objectmeta.ValidLabel("a b", "d"), false},
		{objectmeta.ValidLabel("a", "b/c"), false},
		{objectmeta.ValidAnnotation("A.b/c"), true},
		{objectmeta.ValidAnnotation("a b"), false},
		{objectmeta.ValidTypeField("apiVersion", "a/b"), true},
		{objectmeta.ValidTypeField("apiVersion", "a/b/c"), false},
		{objectmeta.ValidTypeField("apiVersion", ""), false},
		{objectmeta.ValidTypeField("kind", "Pod"), true},
		{objectmeta.ValidTypeField("kind", "P_d"), false},
		{objectmeta.ValidEmbeddedMetadata(map[string]any{"name": "a"}), true},
		{objectmeta.ValidEmbeddedMetadata(map[string]any{"labels": map[string]any{}}), false},
		{objectmeta.ValidEmbeddedMetadata(nil), false},
		{objectmeta.CanonicalTime("2020-01-01T00:00:00Z"), true},
		{objectmeta.CanonicalTime("2020-01-01T00:00:00+00:00"), false},
	} {
		require.Equal(t, c.want, c.got, i)
	}
}
