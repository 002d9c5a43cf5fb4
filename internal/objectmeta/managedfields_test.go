package objectmeta_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// MET-015.
func TestWithManagedFields(t *testing.T) {
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
	kept := func(meta, old map[string]any) []any {
		entries, _ := objectmeta.WithManagedFields(meta, old)["managedFields"].([]any)
		return entries
	}
	meta := func(entries string) map[string]any { return decodeMap(t, `{"managedFields": [`+entries+`]}`) }
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, old := meta(tt.in), meta(tt.old)
			want := meta(tt.want)["managedFields"].([]any)
			if len(want) == 0 {
				want = nil
			}
			require.Equal(t, want, kept(in, old))
			require.Equal(t, meta(tt.in), in)
			require.Equal(t, meta(tt.old), old)
		})
	}
	require.Nil(t, kept(meta(""), meta(live)), "reset by an empty list")
	require.Equal(t, meta(live)["managedFields"], any(kept(nil, meta(live))), "none sent")
	require.Equal(t, meta(live)["managedFields"], any(kept(meta(live), meta(live))), "on the status subresource")
	require.Nil(t, objectmeta.WithManagedFields(nil, nil))
	same := meta(a)
	objectmeta.WithManagedFields(same, nil)["same"] = true
	require.Contains(t, same, "same")

	fields := map[string]bool{
		`null`: true, `{}`: true, `{"f:": null}`: true, `{"f:a": {".": 5, "v:\"x\"": {}, "k:{\"a\":1}": {"i:-1": {}}}}`: true, `{"x:any": 5}`: true,
		`5`: false, `[]`: false, `{"f:a": 5}`: false, `{"f:a": {"f:b": []}}`: false, `{"": {}}`: false, `{"fa": {}}`: false, `{"v:": {}}`: false,
		`{"v:{": {}}`: false, `{"k:[]": {}}`: false, `{"k:1": {}}`: false, `{"k:{} x": {}}`: false, `{"i:x": {}}`: false, `{"i:": {}}`: false,
	}
	for set, ok := range fields {
		got := kept(meta(entry("a", "Apply", early, set)), nil)
		require.Equal(t, ok, len(got) == 1, set)
	}
}
