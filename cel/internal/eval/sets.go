package eval

// sets are the functions of lists as sets.
func sets() map[string]binding {
	return map[string]binding{
		"list_sets_contains_list":   func(f *frame, a []value) value { return f.setContains(a[0], a[1]) },
		"list_sets_intersects_list": func(f *frame, a []value) value { return f.setIntersects(a[0], a[1]) },
		"list_sets_equivalent_list": func(f *frame, a []value) value {
			if v := f.setContains(a[0], a[1]); !v.isTrue() {
				return v
			}
			return f.setContains(a[1], a[0])
		},
	}
}

func (f *frame) setContains(l, part value) value {
	f.layOut(part)
	for i := range listLen(part) {
		f.poll()
		if v := f.containsItem(l, f.listAt(part, i)); !v.isTrue() {
			return v
		}
	}
	return yes
}

// containsItem is contains for an item that may be an error.
func (f *frame) containsItem(l, v value) value {
	if l.kind == kindRawList && v.failed() {
		return v
	}
	return f.contains(l, v)
}

func (f *frame) setIntersects(l, other value) value {
	f.layOut(l)
	for i := range listLen(l) {
		f.poll()
		if f.containsItem(other, f.listAt(l, i)).isTrue() {
			return yes
		}
	}
	return no
}
