package conversion_test

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/test/given"
)

const (
	group = "c.example.com"
	uid   = "00000000-0000-4000-8000-000000000000"
)

// definition has the versions v1, v2 and v3.
func definition(t testing.TB, strategy string, reviewVersions ...string) *conversion.Definition {
	t.Helper()
	d, err := conversion.Compile(document(strategy, reviewVersions...))
	require.NoError(t, err)
	return d
}

func document(strategy string, reviewVersions ...string) *crd.CustomResourceDefinition {
	return &crd.CustomResourceDefinition{
		Metadata: map[string]any{"name": "convs." + group},
		Spec: crd.Spec{
			Group:      group,
			Versions:   []crd.Version{{Name: "v1"}, {Name: "v2"}, {Name: "v3"}},
			Conversion: &crd.Conversion{Strategy: strategy, ConversionReviewVersions: reviewVersions},
		},
	}
}

// testdata/reference.jsonl was recorded from the converters of k8s.io/apiextensions-apiserver v0.37.2, with a webhook
// that sent the given response. The reference's random uid is $UID in texts. Rows without an input or a request use
// those of the first row.
type recorded struct {
	Name           string          `json:"name"`
	Strategy       string          `json:"strategy"`       // Webhook if empty
	ReviewVersions []string        `json:"reviewVersions"` // v1 and v1beta1 if absent
	List           bool            `json:"list"`
	To             string          `json:"to"` // c.example.com/v2 if empty
	Input          json.RawMessage `json:"input"`
	// Request is the request that the webhook received. Without a response it was not called.
	Request  string          `json:"request"`
	Response *string         `json:"response"` // its response
	Error    string          `json:"error"`
	Result   json.RawMessage `json:"result"`
}

func readRecorded(t testing.TB) []recorded {
	t.Helper()
	data := given.File(t, "testdata/reference.jsonl")
	var rows []recorded
	for line := range bytes.Lines(data) {
		r := recorded{Strategy: crd.ConversionWebhook, ReviewVersions: []string{"v1", "v1beta1"}, To: group + "/v2"}
		require.NoError(t, json.Unmarshal(line, &r))
		if len(rows) > 0 && r.Input == nil {
			r.Input = rows[0].Input
		}
		if len(rows) > 0 && r.Request == "" {
			r.Request = rows[0].Request
		}
		rows = append(rows, r)
	}
	require.NotEmpty(t, rows)
	return rows
}

// Each row is tested with the Converter of Webhook: CNV-005, CNV-010, CNV-020, CNV-021,
// CNV-030, CNV-031, CNV-032.
func TestReference(t *testing.T) {
	for _, r := range readRecorded(t) {
		t.Run(r.Name, func(t *testing.T) {
			d, err := conversion.Compile(document(r.Strategy, r.ReviewVersions...))
			if err != nil {
				require.EqualError(t, err, r.Error)
				return
			}
			asked := 0
			// respond is the webhook.
			respond := func(body []byte) []byte {
				asked++
				require.Equal(t, strings.ReplaceAll(r.Request, "$UID", uid), string(body)+"\n")
				require.NotNil(t, r.Response, "the reference does not ask")
				return []byte(strings.ReplaceAll(*r.Response, "$UID", uid))
			}
			check := func(got map[string]any, refusal error) {
				if r.Error != "" {
					require.NotNil(t, refusal)
					require.Equal(t, &field.Status{Code: 500, Message: strings.ReplaceAll(r.Error, "$UID", uid)}, refusal)
					require.Nil(t, got)
				} else {
					require.NoError(t, refusal)
					require.Equal(t, given.Object(t, string(r.Result)), stored(got)) // the record was decoded from JSON
				}
				require.Equal(t, r.Response != nil, asked > 0)
			}

			in := given.Object(t, string(r.Input))
			before := jsonval.Clone(in)
			ctx := context.Background()
			var conv conversion.Converter
			if r.Strategy == crd.ConversionWebhook {
				conv = d.Webhook(func() string { return uid },
					func(_ context.Context, body []byte) ([]byte, error) { return respond(body), nil })
			}
			if r.List {
				check(d.ConvertList(ctx, conv, in, r.To))
			} else {
				check(d.Convert(ctx, conv, in, r.To))
			}
			require.Equal(t, before, any(in))
		})
	}
}

func stored(obj map[string]any) map[string]any {
	v, _ := jsonval.Stored(obj)
	return v.(map[string]any)
}
