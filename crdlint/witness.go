package crdlint

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// maxText is how many bytes of an object a witness prints.
const maxText = 2 << 10

// String returns the steps, a line for each object, with the objects as JSON. It leaves out an answer that says nothing
// new, and cuts long objects.
func (w *Witness) String() string {
	var b strings.Builder
	for _, s := range w.Steps {
		if s.Object != nil {
			fmt.Fprintf(&b, "%s through %s: %s\n", s.Request, s.Version, compact(s.Object))
		} else {
			fmt.Fprintf(&b, "%s through %s\n", s.Request, s.Version)
		}
		if s.Refusal != "" {
			fmt.Fprintf(&b, "  refused: %s\n", s.Refusal)
		} else if s.Object == nil || !jsonval.Equal(withoutMetadata(s.Object), withoutMetadata(s.Answer)) {
			fmt.Fprintf(&b, "  answer: %s\n", compact(s.Answer))
		}
	}
	return b.String()
}

// withoutMetadata returns obj without what no witness is about: it shares the rest.
func withoutMetadata(obj map[string]any) map[string]any {
	rest := map[string]any{}
	for key, v := range obj {
		if key != "metadata" {
			rest[key] = v
		}
	}
	return rest
}

// compact returns an object as JSON, without its type and metadata.
func compact(obj map[string]any) string {
	rest := withoutMetadata(obj)
	delete(rest, "apiVersion")
	delete(rest, "kind")
	text, err := json.Marshal(rest)
	if err != nil {
		return err.Error() // it was accepted, so it has a JSON
	}
	if len(text) > maxText {
		return strings.ToValidUTF8(string(text[:maxText]), "") + "..."
	}
	return string(text)
}
