package apply

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// setOf returns the set that a fieldsV1 represents (SSA-040). Its keys name fields, items and values. The object of a
// key has the keys below it. It is empty, or has the key ".", if the key itself belongs to the set. Keys of an unknown
// kind are ignored. exact says that fieldsOf turns the set into the same object, plain or not.
func setOf(fieldsV1 map[string]any) (s *fieldpath.Set, exact bool, err error) {
	s = new(fieldpath.Set)
	exact, err = fill(s, fieldsV1)
	return s, exact, err
}

// A keyed is an element with the object below it.
type keyed struct {
	key     string
	element fieldpath.PathElement
	below   map[string]any
}

// compare orders elements as structured-merge-diff does.
func (k keyed) compare(other keyed) int {
	if k.element.FieldName != nil && other.element.FieldName != nil {
		return strings.Compare(k.key, other.key) // the same order, with fewer accesses to memory
	}
	return k.element.Compare(other.element)
}

func fill(s *fieldpath.Set, from map[string]any) (exact bool, err error) {
	exact = true
	elements := make([]keyed, 0, len(from))
	for key, v := range from {
		below, ok := v.(map[string]any)
		if key == "." {
			exact = exact && ok && len(below) == 0
			continue // concerns the element that from belongs to
		}
		element, err := fieldpath.DeserializePathElement(key)
		if errors.Is(err, fieldpath.ErrUnknownPathElementType) {
			exact = false
			continue
		}
		if err != nil {
			return false, fmt.Errorf("parsing key as path element: %w", err)
		}
		if !ok {
			return false, fmt.Errorf("%s: an object is expected", key)
		}
		exact = exact && asWritten(key, element)
		elements = append(elements, keyed{key, element, below})
	}
	// Sets are sorted slices: sorted elements are inserted at the end, which is fast, unsorted ones in the middle.
	slices.SortFunc(elements, keyed.compare)
	for _, e := range elements {
		_, itself := e.below["."]
		if itself || len(e.below) == 0 {
			s.Members.Insert(e.element)
		}
		exact = exact && !(itself && len(e.below) == 1)
		if len(e.below) > 1 || len(e.below) == 1 && !itself {
			fits, err := fill(s.Children.Descend(e.element), e.below)
			if err != nil {
				return false, err
			}
			exact = exact && fits
		}
	}
	return exact, nil
}

// asWritten reports whether the key of an element is written as it was read, plain or not.
func asWritten(key string, element fieldpath.PathElement) bool {
	if element.FieldName != nil || plainKey(key) {
		return true
	}
	again, err := fieldpath.SerializePathElement(element)
	return err == nil && again == key && plainJSON(again) == again
}

// keyOf returns the key of an element in fieldsV1. If it is plain, its JSON is that of a server with [since.PlainKeys].
func keyOf(e fieldpath.PathElement, plain bool) (string, error) {
	key, err := fieldpath.SerializePathElement(e)
	if err == nil && plain && (e.Value != nil || e.Key != nil) {
		key = plainJSON(key)
	}
	return key, err
}

// plainJSON returns JSON that structured-merge-diff has written in the form of its version 7: characters that need no
// escape have none, others the shortest, and exponents do not begin with a zero.
func plainJSON(text string) string {
	if !strings.Contains(text, `\u`) && !strings.Contains(text, "e-0") {
		return text
	}
	var out strings.Builder
	inString := false
	for len(text) > 0 {
		n := 1
		switch {
		case text[0] == '"':
			inString = !inString
		case inString && text[0] == '\\':
			n = 2
			if len(text) >= 6 && text[1] == 'u' {
				n = 6
			}
			if plain, is := longEscapes[text[:n]]; is {
				out.WriteString(plain)
				text = text[n:]
				continue
			}
		case !inString && strings.HasPrefix(text, "e-0"):
			out.WriteString("e-")
			text = text[3:]
			continue
		}
		out.WriteString(text[:n])
		text = text[n:]
	}
	return out.String()
}

var longEscapes = map[string]string{
	`\u003c`: "<", `\u003e`: ">", `\u0026`: "&", `\u2028`: "\u2028", `\u2029`: "\u2029", `\ufffd`: "\ufffd", `\u0008`: `\b`, `\u000c`: `\f`,
}

// plainKey reports whether an element has the key of one value of a set, or of one key of an item, as a string without
// anything that JSON escapes. Nearly all have.
func plainKey(key string) bool {
	rest, isValue := strings.CutPrefix(key, "v:")
	if isValue {
		return plainText(rest)
	}
	rest, isKey := strings.CutPrefix(key, "k:{")
	if !isKey {
		return false
	}
	name, value, ok := strings.Cut(strings.TrimSuffix(rest, "}"), ":")
	return ok && rest[len(rest)-1] == '}' && plainText(name) && plainText(value)
}

// plainText reports whether s is a JSON string without escapes.
func plainText(s string) bool {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return false
	}
	for _, c := range []byte(s[1 : len(s)-1]) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			return false
		}
	}
	return true
}

// fieldsOf is the reverse of setOf. For plain, see keyOf.
func fieldsOf(s *fieldpath.Set, plain bool) (map[string]any, error) {
	out := map[string]any{}
	for e := range s.Members.All() {
		key, err := keyOf(e, plain)
		if err != nil {
			return nil, err
		}
		out[key] = map[string]any{}
	}
	for e, child := range children(s) {
		key, err := keyOf(e, plain)
		if err != nil {
			return nil, err
		}
		below, err := fieldsOf(child, plain)
		if err != nil {
			return nil, err
		}
		if _, itself := out[key]; itself {
			below["."] = map[string]any{}
		}
		out[key] = below
	}
	return out, nil
}

// children yields the elements of a set that have others below them, with those.
func children(s *fieldpath.Set) iter.Seq2[fieldpath.PathElement, *fieldpath.Set] {
	return func(yield func(fieldpath.PathElement, *fieldpath.Set) bool) {
		more := true
		s.Children.Iterate(func(e fieldpath.PathElement) { // All does not stop if yield returns false.
			if more {
				below, _ := s.Children.Get(e)
				more = yield(e, below)
			}
		})
	}
}
