package objectmeta

import (
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/names"
)

// ValidateEmbedded returns what is wrong with the apiVersion, kind and metadata of an embedded resource: first a missing apiVersion or
// kind, then the errors of apiVersion, kind and metadata, in this order. path is that of obj, nil for the root.
//
// An apiVersion must be a string with at most one slash. A kind in lower case must be a DNS label that starts with a letter. The
// metadata is optional. If [Read] fails, that is its only error. Otherwise what Read returns is validated as in [ValidateCreate]
// with the rule [PathSegment], as namespaced if it has a namespace, except that a name is not required and that duplicate texts are
// removed. The errors end at the limit.
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
		if detail := apiVersionDetail(apiVersion); detail != "" {
			errs.Add(field.Invalid(path.Child("apiVersion"), apiVersion, detail))
		}
	}
	if hasKind {
		if detail := kindDetail(kind); detail != "" {
			errs.Add(field.Invalid(path.Child("kind"), kind, detail))
		}
	}
	if metadata, ok := obj["metadata"]; ok && !ValidEmbeddedMetadata(metadata) {
		errs.Append(validateEmbedded(metadata, path.Child("metadata"), errs.Left())...)
	}
	return errs.Errors()
}

// ValidEmbedded reports whether [ValidateEmbedded] returns no errors. If so, and if the metadata is [Canonical], it allocates nothing.
//
// Clauses: OME-020, EMB-006.
func ValidEmbedded(obj map[string]any) bool { return ValidateEmbedded(obj, nil, oneError) == nil }

// ValidAPIVersion reports whether an embedded resource may have that apiVersion (OME-020).
func ValidAPIVersion(apiVersion string) bool { return apiVersionDetail(apiVersion) == "" }

// apiVersionDetail returns the detail of the error of an apiVersion, empty if it is valid.
func apiVersionDetail(v any) string {
	s, ok := v.(string)
	if !ok {
		return mustBeString
	}
	if s == "" {
		return mustNotBeEmpty
	}
	if _, _, err := GroupVersion(s); err != nil {
		return err.Error()
	}
	return ""
}

// ValidKind reports whether an embedded resource may have that kind (OME-020).
func ValidKind(kind string) bool { return kindDetail(kind) == "" }

// kindDetail returns the detail of the error of a kind, empty if it is valid.
func kindDetail(v any) string {
	s, ok := v.(string)
	switch {
	case !ok:
		return mustBeString
	case s == "":
		return mustNotBeEmpty
	case names.IsDNS1035LabelFold(s):
		return ""
	}
	return "may have mixed case, but should otherwise match: " + strings.Join(names.DNS1035Label(strings.ToLower(s)), ",")
}

const (
	mustBeString   = "must be a string"
	mustNotBeEmpty = "must not be empty"
)

// ValidEmbeddedMetadata reports whether v is canonical and valid metadata of an embedded resource. It allocates nothing.
//
// Clauses: OME-020, EMB-006.
func ValidEmbeddedMetadata(v any) bool {
	var s Summary
	m, _ := v.(map[string]any)
	return s.Summarize(m, nil) && s.validRest && s.valid(PathSegment, false, s.Namespace != "")
}

func validateEmbedded(v any, path *field.Path, limit field.Limit) field.List {
	meta, _, err := Read(v)
	if err != nil {
		return field.List{field.Invalid(path, v, err.Error())}
	}
	return Deduplicate(check(meta, path, PathSegment, false, text(meta["namespace"]) != "", limit))
}
