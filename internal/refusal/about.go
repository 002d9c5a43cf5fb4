package refusal

import "github.com/crdkit/crdkit/field"

// Package apply returns a resource.Result with errors about the options of a request. A Result shows users only the
// errors, so it embeds an About in an unexported field, and only [SetAbout] gives access to it.

// An About identifies the object that the errors of a resource.Result are about. The zero value is the object of the
// request.
type About struct{ object *object }

type object struct{ group, kind, name string }

// AboutOptions is for errors about the options of a request. The kind is CreateOptions, UpdateOptions, PatchOptions,
// DeleteOptions or ListOptions.
func AboutOptions(kind string) About { return About{&object{group: MetaGroup, kind: kind}} }

// AboutObject is for errors about another object. The kind may be the plural name of its resource.
func AboutObject(group, kind, name string) About { return About{&object{group, kind, name}} }

func (a *About) set(to About) { *a = to }

// SetAbout sets what the errors of a *resource.Result are about.
func SetAbout(result interface{ set(About) }, to About) { result.set(to) }

// Status returns the refusal with errs, or nil if they are about the object of the request.
func Status(about About, errs field.List) *field.Status {
	if about.object == nil {
		return nil
	}
	return errs.Status(about.object.group, about.object.kind, about.object.name)
}
