package unstructured

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v2"
	kjson "sigs.k8s.io/json"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// DecodeJSON decodes the JSON of an object as a server does with a request's body, after it has found the object's type.
// Keys are case-sensitive. If a key occurs twice, the last value is used. Invalid UTF-8 becomes U+FFFD. The object is
// nil for null. Errors have the server's text.
func DecodeJSON(data []byte) (map[string]any, error) {
	if obj := jsonscan.DecodeObject(data); obj != nil {
		return obj, nil
	}
	var obj map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &obj); err != nil {
		return nil, err
	}
	return obj, nil
}

// DecodeJSONStrict is [DecodeJSON] with the findings of strict decoding: duplicate field "spec.i", once for each path,
// in the order of the text, and at most 100 of them. Findings are nil if there are none or if there is an error.
func DecodeJSONStrict(data []byte) (obj map[string]any, findings []string, err error) {
	if obj := jsonscan.DecodeObject(data); obj != nil {
		return obj, nil, nil
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &obj); err != nil {
		return nil, nil, err
	}
	return obj, duplicates(data), nil
}

// YAMLToJSON returns the JSON to which a server converts a YAML body. The server then handles it like a JSON body. It
// reads the first document, and nothing after it. An empty body or document is null. Keys are sorted. Errors have the
// server's text.
func YAMLToJSON(data []byte) ([]byte, error) {
	if converted := plainYAML(data); converted != nil {
		return converted, nil
	}
	if err := checkYAML(data); err != nil {
		return nil, err
	}
	var v any
	if err := yaml.Unmarshal(data, &v); err != nil {
		return nil, err
	}
	return encodeYAML(v)
}

// YAMLToJSONStrict is [YAMLToJSON] with the findings of strict decoding, duplicate keys in the YAML: the text of one
// error, which may have several lines, or nothing. The JSON has no duplicate keys.
func YAMLToJSONStrict(data []byte) (converted []byte, findings []string, err error) {
	if converted := plainYAML(data); converted != nil {
		return converted, nil, nil
	}
	if err := checkYAML(data); err != nil {
		return nil, nil, err
	}
	var v any
	strictErr := yaml.UnmarshalStrict(data, &v)
	if strictErr != nil {
		converted, err = YAMLToJSON(data)
		if err != nil {
			return nil, nil, err
		}
		return converted, []string{strictErr.Error()}, nil
	}
	// Without duplicate keys both modes give the same result. A second pass would only cost time.
	converted, err = encodeYAML(v)
	return converted, nil, err
}

// plainYAML returns the JSON of the one document in data. It returns nil for anything that needs the YAML library, such
// as several documents or duplicate keys.
func plainYAML(data []byte) []byte {
	if bytes.Contains(data, []byte("\n---")) {
		return nil
	}
	documents, ok := readPlainYAML(data)
	if !ok || len(documents) != 1 {
		return nil
	}
	converted, err := json.Marshal(documents[0].object)
	if err != nil {
		return nil
	}
	return converted
}
