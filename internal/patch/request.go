package patch

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/unstructured"
)

// The content types of a [Patch].
const (
	TypeMerge = "application/merge-patch+json"
	TypeJSON  = "application/json-patch+json"
)

// A Patch is the body of a patch request. It may be applied any number of times, by multiple goroutines.
type Patch struct {
	merges bool // a merge patch; else a JSON patch
	body   []byte
}

// Accept returns the patch of a request, or a refusal because of its content type (415) or its size (413). The content
// type is compared up to its first semicolon, exactly: spaces and capitals are not accepted. The patch holds body,
// which must not be modified while it is in use.
//
// The caller then checks the request's options, and calls [Patch.Check].
//
// Clauses: PAT-001, DEC-016.
func Accept(contentType string, body []byte) (*Patch, *field.Status) {
	contentType, _, _ = strings.Cut(contentType, ";")
	if contentType != TypeMerge && contentType != TypeJSON {
		return nil, refusal.MediaType(TypeJSON + ", " + TypeMerge + ", application/apply-patch+yaml")
	}
	if len(body) > refusal.MaxBody {
		return nil, refusal.LongBody()
	}
	return &Patch{merges: contentType == TypeMerge, body: body}, nil
}

// Patched returns the JSON of obj with a patch applied to it, or the error of [Accept], [Encode] or [Patch.Apply]. It
// is for patches that are not requests, such as those of webhooks.
func Patched(obj map[string]any, contentType string, body []byte) ([]byte, error) {
	p, refused := Accept(contentType, body)
	if refused != nil {
		return nil, refused
	}
	old, err := Encode(obj)
	if err != nil {
		return nil, err
	}
	out, refused := p.Apply(old)
	if refused != nil {
		return nil, refused
	}
	return out, nil
}

// Check refuses (400) a body that is not JSON. A server does this before it reads the object to patch, so this refusal
// precedes all errors of that object.
//
// Clauses: PAT-001.
func (p *Patch) Check() *field.Status {
	if !json.Valid(p.body) {
		return refusal.BadRequest("invalid JSON patch")
	}
	return nil
}

// Apply returns the JSON of the object old with the patch applied to it, for a request that ignores unknown and
// duplicate fields, or a refusal: 400 for a body that is not a patch, 413 for one with too many operations, 422 for an
// operation that fails, and 400 again for a body that [Patch.Check] refuses.
//
// The result need not be an object, nor have the kind of old: decoding it is the next step.
//
// old is the JSON of an object, as [Encode] writes it: test operations compare with its spelling of characters and
// numbers. Its keys keep their order where the patch does not change it. If old is not an object, the refusal has code
// 500.
//
// Apply takes time linear in old and the patch, except that each operation takes time linear in its path, or in the
// long list into which it inserts.
//
// Clauses: PAT-002 to PAT-005, DEC-016.
func (p *Patch) Apply(old []byte) (text []byte, refused *field.Status) {
	if refused = p.Check(); refused != nil {
		return nil, refused
	}
	return p.apply(old)
}

// apply is Apply for a body that passes Check.
func (p *Patch) apply(old []byte) (text []byte, refused *field.Status) {
	if !isObject(old) {
		return nil, refusal.Internal(errors.New("the object to patch is not a JSON object"))
	}
	var doc *node
	if p.merges {
		doc, refused = mergePatch(old, p.body)
	} else {
		doc, refused = jsonPatch(old, p.body)
	}
	if refused != nil {
		return nil, refused
	}
	// Values may be as deep as the deepest text. With the document around them, decoding refuses that (DEC-007).
	text, ok := doc.appendTo(nil, jsonval.MaxDepth+1)
	if !ok {
		return nil, inapplicable()
	}
	return text, nil
}

func isObject(text []byte) bool {
	if !json.Valid(text) {
		return false
	}
	n := read(text, 0)
	return n != nil && n.shape == object
}

// ApplyStrict is [Patch.Apply] for a request that wants unknown and duplicate fields reported. A malformed patch is
// refused earlier, with another text. findings are those of strict decoding, in the order of its text, at most 100.
// They come before those of the object, and are not used with a refusal.
//
//	duplicate field "spec.i"
//	json patch unknown field "[0].foo"
//
// Clauses: those of Apply, DEC-005, DEC-012.
func (p *Patch) ApplyStrict(old []byte) (text []byte, findings []string, refused *field.Status) {
	if refused = p.Check(); refused != nil {
		return nil, nil, refused
	}
	var err error
	if p.merges {
		_, findings, err = unstructured.DecodeJSONStrict(p.body)
	} else {
		findings, err = operationFindings(p.body)
	}
	if err != nil {
		return nil, nil, refusal.BadRequest("error decoding patch: " + err.Error())
	}
	if text, refused = p.apply(old); refused != nil {
		return nil, nil, refused
	}
	return text, findings, nil
}
