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
		l := []any{}
		for ok := s.FirstItem(); ok; ok = s.NextItem() {
			l = append(l, s.Value())
		}
		return l
	case Object:
		return s.Map()
	}
	s.declined = true
	return nil
}

// Map reads the next object, as Value does.
func (s *Scanner) Map() map[string]any {
	m := make(map[string]any)
	for key, ok := s.FirstKey(); ok; key, ok = s.NextKey() {
		s.Put(m, key, s.Value())
	}
	return m
}

// Put sets a key of m, and declines the text if m already has it.
func (s *Scanner) Put(m map[string]any, key string, v any) {
	before := len(m)
	m[key] = v
	if len(m) == before {
		s.declined = true
	}
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
