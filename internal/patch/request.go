package patch

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/unstructured"
)

// The content types of the bodies that a [Patch] can be.
const (
	typeMerge = "application/merge-patch+json"
	typeJSON  = "application/json-patch+json"
)

// A Patch is the body of a patch request. It may be applied any number of times, by several goroutines at once.
type Patch struct {
	merges bool // a merge patch; else a JSON patch
	body   []byte
}

// Accept returns the patch that a request brings, or the refusal of its content type (415) or of its size (413). The content type
// counts up to its first semicolon, and to the letter: neither blanks nor capitals are forgiven. The patch holds body, which must not be
// modified while it is in use.
//
// A request's options are checked next, and then [Patch.Check] is due.
//
// Clauses: PAT-001, DEC-016.
func Accept(contentType string, body []byte) (*Patch, *field.Status) {
	if i := strings.IndexByte(contentType, ';'); i > 0 {
		contentType = contentType[:i]
	}
	if contentType != typeMerge && contentType != typeJSON {
		return nil, refusal.MediaType(typeJSON + ", " + typeMerge + ", application/apply-patch+yaml")
	}
	if len(body) > refusal.MaxBody {
		return nil, refusal.LongBody()
	}
	return &Patch{merges: contentType == typeMerge, body: body}, nil
}

// Check returns the refusal (400) of a body that is no JSON. It comes before a server reads the object to patch, so that it is an
// answer even where that object has no Scale.
//
// Clauses: PAT-001.
func (p *Patch) Check() *field.Status {
	if !json.Valid(p.body) {
		return refusal.BadRequest("invalid JSON patch")
	}
	return nil
}

// Apply returns the JSON of the object old with the patch applied to it, as for a request that ignores unknown and duplicate
// fields, or a refusal: 400 for a body that is no patch, 413 for one with too many operations, 422 for an operation that cannot be carried out, and
// 400 once more for a body that [Patch.Check] refuses.
//
// The text that comes back need be no object, nor have the kind of old: decoding it is the next step, and [Undecodable] makes the
// error of one that cannot be decoded.
//
// old is the JSON of an object, as [Encode] writes it: what it says of characters and numbers is what test operations compare with. The order of
// keys in it remains wherever the patch does not look. Old that is no object is a refusal with code 500.
//
// Apply takes time linear in old and the patch, but for paths and insertions into long lists, which cost an operation what they
// are long.
//
// Clauses: PAT-002 to PAT-005, DEC-016.
func (p *Patch) Apply(old []byte) (text []byte, refused *field.Status) {
	if refused = p.Check(); refused != nil {
		return nil, refused
	}
	return p.apply(old)
}

// apply is Apply for a body that Check has nothing against.
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
	text, ok := doc.result()
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

// ApplyStrict is [Patch.Apply] for a request that wants to hear of unknown and duplicate fields: a patch of the wrong form is refused sooner, with another text, and
// findings are what strict decoding has to say of it, in the order of its text, no more than 100 of them. They come before those of the
// object, and do not count with a refusal.
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

// Undecodable returns the error of a patched text that is no object, or not one of a known form, and why.
//
// Clauses: PAT-005.
func Undecodable(text []byte, why string) field.List {
	return field.List{field.Invalid(field.NewPath("patch"), string(text), why)}
}
