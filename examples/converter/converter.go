package converter

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/conversion"
)

// retries is the annotation in which an object in v1 keeps the field that only v2 has.
const retries = "example.com/retries"

// Convert converts Routes to a version. The objects are copies, which it may change.
func Convert(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	for _, obj := range objects {
		spec, _ := obj["spec"].(map[string]any)
		if spec == nil {
			return nil, fmt.Errorf("a Route without a spec")
		}
		var err error
		switch apiVersion {
		case "example.com/v1":
			err = toV1(obj, spec)
		case "example.com/v2":
			err = toV2(obj, spec)
		default:
			err = fmt.Errorf("unknown version %s", apiVersion)
		}
		if err != nil {
			return nil, err
		}
		obj["apiVersion"] = apiVersion
	}
	return objects, nil
}

// toV1 joins the host and the port to an address.
func toV1(obj, spec map[string]any) error {
	host, _ := spec["host"].(string)
	port, ok := spec["port"].(int64)
	if !ok {
		return fmt.Errorf("spec.port is not an integer")
	}
	spec["address"] = host + ":" + strconv.FormatInt(port, 10)
	if n, ok := spec["retries"].(int64); ok {
		annotate(obj, strconv.FormatInt(n, 10))
	}
	delete(spec, "host")
	delete(spec, "port")
	delete(spec, "retries")
	return nil
}

// toV2 splits the address, and gets the retries back.
func toV2(obj, spec map[string]any) error {
	address, _ := spec["address"].(string)
	host, text, _ := strings.Cut(address, ":")
	port, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fmt.Errorf("spec.address: no port in %q", address)
	}
	spec["host"], spec["port"] = host, port
	delete(spec, "address")
	if n, err := strconv.ParseInt(annotation(obj), 10, 64); err == nil {
		spec["retries"] = n
	}
	annotate(obj, "")
	return nil
}

// annotation returns the annotation of an object.
func annotation(obj map[string]any) string {
	metadata, _ := obj["metadata"].(map[string]any)
	annotations, _ := metadata["annotations"].(map[string]any)
	value, _ := annotations[retries].(string)
	return value
}

// annotate sets the annotation of an object, or removes it if the value is empty.
func annotate(obj map[string]any, value string) {
	metadata, _ := obj["metadata"].(map[string]any)
	if metadata == nil {
		return // a server sends none without metadata
	}
	annotations, _ := metadata["annotations"].(map[string]any)
	switch {
	case value != "" && annotations == nil:
		metadata["annotations"] = map[string]any{retries: value}
	case value != "":
		annotations[retries] = value
	default:
		if delete(annotations, retries); len(annotations) == 0 {
			delete(metadata, "annotations")
		}
	}
}

// maxReview is the maximum length of a request. A server sends all objects of a list at once.
const maxReview = 64 << 20

// Handler is the webhook: serve it with TLS at the path that the definition names.
func Handler(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxReview))
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	}
	response, err := conversion.Respond(r.Context(), body, conversion.ConverterFunc(Convert))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(response) // the client may be gone
}
