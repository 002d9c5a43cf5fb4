package settled

// This file reads single fields of an object that has been checked.

// HasStatus reports whether the text's object has a status.
func (s *Scan) HasStatus() bool { return s.status != 0 }

// Integer reports whether the value at a path in the text's object is an integer of that range, or missing or null.
func (s *Scan) Integer(path []string, least, most int64) bool {
	i, found, ok := s.member(path)
	if !found {
		return ok
	}
	x, end := s.number(i)
	return end != bad && x.whole && x.i >= least && x.i <= most
}

// String reports whether the value at a path in the text's object is a string, or missing.
func (s *Scan) String(path []string) bool {
	i, found, ok := s.member(path)
	return ok && (!found || s.at(i) == '"')
}

// member returns the offset of the value at a path. ok is false if a value above it is not an object.
func (s *Scan) member(path []string) (i int, found, ok bool) {
	i = s.skipSpace(0)
	for at, key := range path {
		if at == 0 && (key == "spec" || key == "status") {
			place := s.spec
			if key == "status" {
				place = s.status
			}
			if i = place; i == 0 || key == "status" && s.root.DropsStatus {
				return 0, false, true
			}
			continue
		}
		if s.at(i) == 'n' {
			return 0, false, true
		}
		if s.at(i) != '{' {
			return 0, false, false
		}
		if i = s.find(i, key); i == bad {
			return 0, false, true
		}
	}
	return i, true, true
}

// find returns the offset of the value of key in the object at i, or bad if it is missing.
func (s *Scan) find(i int, key string) int {
	i, more := s.enter(i, '}')
	for more {
		end, escaped, value := s.key(i)
		if s.text(i, end, escaped) == key {
			return value
		}
		i, more = s.next(s.skip(value), '}')
	}
	return bad
}
