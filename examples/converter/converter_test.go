package converter

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/registry"
)

// definitions returns the definition with the converter.
func definitions(t *testing.T) *registry.Registry {
	reg, err := registry.Load("crd.yaml")
	require.NoError(t, err)
	reg, err = reg.WithConverter("routes.example.com", conversion.ConverterFunc(Convert))
	require.NoError(t, err)
	return reg
}

// Objects are stored in v2, in whatever version they are sent.
func TestConvert(t *testing.T) {
	crds := crdtest.New(definitions(t))
	crds.Accepted(t)
	crds.Run(t, []crdtest.Case{
		{Name: "an address is split", Version: "v1", Object: `spec: {address: "db.example.com:5432"}`,
			Want: `{apiVersion: example.com/v1, spec: {address: "db.example.com:5432"}}`},
		{Name: "v2 has a default", Version: "v2", Object: `spec: {host: db.example.com, port: 5432}`,
			Want: `spec: {retries: 3}`},
		{Name: "v1 has no port zero", Version: "v1", Object: `spec: {address: "db.example.com:0"}`,
			Errs: []crdtest.Match{crdtest.Invalid("spec.address")}},
	})
}

// What is stored in v2 comes back through v1, and an update in v1 keeps what only v2 has.
func TestStored(t *testing.T) {
	reg := definitions(t)
	v1, err := reg.Version("example.com/v1", "Route")
	require.NoError(t, err)
	created := reg.CreateBody(t.Context(), []byte(`{"apiVersion": "example.com/v2", "kind": "Route",
		"metadata": {"name": "db", "namespace": "shop"}, "spec": {"host": "db.example.com", "port": 5432, "retries": 7}}`))
	require.NoError(t, created.Err())

	read := v1.Read(created.Stored)
	require.NoError(t, read.Err())
	require.Equal(t, map[string]any{"address": "db.example.com:5432"}, read.Object["spec"])

	patch := []byte(`{"spec": {"address": "db.example.com:5433"}}`)
	patched := v1.Patch(t.Context(), "application/merge-patch+json", patch, created.Stored)
	require.NoError(t, patched.Err())
	want := map[string]any{"host": "db.example.com", "port": int64(5433), "retries": int64(7)}
	require.Equal(t, want, patched.Stored["spec"])
	require.NotContains(t, patched.Stored["metadata"], "annotations")
}

// Every valid object of either version survives the way through the other one.
func TestRoundTrip(t *testing.T) {
	reg := definitions(t)
	crds := crdtest.New(reg)
	convert, err := conversion.Compile(reg.Definition("routes.example.com").CRD)
	require.NoError(t, err)
	for version, other := range map[string]string{"v1": "example.com/v2", "v2": "example.com/v1"} {
		samples := crds.Sample(t, "Route", version)
		for _, obj := range []map[string]any{samples.Minimal, samples.Full} {
			there, err := convert.Convert(t.Context(), conversion.ConverterFunc(Convert), obj, other)
			require.NoError(t, err)
			result := reg.Create(t.Context(), maps.Clone(there))
			require.NoError(t, result.Err(), "the converted object is valid")
			back, err := convert.Convert(t.Context(), conversion.ConverterFunc(Convert), there, "example.com/"+version)
			require.NoError(t, err)
			require.Equal(t, obj, back, version)
		}
	}
}

// The webhook answers a server's review.
func TestHandler(t *testing.T) {
	post := func(body string) (int, string) {
		w := httptest.NewRecorder()
		Handler(w, httptest.NewRequest(http.MethodPost, "/convert", bytes.NewBufferString(body)))
		return w.Code, w.Body.String()
	}
	const review = `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
		"request": {"uid": "1", "desiredAPIVersion": "example.com/v2", "objects": [{"apiVersion": "example.com/v1",
			"kind": "Route", "metadata": {"name": "db"}, "spec": {"address": "db.example.com:5432"}}]}}`
	code, body := post(review)
	require.Equal(t, http.StatusOK, code)
	require.JSONEq(t, `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
		"response": {"uid": "1", "result": {"metadata": {}, "status": "Success"}, "convertedObjects": [
			{"apiVersion": "example.com/v2", "kind": "Route", "metadata": {"name": "db"}, "spec": {"host": "db.example.com", "port": 5432}}]}}`, body)

	code, body = post(strings.Replace(review, ":5432", "", 1))
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, body, `spec.address: no port in \"db.example.com\"`)

	code, _ = post("{}")
	require.Equal(t, http.StatusBadRequest, code)
}
