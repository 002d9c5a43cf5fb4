package objectmeta

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// DecodeType returns the apiVersion and kind that a server finds before it decodes the body. It looks for the two
// keys in any case, and uses the last match. They are empty if they are missing or null. An error has the server's
// text, and reports that the text is not JSON, that it is not an object, or that such a key has a value of another
// type.
func DecodeType(data []byte) (apiVersion, kind string, err error) {
	if apiVersion, kind, ok := plainType(data); ok {
		return apiVersion, kind, nil
	}
	// The text of an error shows this type, so it must stay unnamed, with exactly these tags.
	var meta struct {
		APIVersion string `json:"apiVersion,omitempty"`
		Kind       string `json:"kind,omitempty"`
	}
	if err := json.Unmarshal(data, &meta); err != nil {
		return "", "", fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
	}
	return meta.APIVersion, meta.Kind, nil
}

// plainType is DecodeType for JSON in which the two keys, if present, have their exact spelling and string
// values. It reports false for any other JSON.
func plainType(data []byte) (apiVersion, kind string, ok bool) {
	s := jsonscan.New(data)
	defer s.Release()
	if s.Kind() != jsonscan.Object {
		return "", "", false
	}
	for key, more := s.FirstKey(); more; key, more = s.NextKey() {
		isText := s.Kind() == jsonscan.String
		switch {
		case key == "apiVersion" && isText:
			apiVersion = s.Own()
		case key == "kind" && isText:
			kind = s.Own()
		case strings.EqualFold(key, "apiVersion"), strings.EqualFold(key, "kind"):
			s.Decline()
		default:
			s.Skip()
		}
	}
	return apiVersion, kind, s.End()
}
