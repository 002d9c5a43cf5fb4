package objectmeta

import (
	"github.com/crdkit/crdkit/internal/errlist"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// A Summary is what most requests need to know about metadata, found in one walk. The zero value is that of metadata that is not canonical.
type Summary struct {
	Meta map[string]any // the metadata itself
	// Canonical is the result of [Canonical]. If it is false, nothing else is set.
	Canonical bool
	// Same reports that the old metadata is canonical and equal.
	Same bool
	// KeptByCreate reports that a create does not change the metadata, except for its namespace and generation, and has no warnings about
	// it. It may have a resourceVersion.
	KeptByCreate bool
	// KeptByUpdate reports that an update does not change the metadata, and has no warnings about it, provided that it is the Same.
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

// Summarize sets s to the summary of meta and reports whether meta is canonical. If so, it allocates nothing. old is the old metadata, or nil.
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
		s.KeptByUpdate = false // An update may complete the deletion.
	}
	s.KeptByCreate = s.KeptByCreate && m.onCreate == keep
	s.KeptByUpdate = s.KeptByUpdate && m.onUpdate != drop && m.onUpdate != examine
}

// Prepared reports whether the metadata has no finalizers, and [PrepareCreate] with that namespace returns it as it is,
// without duplicates.
func (s *Summary) Prepared(namespace string) bool {
	return s.KeptByCreate && s.Generation == 1 && s.namespace == namespace
}

// ValidCreate is [ValidCreate] for the metadata of the summary.
func (s *Summary) ValidCreate(namespaced bool) bool {
	return s.valid(Subdomain, true, namespaced) && s.valid(PathSegment, true, namespaced)
}

// ValidUpdate is [ValidUpdate] for the metadata of the summary and an old one that is the Same.
func (s *Summary) ValidUpdate(namespaced bool) bool { return s.valid(PathSegment, true, namespaced) }

func (s *Summary) valid(names NameRule, required, namespaced bool) bool {
	c := checker{errs: errlist.Within(oneError)}
	c.name(s.name, names, required)
	c.namespace(s.namespace, namespaced)
	return s.validRest && c.errs.Len() == 0
}
