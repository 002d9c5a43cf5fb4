package openapi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/crd"
)

// MergeV3 merges version 3 documents of one group version into one, as a server does: the result has the paths and
// definitions of all of them. If several have the same path, the last one is used. Two definitions of the same name are
// an error with the server's text, except for those of Kubernetes, where the first one is used. Nil documents are
// ignored.
//
// The documents are not modified. Merging takes linear time.
func MergeV3(docs ...*Document) (*Document, error) {
	var m merger
	for _, d := range docs {
		if d == nil {
			continue
		}
		if d.format != formatV3 {
			return nil, errors.New("openapi: a document to merge is not of version 3")
		}
		if err := m.add(&d.parts); err != nil {
			return nil, err
		}
	}
	return m.parts.finish(formatV3), nil
}

// V3All returns the version 3 documents of all group versions that the definitions serve, by [Key]. Each one merges the
// documents of all definitions that serve the group version, in their order.
//
// Definitions that cannot be published are left out: nil definitions, those for which [V3] returns an error, those of
// more than 2,000 versions, and those with kinds whose names are already taken. The error joins one error for each of them (errors.Join). A server keeps
// the previous document in that case, so the documents are usable even if the error is not nil.
func V3All(defs ...*crd.CustomResourceDefinition) (map[string]*Document, error) {
	groups := map[string]*merger{}
	var errs []error
	for _, d := range defs {
		if err := publishable(d); err != nil {
			errs = append(errs, err)
			continue
		}
		done := map[string]bool{}
		for i := range d.Spec.Versions {
			version := d.Spec.Versions[i].Name
			if !d.Spec.Versions[i].Served || done[version] {
				continue
			}
			done[version] = true
			var p parts
			err := p.add(formatV3, d, version)
			if err == nil {
				key := Key(d.Spec.Group, version)
				if groups[key] == nil {
					groups[key] = &merger{}
				}
				err = groups[key].add(&p)
			}
			if err != nil {
				errs = append(errs, fmt.Errorf("%s, version %s: %w", d.Name(), version, err))
			}
		}
	}
	all := make(map[string]*Document, len(groups))
	for key, m := range groups {
		all[key] = m.parts.finish(formatV3)
	}
	return all, errors.Join(errs...)
}

// A merger collects the parts of documents of version 3.
type merger struct {
	parts parts
	has   map[string]bool // definitions
}

// add adds all of p, or adds nothing and returns an error.
func (m *merger) add(p *parts) error {
	if m.has == nil {
		m.has = make(map[string]bool, len(p.schemas))
	}
	for _, s := range p.schemas {
		if m.has[s.name] && !ofKubernetes(s.name) {
			return fmt.Errorf("OpenAPI V3 merge schema conflict on %s", s.name)
		}
	}
	for _, s := range p.schemas {
		if !m.has[s.name] {
			m.has[s.name] = true
			m.parts.schemas = append(m.parts.schemas, s)
		}
	}
	m.parts.paths = append(m.parts.paths, p.paths...)
	return nil
}

// ofKubernetes reports whether a definition is one that every document may have.
func ofKubernetes(name string) bool {
	return strings.HasPrefix(name, strings.TrimSuffix(metaV1, ".")) || strings.HasPrefix(name, strings.TrimSuffix(autoscaling, "."))
}
