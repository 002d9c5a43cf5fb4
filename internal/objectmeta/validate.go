package objectmeta

import (
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/names"
)

// ValidateCreate returns what is wrong with the metadata of a new object: its generateName, name, namespace, generation, labels,
// annotations, owner references, finalizers and managed fields, in this order. Within labels and annotations the order is that of
// the keys. path is that of the metadata.
//
// A name or a generateName is required. If there is only a valid generateName, the name that [GeneratedName] makes of it is validated
// too. That finds _-, which is valid as a generateName. (A server validates the generated name also if the generateName is invalid,
// and returns a second error, about a name that the client has not sent.)
//
// A nil meta is empty. Metadata that cannot be read has a single error. The server removes duplicate texts from its first check
// ([Deduplicate]), and not from the second, generic one. The errors end at the limit.
//
// Clauses: MET-000 to MET-009, MET-012, MET-020 to MET-022.
func ValidateCreate(meta map[string]any, path *field.Path, namespaced bool, rule NameRule, limit field.Limit) field.List {
	return validateNew(meta, path, namespaced, rule, limit, false)
}

// validateNew is [ValidateCreate], or, if embedded, the same for the metadata v of an embedded resource.
func validateNew(
	v any, path *field.Path, namespaced bool, rule NameRule, limit field.Limit, embedded bool,
) field.List {
	meta, unreadable := readAt(path, v)
	if unreadable != nil {
		return unreadable
	}
	n, errs := namesOf(meta), errlist.Within(limit)
	errs.Append(n.check(path, rule, !embedded, namespaced || embedded && n.Namespace != "")...)
	appendChecks(&errs, path, meta, false)
	return errs.Errors()
}

// ValidateUpdate returns what is wrong with an update of the metadata old to meta: finalizers added during deletion, a
// missing resourceVersion if old has one, a generation that decreases, changes of immutable members, then the errors of labels,
// annotations, owner references and managed fields as in [ValidateCreate], in this order. A uid may be set if old has none.
//
// The server applies the rules of create as well. Before both, it does what [Retain] does.
//
// A nil map is empty. If either metadata cannot be read, that is the only error. The errors end at the limit.
//
// Clauses: MET-000, MET-006 to MET-008, MET-010 to MET-012.
func ValidateUpdate(meta, old map[string]any, path *field.Path, limit field.Limit) field.List {
	meta, unreadable := readAt(path, meta)
	if unreadable != nil {
		return unreadable
	}
	if old, unreadable = readAt(path, old); unreadable != nil {
		return unreadable
	}
	errs := errlist.Within(limit)
	errs.Append(checkUpdate(path, meta, old)...)
	appendChecks(&errs, path, meta, true)
	return errs.Errors()
}

// readAt reads the metadata at that path, also if it was read before: it may have a time that was written and cannot be read again.
func readAt(path *field.Path, v any) (meta map[string]any, unreadable field.List) {
	meta, _, err := Read(v)
	if err != nil {
		return nil, field.List{field.Invalid(path, v, err.Error())}
	}
	return meta, nil
}

// appendChecks appends the errors of the members by themselves, those of an update if again.
func appendChecks(errs *errlist.List, path *field.Path, meta map[string]any, again bool) {
	for i := range Metadata.Members {
		if m := &Metadata.Members[i]; m.check != nil && !(again && m.createOnly) {
			errs.Append(m.check(path, meta[m.Name])...)
		}
	}
}

// checkUpdate returns the errors of the rules that compare with the old metadata.
func checkUpdate(path *field.Path, meta, old map[string]any) (errs field.List) {
	if old["deletionTimestamp"] != nil {
		if added := appendAdded(nil, meta, old, func(string) bool { return true }); len(added) > 0 {
			errs = append(errs, field.Forbidden(path.Child("finalizers"), fmt.Sprintf(
				"no new finalizers can be added if the object is being deleted, found new finalizers %#v", added)))
		}
	}
	if meta["resourceVersion"] == nil && old["resourceVersion"] != nil {
		errs = append(errs, field.Invalid(path.Child("resourceVersion"), "", "must be specified for an update"))
	}
	errs = append(errs, checkGeneration(path, meta["generation"])...)
	if generation := generationOf(meta); generation < generationOf(old) {
		errs = append(errs, field.Invalid(path.Child("generation"), generation, "must not be decremented"))
	}
	for i := range Metadata.Members {
		m := &Metadata.Members[i]
		if !m.immutable {
			continue
		}
		v, was := meta[m.Name], old[m.Name]
		if v == was || m.Name == "uid" && was == nil { // An old object without a uid was never stored.
			continue
		}
		if m.Kind == String {
			v = text(v)
		}
		if m.Name == "uid" {
			v = jsonText(text(v))
		}
		errs = append(errs, field.Invalid(path.Child(m.Name), v, "field is immutable"))
	}
	return errs
}

// ValidCreate reports whether [ValidateCreate] returns no errors with either rule for names. Both apply to a create. If meta is [Canonical]
// and valid, ValidCreate allocates nothing.
//
// Clauses: MET-000 to MET-009, MET-012.
func ValidCreate(meta map[string]any, namespaced bool) bool {
	var s Summary
	if s.Summarize(meta, nil) {
		return s.ValidCreate(namespaced)
	}
	return ValidateCreate(meta, nil, namespaced, Subdomain, oneError) == nil &&
		ValidateCreate(meta, nil, namespaced, PathSegment, oneError) == nil
}

// ValidUpdate reports whether neither [ValidateUpdate] nor [ValidateCreate] with the rule [PathSegment] returns errors. If both metadata
// are [Canonical], meta is valid and old has few finalizers, ValidUpdate allocates nothing.
//
// Clauses: MET-000, MET-002 to MET-012.
func ValidUpdate(meta, old map[string]any, namespaced bool) bool {
	var s Summary
	if s.Summarize(meta, old) && (s.Same || Canonical(old)) {
		return s.ValidUpdate(namespaced) && (s.Same || checkUpdate(nil, meta, old) == nil)
	}
	return ValidateUpdate(meta, old, nil, oneError) == nil && ValidateCreate(meta, nil, namespaced, PathSegment, oneError) == nil
}

// oneError is the limit when only the existence of errors matters.
var oneError = field.Limit{Errors: 1}

// A Summary is what most requests need to know about metadata, found in one walk. The zero value is that of metadata that is not canonical.
type Summary struct {
	Names
	Generation int64
	// Same reports that the old metadata is canonical and equal.
	Same bool
	// KeptByCreate reports that a create does not change the metadata, except for its namespace and generation, and has no warnings about
	// it. It may have a resourceVersion.
	KeptByCreate bool
	// KeptByUpdate reports that an update does not change the metadata, and has no warnings about it, provided that it is the Same.
	KeptByUpdate bool

	validRest bool // all members but the names are valid
}

// Summarize sets s to the summary of meta and reports whether meta is [Canonical]. If so, it allocates nothing. old is the old metadata, or nil.
func (s *Summary) Summarize(meta, old map[string]any) bool {
	if meta == nil {
		*s = Summary{}
		return false
	}
	*s = Summary{Same: old != nil && len(old) == len(meta), KeptByCreate: true, KeptByUpdate: true, validRest: true}
	for k, v := range meta {
		m := Metadata.member(k)
		if m == nil || !m.canonical(v) {
			*s = Summary{}
			return false
		}
		if s.Same {
			w, ok := old[k]
			s.Same = ok && jsonval.Equal(v, w)
		}
		s.KeptByCreate = s.KeptByCreate && m.onCreate == keep
		s.KeptByUpdate = s.KeptByUpdate && m.onUpdate != drop && m.onUpdate != examine
		switch m.Name {
		case "name":
			s.Name = text(v)
		case "generateName":
			s.GenerateName = text(v)
		case "namespace":
			s.Namespace = text(v)
		case "generation":
			s.Generation = v.(int64)
		case "deletionTimestamp":
			s.KeptByUpdate = false // An update may complete the deletion.
		}
		if m.check != nil && s.validRest {
			s.validRest = m.check(nil, v) == nil
		}
	}
	return true
}

// Prepared reports whether the metadata has no finalizers, and [PrepareCreate] with that namespace returns it as it is,
// without duplicates.
func (s *Summary) Prepared(namespace string) bool {
	return s.KeptByCreate && s.Generation == 1 && s.Namespace == namespace
}

// ValidCreate is [ValidCreate] for the metadata of the summary.
func (s *Summary) ValidCreate(namespaced bool) bool {
	return s.validRest && s.Names.ValidCreate(namespaced)
}

// ValidUpdate is [ValidUpdate] for the metadata of the summary and an old one that is the Same.
func (s *Summary) ValidUpdate(namespaced bool) bool {
	return s.validRest && s.Names.ValidUpdate(namespaced)
}

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
		errs.Append(Deduplicate(validateNew(metadata, path.Child("metadata"), false, PathSegment, errs.Left(), true))...)
	}
	return errs.Errors()
}

// ValidEmbedded reports whether [ValidateEmbedded] returns no errors. If so, and if the metadata is [Canonical], it allocates nothing.
//
// Clauses: OME-020, EMB-006.
func ValidEmbedded(obj map[string]any) bool { return ValidateEmbedded(obj, nil, oneError) == nil }

// ValidEmbeddedMetadata reports whether v is canonical and valid metadata of an embedded resource. It allocates nothing.
//
// Clauses: OME-020, EMB-006.
func ValidEmbeddedMetadata(v any) bool {
	var s Summary
	return s.Summarize(object(v), nil) && s.validRest && s.check(nil, PathSegment, false, s.Namespace != "") == nil
}

// ValidAPIVersion reports whether an embedded resource may have that apiVersion (OME-020).
func ValidAPIVersion(apiVersion string) bool { return apiVersionDetail(apiVersion) == "" }

// apiVersionDetail returns the detail of the error of an apiVersion, empty if it is valid.
func apiVersionDetail(v any) string {
	s, ok := v.(string)
	switch _, _, err := GroupVersion(s); {
	case !ok:
		return mustBeString
	case s == "":
		return mustNotBeEmpty
	case err != nil:
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

// Deduplicate returns errs without those whose text an earlier one has. It does not modify errs.
//
// Clause: MET-014.
func Deduplicate(errs field.List) field.List {
	if len(errs) < 2 {
		return errs
	}
	seen := make(map[string]bool, len(errs))
	return slices.DeleteFunc(slices.Clone(errs), func(e *field.Error) bool {
		text := e.Error()
		again := seen[text]
		seen[text] = true
		return again
	})
}
