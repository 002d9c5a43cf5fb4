package jsonscan

// Value reads the next value as JSON decoders in Go do: nil, bool, int64, float64, string, []any or map[string]any. It
// shares nothing with the text.
func (s *Scanner) Value() any {
	switch s.Kind() {
	case Null:
		s.Null()
		return nil
	case Bool:
		return s.Bool()
	case Number:
		if i, f, whole := s.Number(); !whole {
			return f
		} else {
			return i
		}
	case String:
		return s.ownValue()
	case Array:
		return s.list()
	case Object:
		return s.Map()
	}
	s.declined = true
	return nil
}

// DecodeObject returns the object in data as Value does, or nil if the text is declined or is not an object. Short
// strings share blocks of at most 1 KiB: objects are mostly kept or dropped as a whole, unlike definitions, of which a
// compiled schema keeps a few strings.
func DecodeObject(data []byte) map[string]any {
	s := New(data)
	defer s.Release()
	s.blocks = true
	if s.Kind() != Object {
		return nil
	}
	if obj := s.Map(); s.End() {
		return obj
	}
	return nil
}

// list reads the next list. Its items are collected on a stack, so that the list has its final size at once.
func (s *Scanner) list() []any {
	mark := len(s.elements)
	for ok := s.FirstItem(); ok; ok = s.NextItem() {
		s.elements = append(s.elements, s.Value())
	}
	items := s.elements[mark:]
	l := make([]any, len(items))
	copy(l, items)
	clear(items)
	s.elements = s.elements[:mark]
	return l
}

// Map reads the next object, as Value does. Like a list, it has its final size at once.
func (s *Scanner) Map() map[string]any {
	mark, markKeys := len(s.elements), len(s.keys)
	for key, ok := s.FirstKey(); ok; key, ok = s.NextKey() {
		s.keys = append(s.keys, key)
		s.elements = append(s.elements, s.Value())
	}
	keys, values := s.keys[markKeys:], s.elements[mark:]
	m := make(map[string]any, len(keys))
	for i, key := range keys {
		m[key] = values[i]
	}
	if len(m) < len(keys) {
		s.declined = true
	}
	clear(keys)
	clear(values)
	s.keys, s.elements = s.keys[:markKeys], s.elements[:mark]
	return m
}

// Skip skips a value. Duplicate keys are ignored.
func (s *Scanner) Skip() {
	switch s.Kind() {
	case Null:
		s.Null()
	case Bool:
		s.Bool()
	case Number:
		s.Number()
	case String:
		s.skipText()
	case Array:
		for ok := s.FirstItem(); ok; ok = s.NextItem() {
			s.Skip()
		}
	case Object:
		for ok := s.first('{', '}'); ok; ok = s.more('}') {
			s.skipText()
			s.colon()
			s.Skip()
		}
	default:
		s.declined = true
	}
}
