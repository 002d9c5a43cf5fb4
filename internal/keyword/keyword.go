package keyword

import "reflect"

// A Table lists the keywords of a struct type. It is immutable.
type Table struct {
	Names []string // in the order of the fields
	index map[string]int
}

// Of returns the table of T, a struct whose fields all have a tag.
func Of[T any]() *Table {
	typ := reflect.TypeFor[T]()
	t := &Table{Names: make([]string, typ.NumField()), index: make(map[string]int, typ.NumField())}
	for i := range t.Names {
		t.Names[i] = typ.Field(i).Tag.Get("keyword")
		t.index[t.Names[i]] = i
	}
	return t
}

// Find returns the index of a keyword in Names, which is also that of its field. The second result is false for an unknown keyword.
func (t *Table) Find(name string) (int, bool) {
	i, ok := t.index[name]
	return i, ok
}

// Field returns a pointer to the field at index i of the struct s, which is addressable.
func Field(s reflect.Value, i int) any { return s.Field(i).Addr().Interface() }
