package objectmeta

import (
	"github.com/crdkit/crdkit/internal/jsonval"
)

// A Summary is what most requests need to know about metadata, found in one walk. The zero value is that of metadata that is not canonical.
type Summary struct {
	Names
	Generation int64
	// Same reports that the old metadata is canonical and equal.
	Same bool
	// KeptByCreate reports that a create does not change the metadata, except for its namespace and generation, and has no warnings about
	// it. It may have a resourceVersion.
	KeptByCreate bool
	// KeptByUpdate reports that an update does not change the metadata, and has no warnings about it, provided that it is the Same.
	KeptByUpdate bool

	validRest bool // all members but the names are valid
}

// Summarize sets s to the summary of meta and reports whether meta is [Canonical]. If so, it allocates nothing. old is the old metadata, or nil.
func (s *Summary) Summarize(meta, old map[string]any) bool {
	if meta == nil {
		*s = Summary{}
		return false
	}
	*s = Summary{Same: old != nil && len(old) == len(meta), KeptByCreate: true, KeptByUpdate: true}
	var c checker
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
		s.KeptByCreate = s.KeptByCreate && m.onCreate == keep
		s.KeptByUpdate = s.KeptByUpdate && m.onUpdate != drop && m.onUpdate != examine
		switch m.Name {
		case "name":
			s.Name = text(v)
		case "generateName":
			s.GenerateName = text(v)
		case "namespace":
			s.Namespace = text(v)
		case "generation":
			s.Generation = integer(v)
		case "deletionTimestamp":
			s.KeptByUpdate = false // An update may complete the deletion.
		}
		c.member(m, v)
	}
	s.validRest = c.errs.Len() == 0
	return true
}

// Prepared reports whether the metadata has no finalizers, and [PrepareCreate] with that namespace returns it as it is,
// without duplicates.
func (s *Summary) Prepared(namespace string) bool {
	return s.KeptByCreate && s.Generation == 1 && s.Namespace == namespace
}

// ValidCreate is [ValidCreate] for the metadata of the summary.
func (s *Summary) ValidCreate(namespaced bool) bool {
	return s.validRest && s.Names.ValidCreate(namespaced)
}

// ValidUpdate is [ValidUpdate] for the metadata of the summary and an old one that is the Same.
func (s *Summary) ValidUpdate(namespaced bool) bool {
	return s.validRest && s.Names.ValidUpdate(namespaced)
}
