package selector

// A Selector is what a request for many objects has: a label selector and a field selector. The zero value selects every object.
type Selector struct {
	labels  Labels
	fields  Fields
	offered *Selectable
}

// Selector reads both selectors. An error in labels comes before one in fields. The labels are as of [ParseLabels], the fields as of
// [Selectable.Parse].
//
// Clauses: SEL-001, SEL-004, SEL-005, SEL-006.
func (s *Selectable) Selector(labels, fields string) (Selector, error) {
	l, err := ParseLabels(labels)
	if err != nil {
		return Selector{}, err
	}
	f, err := s.Parse(fields)
	if err != nil {
		return Selector{}, err
	}
	return Selector{l, f, s}, nil
}

// Matches reports whether both selectors select obj. If one of them is not empty, a server reads all the selectable fields of an object
// first, those that no term names too, and does not select the object if it cannot.
//
// Clauses: SEL-002, SEL-006.
func (s *Selector) Matches(obj map[string]any) bool {
	if s.Empty() {
		return true
	}
	if !s.labels.Empty() && !s.labels.Matches(LabelsOf(obj)) {
		return false
	}
	return s.offered.readable(obj) == nil && s.fields.Matches(obj)
}

// Empty reports whether s selects every object.
func (s *Selector) Empty() bool { return s.labels.Empty() && s.fields.Empty() }

// Labels returns the label selector.
func (s *Selector) Labels() Labels { return s.labels }

// Fields returns the field selector.
func (s *Selector) Fields() Fields { return s.fields }
