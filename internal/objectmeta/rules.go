package objectmeta

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/names"
)

// This file has the rules for the values of members. None allocates anything for a valid value.

// maxRepeated is the maximum of errors of one kind that each print the whole value. With more, the size of an answer would be quadratic in
// that of the request.
const maxRepeated = 10

// A rule selects the check of a single member.
type rule uint8

const (
	noRule rule = iota
	checkGeneration
	checkLabels
	checkAnnotations
	checkOwners
	checkFinalizers
	checkManagedFields
)

// member checks the value v of m, nil if there is none.
func (c *checker) member(m *Member, v any) {
	switch m.rule {
	case checkGeneration:
		c.generation(integer(v))
	case checkLabels:
		c.labels(object(v))
	case checkAnnotations:
		c.annotations(object(v))
	case checkOwners:
		c.owners(list(v))
	case checkFinalizers:
		c.finalizers(list(v))
	case checkManagedFields:
		c.managedFields(list(v))
	}
}

func (c *checker) generation(n int64) {
	if n < 0 {
		c.invalid(c.path.Child("generation"), n, "must be greater than or equal to 0")
	}
}

// ValidLabel reports whether a label is valid (MET-006).
func ValidLabel(key, value string) bool {
	return names.IsQualifiedName(key) && names.IsLabelValue(value)
}

func (c *checker) labels(labels map[string]any) {
	var wrong []string
	for k, v := range labels {
		if !ValidLabel(k, text(v)) {
			wrong = append(wrong, k)
		}
	}
	slices.Sort(wrong)
	for _, k := range wrong {
		v := text(labels[k])
		c.malformed("labels", k, names.QualifiedName(k))
		c.malformed("labels", v, names.LabelValue(v))
	}
}

// MaxAnnotations is the maximum size of the keys and values of all annotations, in bytes.
const MaxAnnotations = 262144

// ValidAnnotation reports whether an annotation may have that key (MET-007). Its value may be any string.
func ValidAnnotation(key string) bool { return names.IsQualifiedNameFold(key) }

func (c *checker) annotations(annotations map[string]any) {
	var wrong []string
	for k := range annotations {
		if !ValidAnnotation(k) {
			wrong = append(wrong, k)
		}
	}
	slices.Sort(wrong)
	for _, k := range wrong {
		c.malformed("annotations", k, names.QualifiedName(strings.ToLower(k)))
	}
	if !AnnotationsFit(annotations) {
		c.errs.Add(field.TooLong(c.path.Child("annotations"), MaxAnnotations))
	}
}

// AnnotationsFit reports whether the annotations are within the limit on their total size.
func AnnotationsFit(annotations map[string]any) bool {
	size := 0
	for k, v := range annotations {
		size += len(k) + len(text(v))
	}
	return size <= MaxAnnotations
}

// ownerReference is an owner reference in an error: encoded as JSON, its keys are in the server's order.
type OwnerReference struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	UID                string `json:"uid"`
	Controller         *bool  `json:"controller,omitempty"`
	BlockOwnerDeletion *bool  `json:"blockOwnerDeletion,omitempty"`
}

func ownerReference(v any) OwnerReference {
	m := object(v)
	boolean := func(v any) *bool {
		if b, ok := v.(bool); ok {
			return &b
		}
		return nil
	}
	return OwnerReference{
		APIVersion: text(m["apiVersion"]), Kind: text(m["kind"]), Name: text(m["name"]), UID: text(m["uid"]),
		Controller: boolean(m["controller"]), BlockOwnerDeletion: boolean(m["blockOwnerDeletion"]),
	}
}

func (c *checker) owners(owners []any) {
	path := func() *field.Path { return c.path.Child("ownerReferences") }
	controllers, first := 0, any(nil)
	var all []OwnerReference // for errors
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
		if isEvent(group, version, text(m["kind"])) {
			c.invalid(path().Index(i), ownerReference(v), "/v1, Kind=Event is disallowed from being an owner")
		}
		if controller, _ := m["controller"].(bool); !controller {
			continue
		}
		if controllers++; controllers == 1 {
			first = v
		} else if controllers <= 1+maxRepeated {
			if all == nil {
				for _, v := range owners {
					all = append(all, ownerReference(v))
				}
			}
			a, b := ownerReference(first), ownerReference(v)
			c.invalid(path(), all, fmt.Sprintf(`Only one reference can have Controller set to true. Found "true" in references for %s/%s and %s/%s`,
				a.Kind, a.Name, b.Kind, b.Name))
		}
	}
}

// isEvent reports whether an owner is an event of the core group, which expires too soon to own anything.
func isEvent(group, version, kind string) bool {
	return group == "" && version == "v1" && kind == "Event"
}

const (
	orphanFinalizer     = "orphan"
	foregroundFinalizer = "foregroundDeletion"
)

func (c *checker) finalizers(finalizers []any) {
	orphan, foreground := false, false
	for _, v := range finalizers {
		f := text(v)
		c.malformed("finalizers", f, names.QualifiedName(f))
		orphan = orphan || f == orphanFinalizer
		foreground = foreground || f == foregroundFinalizer
	}
	if orphan && foreground {
		all := make([]any, len(finalizers))
		for i, v := range finalizers {
			all[i] = text(v)
		}
		c.invalid(c.path.Child("finalizers"), all, "finalizer orphan and foregroundDeletion cannot be both set")
	}
}

const (
	maxManager     = 128
	maxSubresource = 256

	applyOperation  = "Apply"
	updateOperation = "Update"
	fieldsV1        = "FieldsV1"
)

func (c *checker) managedFields(entries []any) {
	for i, v := range entries {
		m := object(v)
		at := func(key string) *field.Path { return c.path.Child("managedFields").Index(i).Child(key) }
		switch operation := text(m["operation"]); operation {
		case "":
			c.errs.Add(field.Required(at("operation"), "must not be empty"))
		case applyOperation, updateOperation:
		default:
			c.errs.Add(field.NotSupported(at("operation"), jsonText(operation), applyOperation, updateOperation))
		}
		if t := text(m["fieldsType"]); t != "" && t != fieldsV1 {
			c.invalid(at("fieldsType"), t, "must be `FieldsV1`")
		}
		manager := text(m["manager"])
		if len(manager) > maxManager {
			c.errs.Add(field.TooLong(at("manager"), maxManager))
		}
		unprintable := 0
		for i, r := range manager {
			if unicode.IsPrint(r) {
				continue
			}
			if unprintable++; unprintable > maxRepeated {
				break
			}
			c.invalid(at("manager"), manager, fmt.Sprintf("invalid character %#U (at position %d)", r, i))
		}
		if len(text(m["subresource"])) > maxSubresource {
			c.errs.Add(field.TooLong(at("subresource"), maxSubresource))
		}
	}
}

// unchanged reports whether the values v and old of an immutable member are the same.
func (m *Member) unchanged(v, old any) bool {
	switch m.Kind {
	case Time, TimePointer:
		return instant(v) == instant(old)
	case IntegerPointer:
		return (v == nil) == (old == nil) && integer(v) == integer(old)
	}
	return text(v) == text(old) || m.onUpdate == inherit && text(old) == "" // An old object without a uid was never stored.
}

// printed returns the value v of an immutable member for an error.
func (m *Member) printed(v any) any {
	switch m.Kind {
	case Time, TimePointer:
		if t := instant(v); t != "" {
			return t
		}
		return nil
	case IntegerPointer:
		if v == nil {
			return nil
		}
		return integer(v)
	}
	if m.goType != "string" {
		return jsonText(text(v))
	}
	return text(v)
}

// addedFinalizers returns the finalizers that meta has and old does not have, sorted, without duplicates.
func addedFinalizers(meta, old map[string]any) []string {
	var added []string
	had := finalizersOf(old)
	for _, v := range list(meta["finalizers"]) {
		if f := text(v); !had.has(f) {
			added = append(added, f)
		}
	}
	slices.Sort(added)
	return slices.Compact(added)
}

// finalizers is a set of finalizers.
type finalizers struct {
	few  []any
	many map[string]bool
}

// finalizersOf returns the finalizers of meta. It allocates nothing if there are few.
func finalizersOf(meta map[string]any) finalizers {
	all := list(meta["finalizers"])
	if len(all) <= 16 {
		return finalizers{few: all}
	}
	set := make(map[string]bool, len(all))
	for _, v := range all {
		set[text(v)] = true
	}
	return finalizers{many: set}
}

func (f finalizers) has(name string) bool {
	return f.many[name] || slices.ContainsFunc(f.few, func(v any) bool { return text(v) == name })
}

// jsonText returns s as the value of an error that prints it as JSON, as the server does with strings of a named type, and not
// quoted as in Go. For most strings there is no difference.
func jsonText(s string) any {
	b, err := json.Marshal(s)
	if err != nil || string(b) == strconv.Quote(s) {
		return s
	}
	return json.RawMessage(b)
}
