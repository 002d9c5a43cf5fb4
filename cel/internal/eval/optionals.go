package eval

import "time"

// optionals are the functions of optional values; or and orValue are operators here.
func optionals() map[string]binding {
	return map[string]binding{
		"optional_of":   func(_ *frame, a []value) value { return some(a[0]) },
		"optional_none": func(*frame, []value) value { return none },
		"optional_ofNonZeroValue": func(_ *frame, a []value) value {
			if isZero(a[0]) {
				return none
			}
			return some(a[0])
		},
		"optional_value": func(_ *frame, a []value) value {
			if p := a[0].inner(); p != nil {
				return *p
			}
			return failure("optional.none() dereference")
		},
		"optional_hasValue": func(_ *frame, a []value) value { return boolean(a[0].inner() != nil) },
		"list_first": func(f *frame, a []value) value {
			if listLen(a[0]) == 0 {
				return none
			}
			return some(f.listAt(a[0], 0))
		},
		"list_last": func(f *frame, a []value) value {
			if n := listLen(a[0]); n > 0 {
				return some(f.listAt(a[0], n-1))
			}
			return none
		},
		"optional_unwrap": unwrap, "optional_unwrapOpt": unwrap,
	}
}

func unwrap(f *frame, a []value) value {
	f.layOut(a[0])
	f.makes(itemBytes * listLen(a[0]))
	vals := make([]value, 0, listLen(a[0]))
	for i := range listLen(a[0]) {
		f.poll()
		v := f.listAt(a[0], i)
		if v.kind != kindOptional {
			return v.or(failure("value " + plainText(v) + " is not optional"))
		}
		if p := v.inner(); p != nil {
			vals = append(vals, *p)
		}
	}
	return newList(vals)
}

// isZero reports whether a value counts as the zero value of its type (CLI-073).
func isZero(v value) bool {
	switch v.kind {
	case kindNull:
		return true
	case kindBool, kindInt, kindUint, kindDuration:
		return v.bits == 0
	case kindDouble:
		return v.double() == 0
	case kindString:
		return v.str() == ""
	case kindBytes:
		return len(v.ref.([]byte)) == 0
	case kindTimestamp:
		return v.ref.(time.Time).IsZero()
	case kindList:
		return listLen(v) == 0
	case kindMap:
		return mapLen(v) == 0
	}
	return false
}
