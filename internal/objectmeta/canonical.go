package objectmeta

import "unicode/utf8"

// This file has the verdict that reading and writing back would change nothing: a walk without copies. Each function here has its
// counterpart in read.go, which makes what this one asks for.

// Canonical reports whether v is a metadata value that [Read] gives back as it is. It allocates nothing.
//
// It may report false for such a value too, if a fieldsV1 in it has floats or is nested deeper than the fields of any object are; never
// true for another. A metadata that a server has answered is canonical.
//
// Clauses: OME-001, OME-004, EMB-005.
func Canonical(v any) bool {
	m, ok := v.(map[string]any)
	if !ok || m == nil {
		return false
	}
	for k, v := range m {
		if !canonicalMember(k, v) {
			return false
		}
	}
	return true
}

func canonicalMember(k string, v any) bool {
	switch k {
	case "name", "generateName", "namespace", "selfLink", "uid", "resourceVersion":
		return canonicalText(v)
	case "generation":
		n, ok := v.(int64)
		return ok && n != 0
	case "deletionGracePeriodSeconds":
		_, ok := v.(int64)
		return ok
	case "creationTimestamp", "deletionTimestamp":
		return canonicalTime(v)
	case "labels", "annotations":
		return canonicalTexts(v)
	case "finalizers":
		return canonicalFinalizers(v)
	case "ownerReferences":
		return canonicalOwners(v)
	case "managedFields":
		return canonicalManagedFields(v)
	}
	return false
}

// isText reports whether v is a string as JSON can have it.
func isText(v any) bool {
	s, ok := v.(string)
	return ok && isValid(s)
}

// isValid is utf8.ValidString, which is slow with texts as short as names.
func isValid(s string) bool {
	if len(s) > 32 {
		return utf8.ValidString(s)
	}
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return utf8.ValidString(s)
		}
	}
	return true
}

// canonicalText: an empty string vanishes.
func canonicalText(v any) bool { return isText(v) && v.(string) != "" }

func canonicalTexts(v any) bool {
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 {
		return false
	}
	for k, v := range m {
		if !isValid(k) || !isText(v) {
			return false
		}
	}
	return true
}

func canonicalFinalizers(v any) bool {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return false
	}
	for _, v := range list {
		if !isText(v) {
			return false
		}
	}
	return true
}

func canonicalOwners(v any) bool {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return false
	}
	for _, v := range list {
		m, _ := v.(map[string]any)
		texts := 0
		for k, v := range m {
			switch k {
			case "apiVersion", "kind", "name", "uid":
				texts++
				ok = isText(v)
			case "controller", "blockOwnerDeletion":
				_, ok = v.(bool)
			default:
				return false
			}
			if !ok {
				return false
			}
		}
		if texts != 4 { // They are all written, even the empty ones.
			return false
		}
	}
	return true
}

func canonicalManagedFields(v any) bool {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return false
	}
	for _, v := range list {
		m, _ := v.(map[string]any)
		if m == nil {
			return false
		}
		for k, v := range m {
			switch k {
			case "manager", "operation", "apiVersion", "fieldsType", "subresource":
				ok = canonicalText(v)
			case "time":
				ok = canonicalTime(v)
			case "fieldsV1":
				ok = v != nil && canonicalJSON(v, 0)
			default:
				return false
			}
			if !ok {
				return false
			}
		}
	}
	return true
}

// canonicalDepth is deeper than the fields of any object are; Read looks after those beyond.
const canonicalDepth = 200

// canonicalJSON reports whether v is as JSON decoding gives it. Floats are left to Read, which makes integers of whole ones; field
// sets have none. depth is that of v.
func canonicalJSON(v any, depth int) bool {
	switch x := v.(type) {
	case nil, bool, int64:
		return true
	case string:
		return utf8.ValidString(x)
	case []any:
		if x == nil || depth >= canonicalDepth {
			return false
		}
		for _, v := range x {
			if !canonicalJSON(v, depth+1) {
				return false
			}
		}
		return true
	case map[string]any:
		if x == nil || depth >= canonicalDepth {
			return false
		}
		for k, v := range x {
			if !utf8.ValidString(k) || !canonicalJSON(v, depth+1) {
				return false
			}
		}
		return true
	}
	return false
}

// canonicalTime: 2006-01-02T15:04:05Z, except the zero time, which vanishes.
func canonicalTime(v any) bool {
	s, ok := v.(string)
	if !ok || len(s) != len("2006-01-02T15:04:05Z") ||
		s[4] != '-' || s[7] != '-' || s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[19] != 'Z' {
		return false
	}
	century, year := twoDigits(s[0:2]), twoDigits(s[2:4])
	month, day := twoDigits(s[5:7]), twoDigits(s[8:10])
	hour, minute, second := twoDigits(s[11:13]), twoDigits(s[14:16]), twoDigits(s[17:19])
	return century >= 0 && year >= 0 && 1 <= month && month <= 12 && 1 <= day && day <= daysIn(month, century*100+year) &&
		0 <= hour && hour < 24 && 0 <= minute && minute < 60 && 0 <= second && second < 60 &&
		s != zeroTime
}

const zeroTime = "0001-01-01T00:00:00Z"

// twoDigits returns the number that two digits are, -1 if they are none.
func twoDigits(s string) int {
	if s[0] < '0' || '9' < s[0] || s[1] < '0' || '9' < s[1] {
		return -1
	}
	return int(s[0]-'0')*10 + int(s[1]-'0')
}

func daysIn(month, year int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}
