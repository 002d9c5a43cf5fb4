package keyword

import "reflect"

// A Table lists the keywords of a struct type. It is immutable.
type Table struct {
	Names []string // in the order of the fields
	// byLength has the indexes of the names of each length: at most a handful to compare with, which is faster than a
	// map.
	byLength [][]int
}

// Of returns the table of T, a struct whose fields all have a tag.
func Of[T any]() *Table {
	typ := reflect.TypeFor[T]()
	t := &Table{Names: make([]string, typ.NumField())}
	for i := range t.Names {
		name := typ.Field(i).Tag.Get("keyword")
		for len(t.byLength) <= len(name) {
			t.byLength = append(t.byLength, nil)
		}
		t.Names[i] = name
		t.byLength[len(name)] = append(t.byLength[len(name)], i)
	}
	return t
}

// Find returns the index of a keyword in Names, which is also that of its field. The second result is false for an
// unknown keyword.
func (t *Table) Find(name string) (int, bool) {
	if len(name) < len(t.byLength) {
		for _, i := range t.byLength[len(name)] {
			if t.Names[i] == name {
				return i, true
			}
		}
	}
	return 0, false
}

// Field returns a pointer to the field at index i of the struct s, which is addressable.
func Field(s reflect.Value, i int) any { return s.Field(i).Addr().Interface() }
