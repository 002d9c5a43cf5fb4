package objectmeta

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/since"
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
	return prefix[:min(len(prefix), format.MaxLabel-len(suffix))] + suffix
}

// A NameRule is a rule for the names of objects.
type NameRule struct {
	name, generateName func(string) []string // their messages
	embedded           bool                  // a name is optional, and a namespace allowed
}

// The rules for names.
var (
	Subdomain   = &NameRule{format.DNS1123Subdomain, format.DNS1123SubdomainPrefix, false} // for custom objects (MET-001)
	PathSegment = &NameRule{format.PathSegment, format.PathSegmentPrefix, false}           // for any object (MET-002)
	embedded    = &NameRule{format.PathSegment, format.PathSegmentPrefix, true}            // for embedded resources
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
		errs = invalid(errs, path, "namespace", s.Namespace, format.DNS1123Label(s.Namespace))
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

func checkGeneration(_ Server, path *field.Path, v any) field.List {
	if n, _ := v.(int64); n < 0 {
		return field.List{field.Invalid(path.Child("generation"), n, "must be greater than or equal to 0")}
	}
	return nil
}

// ValidLabel reports whether a label is valid (MET-006).
func ValidLabel(key, value string) bool {
	return format.QualifiedName(key) == nil && format.LabelValue(value) == nil
}

func checkLabels(server Server, path *field.Path, v any) (errs field.List) {
	for _, k := range wrong(v, ValidLabel) {
		value := text(object(v)[k])
		errs = invalid(errs, path, "labels", k, server.labelMessages(format.QualifiedName(k)))
		errs = invalid(errs, path, "labels", value, server.labelMessages(format.LabelValue(value)))
	}
	return errs
}

// labelMessages returns the server's form of messages about keys and values of labels.
func (v Server) labelMessages(messages []string) []string {
	if v.Has(since.LabelKeys) {
		return messages
	}
	return format.Former(messages)
}

// tooLong returns the error of a text of more than most bytes.
func (v Server) tooLong(path *field.Path, most int64) *field.Error {
	e := field.TooLong(path, most)
	if !v.Has(since.ByteCounts) {
		e.Detail = fmt.Sprintf("must have at most %d bytes", most)
	}
	return e
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
func ValidAnnotation(key string) bool { return format.IsQualifiedNameFold(key) }

func validAnnotation(key, _ string) bool { return ValidAnnotation(key) }

func checkAnnotations(server Server, path *field.Path, v any) (errs field.List) {
	for _, k := range wrong(v, validAnnotation) {
		errs = invalid(errs, path, "annotations", k, server.labelMessages(format.QualifiedName(strings.ToLower(k))))
	}
	if !AnnotationsFit(object(v)) {
		errs = append(errs, server.tooLong(path.Child("annotations"), MaxAnnotations))
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

func checkOwners(server Server, path *field.Path, v any) (errs field.List) {
	references := list(v)
	controllers, first := 0, map[string]any(nil)
	var all []any // for errors
	for i, v := range references {
		m := object(v)
		apiVersion := text(m["apiVersion"])
		group, version, err := GroupVersion(apiVersion)
		switch {
		case apiVersion == "":
			errs = append(errs, server.emptyOwner(path, i, "apiVersion"))
		case err != nil || version == "":
			errs = append(errs, server.ownerVersion(path, i, apiVersion))
		}
		for _, key := range [...]string{"kind", "name", "uid"} {
			if text(m[key]) == "" {
				errs = append(errs, server.emptyOwner(path, i, key))
			}
		}
		if group == "" && version == "v1" && text(m["kind"]) == "Event" { // It expires too soon to own anything.
			errs = append(errs, server.ownerError(path, i, "", field.ErrorTypeInvalid, server.owner(m),
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
					all = append(all, server.owner(object(v)))
				}
			}
			errs = append(errs, field.Invalid(path.Child("ownerReferences"), server.owners(all), fmt.Sprintf(
				`Only one reference can have Controller set to true. Found "true" in references for %s/%s and %s/%s`,
				text(first["kind"]), text(first["name"]), text(m["kind"]), text(m["name"]))))
		}
	}
	return errs
}

// ownerError returns an error of an owner reference, or of one of its members.
func (v Server) ownerError(path *field.Path, i int, key string, t field.ErrorType, value any, detail string) *field.Error {
	all := path.Child("ownerReferences")
	at, shown := all.Index(i), all
	if key != "" {
		at, shown = at.Child(key), shown.Child(key)
	}
	if v.Has(since.OwnerPaths) {
		shown = at
	}
	return &field.Error{Type: t, Field: shown.String(), BadValue: value, Detail: detail, Path: at}
}

// emptyOwner returns the error of an empty member of an owner reference.
func (v Server) emptyOwner(path *field.Path, i int, key string) *field.Error {
	const detail = "must not be empty"
	switch {
	case v.Has(since.OwnerPaths):
		return v.ownerError(path, i, key, field.ErrorTypeRequired, "", detail)
	case key == "apiVersion":
		return v.ownerVersion(path, i, "")
	case v.Has(since.OwnerTexts):
		return v.ownerError(path, i, key, field.ErrorTypeInvalid, "", detail)
	}
	return v.ownerError(path, i, key, field.ErrorTypeInvalid, "", key+" "+detail)
}

// ownerVersion returns the error of the apiVersion of an owner reference.
func (v Server) ownerVersion(path *field.Path, i int, apiVersion string) *field.Error {
	detail := "must be <group>/<version> or <version>"
	if !v.Has(since.OwnerPaths) {
		detail = "version must not be empty"
	}
	return v.ownerError(path, i, "apiVersion", field.ErrorTypeInvalid, apiVersion, detail)
}

func checkFinalizers(server Server, path *field.Path, v any) (errs field.List) {
	finalizers := list(v)
	for _, v := range finalizers {
		errs = invalid(errs, path, "finalizers", text(v), server.labelMessages(format.QualifiedName(text(v))))
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

func checkManagedFields(server Server, path *field.Path, v any) (errs field.List) {
	for i, v := range list(v) {
		m := object(v)
		at := func(key string) *field.Path { return path.Child("managedFields").Index(i).Child(key) }
		switch operation := text(m["operation"]); {
		case operation == applyOperation, operation == updateOperation:
		case !server.Has(since.Operations):
			errs = append(errs, field.Invalid(at("operation"), server.named(operation), "must be `Apply` or `Update`"))
		case operation == "":
			errs = append(errs, field.Required(at("operation"), "must not be empty"))
		default:
			errs = append(errs,
				field.NotSupported(at("operation"), server.named(operation), applyOperation, updateOperation))
		}
		if t := text(m["fieldsType"]); t != "" && t != fieldsV1 {
			errs = append(errs, field.Invalid(at("fieldsType"), t, "must be `FieldsV1`"))
		}
		manager := text(m["manager"])
		if len(manager) > maxManager {
			errs = append(errs, server.tooLong(at("manager"), maxManager))
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
			errs = append(errs, server.tooLong(at("subresource"), maxSubresource))
		}
	}
	return errs
}
