package conversion

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/unstructured"
)

// This file has the ConversionReview: the request to a webhook and its response.

const (
	reviewGroup = "apiextensions.k8s.io"
	reviewKind  = "ConversionReview"
	v1          = "v1"
	v1beta1     = "v1beta1"

	noReviewVersion = "no supported conversion review versions"
)

// reviewVersion returns the first supported version, or "" (CNV-020).
func reviewVersion(versions []string) string {
	for _, v := range versions {
		if v == v1 || v == v1beta1 {
			return v
		}
	}
	return ""
}

// marshalReview returns the body of the request to the webhook, as a server sends it except for the trailing line feed.
func marshalReview(version, uid string, objects []map[string]any, apiVersion string) ([]byte, error) {
	type request struct {
		UID               string           `json:"uid"`
		DesiredAPIVersion string           `json:"desiredAPIVersion"`
		Objects           []map[string]any `json:"objects"`
	}
	return json.Marshal(struct {
		Kind       string          `json:"kind"`
		APIVersion string          `json:"apiVersion"`
		Request    request         `json:"request"`
		Response   json.RawMessage `json:"response"`
	}{reviewKind, reviewGroup + "/" + version, request{uid, apiVersion, objects}, noResponse})
}

// noResponse is the response in a request: empty, but present.
var noResponse = json.RawMessage(`{"uid":"","convertedObjects":null,"result":{"metadata":{}}}`)

// Webhook returns a [Converter] that calls a webhook through post, which sends the body of a request and returns the
// body of the response, or an error if there is none. uid returns a new uid for each request. Neither may be nil, and
// both must be safe for concurrent use if the Converter is used concurrently.
//
// The request is a ConversionReview in JSON, to be sent with POST and the content type application/json. The response
// is one in JSON or YAML, and must repeat the uid: a server uses a random UUID. There is no call if all objects already
// have the version, or if the object has only an apiVersion and a kind.
//
// [Definition.Convert] with it refuses, after wrong versions: no supported conversion review versions, values that are
// not JSON, the error of post, a body that is not a review of the requested version, a missing kind (v1), a missing
// response, another uid (v1), and a result other than success. The checks of the objects follow.
func (d *Definition) Webhook(uid func() string, post func(ctx context.Context, review []byte) (response []byte, err error)) Converter {
	return &webhook{d.reviewVersion, uid, post}
}

type webhook struct {
	version string
	uid     func() string
	post    func(ctx context.Context, review []byte) ([]byte, error)
}

// Convert sends objects, which need not belong to a definition.
func (w *webhook) Convert(ctx context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	answers, err := w.ask(ctx, objects, apiVersion)
	if err != nil {
		return nil, err
	}
	converted := make([]map[string]any, len(answers))
	for i, a := range answers {
		if a.err != nil {
			return nil, fmt.Errorf("converted object %d: %w", i, a.err)
		}
		converted[i] = a.obj
	}
	return converted, nil
}

func (w *webhook) ask(ctx context.Context, objects []map[string]any, apiVersion string) ([]answer, error) {
	if w.version == "" {
		return nil, errors.New(noReviewVersion)
	}
	uid := w.uid()
	body, err := marshalReview(w.version, uid, objects, apiVersion)
	if err != nil {
		return nil, err
	}
	response, err := w.post(ctx, body)
	if err != nil {
		return nil, err
	}
	return parseResponse(response, w.version, uid)
}

// parseResponse returns the objects in the body of a response to a review of that version and uid.
//
// Clause: CNV-030 (1 to 5).
func parseResponse(body []byte, version, uid string) ([]answer, error) {
	r, is, err := readReview(body, version)
	if err != nil {
		return nil, err
	}
	want := objectType{reviewGroup, v1, reviewKind}
	switch {
	case is != version:
		return nil, notConvertible(is+"."+reviewKind, version)
	case version == v1 && r.is != want:
		return nil, fmt.Errorf("expected webhook response of %s, got %s", want, r.is)
	case !r.responded:
		return nil, errors.New("no response provided")
	case version == v1 && r.uid != uid:
		return nil, fmt.Errorf("expected response.uid=%q, got %q", uid, r.uid)
	case r.status != "Success" && r.message != "":
		return nil, errors.New(r.message)
	case r.status != "Success":
		return nil, fmt.Errorf("response.result.status was '%s', not 'Success'", r.status)
	}
	answers := make([]answer, len(r.objects))
	for i, o := range r.objects {
		answers[i] = parseAnswer(o)
	}
	return answers, nil
}

// readReview decodes a body as a review of v1 or v1beta1, and returns its version. As in a server, a body without an
// apiVersion or kind is read as a review of the expected version.
func readReview(body []byte, expected string) (r *reviewDocument, version string, err error) {
	if len(body) == 0 {
		return nil, "", errors.New("0-length response with status code: 200 and content type: application/json")
	}
	data := body
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		if data, err = unstructured.YAMLToJSON(body); err != nil {
			return nil, "", err
		}
	}
	apiVersion, kind, err := objectmeta.DecodeType(data)
	if err != nil {
		return nil, "", err
	}
	is := objectType{kind: cmp.Or(kind, reviewKind)}
	if is.group, is.version, err = objectmeta.GroupVersion(apiVersion); err != nil {
		return nil, "", err
	}
	if is.version == "" && (is.group == "" || is.group == reviewGroup) {
		is.group, is.version = reviewGroup, expected
	}
	known := is.group == reviewGroup && (is.version == v1 || is.version == v1beta1)
	core := (is.group == "" || is.group == "meta.k8s.io") && is.version == v1
	switch {
	case is.version == "":
		return nil, "", missing("apiVersion", body)
	case is.kind == reviewKind && known:
		r, err = decodeReview(data, is.version)
		return r, is.version, err
	case is.kind == "Status" && (known || core):
		return nil, "", notConvertible("v1.Status", expected)
	}
	return nil, "", fmt.Errorf("no kind %q is registered for version %q in scheme %q", is.kind, is.apiVersion(), "pkg/runtime/scheme.go:111")
}

func notConvertible(from, version string) error {
	return fmt.Errorf("converting (%s) to (%s.%s): unknown conversion", from, version, reviewKind)
}

// A reviewDocument has the fields of a ConversionReview that either side uses.
type reviewDocument struct {
	is objectType

	requested        bool
	requestUID       string
	apiVersion       string
	requestedObjects []json.RawMessage

	responded       bool
	uid             string
	status, message string
	objects         []json.RawMessage
}

// decodeReview decodes a ConversionReview with the server's decoder. Its errors contain the names of the types that it
// decodes into, so these types have the server's names, and fields that are not used have the server's types.
func decodeReview(data []byte, version string) (*reviewDocument, error) {
	type (
		UID          string
		StatusReason string
		CauseType    string

		TypeMeta struct {
			Kind       string `json:"kind"`
			APIVersion string `json:"apiVersion"`
		}
		ShardInfo struct {
			Selector string `json:"selector"`
		}
		ListMeta struct {
			SelfLink           string     `json:"selfLink"`
			ResourceVersion    string     `json:"resourceVersion"`
			Continue           string     `json:"continue"`
			RemainingItemCount *int64     `json:"remainingItemCount"`
			ShardInfo          *ShardInfo `json:"shardInfo"`
		}
		StatusCause struct {
			Type    CauseType `json:"reason"`
			Message string    `json:"message"`
			Field   string    `json:"field"`
		}
		StatusDetails struct {
			Name              string        `json:"name"`
			Group             string        `json:"group"`
			Kind              string        `json:"kind"`
			UID               UID           `json:"uid"`
			Causes            []StatusCause `json:"causes"`
			RetryAfterSeconds int32         `json:"retryAfterSeconds"`
		}
		Status struct {
			TypeMeta
			ListMeta `json:"metadata"`
			Status   string         `json:"status"`
			Message  string         `json:"message"`
			Reason   StatusReason   `json:"reason"`
			Details  *StatusDetails `json:"details"`
			Code     int32          `json:"code"`
		}
		ConversionRequest struct {
			UID               UID               `json:"uid"`
			DesiredAPIVersion string            `json:"desiredAPIVersion"`
			Objects           []json.RawMessage `json:"objects"`
		}
		ConversionResponse struct {
			UID              UID               `json:"uid"`
			ConvertedObjects []json.RawMessage `json:"convertedObjects"`
			Result           Status            `json:"result"`
		}
		ConversionReview struct {
			TypeMeta
			Request  *ConversionRequest  `json:"request"`
			Response *ConversionResponse `json:"response"`
		}
	)
	var in ConversionReview
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &in); err != nil {
		return nil, errors.New(serverTypes(err.Error(), version))
	}
	out := &reviewDocument{is: parseType(in.APIVersion, "")}
	out.is.kind = in.Kind
	if r := in.Request; r != nil {
		out.requested, out.requestUID = true, string(r.UID)
		out.apiVersion, out.requestedObjects = r.DesiredAPIVersion, r.Objects
	}
	if r := in.Response; r != nil {
		out.responded, out.uid = true, string(r.UID)
		out.status, out.message = r.Result.Status, r.Result.Message
		out.objects = r.ConvertedObjects
	}
	return out, nil
}

// serverTypes replaces this package with the server's packages in the text of a decoder's error.
func serverTypes(text, version string) string {
	return strings.NewReplacer(
		"json.RawMessage", "runtime.RawExtension",
		"conversion.UID", "types.UID",
		"conversion.ConversionRe", version+".ConversionRe",
		"conversion.", "v1.",
	).Replace(text)
}
