package server

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/protocol"
	"github.com/crdkit/crdkit/unstructured"
)

// A deletion has the options of a DELETE, from its query or its body.
type deletion struct {
	writing
	policy        string
	accepted      bool   // the answer is 202 if the object is not deleted at once
	collected     bool   // by the garbage collector, for which kinds have no default policy
	gracePeriod   *int64 // in seconds, for Pods
	preconditions resource.Preconditions
	unsafe        bool           // delete an object only if it cannot be read
	options       map[string]any // for reviews
}

// deleteOptions are DeleteOptions in a request.
type deleteOptions struct {
	Kind                 string         `json:"kind"`
	APIVersion           string         `json:"apiVersion"`
	DryRun               []string       `json:"dryRun"`
	PropagationPolicy    *string        `json:"propagationPolicy"`
	OrphanDependents     *bool          `json:"orphanDependents"`
	GracePeriod          *int64         `json:"gracePeriodSeconds"`
	Preconditions        *preconditions `json:"preconditions"`
	IgnoreStoreReadError *bool          `json:"ignoreStoreReadErrorWithClusterBreakingPotential"`
}

type preconditions struct {
	UID             *string `json:"uid"`
	ResourceVersion *string `json:"resourceVersion"`
}

const ignoreStoreReadError = "ignoreStoreReadErrorWithClusterBreakingPotential"

// deletion reads the options of a DELETE from the body, or from the query if there is no body.
func (q *request) deletion() (d deletion, refused *field.Status) {
	body, refused := q.body()
	if refused != nil {
		return d, refused
	}
	sent, refused := q.queriedDeleteOptions()
	if len(body) > 0 {
		sent, refused = q.decodeDeleteOptions(body)
	}
	if refused != nil {
		return d, refused
	}
	d, errs := sent.deletion()
	if len(errs) > 0 {
		return d, invalidOptions("DeleteOptions", errs...)
	}
	return d, nil
}

// deletion returns the deletion with these options, or the errors in them.
func (sent *deleteOptions) deletion() (d deletion, errs field.List) {
	policy, path := sent.PropagationPolicy, field.NewPath("propagationPolicy")
	if policy != nil && sent.OrphanDependents != nil {
		errs = append(errs, field.Invalid(path, *policy, "orphanDependents and deletionPropagation cannot be both set"))
	}
	if policy != nil && !slices.Contains(policies, *policy) {
		errs = append(errs, field.NotSupported(path, *policy, append(slices.Clone(policies), "nil")...))
	}
	var more field.List
	d.dryRun, more = protocol.DryRun(sent.DryRun)
	switch {
	case policy != nil:
		d.policy = *policy
	case sent.OrphanDependents != nil && *sent.OrphanDependents:
		d.policy = resource.PropagationOrphan
	case sent.OrphanDependents != nil:
		d.policy, d.accepted = resource.PropagationBackground, true
	}
	d.gracePeriod = sent.GracePeriod
	if sent.Preconditions != nil {
		d.preconditions = resource.Preconditions(*sent.Preconditions)
	}
	d.unsafe = sent.IgnoreStoreReadError != nil && *sent.IgnoreStoreReadError
	d.options = sent.reviewed()
	return d, append(append(errs, more...), sent.combined()...)
}

// combined returns an error for each option that cannot be combined with ignoring errors of the store.
func (sent *deleteOptions) combined() (errs field.List) {
	if sent.IgnoreStoreReadError == nil || !*sent.IgnoreStoreReadError {
		return nil
	}
	for _, option := range []struct {
		set  bool
		name string
	}{
		{sent.PropagationPolicy != nil, "propagationPolicy"},
		{sent.OrphanDependents != nil, "orphanDependents"},
		{sent.GracePeriod != nil, "gracePeriodSeconds"},
		{sent.Preconditions != nil, "preconditions"},
	} {
		if option.set {
			errs = append(errs, field.Invalid(field.NewPath(ignoreStoreReadError), true, "cannot be set together with ."+option.name))
		}
	}
	return errs
}

// reviewed returns the options as they are in a review, without those of a dry run.
func (sent *deleteOptions) reviewed() map[string]any {
	out, conditions := map[string]any{}, map[string]any{}
	if v := sent.GracePeriod; v != nil {
		out["gracePeriodSeconds"] = *v
	}
	if v := sent.OrphanDependents; v != nil {
		out["orphanDependents"] = *v
	}
	if v := sent.PropagationPolicy; v != nil {
		out["propagationPolicy"] = *v
	}
	if of := sent.Preconditions; of != nil && of.UID != nil {
		conditions["uid"] = *of.UID
	}
	if of := sent.Preconditions; of != nil && of.ResourceVersion != nil {
		conditions["resourceVersion"] = *of.ResourceVersion
	}
	if len(conditions) > 0 {
		out["preconditions"] = conditions
	}
	return out
}

// policies are the values of propagationPolicy.
var policies = []string{resource.PropagationForeground, resource.PropagationBackground, resource.PropagationOrphan}

// queriedDeleteOptions reads the options of a DELETE without a body.
func (q *request) queriedDeleteOptions() (sent *deleteOptions, refused *field.Status) {
	sent = &deleteOptions{DryRun: q.query["dryRun"]}
	if q.has("propagationPolicy") {
		sent.PropagationPolicy = &q.query["propagationPolicy"][0]
	}
	if q.has("orphanDependents") {
		orphan := q.flag("orphanDependents")
		sent.OrphanDependents = &orphan
	}
	uid, revision := q.query.Get("uid"), q.query.Get("resourceVersion")
	if uid != "" || revision != "" {
		sent.Preconditions = new(preconditions)
	}
	if uid != "" {
		sent.Preconditions.UID = &uid
	}
	if revision != "" {
		sent.Preconditions.ResourceVersion = &revision
	}
	if q.has(ignoreStoreReadError) {
		ignored := q.flag(ignoreStoreReadError)
		sent.IgnoreStoreReadError = &ignored
	}
	sent.GracePeriod, refused = q.integer("gracePeriodSeconds")
	return sent, refused
}

// decodeDeleteOptions decodes a body by its content type. A body that cannot be decoded is refused and not ignored,
// because it may ask for a dry run.
func (q *request) decodeDeleteOptions(body []byte) (*deleteOptions, *field.Status) {
	mediaType, refused := q.mediaType()
	if refused != nil {
		return nil, refused
	}
	var obj map[string]any
	var err error
	switch mediaType {
	case protobufType:
		obj, err = protobufObject(body, "meta.v1.DeleteOptions")
	case yamlType:
		body, err = unstructured.YAMLToJSON(body)
	}
	if err == nil && mediaType != protobufType {
		if _, _, err = objectmeta.DecodeType(body); err == nil { // a server decodes the type first
			if obj, err = unstructured.DecodeJSON(body); err != nil {
				err = fmt.Errorf("couldn't get version/kind; json parse error: %w", err)
			}
		}
	}
	if err != nil {
		return nil, refusal.BadRequest(err.Error())
	}
	sent := new(deleteOptions)
	err = unstructured.ToStruct(obj, sent)
	if wrong := new(json.UnmarshalTypeError); errors.As(err, &wrong) {
		wrong.Struct = "DeleteOptions"
		err = wrong
	}
	if err != nil {
		return nil, refusal.BadRequest(err.Error())
	}
	return sent, checkOptionsKind(sent)
}

// decodedAs decodes a body as the object of a kind that is not that of the request, with the type named of. It reports
// unknown and duplicate fields as the request asks for. The object has metadata.
func (q *request) decodedAs(o writing, of, group, version, kind string) (obj map[string]any, refused *field.Status) {
	mediaType, refused := q.mediaType()
	if refused != nil {
		return nil, refused
	}
	if mediaType == protobufType {
		var err error
		if obj, err = protobufObject(o.body, of); err != nil {
			return nil, refusal.BadRequest(err.Error())
		}
		obj = withAll(obj, missingType(text(obj, "apiVersion"), text(obj, "kind"), group, version, kind))
		_, refused = q.onlyType(obj, nil, group, version, kind)
	} else {
		obj, refused = q.decodedText(o, mediaType, of, group, version, kind)
	}
	if refused != nil {
		return nil, refused
	}
	meta, _, err := objectmeta.Read(obj["metadata"], false)
	if err != nil {
		return nil, refusal.Unhandled(kind, version, kind, err)
	}
	decodeNulls(of, obj)
	obj["metadata"] = meta
	return obj, nil
}

// decodedText is decodedAs for JSON and YAML.
func (q *request) decodedText(o writing, mediaType, of, group, version, kind string) (obj map[string]any, refused *field.Status) {
	text, findings := o.body, []string(nil)
	var err error
	switch {
	case mediaType == yamlType && o.fieldValidation == resource.FieldValidationIgnore:
		text, err = unstructured.YAMLToJSON(o.body)
	case mediaType == yamlType:
		text, findings, err = unstructured.YAMLToJSONStrict(o.body)
	}
	var apiVersion, ownKind string
	if err == nil {
		apiVersion, ownKind, err = objectmeta.DecodeType(text)
	}
	if err == nil {
		_, _, err = objectmeta.GroupVersion(apiVersion)
	}
	if err != nil {
		return nil, refusal.Unrecognized(kind, o.body, err)
	}
	if obj, err = unstructured.DecodeJSON(text); err != nil {
		return nil, refusal.Unhandled(kind, version, kind, err)
	}
	obj = withAll(obj, missingType(apiVersion, ownKind, group, version, kind))
	if version, refused = q.onlyType(obj, text, group, version, kind); refused != nil {
		return nil, refused
	}
	found, err := catalog.BuiltInTypes().DecodeStrict(of, text)
	if err != nil {
		return nil, refusal.Unhandled(kind, version, kind, err)
	}
	findings = append(refusal.FindingLines(findings), found...)
	switch {
	case len(findings) == 0 || o.fieldValidation == resource.FieldValidationIgnore:
	case o.fieldValidation == resource.FieldValidationStrict:
		return nil, refusal.Unhandled(kind, version, kind, errors.New("strict decoding error: "+strings.Join(fieldTexts(findings), ", ")))
	default:
		q.warnings = append(q.warnings, fieldTexts(findings)...)
	}
	return obj, nil
}

// checkOptionsKind refuses options of another kind than DeleteOptions, which every group has.
func checkOptionsKind(sent *deleteOptions) *field.Status {
	if sent.Kind == "" || sent.Kind == "DeleteOptions" {
		return nil
	}
	return refusal.BadRequest(refusal.NotRegistered(sent.Kind, cmp.Or(sent.APIVersion, protocol.MetaV1)))
}

// mediaType returns the content type of a body that is not a custom object, or refuses it. The default is JSON.
func (q *request) mediaType() (string, *field.Status) {
	contentType := q.r.Header.Get("Content-Type")
	if contentType == "" {
		return jsonType, nil
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	if err == nil && (mediaType == jsonType || mediaType == yamlType || mediaType == protobufType) {
		return mediaType, nil
	}
	return "", refusal.MediaType(jsonType + ", " + yamlType + ", " + protobufType)
}
