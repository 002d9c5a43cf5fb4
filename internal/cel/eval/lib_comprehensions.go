package eval

// insertions are the functions with which transformMap and transformMapEntry add entries (CEN-010).
func insertions() []*Function {
	m := mapOf(typeK, typeV)
	return []*Function{
		fn("cel.@mapInsert",
			global("@mapInsert_map_key_value", m, m, typeK, typeV).does(func(f *frame, a []value) value {
				return f.insert(a[0], a[1:2], a[2:3])
			}),
			global("@mapInsert_map_map", m, m, m).does(func(f *frame, a []value) value {
				keys := f.keysOf(a[1])
				f.makes(itemBytes * len(keys))
				vals := make([]value, len(keys))
				for i, k := range keys {
					vals[i] = f.entryAt(a[1], k, i)
				}
				return f.insert(a[0], keys, vals)
			})),
	}
}

// insert adds entries to a map if a loop is building it, or else to a copy. A key that the map already has, or that
// equals a number of another type in it, is an error (CMS-022).
func (f *frame) insert(m value, keys, vals []value) value {
	d, ok := m.ref.(*dict)
	if !ok || !d.growing {
		f.makes(entryBytes * mapLen(m))
		d = newDict(len(keys))
		for i, k := range f.keysOf(m) {
			d.put(k, f.entryAt(m, k, i))
		}
	}
	for i, k := range keys {
		if _, exists := d.find(k); exists {
			return failure("insert failed: key " + plainText(k) + " already exists")
		}
		f.makes(entryBytes)
		f.visits(8 * stepBytes)
		d.put(k, vals[i])
	}
	return value{kind: kindMap, ref: d}
}
