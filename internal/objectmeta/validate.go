package objectmeta

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
)

// A Server is an API server with the facts of a profile, whose checks and texts errors have. The zero value is the
// newest release.
type Server struct{ since.Profile }

// ValidateCreate returns what is wrong with the metadata of a new object: its generateName, name, namespace,
// generation, labels, annotations, owner references, finalizers and managed fields, in this order. Within labels and
// annotations the order is that of the keys. path is that of the metadata.
//
// A name or a generateName is required. If there is only a valid generateName, the name that [GeneratedName] makes of
// it is validated too. That refuses the generateName _-, which is valid by itself. (A server validates the generated
// name even if the generateName is invalid, and returns a second error, about a name that the client has not sent.)
//
// A nil meta is empty. If meta cannot be read, that is the only error. The server removes duplicate texts from the
// errors of its first check ([refusal.DistinctErrors]), but not from those of the second, generic one. The errors end
// at the limit.
//
// Clauses: MET-000 to MET-009, MET-012, MET-020 to MET-022.
func (v Server) ValidateCreate(meta any, path *field.Path, namespaced bool, rule *NameRule, limit field.Limit) field.List {
	read, unreadable := readAt(path, meta)
	if unreadable != nil {
		return unreadable
	}
	return v.validateCreate(read, path, namespaced, rule, limit)
}

// ValidateCreate is [Server.ValidateCreate] of the newest release.
func ValidateCreate(meta any, path *field.Path, namespaced bool, rule *NameRule, limit field.Limit) field.List {
	return Server{}.ValidateCreate(meta, path, namespaced, rule, limit)
}

func (v Server) validateCreate(meta map[string]any, path *field.Path, namespaced bool, rule *NameRule, limit field.Limit) field.List {
	s := Summary{Name: text(meta["name"]), GenerateName: text(meta["generateName"]), Namespace: text(meta["namespace"])}
	errs := refusal.Within(limit)
	errs.Append(s.checkNames(path, rule, namespaced)...)
	for _, m := range Metadata.Members {
		if m.check != nil {
			errs.Append(m.check(v, path, meta[m.Name])...)
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
func (v Server) ValidateUpdate(
	meta, old map[string]any, path *field.Path, namespaced bool, limit field.Limit,
) (create, update field.List) {
	read, unreadable := readAt(path, meta)
	if unreadable != nil {
		return unreadable, unreadable
	}
	create = v.validateCreate(read, path, namespaced, PathSegment, limit)
	was, unreadable := readAt(path, old)
	if unreadable != nil {
		return create, unreadable
	}
	errs := refusal.Within(limit)
	errs.Append(v.checkUpdate(path, read, was)...)
	for _, m := range Metadata.Members {
		if create != nil && m.check != nil && !m.createOnly { // its errors are also among those of the create
			errs.Append(m.check(v, path, read[m.Name])...)
		}
	}
	return create, errs.Errors()
}

// ValidateUpdate is [Server.ValidateUpdate] of the newest release.
func ValidateUpdate(
	meta, old map[string]any, path *field.Path, namespaced bool, limit field.Limit,
) (create, update field.List) {
	return Server{}.ValidateUpdate(meta, old, path, namespaced, limit)
}

// First returns the errors of the server's first check of meta, of which errs are those of [Server.ValidateCreate] or
// of the update of old. It removes in place those whose text an earlier one has, and the texts of some are others than
// in the second check. old is nil for a create.
//
// Clause: MET-014.
func (v Server) First(errs field.List, meta, old map[string]any) field.List {
	if v.Has(since.DistinctMetadata) {
		errs = refusal.DistinctErrors(errs)
	}
	if v.Has(since.DeclaredMetadata) {
		for i, e := range errs {
			errs[i] = declared(e, meta, old)
		}
	}
	return errs
}

// declared returns e as of [since.DeclaredMetadata].
func declared(e *field.Error, meta, old map[string]any) *field.Error {
	m := memberAt(e.Path)
	if m == nil {
		return e
	}
	c := *e
	switch {
	case m.onUpdate&(immutable|once) != 0 && m.Name != "name" && m.Name != "namespace" && e.Type == field.ErrorTypeInvalid:
		c.BadValue = nil
	case m.Items != nil && e.Type == field.ErrorTypeRequired && (old == nil || !jsonval.Equal(meta[m.Name], old[m.Name])):
		c.Detail = ""
	}
	return &c
}

// memberAt returns the member of metadata that a path leads to or through, or nil.
func memberAt(p *field.Path) *Member {
	steps := p.Segments()
	for i := len(steps) - 1; i > 0; i-- {
		if steps[i-1].Key == "metadata" {
			return Metadata.member(steps[i].Key)
		}
	}
	return nil
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
func (v Server) checkUpdate(path *field.Path, meta, old map[string]any) (errs field.List) {
	if old["deletionTimestamp"] != nil {
		if added := appendAdded(nil, meta, old, func(string) bool { return true }); len(added) > 0 {
			errs = append(errs, field.Forbidden(path.Child("finalizers"), fmt.Sprintf(
				"no new finalizers can be added if the object is being deleted, found new finalizers %#v", added)))
		}
	}
	if meta["resourceVersion"] == nil && old["resourceVersion"] != nil {
		errs = append(errs, field.Invalid(path.Child("resourceVersion"), "", "must be specified for an update"))
	}
	if v.Has(since.NegativeGeneration) {
		errs = append(errs, checkGeneration(v, path, meta["generation"])...)
	}
	if generation := generationOf(meta); generation < generationOf(old) {
		detail := "must not be decremented"
		if generation == 0 && v.Has(since.ClearedGeneration) {
			detail = "field cannot be cleared once set"
		}
		errs = append(errs, field.Invalid(path.Child("generation"), generation, detail))
	}
	for _, m := range Metadata.Members {
		is, was := meta[m.Name], old[m.Name]
		if m.onUpdate&immutable == 0 && (m.onUpdate&once == 0 || was == nil) || is == was {
			continue
		}
		errs = append(errs, field.Invalid(path.Child(m.Name), v.shown(m, is), "field is immutable"))
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

	invalid bool // a member other than the names is invalid

	dropped         bool  // an update drops or examines a member other than these lists:
	owners, managed []any // ownerReferences and managedFields
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
		switch m.Items {
		case nil:
			onUpdate |= m.onUpdate
		case owners:
			s.owners = list(v)
		default:
			s.managed = list(v)
		}
		s.invalid = s.invalid || !valid
	}
	if s.Relabeled && common < len(old) {
		s.Same, s.Relabeled = false, onlyLabelsRemoved(meta, old)
	}
	s.KeptByCreate = onCreate&(drop|examine) == 0
	s.dropped = onUpdate&(drop|examine) != 0
	return true
}

// KeptByUpdate reports whether an update that changes nothing but labels and annotations keeps the rest of the metadata
// as it is, and has no warnings about it. The metadata is valid, and the Same or Relabeled. It takes time linear in
// managedFields.
func (s *Summary) KeptByUpdate() bool {
	return !s.dropped && len(s.owners) < 2 && // there are no duplicates
		(len(s.managed) == 0 || !ResetsManagedFields(s.managed) && decodable(s.managed) && storedAsSent(s.managed))
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
	return canonical, canonical && (m.check == nil || m.check(Server{}, nil, v) == nil)
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
func (v Server) ValidateEmbedded(obj map[string]any, path *field.Path, limit field.Limit) field.List {
	errs := refusal.Within(limit)
	missing := ""
	if !v.Has(since.BareRequired) {
		missing = "must not be empty"
	}
	for _, key := range typeFields {
		if _, ok := obj[key]; !ok {
			errs.Add(field.Required(path.Child(key), missing))
		}
	}
	for _, key := range typeFields {
		if is, ok := obj[key]; ok {
			if detail := typeDetail(key, is); detail != "" {
				errs.Add(field.Invalid(path.Child(key), is, detail))
			}
		}
	}
	if metadata, ok := obj["metadata"]; ok && !ValidEmbeddedMetadata(metadata) {
		errs.Append(v.First(v.ValidateCreate(metadata, path.Child("metadata"), false, embedded, errs.Left()), object(metadata), nil)...)
	}
	return errs.Errors()
}

// ValidateEmbedded is [Server.ValidateEmbedded] of the newest release.
func ValidateEmbedded(obj map[string]any, path *field.Path, limit field.Limit) field.List {
	return Server{}.ValidateEmbedded(obj, path, limit)
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
	case key == "kind" && !format.IsDNS1035LabelFold(s):
		messages := format.DNS1035Label(strings.ToLower(s))
		return "may have mixed case, but should otherwise match: " + strings.Join(messages, ",")
	case key == "apiVersion" && err != nil:
		return err.Error()
	}
	return ""
}
