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

// A NameRule says what the name of an object may be.
type NameRule uint8

// The rules for names.
const (
	Subdomain   NameRule = iota // a DNS subdomain: for custom objects (MET-001)
	PathSegment                 // a path segment of a URL: in the server's generic check of any object, and for embedded resources (MET-002)
)

// nameRules has their checks of a name, of a generateName, and of the name that is generated from a generateName.
var nameRules = [...]struct {
	valid, validPrefix, validGenerated func(string) bool
	messages, prefixMessages           func(string) []string
}{
	Subdomain: {
		names.IsDNS1123Subdomain, names.IsDNS1123SubdomainPrefix, names.BeginsDNS1123Subdomain,
		names.DNS1123Subdomain, names.DNS1123SubdomainPrefix,
	},
	PathSegment: {
		names.IsPathSegment, names.IsPathSegmentPrefix, names.IsPathSegmentPrefix,
		names.PathSegment, names.PathSegmentPrefix,
	},
}

// An objectName is what the name of an object is made from.
type objectName struct{ name, generateName string }

func nameOf(meta map[string]any) objectName {
	return objectName{text(meta["name"]), text(meta["generateName"])}
}

// name checks generateName and name. If required, one of them must not be empty.
func (c *checker) name(n objectName, which NameRule, required bool) {
	name, prefix, rule := n.name, n.generateName, &nameRules[which]
	if prefix != "" && !rule.validPrefix(prefix) {
		c.invalid(c.path.Child("generateName"), prefix, rule.prefixMessages(prefix)...)
		required = false // The generated name is not checked.
	}
	switch {
	case name != "":
		if !rule.valid(name) {
			c.invalid(c.path.Child("name"), name, rule.messages(name)...)
		}
	case !required:
	case prefix == "":
		c.add(field.Required(c.path.Child("name"), "name or generateName is required"))
	case !rule.validGenerated(prefix[:min(len(prefix), maxGeneratedPrefix)]):
		name = generated(prefix)
		c.invalid(c.path.Child("name"), name, rule.messages(name)...)
	}
}

// maxRepeated is the maximum of errors of one kind that each print the whole value. With more, the size of an answer would be quadratic in
// that of the request.
const maxRepeated = 10

// maxGeneratedPrefix is the maximum length of the generateName in a name, so that the name is a DNS label (STR-001).
const maxGeneratedPrefix = names.MaxLabel - len(generatedSuffix)

// generatedSuffix stands for the five random letters and digits of the server. The rules do not depend on them.
const generatedSuffix = "xxxxx"

// GeneratedName returns a name as a server generates it from a generateName before it validates an object: its first 58 bytes and five
// letters, which are always xxxxx here. It returns an empty string if meta has a name or no generateName.
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
	return prefix[:min(len(prefix), maxGeneratedPrefix)] + generatedSuffix
}

func (c *checker) namespace(namespace string, namespaced bool) {
	switch {
	case !namespaced && namespace != "":
		c.add(field.Forbidden(c.path.Child("namespace"), "not allowed on this type"))
	case !namespaced:
	case namespace == "":
		c.add(field.Required(c.path.Child("namespace"), ""))
	case !names.IsDNS1123Label(namespace):
		c.invalid(c.path.Child("namespace"), namespace, names.DNS1123Label(namespace)...)
	}
}

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

func (c *checker) labels(labels map[string]any) {
	var wrong []string
	for k, v := range labels {
		if !ValidLabel(k, text(v)) {
			wrong = append(wrong, k)
		}
	}
	slices.Sort(wrong)
	for _, k := range wrong {
		at, v := c.path.Child("labels"), text(labels[k])
		c.invalid(at, k, names.QualifiedName(k)...)
		c.invalid(at, v, names.LabelValue(v)...)
	}
}

// MaxAnnotations is the maximum size of the keys and values of all annotations, in bytes.
const MaxAnnotations = 262144

func (c *checker) annotations(annotations map[string]any) {
	var wrong []string
	for k := range annotations {
		if !ValidAnnotation(k) {
			wrong = append(wrong, k)
		}
	}
	slices.Sort(wrong)
	for _, k := range wrong {
		c.invalid(c.path.Child("annotations"), k, names.QualifiedName(strings.ToLower(k))...)
	}
	if !AnnotationsFit(annotations) {
		c.add(field.TooLong(c.path.Child("annotations"), MaxAnnotations))
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

// OwnerReference is an owner reference in an error: encoded as JSON, its keys are in the server's order.
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
			c.add(field.Required(at("apiVersion"), "must not be empty"))
		case err != nil || version == "":
			c.invalid(at("apiVersion"), apiVersion, "must be <group>/<version> or <version>")
		}
		for _, key := range [...]string{"kind", "name", "uid"} {
			if text(m[key]) == "" {
				c.add(field.Required(at(key), "must not be empty"))
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
		if !names.IsQualifiedName(f) {
			c.invalid(c.path.Child("finalizers"), f, names.QualifiedName(f)...)
		}
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
			c.add(field.Required(at("operation"), "must not be empty"))
		case applyOperation, updateOperation:
		default:
			c.add(field.NotSupported(at("operation"), jsonText(operation), applyOperation, updateOperation))
		}
		if t := text(m["fieldsType"]); t != "" && t != fieldsV1 {
			c.invalid(at("fieldsType"), t, "must be `FieldsV1`")
		}
		manager := text(m["manager"])
		if len(manager) > maxManager {
			c.add(field.TooLong(at("manager"), maxManager))
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
			c.add(field.TooLong(at("subresource"), maxSubresource))
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
