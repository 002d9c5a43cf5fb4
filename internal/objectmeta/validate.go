package objectmeta

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/names"
)

// ValidateCreate returns what is wrong with the metadata of a new object: its generateName, name, namespace,
// generation, labels, annotations, owner references, finalizers and managed fields, in this order. Within labels and
// annotations the order is that of the keys. path is that of the metadata.
//
// A name or a generateName is required. If there is only a valid generateName, the name that [GeneratedName] makes of
// it is validated too. That refuses the generateName _-, which is valid by itself. (A server validates the generated
// name even if the generateName is invalid, and returns a second error, about a name that the client has not sent.)
//
// A nil meta is empty. If meta cannot be read, that is the only error. The server removes duplicate texts from the
// errors of its first check ([errlist.DistinctErrors]), but not from those of the second, generic one. The errors end
// at the limit.
//
// Clauses: MET-000 to MET-009, MET-012, MET-020 to MET-022.
func ValidateCreate(meta any, path *field.Path, namespaced bool, rule *NameRule, limit field.Limit) field.List {
	read, unreadable := readAt(path, meta)
	if unreadable != nil {
		return unreadable
	}
	return validateCreate(read, path, namespaced, rule, limit)
}

func validateCreate(meta map[string]any, path *field.Path, namespaced bool, rule *NameRule, limit field.Limit) field.List {
	s := Summary{Name: text(meta["name"]), GenerateName: text(meta["generateName"]), Namespace: text(meta["namespace"])}
	errs := errlist.Within(limit)
	errs.Append(s.checkNames(path, rule, namespaced)...)
	for _, m := range Metadata.Members {
		if m.check != nil {
			errs.Append(m.check(path, meta[m.Name])...)
		}
	}
	return errs.Errors()
}

// ValidateUpdate returns what is wrong with an update of the metadata old to meta: the errors of [ValidateCreate] with
// the rule [PathSegment], and those of the update: finalizers added during deletion, a missing resourceVersion if old
// has one, a generation that decreases, changes of immutable members, then those errors of a create that are about
// labels, annotations, owner references and managed fields, in this order. A uid may be set if old has none. Before it
// validates metadata, the server does what [Retain] does.
//
// A nil map is empty. If either metadata cannot be read, that is the only error of the update. Each list ends at the
// limit. If there are no errors and both metadata are [Canonical], and old has few finalizers, ValidateUpdate allocates
// nothing.
//
// Clauses: MET-000, MET-002 to MET-012.
func ValidateUpdate(
	meta, old map[string]any, path *field.Path, namespaced bool, limit field.Limit,
) (create, update field.List) {
	read, unreadable := readAt(path, meta)
	if unreadable != nil {
		return unreadable, unreadable
	}
	create = validateCreate(read, path, namespaced, PathSegment, limit)
	was, unreadable := readAt(path, old)
	if unreadable != nil {
		return create, unreadable
	}
	errs := errlist.Within(limit)
	errs.Append(checkUpdate(path, read, was)...)
	for _, m := range Metadata.Members {
		if create != nil && m.check != nil && !m.createOnly { // its errors are also among those of the create
			errs.Append(m.check(path, read[m.Name])...)
		}
	}
	return create, errs.Errors()
}

// readAt reads the metadata at that path, even if it was read before: it may have a time that [Read] has written but
// cannot read again.
func readAt(path *field.Path, v any) (meta map[string]any, unreadable field.List) {
	if Canonical(v) { // This is faster.
		return object(v), nil
	}
	meta, _, err := Read(v, false)
	if err != nil {
		return nil, field.List{field.Invalid(path, v, err.Error())}
	}
	return meta, nil
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
	for _, m := range Metadata.Members {
		v, was := meta[m.Name], old[m.Name]
		if m.onUpdate&immutable == 0 && (m.onUpdate&once == 0 || was == nil) || v == was {
			continue
		}
		switch {
		case m.Kind == String && m.goType != "string": // a named type
			v = jsonText(text(v))
		case m.Kind == String:
			v = text(v)
		}
		errs = append(errs, field.Invalid(path.Child(m.Name), v, "field is immutable"))
	}
	return errs
}

// ValidCreate reports whether [ValidateCreate] returns no errors with either rule for names. Both apply to a create. If
// meta is [Canonical] and valid, ValidCreate allocates nothing.
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

// oneError is the limit when only the existence of errors matters.
var oneError = field.Limit{Errors: 1}

// A Summary has what most requests need to know about metadata, found in one walk. The zero value is that of metadata
// that is not canonical.
type Summary struct {
	Name, GenerateName, Namespace string // Each is empty if it is missing.

	Generation int64
	// Same reports that the old metadata is canonical and equal.
	Same bool
	// Relabeled reports that the old metadata is canonical, and equal except for labels and annotations.
	Relabeled bool
	// KeptByCreate reports that a create does not change the metadata, except for its namespace and generation, and
	// has no warnings about it.
	KeptByCreate bool
	// KeptByUpdate reports that an update does not change the metadata, and has no warnings about it, provided that it
	// is the Same.
	KeptByUpdate bool

	invalid bool // a member other than the names is invalid
}

// Summarize sets s to the summary of meta and reports whether meta is [Canonical]. If so, and if its members are valid,
// it allocates nothing. old is the old metadata, or nil.
func (s *Summary) Summarize(meta, old map[string]any) bool {
	if meta == nil {
		*s = Summary{}
		return false
	}
	*s = Summary{Same: old != nil, Relabeled: old != nil}
	var onCreate, onUpdate action
	common := 0 // the number of members that the old metadata has, too
	for k, v := range meta {
		m := Metadata.member(k)
		canonical, valid := m.assess(v)
		if !canonical {
			*s = Summary{}
			return false
		}
		switch k {
		case "name":
			s.Name = text(v)
		case "generateName":
			s.GenerateName = text(v)
		case "namespace":
			s.Namespace = text(v)
		case "generation":
			s.Generation, _ = v.(int64)
		}
		if s.Relabeled {
			w, ok := old[k]
			if ok {
				common++
			}
			if !ok || !jsonval.Equal(v, w) {
				s.Same = false
				s.Relabeled = m.Kind == StringMap && (!ok || m.canonical(w))
			}
		}
		onCreate |= m.onCreate
		onUpdate |= m.onUpdate
		s.invalid = s.invalid || !valid
	}
	if s.Relabeled && common < len(old) {
		s.Same, s.Relabeled = false, onlyLabelsRemoved(meta, old)
	}
	s.KeptByCreate = onCreate&(drop|examine) == 0
	s.KeptByUpdate = onUpdate&(drop|examine) == 0
	return true
}

// onlyLabelsRemoved reports whether each member that old has and meta lacks is canonical labels or annotations.
func onlyLabelsRemoved(meta, old map[string]any) bool {
	for k, w := range old {
		if _, ok := meta[k]; !ok {
			if m := Metadata.member(k); m == nil || m.Kind != StringMap || !m.canonical(w) {
				return false
			}
		}
	}
	return true
}

// assess reports whether reading leaves v, a value of m, unchanged, and if so, whether v is valid. For a nil m it
// reports false.
func (m *Member) assess(v any) (canonical, valid bool) {
	if m == nil {
		return false, false
	}
	if m.Kind == StringMap {
		// Make both checks in one walk: creates take 3 % less time, and equal updates 5 %.
		entries := object(v)
		size, canonical, valid := walkStrings(entries, m.entry)
		return canonical && len(entries) > 0, valid && (m.maxSize == 0 || size <= m.maxSize)
	}
	canonical = m.canonical(v)
	return canonical, canonical && (m.check == nil || m.check(nil, v) == nil)
}

// ValidCreate is [ValidCreate] for the metadata of the summary. It allocates nothing if that is valid and has a name.
func (s *Summary) ValidCreate(namespaced bool) bool {
	// Every name that Subdomain accepts is a path segment. For generateNames that is not so: it accepts /-.
	return !s.invalid && s.checkNames(nil, Subdomain, namespaced) == nil &&
		(s.GenerateName == "" || s.checkNames(nil, PathSegment, namespaced) == nil)
}

// ValidUpdate reports whether [ValidateUpdate] returns no errors for the metadata of the summary and an old one that is
// the Same or Relabeled.
func (s *Summary) ValidUpdate(namespaced bool) bool {
	return !s.invalid && s.checkNames(nil, PathSegment, namespaced) == nil
}

// ValidateEmbedded returns what is wrong with the apiVersion, kind and metadata of an embedded resource: first a
// missing apiVersion or kind, then the errors of apiVersion, kind and metadata, in this order. path is that of obj, nil
// for the root.
//
// An apiVersion must be a string with at most one slash. A kind in lower case must be a DNS label that starts with a
// letter. The metadata is optional. If [Read] fails, that is its only error. Otherwise what Read returns is validated
// as in [ValidateCreate] with the rule [PathSegment], as namespaced if it has a namespace, except that a name is not
// required and that duplicate texts are removed. The errors end at the limit.
//
// Clauses: OME-020, EMB-006, MET-014.
func ValidateEmbedded(obj map[string]any, path *field.Path, limit field.Limit) field.List {
	errs := errlist.Within(limit)
	for _, key := range typeFields {
		if _, ok := obj[key]; !ok {
			errs.Add(field.Required(path.Child(key), ""))
		}
	}
	for _, key := range typeFields {
		if v, ok := obj[key]; ok {
			if detail := typeDetail(key, v); detail != "" {
				errs.Add(field.Invalid(path.Child(key), v, detail))
			}
		}
	}
	if metadata, ok := obj["metadata"]; ok && !ValidEmbeddedMetadata(metadata) {
		errs.Append(errlist.DistinctErrors(ValidateCreate(metadata, path.Child("metadata"), false, embedded, errs.Left()))...)
	}
	return errs.Errors()
}

var typeFields = [...]string{"apiVersion", "kind"}

// ValidEmbedded reports whether [ValidateEmbedded] returns no errors. If so, and if the metadata is [Canonical], it
// allocates nothing.
//
// Clauses: OME-020, EMB-006.
func ValidEmbedded(obj map[string]any) bool { return ValidateEmbedded(obj, nil, oneError) == nil }

// ValidEmbeddedMetadata reports whether v is canonical and valid metadata of an embedded resource. It allocates
// nothing.
//
// Clauses: OME-020, EMB-006.
func ValidEmbeddedMetadata(v any) bool {
	var s Summary
	return s.Summarize(object(v), nil) && !s.invalid && s.checkNames(nil, embedded, false) == nil
}

// ValidTypeField reports whether an embedded resource may have that apiVersion or kind, whichever the key says
// (OME-020).
func ValidTypeField(key, text string) bool { return typeDetail(key, text) == "" }

// typeDetail returns the detail of the error of an apiVersion or a kind, empty for a valid one.
func typeDetail(key string, v any) string {
	s, ok := v.(string)
	switch _, _, err := GroupVersion(s); {
	case !ok:
		return "must be a string"
	case s == "":
		return "must not be empty"
	case key == "kind" && !names.IsDNS1035LabelFold(s):
		messages := names.DNS1035Label(strings.ToLower(s))
		return "may have mixed case, but should otherwise match: " + strings.Join(messages, ",")
	case key == "apiVersion" && err != nil:
		return err.Error()
	}
	return ""
}
