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

// This file has the rules for names and for the values of members. None allocates anything for a valid value.

// GeneratedName returns a name as a server generates it from a generateName before it validates an object: its first 58
// bytes and five letters, which are always xxxxx here. It returns an empty string if meta has a name or no
// generateName.
//
// Clauses: STR-001.
func GeneratedName(meta map[string]any) string {
	prefix := text(meta["generateName"])
	if prefix == "" || text(meta["name"]) != "" {
		return ""
	}
	return generated(prefix)
}

func generated(prefix string) string {
	// The suffix stands for random letters and digits, on which the rules do not depend.
	const suffix = "xxxxx"
	return prefix[:min(len(prefix), names.MaxLabel-len(suffix))] + suffix
}

// A NameRule is a rule for the names of objects.
type NameRule struct {
	name, generateName func(string) []string // their messages
	embedded           bool                  // a name is optional, and a namespace allowed
}

// The rules for names.
var (
	Subdomain   = &NameRule{names.DNS1123Subdomain, names.DNS1123SubdomainPrefix, false} // for custom objects (MET-001)
	PathSegment = &NameRule{names.PathSegment, names.PathSegmentPrefix, false}           // for any object (MET-002)
	embedded    = &NameRule{names.PathSegment, names.PathSegmentPrefix, true}            // for embedded resources
)

// checkNames checks generateName, name and namespace.
func (s *Summary) checkNames(path *field.Path, rule *NameRule, namespaced bool) (errs field.List) {
	name, required := s.Name, !rule.embedded
	namespaced = namespaced || rule.embedded && s.Namespace != ""
	if s.GenerateName != "" {
		if messages := rule.generateName(s.GenerateName); messages != nil {
			errs = invalid(errs, path, "generateName", s.GenerateName, messages)
			required = false
		} else if name == "" && required {
			name = generated(s.GenerateName)
		}
	}
	switch {
	case name != "":
		errs = invalid(errs, path, "name", name, rule.name(name))
	case required:
		errs = append(errs, field.Required(path.Child("name"), "name or generateName is required"))
	}
	switch {
	case !namespaced && s.Namespace != "":
		errs = append(errs, field.Forbidden(path.Child("namespace"), "not allowed on this type"))
	case namespaced && s.Namespace == "":
		errs = append(errs, field.Required(path.Child("namespace"), ""))
	case namespaced:
		errs = invalid(errs, path, "namespace", s.Namespace, names.DNS1123Label(s.Namespace))
	}
	return errs
}

// invalid appends an error for each message about the value, which is in that member of the metadata at path.
func invalid(errs field.List, path *field.Path, member, value string, messages []string) field.List {
	for _, message := range messages {
		errs = append(errs, field.Invalid(path.Child(member), value, message))
	}
	return errs
}

func generationOf(meta map[string]any) int64 {
	n, _ := meta["generation"].(int64)
	return n
}

func checkGeneration(path *field.Path, v any) field.List {
	if n, _ := v.(int64); n < 0 {
		return field.List{field.Invalid(path.Child("generation"), n, "must be greater than or equal to 0")}
	}
	return nil
}

// ValidLabel reports whether a label is valid (MET-006).
func ValidLabel(key, value string) bool {
	return names.QualifiedName(key) == nil && names.LabelValue(value) == nil
}

func checkLabels(path *field.Path, v any) (errs field.List) {
	for _, k := range wrong(v, ValidLabel) {
		value := text(object(v)[k])
		errs = invalid(errs, path, "labels", k, names.QualifiedName(k))
		errs = invalid(errs, path, "labels", value, names.LabelValue(value))
	}
	return errs
}

// wrong returns the keys of the invalid entries, sorted.
func wrong(v any, valid func(key, value string) bool) (keys []string) {
	for k, v := range object(v) {
		if !valid(k, text(v)) {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// MaxAnnotations is the maximum size of the keys and values of all annotations, in bytes.
const MaxAnnotations = 262144

// ValidAnnotation reports whether an annotation may have that key (MET-007). Its value may be any string.
func ValidAnnotation(key string) bool { return names.IsQualifiedNameFold(key) }

func validAnnotation(key, _ string) bool { return ValidAnnotation(key) }

func checkAnnotations(path *field.Path, v any) (errs field.List) {
	for _, k := range wrong(v, validAnnotation) {
		errs = invalid(errs, path, "annotations", k, names.QualifiedName(strings.ToLower(k)))
	}
	if !AnnotationsFit(object(v)) {
		errs = append(errs, field.TooLong(path.Child("annotations"), MaxAnnotations))
	}
	return errs
}

// AnnotationsFit reports whether the annotations are within the limit on their total size.
func AnnotationsFit(annotations map[string]any) bool {
	size := 0
	for k, v := range annotations {
		size += len(k) + len(text(v))
	}
	return size <= MaxAnnotations
}

// maxRepeated is the maximum number of errors of one kind that each print the whole value. Without it, the size of an
// answer would be quadratic in that of the request.
const maxRepeated = 10

func checkOwners(path *field.Path, v any) (errs field.List) {
	references := list(v)
	controllers, first := 0, map[string]any(nil)
	var all []json.RawMessage // for errors
	for i, v := range references {
		m := object(v)
		at := func(key string) *field.Path { return path.Child("ownerReferences").Index(i).Child(key) }
		apiVersion := text(m["apiVersion"])
		group, version, err := GroupVersion(apiVersion)
		switch {
		case apiVersion == "":
			errs = append(errs, field.Required(at("apiVersion"), "must not be empty"))
		case err != nil || version == "":
			errs = append(errs, field.Invalid(at("apiVersion"), apiVersion, "must be <group>/<version> or <version>"))
		}
		for _, key := range [...]string{"kind", "name", "uid"} {
			if text(m[key]) == "" {
				errs = append(errs, field.Required(at(key), "must not be empty"))
			}
		}
		if group == "" && version == "v1" && text(m["kind"]) == "Event" { // It expires too soon to own anything.
			errs = append(errs, field.Invalid(path.Child("ownerReferences").Index(i), owners.inOrder(m),
				"/v1, Kind=Event is disallowed from being an owner"))
		}
		if controller, _ := m["controller"].(bool); !controller {
			continue
		}
		if controllers++; controllers == 1 {
			first = m
		} else if controllers <= 1+maxRepeated {
			if all == nil {
				for _, v := range references {
					all = append(all, owners.inOrder(object(v)))
				}
			}
			errs = append(errs, field.Invalid(path.Child("ownerReferences"), all, fmt.Sprintf(
				`Only one reference can have Controller set to true. Found "true" in references for %s/%s and %s/%s`,
				text(first["kind"]), text(first["name"]), text(m["kind"]), text(m["name"]))))
		}
	}
	return errs
}

func checkFinalizers(path *field.Path, v any) (errs field.List) {
	finalizers := list(v)
	for _, v := range finalizers {
		errs = invalid(errs, path, "finalizers", text(v), names.QualifiedName(text(v)))
	}
	if slices.Contains(finalizers, any(OrphanFinalizer)) && slices.Contains(finalizers, any(ForegroundFinalizer)) {
		errs = append(errs, field.Invalid(path.Child("finalizers"), v,
			"finalizer orphan and foregroundDeletion cannot be both set"))
	}
	return errs
}

const (
	maxManager     = 128
	maxSubresource = 256

	applyOperation  = "Apply"
	updateOperation = "Update"
	fieldsV1        = "FieldsV1"
)

func checkManagedFields(path *field.Path, v any) (errs field.List) {
	for i, v := range list(v) {
		m := object(v)
		at := func(key string) *field.Path { return path.Child("managedFields").Index(i).Child(key) }
		switch operation := text(m["operation"]); operation {
		case "":
			errs = append(errs, field.Required(at("operation"), "must not be empty"))
		case applyOperation, updateOperation:
		default:
			errs = append(errs,
				field.NotSupported(at("operation"), jsonText(operation), applyOperation, updateOperation))
		}
		if t := text(m["fieldsType"]); t != "" && t != fieldsV1 {
			errs = append(errs, field.Invalid(at("fieldsType"), t, "must be `FieldsV1`"))
		}
		manager := text(m["manager"])
		if len(manager) > maxManager {
			errs = append(errs, field.TooLong(at("manager"), maxManager))
		}
		unprintable := 0
		for i, r := range manager {
			if !unicode.IsPrint(r) && unprintable < maxRepeated {
				unprintable++
				message := fmt.Sprintf("invalid character %#U (at position %d)", r, i)
				errs = append(errs, field.Invalid(at("manager"), manager, message))
			}
		}
		if len(text(m["subresource"])) > maxSubresource {
			errs = append(errs, field.TooLong(at("subresource"), maxSubresource))
		}
	}
	return errs
}

// jsonText returns s as a bad value that prints as JSON, as the server prints strings of a named type, instead of
// quoted as in Go. For most strings there is no difference.
func jsonText(s string) any {
	b, err := json.Marshal(s)
	if err != nil || string(b) == strconv.Quote(s) {
		return s
	}
	return json.RawMessage(b)
}
