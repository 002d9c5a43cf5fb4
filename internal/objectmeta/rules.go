package objectmeta

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

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
	return names.QualifiedName(key) == nil && names.LabelValue(value) == nil
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

// jsonText returns s as the value of an error that prints it as JSON, as the server does with strings of a named type, and not
// quoted as in Go. For most strings there is no difference.
func jsonText(s string) any {
	b, err := json.Marshal(s)
	if err != nil || string(b) == strconv.Quote(s) {
		return s
	}
	return json.RawMessage(b)
}
