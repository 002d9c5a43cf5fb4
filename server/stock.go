package server

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/apiextensions/v1"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/unstructured"
)

// This file handles objects of the built-in kinds of Kubernetes. Their bodies may be protobuf, null means that a field
// is not set, and few of them count generations.

// bodyAsJSON returns the body of an object of a built-in kind as JSON for package resource, and sets the content type.
// It returns other bodies unchanged.
func (q *request) bodyAsJSON(o writing) ([]byte, *field.Status) {
	body := o.body
	if q.kind.Type == "" {
		return body, nil
	}
	var findings []string // duplicate fields, which are lost below
	definition := q.kind.Type == catalog.DefinitionType
	mediaType, _, _ := mime.ParseMediaType(q.r.Header.Get("Content-Type"))
	var err error
	switch {
	case mediaType == protobufType:
		var obj map[string]any
		if obj, err = protobufObject(body, q.kind.Type); err == nil {
			body, err = json.Marshal(obj)
		}
	case mediaType != jsonType && mediaType != yamlType && mediaType != "":
		return body, nil // refused later
	case definition && mediaType == yamlType:
		text, failed := unstructured.YAMLToJSON(body)
		typedText := asType(text, q.kind.Group, q.kind.VersionName, q.kind.Names.Kind)
		if failed != nil || bytes.Equal(typedText, text) {
			return body, undecodable(text) // package resource reports what is special in YAML
		}
		body = typedText
	case mediaType == yamlType, mediaType == "" && !definition && !json.Valid(body):
		body, findings, err = unstructured.YAMLToJSONStrict(body)
	}
	if err != nil {
		return nil, refusal.BadRequest(err.Error())
	}
	q.r.Header.Set("Content-Type", jsonType)
	if definition {
		body = asType(body, q.kind.Group, q.kind.VersionName, q.kind.Names.Kind)
		return body, undecodable(body) // package crdcheck handles null
	}
	obj, duplicates, err := unstructured.DecodeJSONStrict(body)
	if err != nil {
		return body, nil // package resource refuses it
	}
	findings = append(findings, duplicates...)
	obj = withAll(obj, missingTypeOf(body, q.kind.Group, q.kind.VersionName, q.kind.Names.Kind))
	if refused := q.otherType(obj, body, q.kind.Group, q.kind.VersionName, q.kind.Names.Kind); refused != nil {
		return nil, refused
	}
	if mediaType != protobufType && q.isOfKind(obj) {
		if err := catalog.BuiltInTypes().DecodeError(q.kind.Type, body); err != nil {
			return nil, refusal.Unhandled(q.kind.Names.Kind, q.kind.VersionName, q.kind.Names.Kind, err)
		}
	}
	decodeNulls(q.kind.Type, obj)
	body, _ = json.Marshal(obj) // a decoded object can be encoded
	return body, q.reportDuplicates(o, body, findings)
}

// isOfKind reports whether an object has the type of the request's kind.
func (q *request) isOfKind(obj map[string]any) bool {
	return text(obj, "kind") == q.kind.Names.Kind && text(obj, "apiVersion") == q.kind.APIVersion()
}

// reportDuplicates adds warnings about the duplicate fields in the text of an object, or refuses it, as the request asks
// for. A refusal also has the unknown fields in body, the object as JSON.
func (q *request) reportDuplicates(o writing, body []byte, findings []string) *field.Status {
	switch {
	case len(findings) == 0 || o.fieldValidation == resource.FieldValidationIgnore:
		return nil
	case o.fieldValidation != resource.FieldValidationStrict:
		q.warnings = append(q.warnings, fieldTexts(refusal.FindingLines(findings))...)
		return nil
	}
	unknown, err := q.unknownFields(o, body)
	if err != nil {
		return failed(err)
	}
	kind := q.kind.Names.Kind
	return refusal.BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: strict decoding error: %s",
		kind, q.kind.VersionName, kind, strings.Join(fieldTexts(append(findings, unknown...)), ", ")))
}

// reportPatch adds what is found in a strategic merge patch to the result: the duplicate fields of its text. In a strict
// request they and the unknown fields of the patched object refuse it.
func (q *request) reportPatch(o writing, patched map[string]any, r resource.Result) resource.Result {
	if o.fieldValidation == resource.FieldValidationIgnore {
		return r
	}
	patch, findings, _ := unstructured.DecodeJSONStrict(o.body) // which was decoded before
	if o.fieldValidation != resource.FieldValidationStrict {
		r.Warnings = append(fieldTexts(findings), r.Warnings...)
		return r
	}
	const strict = "strict decoding error: "
	if text, err := json.Marshal(patched); err == nil && q.sub != "scale" {
		unknown, _ := q.unknownFields(o, text) // another error is that of the result
		findings = append(findings, unknown...)
	}
	if len(findings) > 0 {
		wrong := field.Invalid(field.NewPath("patch"), refusal.Cut(fmt.Sprint(patch)), strict+strings.Join(fieldTexts(findings), ", "))
		return resource.Result{Failure: field.List{wrong}.Status("", "", "")}
	}
	return r
}

// unconvertible refuses a strategic merge patch whose result has values of wrong types.
func (q *request) unconvertible(o writing, patched map[string]any) *field.Status {
	if q.definition() || q.sub == "scale" {
		return nil
	}
	err := catalog.BuiltInTypes().ConvertError(q.kind.Type, patched)
	if err == nil {
		return nil
	}
	patch, _ := unstructured.DecodeJSON(o.body) // which was decoded before
	return field.List{field.Invalid(field.NewPath("patch"), refusal.Cut(fmt.Sprint(patch)), err.Error())}.Status("", "", "")
}

// unknownFields returns the findings about unknown fields in the JSON of an object, or why it is refused otherwise.
func (q *request) unknownFields(o writing, text []byte) ([]string, error) {
	options := q.options(o)
	options.FieldValidation, options.ContentType = resource.FieldValidationWarn, jsonType
	_, unknown, err := q.kind.Version().With(options).Decode(text)
	if err != nil {
		return nil, err
	}
	return unknown, nil
}

// fieldTexts returns as many findings as an answer may have, and the number of the others.
func fieldTexts(findings []string) []string {
	var texts refusal.Texts
	texts.Add(findings...)
	return texts.All(refusal.WhatFields)
}

// otherType refuses an object that is not of a type: that of a request for a built-in kind. sent is its JSON, or nil. A
// server decodes an object of another type first, and reports what is wrong with it.
func (q *request) otherType(obj map[string]any, sent []byte, wantGroup, wantVersion, wantKind string) *field.Status {
	apiVersion, kind := text(obj, "apiVersion"), text(obj, "kind")
	group, version, err := objectmeta.GroupVersion(apiVersion)
	if err != nil || kind == "" || group == wantGroup && version == wantVersion && kind == wantKind {
		return nil
	}
	listed := strings.TrimSuffix(kind, "List")
	other := cmp.Or(q.catalog.KindOf(group, version, kind), q.catalog.KindOf(group, version, listed))
	of, known := q.requestType(group, version, kind)
	if other != nil && other.BuiltIn && other.Type != catalog.DefinitionType {
		known = true
		if listed == kind {
			of = other.Type
		}
	}
	known = known || group == "" && version == "v1" && kind == "List"
	if kind == wantKind && (known || group+"/"+version == oldAutoscaling) {
		return nil // package resource refuses the other version
	}
	apiVersion, kind = refusal.Cut(apiVersion), refusal.Cut(kind)
	why := errors.New(refusal.NotRegistered(kind, apiVersion))
	if known {
		why = fmt.Errorf("converting (%s.%s) to (%s.%s): unknown conversion", version, kind, internalPackage(wantGroup), wantKind)
	}
	if of != "" && known {
		why = cmp.Or(catalog.BuiltInTypes().DecodeError(of, sent), why)
	}
	return refusal.Unhandled(kind, version, wantKind, why)
}

// onlyType is otherType for a kind that has one version here. It returns the version that was sent, which for an
// Eviction may be v1beta1: that is the same as v1.
func (q *request) onlyType(obj map[string]any, sent []byte, group, version, kind string) (string, *field.Status) {
	if obj["kind"] == "Eviction" && obj["apiVersion"] == policyGroup+"/v1beta1" && kind == "Eviction" {
		obj["apiVersion"] = policyGroup + "/v1"
		return "v1beta1", nil
	}
	if refused := q.otherType(obj, sent, group, version, kind); refused != nil {
		return "", refused
	}
	if got, want := text(obj, "apiVersion"), objectmeta.APIVersion(group, version); got != want {
		return "", refusal.OtherVersion(got, want)
	}
	return version, nil
}

// requestType reports whether a server has a type that is only in requests: the options, which each version of a group
// has, the objects that are sent to subresources, and reviews. of is the name of the type, if this server has that.
func (q *request) requestType(group, version, kind string) (of string, known bool) {
	switch kind {
	case "CreateOptions", "DeleteOptions", "GetOptions", "ListOptions", "PatchOptions", "UpdateOptions", "WatchEvent":
		return "", q.catalog.HasBuiltIn(group)
	case "Binding":
		return bindingType, group == "" && version == "v1"
	case "Eviction":
		return evictionType, group == policyGroup && (version == "v1" || version == "v1beta1")
	case "Scale":
		return "", slices.Contains([]string{"apps/v1beta1", "apps/v1beta2", "extensions/v1beta1"}, group+"/"+version)
	case tokenKind:
		return catalog.TokenRequestType, group == catalog.AuthenticationGroup && version == "v1"
	}
	for _, r := range catalog.Reviews {
		if r.Group == group && r.Kind == kind {
			known = version == "v1" || version == "v1beta1" || version == "v1alpha1" && kind == "SelfSubjectReview"
			return r.Type(), known
		}
	}
	return "", false
}

const policyGroup = "policy"

// oldAutoscaling is a version of HorizontalPodAutoscalers that this server does not have, but a server knows.
const oldAutoscaling = "autoscaling/v1"

// internalPackage returns the name of the package with Kubernetes' own types of a group, which errors have.
func internalPackage(group string) string {
	name, _, _ := strings.Cut(group, ".")
	if name == "" || name == "events" {
		return "core"
	}
	return name
}

// asType returns the JSON of an object with the kind and the apiVersion that a request expects, unless it has its own.
// Of the apiVersion, the group may be there. Custom resources have no such defaults.
func asType(body []byte, wantGroup, wantVersion, wantKind string) []byte {
	missing := missingTypeOf(body, wantGroup, wantVersion, wantKind)
	if len(missing) == 0 {
		return body
	}
	obj, err := unstructured.DecodeJSON(body)
	if err != nil {
		return body // package resource refuses it
	}
	body, _ = json.Marshal(withAll(obj, missing)) // a decoded object can be encoded
	return body
}

// withAll adds members to obj, which may be nil, as that of the body null is, and returns it.
func withAll(obj, members map[string]any) map[string]any {
	if obj == nil {
		obj = map[string]any{}
	}
	maps.Copy(obj, members)
	return obj
}

// missingTypeOf returns the kind and the apiVersion that asType adds.
func missingTypeOf(body []byte, wantGroup, wantVersion, wantKind string) map[string]any {
	apiVersion, kind, err := objectmeta.DecodeType(body)
	if err != nil {
		return nil // package resource refuses it
	}
	return missingType(apiVersion, kind, wantGroup, wantVersion, wantKind)
}

// missingType is missingTypeOf for an object with that apiVersion and kind.
func missingType(apiVersion, kind, wantGroup, wantVersion, wantKind string) map[string]any {
	group, version, err := objectmeta.GroupVersion(apiVersion)
	missing := map[string]any{}
	if kind == "" {
		missing["kind"] = wantKind
	}
	if err == nil && version == "" && (group == "" || group == wantGroup) {
		missing["apiVersion"] = objectmeta.APIVersion(wantGroup, wantVersion)
	}
	return missing
}

// undecodable refuses a definition that cannot be decoded: before anything else is checked, without warnings, and even
// if the write does not use the status.
func undecodable(body []byte) *field.Status {
	_, err := crd.Parse(body)
	if err == nil || !json.Valid(body) {
		return nil
	}
	if of := v1.DecodeError(body); of != nil {
		return undecodableDefinition(of)
	}
	var e *crd.ParseError
	if !errors.As(err, &e) {
		return nil
	}
	if part, _, _ := strings.Cut(e.Path, "."); part != "spec" && part != "status" {
		return nil // refused later
	}
	return undecodableDefinition(err)
}

// decodeNulls decodes the nulls in an object of a built-in type: in maps of texts, null is the empty text, and elsewhere
// nothing. It modifies obj.
func decodeNulls(of string, obj map[string]any) {
	catalog.BuiltInTypes().FillNulls(of, obj)
	withoutNulls(obj)
}

// withoutNulls removes the keys with null from all maps in v. It modifies v.
func withoutNulls(v any) {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			if e == nil {
				delete(x, k)
			}
			withoutNulls(e)
		}
	case []any:
		for _, e := range x {
			withoutNulls(e)
		}
	}
}

// prepareStock completes a decoded object of a built-in kind. For a create, stored is nil.
func (q *request) prepareStock(r resource.Result, stored map[string]any) resource.Result {
	switch {
	case stored != nil || r.Object == nil:
	case q.kind.Segments:
		r.Errors = nameErrors(r.Errors, metadata(r.Object), format.PathSegment, format.PathSegmentPrefix)
	case q.kind.Type == serviceType:
		r.Errors = nameErrors(r.Errors, metadata(r.Object), format.DNS1123Label, format.DNS1123LabelPrefix)
	}
	if len(r.Errors) > 0 || r.Object == nil {
		return r
	}
	if _, ok := q.configures(); !ok {
		q.s.unsupported.once(q.kind.Names.Kind + " in " + q.kind.APIVersion() +
			" is stored: its metadata, the types of its fields and what docs/server.md lists are validated")
	}
	if sent := mapAt(r.Object, "status"); stored == nil && q.kind.Initial != nil && len(sent) == 0 {
		r.Object = maps.Clone(r.Object)
		r.Object["status"] = unstructured.Clone(q.kind.Initial)
	}
	if r = q.complete(r, stored); len(r.Errors) > 0 {
		return r
	}
	r.Object = q.encoded(r.Object)
	if stored == nil {
		r.Stored = r.Object // Stored is nil if nameErrors has removed errors
	}
	return r
}

// nameErrors is for new objects whose names need not be DNS subdomains. In errs, it replaces the errors of name and
// generateName with the messages of the functions name and prefix, which have the rules of the kind.
func nameErrors(errs field.List, meta map[string]any, name, prefix func(string) []string) field.List {
	namePath, prefixPath := field.NewPath("metadata", "name"), field.NewPath("metadata", "generateName")
	wrong := text(meta, "name")
	var others field.List
	for _, e := range errs {
		switch {
		case e.Type != field.ErrorTypeInvalid || e.Field != namePath.String() && e.Field != prefixPath.String():
			others = append(others, e)
		case e.Field == namePath.String():
			wrong, _ = e.BadValue.(string) // may be a generated name
		}
	}
	var out field.List
	if base := text(meta, "generateName"); base != "" {
		for _, message := range prefix(base) {
			out = append(out, field.Invalid(prefixPath, base, message))
		}
	}
	if wrong != "" {
		for _, message := range name(wrong) {
			out = append(out, field.Invalid(namePath, wrong, message))
		}
	}
	return append(out, others...)
}

// encoded returns obj as a server encodes objects of the kind: without a generation if the kind does not count them, as
// most built-in kinds do not, and with null for empty lists that are never omitted. It does not modify obj.
func (q *request) encoded(obj map[string]any) map[string]any {
	if !q.kind.BuiltIn || obj == nil {
		return obj
	}
	if !q.kind.Generation && metadata(obj)["generation"] != nil {
		meta := maps.Clone(metadata(obj))
		delete(meta, "generation")
		obj = with(obj, meta)
	}
	for _, name := range q.kind.Lists {
		if v, has := obj[name]; (!has || v != nil) && len(listAt(obj, name)) == 0 {
			obj = withMember(obj, []string{name}, nil)
		}
	}
	return obj
}

// withoutNulls returns obj, which is as encoded returns objects, without the nulls for empty lists.
func (q *request) withoutNulls(obj map[string]any) map[string]any {
	for _, name := range q.kind.Lists {
		if v, has := obj[name]; has && v == nil {
			obj = maps.Clone(obj)
			delete(obj, name)
		}
	}
	return obj
}

// current returns obj, the body of an update. If obj has no resourceVersion and the kind allows unconditional updates,
// as most built-in kinds do, the result has the resourceVersion of the stored object.
func (q *request) current(obj, stored map[string]any) map[string]any {
	if !q.kind.Unconditional || text(metadata(obj), "resourceVersion") != "" || metadata(obj) == nil {
		return obj
	}
	meta := maps.Clone(metadata(obj))
	meta["resourceVersion"] = metadata(stored)["resourceVersion"]
	return with(obj, meta)
}

// unversioned returns an apply configuration. If the kind allows unconditional updates, it removes an empty
// resourceVersion.
func (q *request) unversioned(body []byte) []byte {
	obj, err := unstructured.Decode(body)
	meta := metadata(obj)
	if version, is := meta["resourceVersion"].(string); err != nil || !q.kind.Unconditional || !is || version != "" {
		return body // package apply refuses invalid bodies
	}
	delete(meta, "resourceVersion")
	out, _ := json.Marshal(obj) // a decoded object can be encoded
	return out
}

// mergePatchOf returns the JSON merge patch from before to after.
func mergePatchOf(before, after map[string]any) map[string]any {
	patch := map[string]any{}
	for k, old := range before {
		now, has := after[k]
		if !has {
			patch[k] = nil
			continue
		}
		was, wasMap := old.(map[string]any)
		is, isMap := now.(map[string]any)
		if wasMap && isMap {
			if inner := mergePatchOf(was, is); len(inner) > 0 {
				patch[k] = inner
			}
		} else if identity(old) != identity(now) {
			patch[k] = now
		}
	}
	for k, now := range after {
		if _, has := before[k]; !has {
			patch[k] = now
		}
	}
	return patch
}

// strategicMerge returns the JSON merge patch that has the same effect on a stored object, or on its scale, as a
// strategic merge patch, and the patched object.
func (q *request) strategicMerge(patch []byte, stored map[string]any) (merge []byte, after map[string]any, err error) {
	obj, err := unstructured.DecodeJSON(patch)
	switch {
	case err != nil && !json.Valid(patch):
		return nil, nil, errors.New("invalid JSON patch")
	case err != nil:
		return nil, nil, err
	}
	of := q.kind.Type
	if q.sub == "scale" && stored != nil {
		if stored, err = q.kind.Version().Scale(stored); err != nil {
			return nil, nil, err
		}
		of = "" // a Scale has no lists that are merged
	}
	m := merger{types: catalog.BuiltInTypes()}
	delete(obj, "apiVersion") // the patch changes a decoded object, which has no type
	delete(obj, "kind")
	if after, err = m.object(stored, obj, of); err != nil {
		return nil, nil, err
	}
	merge, err = json.Marshal(mergePatchOf(stored, after))
	return merge, after, err
}
