package query

// A Selector is a label selector and a field selector of a list request. The zero value selects every object.
type Selector struct {
	labels  Labels
	fields  Fields
	offered *Selectable
}

// Selector parses both selectors. An error in labels is reported before one in fields. The labels are parsed as by
// [ParseLabels], the fields as by [Selectable.Parse].
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

// CheckSelectors returns the error that [Selectable.Selector] returns for selectors that cannot be parsed. It does not
// check which fields there are.
//
// Clauses: SEL-001, SEL-005, SEL-006.
func CheckSelectors(labels, fields string) error {
	if _, err := ParseLabels(labels); err != nil {
		return err
	}
	_, err := parseTerms(fields)
	return err
}

// Name returns the metadata.name that all objects have that a field selector selects, or "" if it does not say or cannot
// be parsed. If it requires several names, it is the first of them in byte order, as on a server.
func Name(fields string) string {
	terms, err := parseTerms(fields)
	if err != nil {
		return ""
	}
	for _, t := range terms {
		if t.label == "metadata.name" && !t.not {
			return t.value
		}
	}
	return ""
}

// Matches reports whether both selectors select obj. If either is not empty, a server first reads all the selectable
// fields of an object, including those that no term uses, and does not select the object if it cannot.
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
