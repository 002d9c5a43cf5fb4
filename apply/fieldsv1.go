package apply

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// setOf returns the set that a fieldsV1 represents (SSA-040). Its keys name fields, items and values. The object of a
// key has what is below, and is empty, or has a dot, if the key itself belongs to the set. Keys of an unknown kind are
// ignored.
func setOf(fieldsV1 map[string]any) (*fieldpath.Set, error) {
	s := new(fieldpath.Set)
	return s, fill(s, fieldsV1)
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

func fill(s *fieldpath.Set, from map[string]any) error {
	elements := make([]keyed, 0, len(from))
	for key, v := range from {
		if key == "." {
			continue // concerns the element that from belongs to
		}
		element, err := fieldpath.DeserializePathElement(key)
		if errors.Is(err, fieldpath.ErrUnknownPathElementType) {
			continue
		}
		if err != nil {
			return fmt.Errorf("parsing key as path element: %w", err)
		}
		below, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("%s: an object is expected", key)
		}
		elements = append(elements, keyed{key, element, below})
	}
	// Sets are sorted slices: sorted elements are inserted at the end, which is fast, unsorted ones in the middle.
	slices.SortFunc(elements, keyed.compare)
	for _, e := range elements {
		_, itself := e.below["."]
		if itself || len(e.below) == 0 {
			s.Members.Insert(e.element)
		}
		if len(e.below) > 1 || len(e.below) == 1 && !itself {
			if err := fill(s.Children.Descend(e.element), e.below); err != nil {
				return err
			}
		}
	}
	return nil
}

// fieldsOf is the reverse of setOf.
func fieldsOf(s *fieldpath.Set) (map[string]any, error) {
	out := map[string]any{}
	var failed error
	name := func(e fieldpath.PathElement) string {
		key, err := fieldpath.SerializePathElement(e)
		if err != nil {
			failed = err
		}
		return key
	}
	s.Members.Iterate(func(e fieldpath.PathElement) { out[name(e)] = map[string]any{} })
	s.Children.Iterate(func(e fieldpath.PathElement) {
		child, ok := s.Children.Get(e)
		if !ok || failed != nil {
			return
		}
		below, err := fieldsOf(child)
		if err != nil {
			failed = err
			return
		}
		key := name(e)
		if _, itself := out[key]; itself {
			below["."] = map[string]any{}
		}
		out[key] = below
	})
	return out, failed
}
