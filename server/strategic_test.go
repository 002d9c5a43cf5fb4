package server

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/server/internal/catalog"
)

var mergeTypes = catalog.Types{
	"Thing": {Fields: []catalog.Field{
		{Name: "text", Type: "string"},
		{Name: "plain", Type: "[]string"},
		{Name: "set", Type: "[]string", Merge: true},
		{Name: "parts", Type: "[]Part", Merge: true, Key: "name"},
		{Name: "others", Type: "[]Part"},
		{Name: "labels", Type: "{}string"},
		{Name: "named", Type: "{}Part"},
		{Name: "part", Type: "Part"},
	}},
	"Part": {Fields: []catalog.Field{{Name: "name", Type: "string"}, {Name: "n", Type: "int"}, {Name: "tags", Type: "[]string", Merge: true}}},
}

func TestStrategicMerge(t *testing.T) {
	const old = `{"text":"a","plain":["a","b"],"set":["a","b"],"parts":[{"name":"x","n":1,"tags":["t"]},{"name":"y"}],
		"labels":{"k":"v","l":"w"},"named":{"p":{"name":"p","tags":["t"]}},"part":{"name":"q","n":1}}`
	for _, c := range []struct{ name, patch, want string }{
		{"nothing", `{}`, `{}`},
		{"a value", `{"text":"b"}`, `{"text":"b"}`},
		{"null", `{"text":null}`, `{"text":null}`},
		{"a new field", `{"more":[{"a":1,"$patch":"merge"},{"$retainKeys":["b"],"b":2}]}`, `{"more":[{"b":2}]}`},
		{"a replaced list", `{"plain":["c"]}`, `{"plain":["c"]}`},
		{"a replaced list of objects", `{"others":[{"name":"a","n":null,"tags":["b"],"$retainKeys":["n"]},1]}`, `{"others":[{"name":"a","tags":["b"]},1]}`},
		{"a merged list of values", `{"set":["b","c"]}`, `{"set":["a","b","c"]}`},
		{"new values come first", `{"set":["d","c"]}`, `{"set":["d","c","a","b"]}`},
		{"old values before old ones of the patch", `{"set":["c","b"]}`, `{"set":["c","a","b"]}`},
		{"values between those of an order", `{"$setElementOrder/set":["b","c"],"set":["c"]}`, `{"set":["a","b","c"]}`},
		{"deleted values", `{"$deleteFromPrimitiveList/set":["a","z"]}`, `{"set":["b"]}`},
		{"deleted values of a field that is not a list", `{"$deleteFromPrimitiveList/text":["a"],"$deleteFromPrimitiveList/none":["a"],"$deleteFromPrimitiveList/set":"a"}`, `{}`},
		{"an order of values", `{"$setElementOrder/set":["c","a"],"set":["c"]}`, `{"set":["c","a","b"]}`},
		{"an order of objects", `{"$setElementOrder/parts":[{"name":"y"},{"name":"x"}]}`, `{"parts":[{"name":"y"},{"name":"x","n":1,"tags":["t"]}]}`},
		{"an invalid order", `{"$setElementOrder/parts":"x","$setElementOrder/text":["x"],"$setElementOrder/more":["x"],"more":["y"]}`, `{"more":["y"]}`},
		{"an object in a list", `{"parts":[{"name":"x","n":2,"tags":["u"]},{"name":"z"}]}`, `{"parts":[{"name":"x","n":2,"tags":["u","t"]},{"name":"z"},{"name":"y"}]}`},
		{"a new list has all elements", `{"more":[1],"new":[{"name":"x"},{"name":"x"}]}`, `{"more":[1],"new":[{"name":"x"},{"name":"x"}]}`},
		{"deleted and added", `{"parts":[{"name":"x","n":5},{"name":"x","$patch":"delete"}]}`, `{"parts":[{"name":"x","n":5},{"name":"y"}]}`},
		{"ordered, then deleted", `{"$setElementOrder/set":["b","a"],"$deleteFromPrimitiveList/set":["b"]}`, `{"set":["a"]}`},
		{"a deleted object in a list", `{"parts":[{"name":"x","$patch":"delete"},{"name":"none","$patch":"delete"}]}`, `{"parts":[{"name":"y"}]}`},
		{"an object with $patch: replace replaces the list", `{"parts":[{"name":"x","$patch":"replace","n":3}]}`, `{"parts":[]}`},
		{"a list replaced by new objects", `{"parts":[{"$patch":"replace"},{"name":"w","n":null}]}`, `{"parts":[{"name":"w"}]}`},
		{"a map", `{"labels":{"k":"x","l":null,"m":"y"}}`, `{"labels":{"k":"x","l":null,"m":"y"}}`},
		{"a replaced map", `{"labels":{"$patch":"replace","m":"y","n":{"$patch":"merge","o":[{"$patch":"merge"}]}}}`, `{"labels":{"k":null,"l":null,"m":"y","n":{"o":[{}]}}}`},
		{"a deleted map", `{"labels":{"$patch":"delete"}}`, `{"labels":{"k":null,"l":null}}`},
		{"an object in a map", `{"named":{"p":{"tags":["u"]}}}`, `{"named":{"p":{"tags":["u","t"]}}}`},
		{"an object", `{"part":{"n":2,"$patch":"merge"}}`, `{"part":{"n":2}}`},
		{"retained keys", `{"part":{"$retainKeys":["n"],"n":2}}`, `{"part":{"n":2,"name":null}}`},
		{"an object instead of a scalar", `{"text":{"a":1}}`, `{"text":{"a":1}}`},
		{"a list instead of an object", `{"part":["a"]}`, `{"part":["a"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stored map[string]any
			require.NoError(t, json.Unmarshal([]byte(old), &stored))
			after, err := (&merger{types: mergeTypes}).object(stored, given.Object(t, c.patch), "Thing")
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(given.JSON(t, mergePatchOf(stored, after))))
			require.JSONEq(t, old, string(given.JSON(t, stored)), "the object is as it was")
		})
	}
	for patch, want := range map[string]string{
		`{"$patch":"burn"}`:                          "unknown patch type: burn",
		`{"parts":["a"]}`:                            "invalid JSON document: expected objects in a list",
		`{"parts":[{"n":1}]}`:                        "does not contain declared merge key: name",
		`{"parts":[{"name":"x","tags":{}},{}]}`:      "does not contain declared merge key: name",
		`{"parts":[{"name":"new","$patch":"burn"}]}`: "unknown patch type: burn",
		`{"parts":[{"name":"x","$patch":"burn"}]}`:   "unknown patch type: burn",
		`{"parts":[{"name":"x","$patch":"merge"}]}`:  "merging not yet supported",
	} {
		obj := given.Object(t, patch)
		_, err := (&merger{types: mergeTypes}).object(map[string]any{"parts": []any{map[string]any{"name": "x"}}}, obj, "Thing")
		require.ErrorContains(t, err, want, patch)
	}
	_, _, err := new(request).strategicMerge([]byte("{"), nil)
	require.Error(t, err)
}

// Neither long lists nor many patches for the same element take quadratic time. With quadratic time, this test would
// take hours.
func TestLargeStrategicMerge(t *testing.T) {
	const n = 200_000
	merge := func(old, patch map[string]any) (map[string]any, error) {
		return (&merger{types: mergeTypes}).object(old, patch, "Thing")
	}
	var words, parts, order, removals []any
	for i := range n {
		name := strconv.Itoa(i)
		words = append(words, name)
		parts = append(parts, object{"name": name, "n": int64(i)})
		order = append(order, object{"name": strconv.Itoa(n - 1 - i)})
		removals = append(removals, object{"name": name, "$patch": "delete"})
	}
	after, err := merge(object{"set": words}, object{"set": append(slices.Clone(words), "new")})
	require.NoError(t, err)
	require.Len(t, after["set"], n+1)
	after, err = merge(object{"set": words}, object{"$deleteFromPrimitiveList/set": words[1:], "$retainKeys": append(slices.Clone(words), "set")})
	require.NoError(t, err)
	require.Equal(t, []any{"0"}, after["set"])
	after, err = merge(object{"parts": parts}, object{"parts": parts, "$setElementOrder/parts": order})
	require.NoError(t, err)
	require.Len(t, after["parts"], n)
	require.Equal(t, parts[n-1], after["parts"].([]any)[0])
	after, err = merge(object{"parts": parts}, object{"parts": removals})
	require.NoError(t, err)
	require.Empty(t, after["parts"])

	var again []any
	for range n {
		again = append(again, object{"name": "a", "tags": []any{"u"}})
	}
	_, err = merge(object{"parts": []any{object{"name": "a", "tags": words}}}, object{"parts": again})
	require.ErrorContains(t, err, "the patch changes the same elements too often")
}

// A strategic merge patch of the status changes only the status.
func TestStrategicMergeOfAStatus(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", deployments, deployment)
	first := `{"status":{"conditions":[{"type":"A","status":"True"}]},"spec":{"replicas":9}}`
	must(t, c, 200, "PATCH", deployments+"/a/status", first, "Content-Type", strategicPatch)
	d := must(t, c, 200, "PATCH", deployments+"/a/status", `{"status":{"conditions":[{"type":"B","status":"True"}]}}`, "Content-Type", strategicPatch)
	require.Len(t, at(d, "status", "conditions"), 2)
	require.Equal(t, 2.0, at(d, "spec", "replicas"))
}

// A strategic merge patch of the scale of a built-in kind changes its replicas.
func TestStrategicMergeOfAScale(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", deployments, deployment)
	s := must(t, c, 200, "PATCH", deployments+"/a/scale", `{"spec":{"replicas":4}}`, "Content-Type", strategicPatch)
	require.Equal(t, []any{"Scale", 4.0}, []any{s["kind"], at(s, "spec", "replicas")})
	require.Equal(t, 4.0, at(must(t, c, 200, "GET", deployments+"/a", ""), "spec", "replicas"))
	must(t, c, 400, "PATCH", deployments+"/a/scale", `{"spec":{"$patch":"burn"}}`, "Content-Type", strategicPatch)
	none := must(t, c, 404, "PATCH", deployments+"/none/scale", `{"spec":{"replicas":4}}`, "Content-Type", strategicPatch)
	require.Equal(t, `deployments.apps "none" not found`, none["message"])
}

// Rules in a schema are merged by their expressions, at any depth.
func TestStrategicMergeOfADefinition(t *testing.T) {
	_, c := start(t, Options{})
	rules := func(rule string) string {
		return `{"spec":{"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":
			{"type":"object","x-kubernetes-validations":[{"rule":"` + rule + `"}],"properties":{"n":{"type":"integer"}}}}}}}]}}`
	}
	const path = definitions + "/kites.wind.example.com"
	must(t, c, 200, "PATCH", path, rules("self.n > 0"), "Content-Type", mergePatch)
	stored := must(t, c, 200, "GET", path, "")
	old := at(stored["spec"].(object)["versions"].([]any)[0], "schema", "openAPIV3Schema").(object)
	patch := object{"properties": object{"spec": object{"x-kubernetes-validations": []any{object{"rule": "self.n < 9"}}}}}
	after, err := (&merger{types: catalog.BuiltInTypes()}).object(old, patch, catalog.SchemaType)
	require.NoError(t, err)
	require.Len(t, at(after, "properties", "spec", "x-kubernetes-validations"), 2)
	require.Equal(t, "integer", at(after, "properties", "spec", "properties", "n", "type"))
}
