package resource

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/fill"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/validity"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// acceptedTypes lists the accepted content types of a body, as in the server's refusal of other types. The list has
// protobuf because the server's text has it. Protobuf is refused nevertheless, because custom objects have no protobuf
// form: a server that receives one panics (DEC-017).
const acceptedTypes = "application/json, application/yaml, application/vnd.kubernetes.protobuf"

// Decode reads the body of a create or an update. It does what a server does before anything else: it decodes the
// object, normalizes its metadata, prunes unknown fields, drops nulls and fills in defaults. Pass the object to
// [Version.Create]. The warnings are about unknown and duplicate fields. If the body is refused, obj is nil, and the
// warnings include the version's deprecation, which otherwise Create adds. The error is a [*field.Status].
// [Version.CreateBody] combines both calls.
//
// Whether a body is YAML depends on the options' ContentType, not on the body. As in a server, only the first YAML
// document is read.
func (v *Version) Decode(body []byte) (obj map[string]any, warnings []string, err error) {
	if v == nil {
		return nil, nil, refusal.NoVersion()
	}
	d := v.decode(context.Background(), body)
	switch {
	case d.options:
		d.refusal = refusal.Options(createOptions, d.errs)
	case d.refusal == nil:
		d.refusal = v.otherVersion(d.obj)
	}
	if d.refusal == nil {
		return d.obj, d.warnings, nil
	}
	return nil, append(v.result().Warnings, d.warnings...), d.refusal
}

// The kinds of the options of requests, which errors may be about.
const (
	createOptions = "CreateOptions"
	updateOptions = "UpdateOptions"
	patchOptions  = "PatchOptions"
	deleteOptions = "DeleteOptions"
)

// decoded is the result of decoding a request.
type decoded struct {
	obj      map[string]any
	sent     map[string]any // obj as it was sent; nil: decode body
	body     []byte
	owned    bool // nothing else uses the map obj, so that its keys may be set
	ownsMeta bool // nor that of its metadata
	warnings []string
	refusal  *field.Status
	errs     field.List // of values that cannot be in a body, or of the options
	options  bool       // errs are about the options
}

// decode decodes a body. It makes the checks in the server's order and stops at the first that fails.
func (v *Version) decode(ctx context.Context, body []byte) decoded {
	isYAML, ok := mediaType(v.options.ContentType)
	if !ok {
		return decoded{refusal: refusal.MediaType(acceptedTypes)}
	}
	if len(body) > refusal.MaxBody {
		return decoded{refusal: refusal.LongBody()}
	}
	if errs := v.options.invalid(); len(errs) > 0 {
		return decoded{errs: errs, options: true}
	}
	text, findings := body, []string(nil)
	if isYAML {
		var err error
		if text, findings, err = v.fromYAML(body); err != nil {
			return decoded{refusal: v.unrecognized(body, err)}
		}
	}
	return v.decodeJSON(ctx, body, text, findings)
}

// mediaType reports whether a content type is YAML, and whether it is supported at all (DEC-017).
func mediaType(contentType string) (isYAML, ok bool) {
	if contentType == "" {
		return false, true
	}
	name, _, err := mime.ParseMediaType(contentType)
	isYAML = name == "application/yaml"
	return isYAML, err == nil && (isYAML || name == "application/json")
}

func (v *Version) fromYAML(body []byte) (text []byte, findings []string, err error) {
	if v.options.FieldValidation == FieldValidationIgnore {
		text, err = unstructured.YAMLToJSON(body)
		return text, nil, err
	}
	return unstructured.YAMLToJSONStrict(body)
}

// decodeJSON decodes text: body itself, or the JSON of a YAML body. findings are those of the YAML, and precede its
// own.
func (v *Version) decodeJSON(ctx context.Context, body, text []byte, findings []string) decoded {
	p, err := v.parse(text, findings)
	if err != nil && !p.typed {
		return decoded{refusal: v.unrecognized(body, err)}
	}
	if refused := canceled(ctx); refused != nil {
		return decoded{refusal: refused}
	}
	switch {
	case err != nil:
		return decoded{refusal: v.unhandled(p.kind, p.version, err)}
	case hasKind(p.obj):
		return v.normalize(ctx, p.obj, p.findings)
	case v.options.FieldValidation == FieldValidationIgnore:
		return decoded{refusal: v.unhandled(p.kind, p.version, missingKind(bytes.Trim(text, " \t\r\n")))}
	}
	return decoded{refusal: v.unrecognized(body, missingKind(body))}
}

// parsed is the JSON of an object, decoded.
type parsed struct {
	typed         bool // the first step, which reads only the type, succeeded (DEC-001)
	kind, version string
	obj           map[string]any
	findings      []string // of strict decoding
}

// parse decodes the JSON of an object. findings are earlier ones.
func (v *Version) parse(text []byte, findings []string) (p parsed, err error) {
	apiVersion, kind, err := objectmeta.DecodeType(text)
	if err != nil {
		return p, err
	}
	group, version, err := objectmeta.GroupVersion(apiVersion)
	if err != nil {
		return p, err
	}
	if version == "" && (group == "" || group == v.resource.group) {
		version = v.name
	}
	p = parsed{typed: true, kind: cmp.Or(kind, v.resource.kind), version: version}
	if v.options.FieldValidation == FieldValidationIgnore {
		p.obj, err = unstructured.DecodeJSON(text)
		return p, err
	}
	p.obj, p.findings, err = unstructured.DecodeJSONStrict(text)
	p.findings = append(findings, p.findings...)
	return p, err
}

// hasKind reports whether obj has a kind that a decoder recognizes. A decoder sees none if it cannot parse the
// apiVersion. The first step of decoding may have read a different kind and apiVersion (DEC-002).
func hasKind(obj map[string]any) bool {
	_, _, err := objectmeta.GroupVersion(textOf(obj, "apiVersion"))
	return textOf(obj, "kind") != "" && err == nil
}

func missingKind(body []byte) error {
	//lint:ignore ST1005 the server's text
	return fmt.Errorf("Object 'Kind' is missing in '%s'", body)
}

// receive is decode for an object that is already decoded. If the options are valid, it sets p to the object's
// precheck.
func (v *Version) receive(ctx context.Context, obj map[string]any, p *precheck) decoded {
	if errs := v.options.invalid(); len(errs) > 0 {
		return decoded{obj: obj, errs: errs, options: true}
	}
	if v.native() != nil {
		return v.decodeObject(ctx, obj)
	}
	// An object without a generation is from a client, which leaves out most defaults.
	complete := metadata(obj)["generation"] != nil
	if complete {
		if v.precheck(obj, p); p.normal {
			return decoded{obj: obj, sent: obj}
		}
	}
	if filled, changed, ok := v.filled(obj); ok && (changed || !complete) {
		if v.precheck(filled, p); p.normal {
			return decoded{obj: filled, sent: obj, owned: changed}
		}
	}
	return v.decodeObject(ctx, obj)
}

// decodePlain is decode for a body with an object that only lacks defaults, if anything. It decodes the object, fills
// in its defaults and checks it in one walk. p becomes the precheck of the object. It reports false for any other body.
func (v *Version) decodePlain(body []byte, p *precheck) (decoded, bool) {
	if len(body) > maxPlain || v.native() != nil || v.schema == nil || !v.resource.prunes || !v.acceptsJSON(body) {
		return decoded{}, false
	}
	s := jsonscan.NewObject(body)
	defer s.Release()
	left := v.budget()
	obj, stored, valid := validity.Read(s, v.root, left)
	if !stored || !s.End() || left.Spent() {
		return decoded{}, false
	}
	meta, ok := v.metadataOfOwn(obj)
	if !ok || !p.meta.Summarize(meta, nil) {
		return decoded{}, false
	}
	p.normal, p.valid = true, valid
	return decoded{obj: obj, body: body, owned: true, ownsMeta: true}, true
}

// maxPlain is how many bytes of a body decodePlain takes. It holds more memory at once than decode, which matters only
// for a large body of many small objects that each get a default.
const maxPlain = 1 << 20

// maxVisits limits the values that filled visits, which are more than an object may have (jsonval.MaxSize).
const maxVisits = 4_000_000

// filled returns obj with its defaults. Decoding obj has the same result if that is in normal form. It reports whether
// there are defaults to fill in, and whether they are within the limit.
func (v *Version) filled(obj map[string]any) (filled map[string]any, changed, ok bool) {
	left := v.budget()
	before := left.Values
	filled = fill.Filler{Defaults: true, Left: left}.Object(v.root, obj)
	return filled, left.Values < before, !left.Spent()
}

// budget returns what defaults may add to an object.
func (v *Version) budget() *fill.Budget {
	return fill.NewBudget(v.options.Defaults.Values, v.options.Defaults.Bytes, maxVisits)
}

// decodeObject is receive for an object that is not in normal form.
func (v *Version) decodeObject(ctx context.Context, obj map[string]any) decoded {
	normal, err := jsonval.Normalize(nil, obj)
	if err != nil {
		return decoded{obj: obj, errs: field.List{err}}
	}
	if refused := canceled(ctx); refused != nil {
		return decoded{obj: obj, refusal: refused}
	}
	obj, _ = normal.(map[string]any)
	if v.plainType(obj) {
		return v.normalize(ctx, obj, nil)
	}
	// With an unusual apiVersion or kind, the result depends on the JSON of the object. So decode that.
	body, failed := json.Marshal(obj)
	if failed != nil {
		return decoded{obj: obj, errs: field.List{field.Invalid(nil, field.OmitValue, failed.Error())}}
	}
	return v.decodeJSON(ctx, body, body, nil)
}

// plainType reports whether obj has a kind and an apiVersion that the first steps of decoding accept.
func (v *Version) plainType(obj map[string]any) bool {
	_, isText := obj["apiVersion"].(string)
	return isText && hasKind(obj) && !hasTypeAlias(obj)
}

// hasTypeAlias reports whether obj has a key that the first step of decoding reads as kind or apiVersion (DEC-002).
func hasTypeAlias(obj map[string]any) bool {
	for k := range obj {
		if isTypeAlias(k) {
			return true
		}
	}
	return false
}

// isTypeAlias reports whether k is another spelling of kind or apiVersion, in upper or lower case.
func isTypeAlias(k string) bool {
	return k != "kind" && k != "apiVersion" && (strings.EqualFold(k, "kind") || strings.EqualFold(k, "apiVersion"))
}

func acceptsTypeAliases(root *plan.Node) bool {
	return root.Has&(plan.PreserveFields|plan.OtherKeys) != 0 ||
		slices.ContainsFunc(root.Props, func(p plan.Prop) bool { return isTypeAlias(p.Name) })
}

// normalize converts a decoded object to the form that the rest of the request uses (DEC-020 and defaults). It reports
// unknown fields together with the findings so far.
func (v *Version) normalize(ctx context.Context, obj map[string]any, findings []string) decoded {
	out, t, found, err := v.normalized(ctx, obj, findings)
	if refused := canceled(ctx); refused != nil {
		return decoded{obj: obj, refusal: refused}
	}
	if errors.As(err, new(*defaulting.LimitError)) {
		return decoded{refusal: refusal.TooLarge(err.Error())}
	}
	if err != nil {
		return decoded{refusal: v.unhandled(t.kind, t.version, err)}
	}
	d := decoded{obj: out, sent: obj}
	v.reportFields(&d, &found, t)
	return d
}

// hasVersion reports whether obj has an apiVersion that contains a version.
func hasVersion(obj map[string]any) bool {
	_, version, _ := objectmeta.GroupVersion(textOf(obj, "apiVersion"))
	return version != ""
}

const noAPIVersion = "Object 'apiVersion' is missing in 'object has no apiVersion field'"

//lint:ignore ST1005 the server's text
var errNoAPIVersion = errors.New(noAPIVersion)

// A typeOf is the type that an object declares.
type typeOf struct{ kind, group, version string }

// normalized returns a decoded object after DEC-020, with defaults. found has the findings so far and the object's
// unknown fields, unless the request ignores those.
func (v *Version) normalized(ctx context.Context, obj map[string]any, findings []string) (
	out map[string]any, t typeOf, found refusal.Texts, err error,
) {
	var apiVersion string
	if t.kind, err = typeText(obj, "kind"); err != nil {
		return nil, t, found, err
	}
	if apiVersion, err = typeText(obj, "apiVersion"); err != nil {
		return nil, t, found, err
	}
	if t.group, t.version, err = objectmeta.GroupVersion(apiVersion); err != nil {
		return nil, t, found, err
	}
	n := normalizer{ctx: ctx, track: v.options.FieldValidation != FieldValidationIgnore, limit: v.options.Limit, unknown: v.texts(findings)}
	if out, err = n.object(v.resource, obj, t.group, t.version, t.kind); err != nil {
		return nil, t, found, err
	}
	if err = ctx.Err(); err != nil {
		return nil, t, found, err
	}
	if of := v.resource.versions[t.version]; of != nil && v.resource.has(t.group, t.kind) {
		if out, err = v.complete(of.schema, out); err != nil {
			return nil, t, found, err
		}
	}
	return out, t, n.unknown, nil
}

// complete returns a decoded object with its defaults: those of s, and those of a native kind.
func (v *Version) complete(s *schema.Structural, obj map[string]any) (map[string]any, error) {
	limit := v.options.Defaults
	obj, err := defaulting.FillWithin(s, obj, limit)
	if err != nil || v.native() == nil {
		return obj, err
	}
	limit.Values = cmp.Or(limit.Values, fill.MaxValues)
	completed, ok := v.native().Complete(obj, limit.Values)
	if !ok {
		limit.Bytes = cmp.Or(limit.Bytes, fill.MaxBytes)
		return obj, &defaulting.LimitError{Limit: limit}
	}
	return completed, nil
}

// typeText returns the kind or the apiVersion of obj: empty if absent, an error if it is not a string (DEC-020 step 1).
func typeText(obj map[string]any, key string) (string, error) {
	v, ok := obj[key]
	if !ok {
		return "", nil
	}
	text, ok := v.(string)
	if !ok {
		return "", fmt.Errorf(".%s accessor error: %v is of the type %T, expected string", key, v, v)
	}
	return text, nil
}

// otherVersion refuses an object whose apiVersion differs from the endpoint's (DEC-015).
func (v *Version) otherVersion(obj map[string]any) *field.Status {
	apiVersion := textOf(obj, "apiVersion")
	if apiVersion == v.groupText {
		return nil
	}
	group, version, _ := objectmeta.GroupVersion(apiVersion)
	if group == v.resource.group && version == v.name {
		return nil
	}
	return refusal.OtherVersion(objectmeta.APIVersion(group, version), v.groupText)
}

// textOf returns the string at a key, or "" if there is none.
func textOf(m map[string]any, key string) string {
	text, _ := m[key].(string)
	return text
}

// metadata returns the metadata of a decoded object, or nil if it has none.
func metadata(obj map[string]any) map[string]any {
	meta, _ := obj["metadata"].(map[string]any)
	return meta
}
