package resource

import (
	"fmt"
	"sync"

	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/internal/validity"
	"github.com/crdkit/crdkit/schema"
)

// This file has what a Resource is for servers of other versions of Kubernetes. One engine answers for all of them. It
// looks up facts in a profile: see package since.

// For returns the same definition as a server of that minor version of Kubernetes answers: "1.30" to "1.38". An empty
// version is the newest release, whose answers [Compile] is for. 1.38 is known as of a prerelease. Other versions are
// errors.
//
// Verdicts, the types and fields of errors, and objects are that version's, with the gates that are on by default in
// its newest patch release. So are texts, except that a rule that does not compile has the text of the newest version:
// docs/kubeversion.md has the facts and what is missing. For assumes that the server serves the definition: rules may
// call functions that the version does not have. Package kubeversion says whether a server accepts the definition.
//
// r and the results share what does not differ, and r keeps the results: a second call returns the same Resource. The
// first call for a version copies what differs in the schemas. For does not modify r, and is safe for concurrent use.
func (r *Resource) For(kubernetes string) (*Resource, error) {
	m, err := since.ParseServed(kubernetes)
	if err != nil {
		return nil, fmt.Errorf("resource: %w", err)
	}
	return r.as(m.Profile()), nil
}

// profile returns the profile of the server that answers.
func (r *Resource) profile() since.Profile { return since.ProfileOf(&r.answering) }

// A family has one Resource for each profile that was asked for.
type family struct {
	newest *Resource

	mu     sync.Mutex
	others map[since.Profile]*Resource
}

// as returns r for a server with that profile.
func (r *Resource) as(p since.Profile) *Resource {
	f := r.family
	if p == (since.Profile{}) {
		return f.newest
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.others[p]
	if out == nil {
		out = f.newest.copy()
		since.Answer(&out.answering, p)
		for _, v := range out.versions {
			v.adapt()
		}
		if f.others == nil {
			f.others = map[since.Profile]*Resource{}
		}
		f.others[p] = out
	}
	return out
}

// copy returns a copy of r, whose versions may be changed.
func (r *Resource) copy() *Resource {
	out := *r
	out.versions = make(map[string]*version, len(r.versions))
	for name, v := range r.versions {
		of := *v
		of.resource = &out
		out.versions[name] = &of
		if v == r.storage {
			out.storage = &of
		}
	}
	return &out
}

// adapt makes v, a copy of a version for the newest release, one for the profile of its resource.
func (v *version) adapt() {
	p := v.resource.profile()
	if !p.Has(since.SelectableFieldsKept) {
		v.selectable = v.resource.lazySelectable(nil)
	}
	if v.schema == nil {
		return
	}
	if s := v.revised.schema(v.schema, plan.RevisionFor(p)); s != v.schema {
		v.schema, v.root = s, plan.Root(s)
		v.setStatusDefault()
		v.setSettled()
	}
}

// revisions has the revised schemas of a version. Copies of the version share it.
type revisions struct {
	mu  sync.Mutex
	all map[plan.Revision]*schema.Structural
}

// schema returns the revision of s, the schema of the newest release.
func (r *revisions) schema(s *schema.Structural, by plan.Revision) *schema.Structural {
	if by == (plan.Revision{}) {
		return s
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	revised := r.all[by]
	if revised == nil {
		revised = s
		if root := by.Node(plan.Root(s)); root != plan.Root(s) {
			view := plan.View[schema.Structural](root)
			revised = &view
		}
		if r.all == nil {
			r.all = map[plan.Revision]*schema.Structural{}
		}
		r.all[by] = revised
	}
	return revised
}

// server returns the server whose checks and texts of metadata the answers have.
func (v *Version) server() objectmeta.Server { return objectmeta.Server{Profile: v.resource.profile()} }

// setStatusDefault sets what v knows of the default of its status.
func (v *version) setStatusDefault() {
	if p := v.root.Prop("status"); p != nil && p.Node.Default != nil {
		v.statusDefault = p.Node.Default
		v.statusDefaultNormal = validity.OK(p.Node, p.Node.Default, validity.Schema|validity.Embedded|validity.Stored)
	}
}
