package objectmeta

import (
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// A Summary is what one walk of a metadata finds: all that most requests need of it. The zero value is that of metadata which is not
// canonical.
type Summary struct {
	Meta map[string]any // the metadata itself
	// Canonical is as [Canonical] says. If it is false, nothing else is set.
	Canonical bool
	// Same: the old metadata is canonical and equal, so that an update changes nothing.
	Same bool
	// KeptByCreate: a create keeps it as it is, except for the namespace and the generation, and has no warnings about it. It may have a
	// resourceVersion.
	KeptByCreate bool
	// KeptByUpdate: an update that is the Same keeps it as it is, and has no warnings about it.
	KeptByUpdate bool

	ResourceVersion string
	Generation      int64

	name      objectName
	namespace string
	validRest bool // all other members are valid
}

// Name returns the name.
func (s *Summary) Name() string { return s.name.name }

// Namespace returns the namespace.
func (s *Summary) Namespace() string { return s.namespace }

// Summarize writes the summary of meta, whose old value is old, nil for none, and reports whether meta is canonical. If so, it allocates
// nothing.
func (s *Summary) Summarize(meta, old map[string]any) bool {
	*s = Summary{}
	if meta == nil {
		return false
	}
	s.Meta = meta
	s.Canonical, s.KeptByCreate, s.KeptByUpdate = true, true, true
	s.Same = old != nil && len(old) == len(meta)
	c := checker{errs: errlist.Within(oneError)}
	for k, v := range meta {
		m := Metadata.member(k)
		if m == nil || !m.canonical(v) {
			*s = Summary{}
			return false
		}
		if s.Same {
			w, ok := old[k]
			s.Same = ok && jsonval.Equal(v, w)
		}
		s.add(m, v)
		c.member(m, v)
	}
	s.validRest = c.errs.Len() == 0
	return true
}

func (s *Summary) add(m *Member, v any) {
	switch m.Name {
	case "name":
		s.name.name = v.(string)
	case "generateName":
		s.name.generateName = v.(string)
	case "namespace":
		s.namespace = v.(string)
	case "resourceVersion":
		s.ResourceVersion = v.(string)
	case "generation":
		s.Generation = v.(int64)
	case "deletionTimestamp":
		s.KeptByUpdate = false // an update may end the deletion
	}
	s.KeptByCreate = s.KeptByCreate && m.onCreate == keep
	s.KeptByUpdate = s.KeptByUpdate && m.onUpdate != drop && m.onUpdate != examine
}

// ValidCreate reports what [ValidCreate] does.
func (s *Summary) ValidCreate(namespaced bool) bool {
	return s.valid(Subdomain, true, namespaced) && s.valid(PathSegment, true, namespaced)
}

// ValidUpdate reports what [ValidUpdate] does with an old metadata that is the same.
func (s *Summary) ValidUpdate(namespaced bool) bool { return s.valid(PathSegment, true, namespaced) }

func (s *Summary) valid(names NameRule, required, namespaced bool) bool {
	c := checker{errs: errlist.Within(oneError)}
	c.name(s.name, names, required)
	c.namespace(s.namespace, namespaced)
	return s.validRest && c.errs.Len() == 0
}
