package conversion_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/unstructured"
)

// FuzzApply applies responses of a hostile webhook. For any response, the original object is not modified, and a result
// has the right version, the same name, namespace, uid and kind, and otherwise the original metadata: CNV-030, CNV-031,
// CNV-032.
func FuzzApply(f *testing.F) {
	for _, r := range readRecorded(f) {
		if r.Response != nil {
			f.Add(string(r.Input), strings.ReplaceAll(*r.Response, "$UID", uid), r.List, r.ReviewVersions[0] == "v1")
		}
	}
	f.Fuzz(func(t *testing.T, input, response string, isList, isV1 bool) {
		in, err := unstructured.DecodeJSON([]byte(input))
		if err != nil {
			return
		}
		reviewVersion := "v1beta1"
		if isV1 {
			reviewVersion = "v1"
		}
		d := definition(t, crd.ConversionWebhook, reviewVersion)
		convert := d.Convert
		if isList {
			convert = d.ConvertList
		}
		before := jsonval.Clone(in)
		var body []byte
		hook := answering(d, response, &body)
		out, refused := convert(t.Context(), hook, in, group+"/v2")
		again, refusedAgain := convert(t.Context(), hook, in, group+"/v2")
		require.Equal(t, out, again)
		require.Equal(t, refused, refusedAgain)
		require.Equal(t, before, any(in))
		if refused != nil {
			require.Nil(t, out)
			var status *field.Status
			require.ErrorAs(t, refused, &status)
			require.Equal(t, 500, status.Code)
			return
		}
		require.Equal(t, group+"/v2", out["apiVersion"])
		require.Equal(t, in["kind"], out["kind"])
		if isList {
			items, _ := in["items"].([]any)
			for i := range items {
				requireConverted(t, items[i].(map[string]any), out["items"].([]any)[i].(map[string]any))
			}
		} else if body != nil {
			requireConverted(t, in, out)
		}
	})
}

func requireConverted(t *testing.T, in, out map[string]any) {
	t.Helper()
	require.Equal(t, group+"/v2", out["apiVersion"])
	rest := func(obj map[string]any) map[string]any {
		kept := map[string]any{}
		meta, _ := obj["metadata"].(map[string]any)
		for k, v := range meta {
			if k != "labels" && k != "annotations" {
				kept[k] = v
			}
		}
		return kept
	}
	require.Equal(t, rest(in), rest(out))
}

// FuzzAnswer: Respond accepts any request, and returns a valid response or an error (CNV-040).
func FuzzAnswer(f *testing.F) {
	for _, r := range readRecorded(f)[:20] {
		f.Add([]byte(r.Request))
	}
	f.Add([]byte(`{"request":{"uid":"u","desiredAPIVersion":"a/b","objects":[{"kind":"K","apiVersion":"a/c"}]}}`))
	f.Add([]byte("request:\n  uid: 1\n"))
	same := conversion.ConverterFunc(func(_ context.Context, objects []map[string]any, _ string) ([]map[string]any, error) {
		return objects, nil
	})
	f.Fuzz(func(t *testing.T, request []byte) {
		response, err := conversion.Respond(context.Background(), request, same)
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "conversion: "))
			return
		}
		require.Equal(t, "Success", given.Object(t, string(response))["response"].(map[string]any)["result"].(map[string]any)["status"])
	})
}
