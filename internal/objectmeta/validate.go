package objectmeta

import (
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/errlist"
)

// ValidateCreate returns what is wrong with the metadata of a new object: its generateName, name, namespace, generation, labels,
// annotations, owner references, finalizers and managed fields, in this order. Within labels and annotations the order is that of
// the keys. path is that of the metadata.
//
// A name or a generateName is required. If there is only a valid generateName, the name that [GeneratedName] makes of it is validated
// too. That finds _-, which is valid as a generateName. (A server validates the generated name also if the generateName is invalid,
// and returns a second error, about a name that the client has not sent.)
//
// Metadata that [Read] did not return may not convert, which is the only error then. A nil meta is empty. The server removes duplicate
// texts from its first check ([Deduplicate]), and not from the second, generic one. The errors end at the limit.
//
// Clauses: MET-000 to MET-009, MET-012, MET-020 to MET-022.
func ValidateCreate(meta map[string]any, path *field.Path, namespaced bool, rule NameRule, limit field.Limit) field.List {
	if err := Metadata.conversionError(meta, false); err != nil {
		return field.List{field.Invalid(path, meta, err.Error())}
	}
	return check(meta, path, rule, true, namespaced, limit)
}

// check is [ValidateCreate] for metadata that converts. Unless required, it may do without a name.
func check(
	meta map[string]any, path *field.Path, rule NameRule, required, namespaced bool, limit field.Limit,
) field.List {
	c, n := checker{path: path, errs: errlist.Within(limit)}, namesOf(meta)
	c.names(&n, rule, required, namespaced)
	c.members(meta)
	return c.errs.Errors()
}

// ValidateUpdate returns what is wrong with an update of the metadata old to meta: finalizers added during deletion, a
// missing resourceVersion if old has one, a generation that decreases, changes of immutable members, then the errors of labels,
// annotations, owner references and managed fields as in [ValidateCreate], in this order. A uid may be set if old has none.
//
// The server applies the rules of create as well. Before both, it does what [Retain] does.
//
// Metadata that [Read] did not return may not convert, which is the only error then. A nil map is empty. The errors end at the limit.
//
// Clauses: MET-000, MET-006 to MET-008, MET-010 to MET-012.
func ValidateUpdate(meta, old map[string]any, path *field.Path, limit field.Limit) field.List {
	for _, m := range []map[string]any{meta, old} {
		if err := Metadata.conversionError(m, false); err != nil {
			return field.List{field.Invalid(path, m, err.Error())}
		}
	}
	c := checker{path: path, errs: errlist.Within(limit)}
	c.update(meta, old)
	c.members(meta, checkGeneration, checkFinalizers)
	return c.errs.Errors()
}

// ValidCreate reports whether [ValidateCreate] returns no errors with either rule for names. Both apply to a create. meta is as [Read]
// returns it. If it is valid and its times are canonical, ValidCreate allocates nothing.
//
// Clauses: MET-000 to MET-009, MET-012.
func ValidCreate(meta map[string]any, namespaced bool) bool {
	var s Summary
	if s.Summarize(meta, nil) {
		return s.ValidCreate(namespaced)
	}
	if Metadata.conversionError(meta, true) != nil {
		return false
	}
	var c checker
	n := namesOf(meta)
	c.members(meta)
	return c.errs.Len() == 0 && n.ValidCreate(namespaced)
}

// ValidUpdate reports whether neither [ValidateUpdate] nor [ValidateCreate] with the rule [PathSegment] returns errors. meta
// and old are as [Read] returns them. If meta is valid, all times are canonical, and old has few finalizers, ValidUpdate allocates nothing.
//
// Clauses: MET-000, MET-002 to MET-012.
func ValidUpdate(meta, old map[string]any, namespaced bool) bool {
	if Metadata.conversionError(meta, true) != nil || Metadata.conversionError(old, true) != nil {
		return false
	}
	var c checker
	n := namesOf(meta)
	c.members(meta)
	c.update(meta, old)
	return c.errs.Len() == 0 && n.ValidUpdate(namespaced)
}

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

// oneError is the limit when only the existence of errors matters.
var oneError = field.Limit{Errors: 1}

// A checker collects the errors of one metadata, which converts. If there are none, it allocates nothing.
type checker struct {
	path *field.Path
	errs errlist.List
}

func (c *checker) invalid(path *field.Path, value any, message string) {
	c.errs.Add(field.Invalid(path, value, message))
}

// malformed adds an error for each message about the value, which is in the member with that name.
func (c *checker) malformed(member, value string, messages []string) {
	for _, message := range messages {
		c.invalid(c.path.Child(member), value, message)
	}
}

// members checks everything but the names, and without the rules to skip.
func (c *checker) members(meta map[string]any, skip ...rule) {
	for i := range Metadata.Members {
		if m := &Metadata.Members[i]; !slices.Contains(skip, m.rule) {
			c.member(m, meta[m.Name])
		}
	}
}

// update checks the rules that compare with the old metadata.
func (c *checker) update(meta, old map[string]any) {
	if instant(old["deletionTimestamp"]) != "" {
		if added := appendAdded(nil, meta, old, func(string) bool { return true }); len(added) > 0 {
			c.errs.Add(field.Forbidden(c.path.Child("finalizers"), fmt.Sprintf(
				"no new finalizers can be added if the object is being deleted, found new finalizers %#v", added)))
		}
	}
	if text(meta["resourceVersion"]) == "" && text(old["resourceVersion"]) != "" {
		c.invalid(c.path.Child("resourceVersion"), "", "must be specified for an update")
	}
	generation := integer(meta["generation"])
	c.generation(generation)
	if generation < integer(old["generation"]) {
		c.invalid(c.path.Child("generation"), generation, "must not be decremented")
	}
	for i := range Metadata.Members {
		m := &Metadata.Members[i]
		if m.immutable && !m.unchanged(meta[m.Name], old[m.Name]) {
			c.invalid(c.path.Child(m.Name), m.printed(meta[m.Name]), "field is immutable")
		}
	}
}
