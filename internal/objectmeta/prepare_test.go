package objectmeta_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
)

// STR-001.
func TestClearForCreate(t *testing.T) {
	in := decodeMap(t, `{"name": "a", "uid": "u", "selfLink": "/x", "creationTimestamp": "2020-01-01T00:00:00Z", "deletionTimestamp": null,
		"deletionGracePeriodSeconds": 0, "resourceVersion": "1", "generation": 7}`)
	before := clone(in)
	require.Equal(t, decode(t, `{"name": "a", "resourceVersion": "1", "generation": 7}`), any(objectmeta.ClearForCreate(in)))
	require.Equal(t, before, any(in))
	require.Nil(t, objectmeta.ClearForCreate(nil))

	clear := decodeMap(t, `{"name": "a"}`)
	objectmeta.ClearForCreate(clear)["same"] = true
	require.Contains(t, clear, "same")
}

// STR-003.
func TestRetain(t *testing.T) {
	const old = `{"name": "a", "uid": "u", "generation": 3, "creationTimestamp": "2020-01-01T00:00:00Z", "deletionTimestamp": "2021-01-01T00:00:00Z",
		"deletionGracePeriodSeconds": 0}`
	tests := []struct{ name, in, old, want string }{
		{"all from old", `{"name": "a"}`, old, old},
		{"nothing to do", old, old, old},
		{"what wins", `{"uid": "v", "generation": 9, "creationTimestamp": "2022-01-01T00:00:00Z", "deletionTimestamp": "2022-01-01T00:00:00Z",
			"deletionGracePeriodSeconds": 5}`, old, `{"uid": "v", "generation": 3, "creationTimestamp": "2020-01-01T00:00:00Z",
			"deletionTimestamp": "2021-01-01T00:00:00Z", "deletionGracePeriodSeconds": 5}`},
		{"old has nothing", `{"uid": "v", "generation": 9, "creationTimestamp": "2022-01-01T00:00:00Z", "deletionTimestamp": "2022-01-01T00:00:00Z"}`,
			`{}`, `{"uid": "v", "creationTimestamp": "2022-01-01T00:00:00Z", "deletionTimestamp": "2022-01-01T00:00:00Z"}`},
		{"selfLink", `{"name": "b", "selfLink": "x"}`, `{"name": "a", "selfLink": "y"}`, `{"name": "b"}`},
		{"wrong types", `{"uid": {}, "generation": {}}`, `{"uid": {}, "generation": "x"}`, `{"uid": {}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, old := decodeMap(t, tt.in), decodeMap(t, tt.old)
			got := objectmeta.Retain(in, old)
			require.Equal(t, decode(t, tt.want), any(got))
			require.Equal(t, decode(t, tt.in), any(in))
			require.Equal(t, decode(t, tt.old), any(old))
		})
	}
	require.Equal(t, map[string]any{"uid": "u"}, objectmeta.Retain(nil, map[string]any{"uid": "u"}))
	require.Nil(t, objectmeta.Retain(nil, nil))
}

// STR-016.
func TestFinalizerWarnings(t *testing.T) {
	const domain = "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers"
	const path = "prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers"
	tests := []struct {
		name, in, old string
		want          []string
	}{
		{"good ones", `["a.io/x", "orphan", "foregroundDeletion", "kubernetes"]`, `null`, nil},
		{"sorted, each once", `["foo.bar", "foo", "a.io/x", "foo"]`, `null`, []string{
			`metadata.finalizers: "foo": ` + domain, `metadata.finalizers: "foo.bar": ` + path}},
		{"syntax first", `["b_", "A.b/c", "a/b/c"]`, `null`, []string{
			`metadata.finalizers: "A.b/c": prefix part ` + mSubdomain,
			`metadata.finalizers: "a/b/c": a valid label key ` + mKey + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
			`metadata.finalizers: "b_": name part ` + mKey,
			`metadata.finalizers: "b_": ` + domain,
		}},
		{"the empty one", `[""]`, `null`, []string{
			`metadata.finalizers: "": name part must be non-empty`, `metadata.finalizers: "": name part ` + mKey, `metadata.finalizers: "": ` + domain}},
		{"only new ones", `["foo", "bar"]`, `["foo"]`, []string{`metadata.finalizers: "bar": ` + domain}},
		{"none", `null`, `["foo"]`, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			meta := map[string]any{"finalizers": decode(t, tt.in)}
			require.Equal(t, tt.want, objectmeta.FinalizerWarnings(meta, map[string]any{"finalizers": decode(t, tt.old)}))
			require.Equal(t, decode(t, tt.in), meta["finalizers"])
		})
	}
}

// STR-009.
func TestDeduplicateOwners(t *testing.T) {
	in := decodeMap(t, `{"name": "a", "ownerReferences": [
		{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u1"},
		{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u1", "controller": false},
		{"apiVersion": "v1", "kind": "B", "name": "b", "uid": "u2", "controller": true},
		{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u1"},
		{"apiVersion": "v1", "kind": "B", "name": "b", "uid": "u2", "controller": true},
		{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u1"}]}`)
	before := clone(in)
	got, uids := objectmeta.DeduplicateOwners(in)
	require.Equal(t, []string{"u1", "u2", "u1"}, uids)
	owners := in["ownerReferences"].([]any)
	require.Equal(t, map[string]any{"name": "a", "ownerReferences": owners[:3]}, got)
	require.Equal(t, before, any(in))

	const rest = "; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; " +
		"duplicate UID(s) observed: u1, u2, u1"
	require.Equal(t, ".metadata.ownerReferences contains duplicate entries"+rest, objectmeta.DuplicateOwnersWarning(uids))
	require.Equal(t, ".metadata.ownerReferences contains duplicate entries after mutating admission happens"+rest,
		objectmeta.DuplicateOwnersWarningAfterAdmission(uids))

	many := []any{}
	for i := range 20 {
		many = append(many, map[string]any{"name": fmt.Sprint(i), "uid": "u"})
	}
	for _, unique := range []map[string]any{nil, {}, {"ownerReferences": owners[:3]}, {"ownerReferences": many}} {
		got, uids := objectmeta.DeduplicateOwners(unique)
		require.Nil(t, uids)
		require.Equal(t, unique, got)
	}
	_, uids = objectmeta.DeduplicateOwners(map[string]any{"ownerReferences": append(many, many[3])})
	require.Equal(t, []string{"u"}, uids)
}

// MET-015.
func TestManagedFields(t *testing.T) {
	entry := func(manager, operation, time, fields string) string {
		return fmt.Sprintf(`{"manager": %q, "operation": %q, "apiVersion": "v1", "time": %q, "fieldsType": "FieldsV1", "fieldsV1": %s}`,
			manager, operation, time, fields)
	}
	const early, late = "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z"
	a, b, live := entry("a", "Update", early, `{}`), entry("b", "Update", late, `{"f:a": {}}`), entry("live", "Update", late, `{}`)
	tests := []struct{ name, in, old, want string }{
		{"sent", a, live, a},
		{"by time", b + "," + a, live, a + "," + b},
		{"apply first", a + "," + entry("z", "Apply", late, `{}`), live, entry("z", "Apply", late, `{}`) + "," + a},
		{"by manager", entry("b", "Update", early, `{}`) + "," + a, live, a + "," + entry("b", "Update", early, `{}`)},
		{"the same manager again", a + "," + b + "," + entry("a", "Update", late, `{"f:b": {}}`), live,
			entry("a", "Update", late, `{"f:b": {}}`) + "," + b},
		{"one does not decode", a + `, {"manager": "x", "operation": "Update", "apiVersion": "v1"}`, live, live},
		{"neither decodes", `{"operation": "x"}`, `{"operation": "Update"}`, ``},
		{"reset by one empty entry", `{}`, live, ``},
	}
	meta := func(entries string) map[string]any { return decodeMap(t, `{"managedFields": [`+entries+`]}`) }
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, old := meta(tt.in), meta(tt.old)
			want := meta(tt.want)["managedFields"].([]any)
			if len(want) == 0 {
				want = nil
			}
			require.Equal(t, want, objectmeta.ManagedFields(in, old))
			require.Equal(t, meta(tt.in), in)
			require.Equal(t, meta(tt.old), old)
		})
	}
	require.Nil(t, objectmeta.ManagedFields(meta(""), meta(live)), "reset by an empty list")
	require.Equal(t, meta(live)["managedFields"], any(objectmeta.ManagedFields(nil, meta(live))), "on the status subresource")
	require.Nil(t, objectmeta.ManagedFields(nil, nil))

	fields := map[string]bool{
		`null`: true, `{}`: true, `{"f:": null}`: true, `{"f:a": {".": 5, "v:\"x\"": {}, "k:{\"a\":1}": {"i:-1": {}}}}`: true, `{"x:any": 5}`: true,
		`5`: false, `[]`: false, `{"f:a": 5}`: false, `{"f:a": {"f:b": []}}`: false, `{"": {}}`: false, `{"fa": {}}`: false, `{"v:": {}}`: false,
		`{"v:{": {}}`: false, `{"k:[]": {}}`: false, `{"k:1": {}}`: false, `{"k:{} x": {}}`: false, `{"i:x": {}}`: false, `{"i:": {}}`: false,
	}
	for set, ok := range fields {
		got := objectmeta.ManagedFields(meta(entry("a", "Apply", early, set)), nil)
		require.Equal(t, ok, len(got) == 1, set)
	}
}

func TestNoAllocs(t *testing.T) {
	meta := decodeMap(t, ordinary)
	created := decodeMap(t, `{"generateName": "web-", "namespace": "default", "labels": {"app.kubernetes.io/name": "Web"},
		"annotations": {"Example.com/Note": "x"}, "finalizers": ["example.com/keep"], "ownerReferences": [
			{"apiVersion": "v1", "kind": "A", "name": "a", "uid": "u1"}, {"apiVersion": "v1", "kind": "B", "name": "b", "uid": "u2", "controller": true}]}`)
	embedded := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}
	for name, f := range map[string]func() bool{
		"Canonical":         func() bool { return objectmeta.Canonical(meta) && objectmeta.Canonical(created) },
		"Read":              func() bool { _, changed, err := objectmeta.Read(meta); return !changed && err == nil },
		"ReadDropping":      func() bool { _, changed, err := objectmeta.ReadDropping(meta); return !changed && err == nil },
		"ValidCreate":       func() bool { return objectmeta.ValidCreate(meta, true) && objectmeta.ValidCreate(created, true) },
		"ValidUpdate":       func() bool { return objectmeta.ValidUpdate(meta, meta, true) },
		"ValidEmbedded":     func() bool { return objectmeta.ValidEmbedded(embedded) },
		"FinalizerWarnings": func() bool { return objectmeta.FinalizerWarnings(meta, nil) == nil },
		"DeduplicateOwners": func() bool { _, uids := objectmeta.DeduplicateOwners(meta); return uids == nil },
		"ClearForCreate":    func() bool { return len(objectmeta.ClearForCreate(created)) == len(created) },
		"Retain":            func() bool { return len(objectmeta.Retain(meta, meta)) == len(meta) },
	} {
		require.True(t, f(), name)
		require.Zero(t, testing.AllocsPerRun(100, func() { f() }), name)
	}
}

func ExampleRead() {
	sent := map[string]any{"name": "web", "labels": map[string]any{}, "creationTimestamp": "2020-01-01T01:00:00.5+01:00", "colour": "red"}
	meta, changed, err := objectmeta.Read(sent)
	fmt.Println(meta, changed, err, objectmeta.Unknown(sent))

	_, _, err = objectmeta.Read(map[string]any{"generation": 1.5})
	fmt.Println(err)
	// Output:
	// map[creationTimestamp:2020-01-01T00:00:00Z name:web] true <nil> [colour]
	// json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64
}

func ExampleReadDropping() {
	stored := map[string]any{"name": "web", "labels": map[string]any{"tier": 5.0, "app": "web"}}
	fmt.Println(objectmeta.ReadDropping(stored))
	// Output: map[name:web] true <nil>
}

func ExampleValidateCreate() {
	meta := map[string]any{"name": "web", "generation": int64(-1), "namespace": "a.b"}
	for _, e := range objectmeta.ValidateCreate(meta, field.NewPath("metadata"), true, objectmeta.Subdomain) {
		fmt.Println(e)
	}
	fmt.Println(objectmeta.ValidCreate(meta, true))
	// Output:
	// metadata.namespace: Invalid value: "a.b": must not contain dots
	// metadata.generation: Invalid value: -1: must be greater than or equal to 0
	// false
}

func ExampleValidateUpdate() {
	old := map[string]any{"name": "web", "uid": "1", "resourceVersion": "5"}
	meta := map[string]any{"name": "db", "uid": "1", "resourceVersion": "5"}
	fmt.Println(objectmeta.ValidateUpdate(meta, old, field.NewPath("metadata")))
	// Output: metadata.name: Invalid value: "db": field is immutable
}

func ExampleValidateEmbedded() {
	errs := objectmeta.ValidateEmbedded(map[string]any{"apiVersion": "a/b/c"}, field.NewPath("spec", "template"))
	fmt.Println(strings.Join(texts(errs), "\n"))
	// Output:
	// spec.template.kind: Required value
	// spec.template.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c
}

func ExampleFinalizerWarnings() {
	meta := map[string]any{"finalizers": []any{"cleanup"}}
	fmt.Println(objectmeta.FinalizerWarnings(meta, nil))
	// Output: [metadata.finalizers: "cleanup": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers]
}

func BenchmarkCanonical(b *testing.B) {
	meta := decodeMap(b, ordinary)
	b.ReportAllocs()
	for b.Loop() {
		objectmeta.Canonical(meta)
	}
}

func BenchmarkRead(b *testing.B) {
	meta := decodeMap(b, ordinary)
	meta["colour"] = "red"
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := objectmeta.Read(meta); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkValidCreate(b *testing.B) {
	meta := decodeMap(b, ordinary)
	b.ReportAllocs()
	for b.Loop() {
		objectmeta.ValidCreate(meta, true)
	}
}

func BenchmarkValidEmbedded(b *testing.B) {
	obj := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": decodeMap(b, ordinary)}
	b.ReportAllocs()
	for b.Loop() {
		objectmeta.ValidEmbedded(obj)
	}
}
