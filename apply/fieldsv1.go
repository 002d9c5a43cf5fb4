package apply

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// setOf returns the set that the object of a fieldsV1 stands for (SSA-040): its keys name fields, items and values; a key's object has
// what is below, and is empty, or has a dot, if the thing itself belongs to the set. Keys of an unknown kind are ignored.
func setOf(fieldsV1 map[string]any) (*fieldpath.Set, error) {
	s := new(fieldpath.Set)
	return s, fill(s, fieldsV1)
}

func fill(s *fieldpath.Set, from map[string]any) error {
	for _, key := range slices.Sorted(maps.Keys(from)) { // elements that come in their order are quick to insert
		if key == "." {
			continue // said of the element that from belongs to
		}
		element, err := fieldpath.DeserializePathElement(key)
		if errors.Is(err, fieldpath.ErrUnknownPathElementType) {
			continue
		}
		if err != nil {
			return fmt.Errorf("parsing key as path element: %w", err)
		}
		below, ok := from[key].(map[string]any)
		if !ok {
			return fmt.Errorf("%s: an object is expected", key)
		}
		_, itself := below["."]
		if itself || len(below) == 0 {
			s.Members.Insert(element)
		}
		if len(below) > 1 || len(below) == 1 && !itself {
			if err := fill(s.Children.Descend(element), below); err != nil {
				return err
			}
		}
	}
	return nil
}

// fieldsOf returns what setOf makes a set of.
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
