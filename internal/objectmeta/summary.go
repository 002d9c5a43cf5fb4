package objectmeta

import "github.com/crdkit/crdkit/internal/jsonval"

// A Summary is what one walk over a metadata finds: all that most requests ask about it. The zero value is that of none.
type Summary struct {
	Meta map[string]any // the metadata itself
	// Canonical is as [Canonical] says.
	Canonical bool
	// Same: the old metadata is canonical and equal, so that an update changes nothing.
	Same bool
	// Bare: a create leaves it as it is, but for the namespace and the generation, and has no warnings about it. It may have a
	// resourceVersion.
	Bare bool
	// Settled: an update that is the Same leaves it as it is.
	Settled bool

	ResourceVersion string
	Generation      int64

	judge judge
	valid bool // Its members are.
}

// Name returns the name.
func (s *Summary) Name() string { return s.judge.named }

// Namespace returns the namespace.
func (s *Summary) Namespace() string { return s.judge.inNamespace }

// Summarize writes the summary of meta, whose old value is old, nil for none, and reports whether meta is canonical. It allocates
// nothing. Of a metadata that is not canonical nothing else is said.
func (s *Summary) Summarize(meta, old map[string]any) bool {
	*s = Summary{}
	if meta == nil {
		return false
	}
	s.Meta = meta
	s.Canonical, s.Bare, s.Settled, s.valid = true, true, true, true
	s.Same = old != nil && len(old) == len(meta)
	for k, v := range meta {
		if !s.member(k, v) {
			*s = Summary{}
			return false
		}
		if s.Same {
			w, ok := old[k]
			s.Same = ok && jsonval.Equal(v, w)
		}
	}
	return true
}

// member adds a member to the summary, and reports whether it is canonical. The first cases are for what nearly all objects have: they say
// what the functions say that the last one calls.
func (s *Summary) member(k string, v any) bool {
	if x, ok := v.(string); ok && canonicalText(v) {
		switch k {
		case "name":
			s.judge.named = x
			return true
		case "namespace":
			s.judge.inNamespace = x
			return true
		case "resourceVersion":
			s.ResourceVersion = x
			return true
		}
	}
	if n, ok := v.(int64); ok && n > 0 && k == "generation" {
		s.Generation = n
		return true
	}
	if !canonicalMember(k, v) {
		return false
	}
	if !s.judge.member(k, v) {
		s.valid = false
	}
	switch k {
	case "generation":
		s.Generation = integer(v)
	case "generateName", "labels", "annotations":
	case "uid", "creationTimestamp", "finalizers", "deletionGracePeriodSeconds":
		s.Bare = false
	default:
		s.Bare, s.Settled = false, false
	}
	return true
}

// ValidCreate reports what [ValidCreate] does.
func (s *Summary) ValidCreate(namespaced bool) bool {
	return s.valid && s.judge.bothNames() && s.judge.namespace(namespaced)
}

// ValidUpdate reports what [ValidUpdate] does with an old metadata that is the same.
func (s *Summary) ValidUpdate(namespaced bool) bool {
	return s.valid && s.judge.name(PathSegment, true) && s.judge.namespace(namespaced)
}
