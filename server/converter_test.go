package server_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/server"
)

// CNV-020, CNV-030: a webhook in the process is called as one at a URL, and its responses are checked.
func TestHandlerConverter(t *testing.T) {
	d := &crd.CustomResourceDefinition{Spec: crd.Spec{
		Group: "example.com", Names: crd.Names{Kind: "Thing"}, Versions: []crd.Version{{Name: "v1"}, {Name: "v2"}},
		Conversion: &crd.Conversion{Strategy: crd.ConversionWebhook, ConversionReviewVersions: []string{"v1"}},
	}}
	of, err := conversion.Compile(d)
	require.NoError(t, err)
	obj := map[string]any{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "a"}}
	const failed = "conversion webhook for example.com/v1, Kind=Thing failed: "
	for _, c := range []struct {
		name, want string // the refusal
		handler    http.HandlerFunc
	}{
		{"a response", "", func(w http.ResponseWriter, r *http.Request) {
			require.Equal(t, []string{http.MethodPost, "application/json"}, []string{r.Method, r.Header.Get("Content-Type")})
			body, err := io.ReadAll(r.Body)
			require.NoError(t, err)
			function := func(obj map[string]any) (map[string]any, error) { return obj, nil }
			response, err := conversion.Respond(r.Context(), body, conversion.Functions{{From: "v1", To: "v2"}: function})
			require.NoError(t, err)
			_, _ = w.Write(response)
		}},
		{"an error", failed + `an error on the server ("oops") has prevented the request from succeeding`, func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "oops", http.StatusInternalServerError)
		}},
		{"nothing", failed + "0-length response with status code: 200 and content type: ", func(http.ResponseWriter, *http.Request) {}},
		{"a panic", failed + "the webhook has panicked: oops", func(http.ResponseWriter, *http.Request) { panic("oops") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			conv, err := server.HandlerConverter(d, c.handler)
			require.NoError(t, err)
			out, refused := of.Convert(t.Context(), conv, obj, "example.com/v2")
			if c.want != "" {
				require.EqualError(t, refused, c.want)
				return
			}
			require.NoError(t, refused)
			require.Equal(t, "example.com/v2", out["apiVersion"])
		})
	}
	_, err = server.HandlerConverter(nil, nil)
	require.Error(t, err)
}
