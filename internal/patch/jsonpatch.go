package patch

import (
	"errors"
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/internal/refusal"
)

// maxOperations limits the operations in a JSON patch (DEC-016).
const maxOperations = 10000

// jsonPatchOp is an operation for strict decoding. The texts of its errors contain this name.
type jsonPatchOp struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

// operationFindings returns the findings of strict decoding for a JSON patch (PAT-003).
func operationFindings(body []byte) (findings []string, err error) {
	var ops []jsonPatchOp
	findings, err = keyword.UnmarshalStrict(body, &ops)
	if err != nil {
		// In such a text, this name follows a dot only in the name of a type.
		return nil, errors.New(strings.Replace(err.Error(), "patch.jsonPatchOp", "handlers.jsonPatchOp", 1))
	}
	for i := range findings {
		findings[i] = "json patch " + findings[i]
	}
	return findings, nil
}

// jsonPatch returns old with the JSON patch in body. Both are valid JSON, and old is an object.
//
// Clauses: PAT-003, PAT-004, DEC-016.
func jsonPatch(old, body []byte) (*node, *field.Status) {
	ops := read(body, 1)
	if ops == nil {
		ops = &node{}
	} else if ops.shape != list {
		return nil, refusal.BadRequest(unmarshalError(ops, "jsonpatch.Patch"))
	}
	for _, op := range ops.items {
		if op != nil && op.shape != object {
			return nil, refusal.BadRequest(unmarshalError(op, "jsonpatch.Operation"))
		}
	}
	if n := len(ops.items); n > maxOperations {
		return nil, refusal.TooLarge(fmt.Sprintf("The allowed maximum operations in a JSON patch is %d, got %d", maxOperations, n))
	}
	e := editor{doc: read(old, 1)}
	e.doc.open()
	for _, op := range ops.items {
		// The value of an operation is read only when it is needed.
		if op == nil || !e.do(read(op.text, 1)) {
			return nil, inapplicable()
		}
	}
	return e.doc, nil
}

// inapplicable refuses a patch with a failing operation (PAT-003). The Status has no field, and names no object.
func inapplicable() *field.Status {
	refused := field.List(nil).Status("", "", "")
	refused.Message = "the server rejected our request due to an error in our request"
	return refused
}

// unmarshalError returns the error of package encoding/json for a value of another type.
func unmarshalError(n *node, goType string) string {
	return "json: cannot unmarshal " + KindName(n.text) + " into Go value of type " + goType
}

// KindName returns the kind of a JSON text as in the errors of package encoding/json.
func KindName(text []byte) string {
	switch text[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "bool"
	case 'n':
		return "null"
	}
	return "number"
}
