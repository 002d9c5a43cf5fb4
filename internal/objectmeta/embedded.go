package objectmeta

import (
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/names"
)

// ValidateEmbedded returns what is wrong with the apiVersion, kind and metadata of an embedded resource: first that apiVersion or
// kind is missing, then the errors of apiVersion, kind and metadata, in this order. path is the place of obj, nil for the root.
//
// An apiVersion must be a text with at most one slash; the lower case of a kind must be a DNS label that starts with a letter. A
// metadata need not be there. If [Read] refuses it, that is its only error. Otherwise what Read returns is judged as by [ValidateCreate]
// with the rule [PathSegment], as namespaced if it has a namespace, and may be without a name; each text is there once. The errors end at
// the limit.
//
// Clauses: OME-020, EMB-006, MET-014.
func ValidateEmbedded(obj map[string]any, path *field.Path, limit field.Limit) field.List {
	errs := errlist.Within(limit)
	apiVersion, hasAPIVersion := obj["apiVersion"]
	if !hasAPIVersion {
		errs.Add(field.Required(path.Child("apiVersion"), ""))
	}
	kind, hasKind := obj["kind"]
	if !hasKind {
		errs.Add(field.Required(path.Child("kind"), ""))
	}
	if hasAPIVersion {
		if err := checkAPIVersion(apiVersion, path.Child("apiVersion")); err != nil {
			errs.Add(err)
		}
	}
	if hasKind {
		if err := checkKind(kind, path.Child("kind")); err != nil {
			errs.Add(err)
		}
	}
	if metadata, ok := obj["metadata"]; ok {
		errs.Append(checkEmbeddedMetadata(metadata, path.Child("metadata"), errs.Left())...)
	}
	return errs.Errors()
}

func checkAPIVersion(v any, path *field.Path) *field.Error {
	s, ok := v.(string)
	if !ok {
		return field.Invalid(path, v, mustBeString)
	}
	if s == "" {
		return field.Invalid(path, s, mustNotBeEmpty)
	}
	if _, _, err := GroupVersion(s); err != nil {
		return field.Invalid(path, s, err.Error())
	}
	return nil
}

func checkKind(v any, path *field.Path) *field.Error {
	s, ok := v.(string)
	if !ok {
		return field.Invalid(path, v, mustBeString)
	}
	if s == "" {
		return field.Invalid(path, s, mustNotBeEmpty)
	}
	if messages := names.DNS1035Label(strings.ToLower(s)); messages != nil {
		return field.Invalid(path, s, "may have mixed case, but should otherwise match: "+strings.Join(messages, ","))
	}
	return nil
}

const (
	mustBeString   = "must be a string"
	mustNotBeEmpty = "must not be empty"
)

func checkEmbeddedMetadata(v any, path *field.Path, limit field.Limit) field.List {
	meta, _, err := Read(v)
	if err != nil {
		return field.List{field.Invalid(path, v, err.Error())}
	}
	c := checker{path: path, errs: errlist.Within(limit)}
	c.embedded(meta)
	return Deduplicate(c.errs.Errors())
}

// embedded checks the metadata of an embedded resource, as Read returned it. It needs no name.
func (c *checker) embedded(meta map[string]any) {
	c.name(nameOf(meta), PathSegment, false)
	c.create(meta, text(meta["namespace"]) != "")
}

// ValidEmbedded reports whether [ValidateEmbedded] finds nothing. It allocates nothing if the metadata is [Canonical].
//
// Clauses: OME-020, EMB-006.
func ValidEmbedded(obj map[string]any) bool {
	apiVersion, _ := obj["apiVersion"].(string)
	kind, _ := obj["kind"].(string)
	if apiVersion == "" || kind == "" || !names.IsDNS1035LabelFold(kind) {
		return false
	}
	if i := strings.IndexByte(apiVersion, '/'); i >= 0 && strings.IndexByte(apiVersion[i+1:], '/') >= 0 {
		return false
	}
	v, ok := obj["metadata"]
	if !ok {
		return true
	}
	var s Summary
	if m, _ := v.(map[string]any); s.Summarize(m, nil) {
		return s.validEmbedded()
	}
	meta, _, err := Read(v)
	if err != nil {
		return false
	}
	c := checker{errs: errlist.Within(oneError)}
	c.embedded(meta)
	return c.errs.Len() == 0
}
