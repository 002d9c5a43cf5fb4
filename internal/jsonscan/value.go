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
	s.Decline()
	return nil
}

// DecodeObject returns the object in data as Value does, or nil if the text is declined or is not an object. Short
// strings share blocks, as those of [NewObject] do.
func DecodeObject(data []byte) map[string]any {
	s := NewObject(data)
	defer s.Release()
	if s.Kind() != Object {
		return nil
	}
	if obj := s.Map(); s.End() {
		return obj
	}
	return nil
}

// NewObject returns a Scanner of data for one object. Short strings of Value share blocks of at most 1 KiB: objects are
// mostly kept or dropped as a whole, unlike definitions, of which a compiled schema keeps a few strings.
func NewObject(data []byte) *Scanner {
	s := New(data)
	s.blocks = true
	return s
}

// list reads the next list.
func (s *Scanner) list() []any {
	mark := s.ItemMark()
	for ok := s.FirstItem(); ok; ok = s.NextItem() {
		s.AddItem(s.Value())
	}
	return s.Items(mark)
}

// ItemMark begins a list of values for [Scanner.Items], which has its final size at once. Lists and objects that begin
// later end earlier.
func (s *Scanner) ItemMark() (mark int) { return len(s.items) }

// AddItem adds an item to the list that began last.
func (s *Scanner) AddItem(v any) { s.items = append(s.items, v) }

// Items ends the list that began at mark, and returns it.
func (s *Scanner) Items(mark int) []any {
	items := s.items[mark:]
	l := make([]any, len(items))
	copy(l, items)
	clear(items)
	s.items = s.items[:mark]
	return l
}

// Map reads the next object, as Value does.
func (s *Scanner) Map() map[string]any {
	mark := s.MemberMark()
	for key, ok := s.FirstKey(); ok; key, ok = s.NextKey() {
		s.AddMember(key, s.Value())
	}
	return s.Members(mark)
}

// MemberMark begins an object for [Scanner.Members], which has its final size at once, too.
func (s *Scanner) MemberMark() (mark int) { return len(s.members) }

// AddMember adds a member to the object that began last.
func (s *Scanner) AddMember(key string, v any) { s.members = append(s.members, member{key, v}) }

// Members ends the object that began at mark, and returns it. A key that was added twice declines the text.
func (s *Scanner) Members(mark int) map[string]any {
	members := s.members[mark:]
	m := make(map[string]any, len(members))
	for i := range members {
		m[members[i].key] = members[i].value
	}
	if len(m) < len(members) {
		s.Decline()
	}
	clear(members)
	s.members = s.members[:mark]
	return m
}

// Raw reads a value and returns its text, which shares memory with the data.
func (s *Scanner) Raw() []byte {
	s.peek()
	start := s.pos
	s.Skip()
	if s.declined {
		return nil
	}
	return s.data[start:s.pos]
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
		s.Decline()
	}
}
