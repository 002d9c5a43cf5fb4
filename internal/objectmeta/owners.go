package objectmeta

import (
	"fmt"
	"maps"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// An ownerReference is an owner reference in an error: encoded as JSON, its keys are in the server's order. It is comparable.
type ownerReference struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	UID                string `json:"uid"`
	Controller         any    `json:"controller,omitempty"` // a bool or nil
	BlockOwnerDeletion any    `json:"blockOwnerDeletion,omitempty"`
}

func ownerReferenceOf(v any) ownerReference {
	m := object(v)
	o := ownerReference{APIVersion: text(m["apiVersion"]), Kind: text(m["kind"]), Name: text(m["name"]), UID: text(m["uid"])}
	if b, ok := m["controller"].(bool); ok {
		o.Controller = b
	}
	if b, ok := m["blockOwnerDeletion"].(bool); ok {
		o.BlockOwnerDeletion = b
	}
	return o
}

func (c *checker) owners(owners []any) {
	path := func() *field.Path { return c.path.Child("ownerReferences") }
	controllers, first := 0, map[string]any(nil)
	var all []ownerReference // for errors
	for i, v := range owners {
		m := object(v)
		at := func(key string) *field.Path { return path().Index(i).Child(key) }
		apiVersion := text(m["apiVersion"])
		group, version, err := GroupVersion(apiVersion)
		switch {
		case apiVersion == "":
			c.errs.Add(field.Required(at("apiVersion"), "must not be empty"))
		case err != nil || version == "":
			c.invalid(at("apiVersion"), apiVersion, "must be <group>/<version> or <version>")
		}
		for _, key := range [...]string{"kind", "name", "uid"} {
			if text(m[key]) == "" {
				c.errs.Add(field.Required(at(key), "must not be empty"))
			}
		}
		if group == "" && version == "v1" && text(m["kind"]) == "Event" { // It expires too soon to own anything.
			c.invalid(path().Index(i), ownerReferenceOf(v), "/v1, Kind=Event is disallowed from being an owner")
		}
		if controller, _ := m["controller"].(bool); !controller {
			continue
		}
		if controllers++; controllers == 1 {
			first = m
		} else if controllers <= 1+maxRepeated {
			if all == nil {
				for _, v := range owners {
					all = append(all, ownerReferenceOf(v))
				}
			}
			c.invalid(path(), all, fmt.Sprintf(`Only one reference can have Controller set to true. Found "true" in references for %s/%s and %s/%s`,
				text(first["kind"]), text(first["name"]), text(m["kind"]), text(m["name"])))
		}
	}
}

// DeduplicateOwners returns meta without duplicate owner references, and the uids of those that were removed, in their order. Duplicates
// are equal in all members. meta is as [Read] returns it, or nil.
//
// It does not modify meta. Without duplicates it returns meta itself, and allocates nothing unless there are many references.
//
// Clause: STR-009. The warning is [DuplicateOwnersWarning].
func DeduplicateOwners(meta map[string]any) (deduplicated map[string]any, uids []string) {
	owners := list(meta["ownerReferences"])
	if distinct(owners, jsonval.Equal) {
		return meta, nil
	}
	seen := make(map[ownerReference]bool, len(owners))
	kept := make([]any, 0, len(owners))
	for _, v := range owners {
		o := ownerReferenceOf(v)
		if seen[o] {
			uids = append(uids, o.UID)
			continue
		}
		seen[o] = true
		kept = append(kept, v)
	}
	if uids == nil {
		return meta, nil
	}
	deduplicated = maps.Clone(meta)
	deduplicated["ownerReferences"] = kept
	return deduplicated, uids
}

// distinct reports whether no two values are equal. It is false for many values, which take too long to compare in pairs.
func distinct(values []any, equal func(v, w any) bool) bool {
	if len(values) > 16 {
		return false
	}
	for i, v := range values {
		for _, w := range values[:i] {
			if equal(v, w) {
				return false
			}
		}
	}
	return true
}

// DuplicateOwnersWarning returns the warning about owner references that were removed: before admission, from what a create or an update
// sent, or after it, on any write.
//
// Clause: STR-009.
func DuplicateOwnersWarning(uids []string, afterAdmission bool) string {
	when := ""
	if afterAdmission {
		when = " after mutating admission happens"
	}
	return ".metadata.ownerReferences contains duplicate entries" + when + "; API server dedups owner references in 1.20+, and may reject " +
		"such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: " + strings.Join(uids, ", ")
}
