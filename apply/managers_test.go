package apply

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/test/given"
)

// SSA-040: what is read is written as it was, but for keys that are of no known kind, and what no set can tell apart.
func TestFieldsV1(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{text: `{}`},
		{text: `{"f:a":{}}`},
		{text: `{"f:a":{".":{},"f:b":{}},"f:c":{"f:d":{}}}`},
		{text: `{"f:":{},"f:a.b/c":{}}`},
		{text: `{"k:{\"name\":\"a\",\"port\":80}":{".":{},"f:x":{}}}`},
		{text: `{"k:{\"port\":80,\"name\":\"a\"}":{}}`, want: `{"k:{\"name\":\"a\",\"port\":80}":{}}`},
		{text: `{"v:\"x\"":{},"v:1":{},"v:1.5":{},"v:null":{},"v:true":{},"v:{\"a\":[1]}":{}}`},
		{text: `{"i:0":{},"i:10":{},"i:2":{"f:a":{}}}`},
		{text: `{"f:a":{".":{}}}`, want: `{"f:a":{}}`},
		{text: `{"f:a":{"?:x":{}},"?:y":{}}`, want: `{"f:a":{}}`},
		{text: `{".":{},"f:a":{}}`, want: `{"f:a":{}}`},
	} {
		set, _, err := setOf(given.Object(t, c.text))
		require.NoError(t, err, c.text)
		out, err := fieldsOf(set, false)
		require.NoError(t, err, c.text)
		if c.want == "" {
			c.want = c.text
		}
		require.JSONEq(t, c.want, given.ExactJSON(out), c.text)
	}
	for text, want := range map[string]string{
		`{"f:a":1}`:           "f:a: an object is expected",
		`{"f:a":null}`:        "f:a: an object is expected",
		`{"f:a":{"k:[]":{}}}`: "parsing key as path element",
		`{"v:{":{}}`:          "parsing key as path element",
		`{"i:x":{}}`:          "parsing key as path element",
		`{"fa":{}}`:           "parsing key as path element",
		`{"":{}}`:             "parsing key as path element",
	} {
		_, _, err := setOf(given.Object(t, text))
		require.ErrorContains(t, err, want, text)
	}
}

// SSA-034: the oldest updates of each version are united until ten are left, and own together what they owned.
func TestAncientChanges(t *testing.T) {
	entry := func(manager, version string, hour int, field string) any {
		return map[string]any{
			"manager": manager, "operation": "Update", "apiVersion": "g.io/" + version, "fieldsType": "FieldsV1",
			"time": epoch.Add(time.Duration(hour) * time.Hour).Format(time.RFC3339), "fieldsV1": map[string]any{"f:" + field: map[string]any{}},
		}
	}
	for _, c := range []struct {
		name string
		list func() []any
		want []string // managers and what they own, as they are sorted
		most int      // entries
	}{
		{name: "ten stay", most: 10, list: func() (list []any) {
			for i := range 10 {
				list = append(list, entry(fmt.Sprint("m", i), "v1", i, fmt.Sprint("f", i)))
			}
			return list
		}, want: []string{"m0 f:f0", "m1 f:f1"}},
		{name: "twelve", most: 10, list: func() (list []any) {
			for i := range 12 {
				list = append(list, entry(fmt.Sprint("m", i), "v1", i, fmt.Sprint("f", i)))
			}
			return list
		}, want: []string{"ancient-changes f:f0 f:f1 f:f2", "m3 f:f3"}},
		{name: "two versions", most: 10, list: func() (list []any) {
			for i := range 12 {
				list = append(list, entry(fmt.Sprintf("m%02d", i), []string{"v1", "v2"}[i%2], i, fmt.Sprint("f", i)))
			}
			return list
		}, want: []string{"ancient-changes f:f0 f:f2", "ancient-changes f:f1 f:f3"}},
		{name: "there was one", most: 10, list: func() (list []any) {
			list = append(list, entry("ancient-changes", "v1", 0, "old"))
			for i := range 10 {
				list = append(list, entry(fmt.Sprint("m", i), "v1", i+1, fmt.Sprint("f", i)))
			}
			return list
		}, want: []string{"ancient-changes f:f0 f:old", "m1 f:f1"}},
		{name: "there was one, not the oldest: a server forgets it", most: 10, list: func() (list []any) {
			for i := range 13 {
				list = append(list, entry(fmt.Sprintf("m%02d", i), "v1", 2*i, fmt.Sprint("f", i)))
			}
			return append(list, entry("ancient-changes", "v1", 3, "old"))
		}, want: []string{"ancient-changes f:f0 f:f2 f:f3", "m04 f:f4"}},
		{name: "a version each", most: 12, list: func() (list []any) {
			for i := range 12 {
				list = append(list, entry(fmt.Sprintf("m%02d", i), fmt.Sprint("v", i), i, "a"))
			}
			return list
		}, want: []string{"m00 f:a", "m01 f:a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := c.list()
			before := jsonval.Clone(list)
			m, err := decode(list)
			require.NoError(t, err)
			m.mergeOldest()
			require.Equal(t, before, any(list))
			out, err := m.encode(false)
			require.NoError(t, err)
			require.Len(t, out, c.most)
			var got []string
			for _, item := range out[:len(c.want)] {
				e := item.(map[string]any)
				text := e["manager"].(string)
				for _, key := range slices.Sorted(maps.Keys(e["fieldsV1"].(map[string]any))) {
					text += " " + key
				}
				got = append(got, text)
			}
			require.Equal(t, c.want, got)
		})
	}
}
