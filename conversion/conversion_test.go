package conversion_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/test/given"
)

// object has all fields that a conversion may change, and those that it must not change.
func object(version string) map[string]any {
	return map[string]any{
		"apiVersion": group + "/" + version, "kind": "Conv",
		"metadata": map[string]any{
			"name": "a", "namespace": "n", "uid": "u", "generation": int64(3), "finalizers": []any{"x/y"},
			"labels": map[string]any{"o": "l"}, "annotations": map[string]any{"o": "a"},
			"managedFields": []any{map[string]any{"apiVersion": group + "/" + version}},
		},
		"spec": map[string]any{"a": int64(1)},
	}
}

func list(version string, items ...any) map[string]any {
	return map[string]any{"apiVersion": group + "/" + version, "kind": "ConvList", "metadata": map[string]any{"resourceVersion": "5"}, "items": items}
}

func named(version, name string) map[string]any {
	return map[string]any{"apiVersion": group + "/" + version, "kind": "Conv", "metadata": map[string]any{"name": name}}
}

// failing returns a Converter that returns an error, and objects that must be ignored.
func failing(text string, objects ...map[string]any) conversion.Converter {
	return conversion.ConverterFunc(func(context.Context, []map[string]any, string) ([]map[string]any, error) {
		return objects, errors.New(text)
	})
}

// converting returns a Converter that calls a function for each object, which already has its new apiVersion.
func converting(change func(obj map[string]any)) conversion.Converter {
	return conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
		for _, obj := range objects {
			obj["apiVersion"] = apiVersion
			change(obj)
		}
		return objects, nil
	})
}

// CNV-005: the conversion strategies.
func TestNew(t *testing.T) {
	_, err := conversion.Compile(nil)
	require.Error(t, err)

	for _, strategy := range []string{"", "none", "Other"} {
		_, err := conversion.Compile(document(strategy))
		require.EqualError(t, err, `unknown conversion strategy "`+strategy+`" for CRD convs.c.example.com`)
	}

	without := document("")
	without.Spec.Conversion = nil
	d, err := conversion.Compile(without)
	require.NoError(t, err)
	got, refused := d.Convert(context.Background(), nil, object("v1"), group+"/v2")
	require.NoError(t, refused)
	require.Equal(t, group+"/v2", got["apiVersion"])
}

// CNV-005: a version is valid if the definition lists it, served or not.
func TestVersionsNeedNotBeServed(t *testing.T) {
	doc := document(crd.ConversionNone)
	for i := range doc.Spec.Versions {
		require.False(t, doc.Spec.Versions[i].Served)
	}
	d, err := conversion.Compile(doc)
	require.NoError(t, err)
	for _, v := range []string{"v1", "v2", "v3"} {
		_, refused := d.Convert(context.Background(), nil, object("v1"), group+"/"+v)
		require.NoError(t, refused)
	}
	_, refused := d.Convert(context.Background(), nil, object("v1"), "a/b/c")
	require.Equal(t, refusal.Plain(`c.example.com/v1, Kind=Conv is unstructured and is not suitable for converting to ""`), refused)
	_, refused = d.Convert(context.Background(), nil, nil, group+"/v1")
	require.Equal(t, refusal.Plain(`/, Kind= is unstructured and is not suitable for converting to "c.example.com/v1"`), refused)
}

// CNV-010: only the apiVersion changes, by copy-on-write.
func TestNone(t *testing.T) {
	in := object("v1")
	before := jsonval.Clone(in)
	out := conversion.None(in, group+"/v2")
	require.Equal(t, before, any(in))
	want := maps.Clone(in)
	want["apiVersion"] = group + "/v2"
	require.Equal(t, want, out)

	out["metadata"].(map[string]any)["mark"] = true
	require.Equal(t, true, in["metadata"].(map[string]any)["mark"], "the rest is shared")

	require.Equal(t, map[string]any{"apiVersion": "v"}, conversion.None(nil, "v"))
	require.Equal(t, map[string]any{"apiVersion": "v"}, conversion.None(map[string]any{"apiVersion": []any{}}, "v"))
}

// CNV-010: converting an object or a list to another version and back does not change it.
func TestNoneThereAndBack(t *testing.T) {
	d := definition(t, crd.ConversionNone)
	m := given.NewMaker(1)
	ctx := context.Background()
	for range 1000 {
		obj := m.Object(m.Schema())
		obj["apiVersion"], obj["kind"] = group+"/v1", "Conv"
		before := jsonval.Clone(obj)
		there, refused := d.Convert(ctx, nil, obj, group+"/v2")
		require.NoError(t, refused)
		require.Equal(t, group+"/v2", there["apiVersion"])
		back, refused := d.Convert(ctx, nil, there, group+"/v1")
		require.NoError(t, refused)
		require.Equal(t, before, any(back))
		require.Equal(t, before, any(obj))

		in := list("v1", obj)
		there, refused = d.ConvertList(ctx, nil, in, group+"/v2")
		require.NoError(t, refused)
		require.Equal(t, group+"/v2", there["items"].([]any)[0].(map[string]any)["apiVersion"])
		back, refused = d.ConvertList(ctx, nil, there, group+"/v1")
		require.NoError(t, refused)
		require.Equal(t, in, back)
	}
}

// CNV-004: an object that already has the version is returned as it is, and the converter is not called.
func TestSameVersion(t *testing.T) {
	ctx := context.Background()
	for _, d := range []*conversion.Definition{definition(t, crd.ConversionNone), definition(t, crd.ConversionWebhook, "v1")} {
		for _, conv := range []conversion.Converter{nil, failing("asked")} {
			in := object("v1")
			out, refused := d.Convert(ctx, conv, in, group+"/v1")
			require.NoError(t, refused)
			in["mark"] = true
			require.Contains(t, out, "mark", "the same map")

			// CNV-021: a list of such items gets the new version.
			items := list("v1", object("v2"))
			out, refused = d.ConvertList(ctx, conv, items, group+"/v2")
			require.NoError(t, refused)
			require.Equal(t, list("v2", object("v2")), out)
			require.Equal(t, list("v1", object("v2")), items)

			// The converter is not called for an object that has only a type.
			out, refused = d.Convert(ctx, conv, map[string]any{"apiVersion": group + "/v1", "kind": "Conv"}, group+"/v2")
			require.NoError(t, refused)
			require.Equal(t, map[string]any{"apiVersion": group + "/v2", "kind": "Conv"}, out)
		}
	}
}

// CNV-030 (6 to 11), CNV-031: the result of a Converter is checked like the response of a webhook.
func TestConverter(t *testing.T) {
	const w = "conversion webhook for c.example.com/v1, Kind=Conv "
	returning := func(objects ...map[string]any) conversion.Converter {
		return conversion.ConverterFunc(func(context.Context, []map[string]any, string) ([]map[string]any, error) { return objects, nil })
	}
	meta := func(key string, v any) conversion.Converter {
		return converting(func(obj map[string]any) { obj["metadata"].(map[string]any)[key] = v })
	}
	top := func(key string, v any) conversion.Converter {
		return converting(func(obj map[string]any) { obj[key] = v })
	}
	for _, tc := range []struct {
		name string
		conv conversion.Converter
		want string
	}{
		{"CNV-030 an error", failing("100% broken", object("v2")), w + "failed: 100% broken"},
		{"CNV-030 (6) none", returning(), w + "returned 0 objects, expected 1"},
		{"CNV-030 (6) two", returning(object("v2"), object("v2")), w + "returned 2 objects, expected 1"},
		{"CNV-030 (7) nil", returning(nil), "Object 'Kind' is missing in 'null'"},
		{"CNV-030 (7) no kind", top("kind", ""), ""},
		{"CNV-030 (7) only a version", returning(map[string]any{"apiVersion": group + "/v2"}), `Object 'Kind' is missing in '{"apiVersion":"c.example.com/v2"}'`},
		{"GEN-002 a Go type", top("spec", []string{"a"}), "spec: Invalid value: Go type []string is not a JSON value: convert with unstructured.FromStruct"},
		{"CNV-030 (8) not converted", returning(object("v1")), w + "returned invalid object at index 0: invalid groupVersion (expected c.example.com/v2, received c.example.com/v1)"},
		{"CNV-030 (8) another version", top("apiVersion", group+"/v3"), w + "returned invalid object at index 0: invalid groupVersion (expected c.example.com/v2, received c.example.com/v3)"},
		{"CNV-030 (8) another group", top("apiVersion", "d.example.com/v2"), w + "returned invalid object at index 0: invalid groupVersion (expected c.example.com/v2, received d.example.com/v2)"},
		{"CNV-030 (9) another kind", top("kind", "Other"), w + "returned invalid object at index 0: invalid kind (expected Conv, received Other)"},
		{"CNV-030 (10) name", meta("name", "b"), w + "returned invalid object: must have the same name: a != b"},
		{"CNV-030 (10) namespace", meta("namespace", nil), w + "returned invalid object: must have the same namespace: n != "},
		{"CNV-030 (10) uid", meta("uid", "v"), w + "returned invalid object: must have the same UID: u != v"},
		{"CNV-031 labels", meta("labels", map[string]any{"b": int64(1), "a": nil}), w + "returned invalid metadata: metadata.labels[a] must be a string, but is <nil> in converted object"},
		{"CNV-031 annotations", meta("annotations", []any{}), w + "returned invalid metadata: invalid metadata.annotations of type []interface {} in converted object"},
		{"CNV-031 too large", meta("annotations", map[string]any{"a": strings.Repeat("x", 262144)}), w + "returned invalid metadata: metadata.annotation: Too long: may not be more than 262144 bytes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := object("v1")
			got, refused := definition(t, crd.ConversionWebhook).Convert(context.Background(), tc.conv, in, group+"/v2")
			require.Nil(t, got)
			var status *field.Status
			require.ErrorAs(t, refused, &status)
			require.Equal(t, 500, status.Code)
			require.Empty(t, status.Reason)
			if tc.want != "" {
				require.Equal(t, tc.want, refused.Error())
			} else {
				require.Contains(t, refused.Error(), "Object 'Kind' is missing in '{")
			}
			require.Equal(t, object("v1"), in)
		})
	}
}

// CNV-031: only labels and annotations of the metadata come from the Converter. It may modify its argument.
func TestConverterMetadata(t *testing.T) {
	d := definition(t, crd.ConversionNone) // a Converter is called with any strategy
	in := object("v1")
	out, refused := d.Convert(context.Background(), converting(func(obj map[string]any) {
		meta := obj["metadata"].(map[string]any)
		meta["labels"] = map[string]any{"new": "x"}
		delete(meta, "annotations")
		meta["generation"], meta["finalizers"].([]any)[0], meta["odd"] = int64(9), "z/z", true
		delete(meta, "managedFields")
		obj["spec"].(map[string]any)["a"] = int8(2)
		obj["status"] = map[string]any{"n": json.Number("1.5")}
	}), in, group+"/v2")
	require.NoError(t, refused)
	require.Equal(t, object("v1"), in)
	want := object("v1")
	want["apiVersion"] = group + "/v2"
	want["metadata"].(map[string]any)["labels"] = map[string]any{"new": "x"}
	delete(want["metadata"].(map[string]any), "annotations")
	want["spec"] = map[string]any{"a": int64(2)}
	want["status"] = map[string]any{"n": 1.5}
	require.Equal(t, want, out)
}

// CNV-031: labels that were invalid before may stay, but not change.
func TestOldLabelsMayBeInvalid(t *testing.T) {
	d := definition(t, crd.ConversionWebhook)
	in := object("v1")
	in["metadata"].(map[string]any)["labels"] = map[string]any{"a b": "c d"}
	_, refused := d.Convert(context.Background(), converting(func(map[string]any) {}), in, group+"/v2")
	require.NoError(t, refused)
	_, refused = d.Convert(context.Background(), converting(func(obj map[string]any) {
		obj["metadata"].(map[string]any)["labels"].(map[string]any)["e"] = "f"
	}), in, group+"/v2")
	require.NotNil(t, refused)
	require.Contains(t, refused.Error(), `returned invalid metadata: [metadata.labels: Invalid value: "a b": `)
}

// CNV-021, CNV-032: only the items of a list that have other versions are converted. They keep their positions.
func TestConverterList(t *testing.T) {
	d := definition(t, crd.ConversionWebhook)
	in := list("v1", named("v1", "a"), named("v2", "b"), named("v3", "c"))
	before := jsonval.Clone(in)
	var got []string
	out, refused := d.ConvertList(context.Background(), converting(func(obj map[string]any) {
		got = append(got, obj["metadata"].(map[string]any)["name"].(string))
		obj["spec"] = int64(1)
	}), in, group+"/v2")
	require.NoError(t, refused)
	require.Equal(t, []string{"a", "c"}, got)
	a, c := named("v2", "a"), named("v2", "c")
	a["spec"], c["spec"] = int64(1), int64(1)
	require.Equal(t, list("v2", a, named("v2", "b"), c), out)
	require.Equal(t, before, any(in))

	// CNV-030: the index counts only the objects that were converted.
	_, refused = d.ConvertList(context.Background(), converting(func(obj map[string]any) {
		if obj["metadata"].(map[string]any)["name"] == "c" {
			obj["kind"] = "Other"
		}
	}), in, group+"/v2")
	require.Equal(t, refusal.Plain("conversion webhook for c.example.com/v1, Kind=ConvList returned invalid converted object at index 1: "+
		"invalid kind (expected Conv, received Other)"), refused)

	// CNV-005: an item that is not an object has no version.
	_, refused = d.ConvertList(context.Background(), nil, list("v1", named("v1", "a"), "b"), group+"/v2")
	require.Equal(t, refusal.Plain("request to convert CR list failed, list index 1 has invalid group/version: "), refused)
}

// The strategy Webhook needs a converter.
func TestNoConverter(t *testing.T) {
	d := definition(t, crd.ConversionWebhook, "v1")
	_, refused := d.Convert(context.Background(), nil, object("v1"), group+"/v2")
	require.Equal(t, refusal.Plain("conversion webhook for c.example.com/v1, Kind=Conv failed: no converter was given"), refused)
	_, refused = d.Convert(context.Background(), nil, object("v1"), group+"/v9")
	require.Equal(t, refusal.Plain("request to convert CR to an invalid group/version: c.example.com/v9"), refused)
}

// answering returns a webhook of d that answers with a response, and keeps the request in body.
func answering(d *conversion.Definition, response string, body *[]byte) conversion.Converter {
	return d.Webhook(func() string { return uid }, func(_ context.Context, request []byte) ([]byte, error) {
		*body = request
		return []byte(response), nil
	})
}

// CNV-020: the first supported version of reviews is used.
func TestReviewVersions(t *testing.T) {
	for _, tc := range []struct {
		name     string
		versions []string
		want     string
	}{
		{"CNV-020 v1", []string{"v1", "v1beta1"}, "v1"},
		{"CNV-020 v1beta1", []string{"v2", "v1beta1", "v1"}, "v1beta1"},
		{"CNV-020 none known", []string{"v2"}, ""},
		{"CNV-020 none", nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := definition(t, crd.ConversionWebhook, tc.versions...)
			var body []byte
			_, refused := d.Convert(t.Context(), answering(d, "", &body), object("v1"), group+"/v2")
			if tc.want == "" {
				require.Equal(t, refusal.Plain("no supported conversion review versions"), refused)
				require.Nil(t, body)
				return
			}
			require.Equal(t, "apiextensions.k8s.io/"+tc.want, given.Object(t, string(body))["apiVersion"])
		})
	}
}

// CNV-030 (1), CNV-033: a webhook that cannot be called.
func TestFailed(t *testing.T) {
	d := definition(t, crd.ConversionWebhook, "v1")
	conv := d.Webhook(func() string { return uid }, func(context.Context, []byte) ([]byte, error) {
		return nil, errors.New("dial tcp: refused")
	})
	_, refused := d.Convert(context.Background(), conv, object("v1"), group+"/v2")
	require.Equal(t, refusal.Plain("conversion webhook for c.example.com/v1, Kind=Conv failed: dial tcp: refused"), refused)
}

// CNV-040: the Converter of Webhook accepts the responses of Respond.
func TestRespond(t *testing.T) {
	ctx := context.Background()
	mark := converting(func(obj map[string]any) { obj["spec"] = map[string]any{"marked": uint8(1)} })
	for _, version := range []string{"v1", "v1beta1"} {
		d := definition(t, crd.ConversionWebhook, version)
		conv := d.Webhook(func() string { return uid }, func(ctx context.Context, body []byte) ([]byte, error) {
			response, err := conversion.Respond(ctx, body, mark)
			require.NoError(t, err)
			require.Equal(t, "apiextensions.k8s.io/"+version, given.Object(t, string(response))["apiVersion"])
			return response, err
		})
		out, refused := d.Convert(ctx, conv, object("v1"), group+"/v2")
		require.NoError(t, refused)
		want := object("v1")
		want["apiVersion"], want["spec"] = group+"/v2", map[string]any{"marked": int64(1)}
		require.Equal(t, want, out)

		// A Converter of Webhook can be called directly, with objects of any definition.
		alone, err := conv.Convert(ctx, []map[string]any{named("v1", "a")}, "x/y")
		require.NoError(t, err)
		require.Equal(t, "x/y", alone[0]["apiVersion"])
	}

	d := definition(t, crd.ConversionWebhook, "v1")
	for name, tc := range map[string]struct {
		conv conversion.Converter
		want string
	}{
		"an error": {failing("no way"), "no way"},
		"no JSON":  {converting(func(obj map[string]any) { obj["f"] = math.NaN() }), "converted object 0: f: Invalid value: NaN: JSON has no such number"},
	} {
		hook := d.Webhook(func() string { return uid }, func(ctx context.Context, body []byte) ([]byte, error) {
			return conversion.Respond(ctx, body, tc.conv)
		})
		_, refused := d.Convert(ctx, hook, object("v1"), group+"/v2")
		require.Equal(t, refusal.Plain("conversion webhook for c.example.com/v1, Kind=Conv failed: "+tc.want), refused, name)
	}

	for body, want := range map[string]string{
		"":                                 "conversion: 0-length response with status code: 200 and content type: application/json",
		"{}":                               "conversion: no request in the review",
		`{"kind":"Pod","apiVersion":"v1"}`: `conversion: no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`,
		`{"request":{"objects":[null]}}`:   "conversion: object 0 of the request: unexpected end of JSON input",
	} {
		_, err := conversion.Respond(ctx, []byte(body), mark)
		require.EqualError(t, err, want)
	}
}

// GEN-002, DEC-007: objects that are not from a decoder, in both directions.
func TestNoJSON(t *testing.T) {
	cyclic := object("v1")
	cyclic["spec"] = cyclic
	tooDeep := object("v1")
	tooDeep["spec"] = given.Deep(100_000, "x")
	foreign := object("v1")
	foreign["spec"] = struct{}{}

	ctx := context.Background()
	same := converting(func(map[string]any) {})
	for name, in := range map[string]map[string]any{"cyclic": cyclic, "deep": tooDeep, "foreign": foreign} {
		out, refused := definition(t, crd.ConversionNone).Convert(ctx, nil, in, group+"/v2")
		require.NoError(t, refused, name) // None does not examine the object
		require.Equal(t, group+"/v2", out["apiVersion"])

		hook := definition(t, crd.ConversionWebhook, "v1")
		var body []byte
		_, refused = hook.Convert(ctx, answering(hook, "", &body), in, group+"/v2")
		require.NotNil(t, refused, name)
		require.Nil(t, body, name)
		require.Contains(t, refused.Error(), "conversion webhook for c.example.com/v1, Kind=Conv failed: ")
		_, refused = hook.Convert(ctx, same, in, group+"/v2")
		require.NotNil(t, refused, name)
		require.Less(t, len(refused.Error()), 1000)

		_, refused = hook.Convert(ctx, converting(func(obj map[string]any) { obj["spec"] = in["spec"] }), object("v1"), group+"/v2")
		require.NotNil(t, refused, name)
		require.Less(t, len(refused.Error()), 1000)
	}
}

func TestNoAllocs(t *testing.T) {
	in := object("v2")
	given.RequireNoAllocs(t, map[string]func(){"None": func() { conversion.None(in, group+"/v2") }})
}

// Responses that a server handles differently: protobuf, and a kind that a server knows but that is not a review. This
// package does not know the HTTP status and content type of a response, so it reports an empty one as a usual empty one
// (CNV-030).
func TestOddResponses(t *testing.T) {
	d := definition(t, crd.ConversionWebhook, "v1")
	const failed = "conversion webhook for c.example.com/v1, Kind=Conv failed: "
	for response, want := range map[string]string{
		"":                      "0-length response with status code: 200 and content type: application/json",
		"k8s\x00\n\x04\n\x02v1": "yaml: control characters are not allowed",
		`{"kind":"DeleteOptions","apiVersion":"v1"}`: `no kind "DeleteOptions" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`,
	} {
		var body []byte
		_, refused := d.Convert(t.Context(), answering(d, response, &body), object("v1"), group+"/v2")
		require.Equal(t, refusal.Plain(failed+want), refused, "%q", response)
	}
}

// CNV-031: a server reports several wrong labels in random order.
func TestWrongLabelsInOrder(t *testing.T) {
	d := definition(t, crd.ConversionWebhook)
	for labels, want := range map[string]string{
		`{"c c":"x","a a":"x","b b":"x"}`: `"a a".*"b b".*"c c"`,
		`{"c":1,"a":true,"b":null}`:       `labels\[a\] must be a string`,
	} {
		for range 10 {
			_, refused := d.Convert(context.Background(), converting(func(obj map[string]any) {
				obj["metadata"].(map[string]any)["labels"] = given.Object(t, labels)
			}), object("v1"), group+"/v2")
			require.NotNil(t, refused)
			require.Regexp(t, want, refused.Error())
		}
	}
}
