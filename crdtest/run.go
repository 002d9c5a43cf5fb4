package crdtest

import (
	"context"
	"testing"
)

// A Case is a request, and what is expected of its answer. Object, or Base and Patch, say what is sent; Old makes the request an update.
//
// Objects are written as YAML or JSON in a string, a []byte or a json.RawMessage, or as any Go value that encodes as a JSON object, such
// as a struct of the project or a map. They need no apiVersion (see Version), no kind (see Kind), and neither name nor namespace.
type Case struct {
	Name string // of the subtest

	// Object is what is sent. If it is nil, it is what Patch makes of Base, or of Old where there is no Base: Patch is YAML or JSON, a
	// merge patch if it is an object, one of RFC 6902 if it is a list.
	Object any
	Base   any
	Patch  string

	// Old is the object that is stored: the request is an update. It gets the defaults of the definition and loses what is unknown to it,
	// but it need not be valid. OldCRD says that it was stored under another definition, whose defaults it gets, and under which it has to
	// be valid: the name of a file, a manifest, or a *Set.
	Old    any
	OldCRD any

	// Kind is that of the object where the object has none: Widget, or Widget.example.com where several groups have the kind. Empty: the
	// name of the object's Go type, if one definition has that kind. A set of a single definition needs no kind.
	Kind string
	// Version is that of the request where the object has no apiVersion. Empty: the name of the package of the object's Go type, if that is
	// a version such as v1beta1; otherwise the storage version.
	Version string
	// Subresource is empty, "status" or "scale". The object of the last is a Scale of autoscaling/v1.
	Subresource string

	// Errs are the errors of the answer, in any order, no more and no less: nil for an object that has to be accepted. The error that rules
	// were not looked at because of other errors need not be named.
	Errs []Match
	// Want is what has to be stored, or a part of it. Lists in it are whole. Of a Go struct, an object without fields or a null matches what
	// is absent, since a struct cannot leave it out. With WantExact it is all of it; apiVersion, kind, generation, name and namespace still
	// may be left out.
	Want      any
	WantExact bool
	// Pruned are the paths of the fields that are dropped since the schema does not know them, in any order: a misspelt field fails a test.
	// A dot in front of a path does not matter.
	Pruned []string
	// Warnings are those of the answer, in any order. Nil: whatever they are; empty: none.
	Warnings []string
}

// Run runs each case as a subtest. A case that asks for what cannot be (an object that is no YAML, a version that does not exist) ends
// its subtest; an answer that is not the expected one fails it, with a text that names the line of the case, the differences, and the
// object as it was judged.
func (s *Set) Run(t *testing.T, cases []Case) {
	t.Helper()
	file := callerFile(1)
	for i := range cases {
		c := &cases[i]
		t.Run(c.Name, func(t *testing.T) {
			t.Helper()
			failure, err := s.try(t.Context(), c)
			if err != nil {
				t.Fatalf("%s%v", caseLine(file, c.Name), err)
			}
			if failure != "" {
				t.Error(caseLine(file, c.Name) + failure)
			}
		})
	}
}

// try runs a case. The text says how the answer differs from what is expected; the error, why there is no answer.
func (s *Set) try(ctx context.Context, c *Case) (string, error) {
	q, err := s.request(ctx, c)
	if err != nil {
		return "", err
	}
	a := q.ask(ctx)
	s.notes.add(a)
	want, err := c.want()
	if err != nil {
		return "", err
	}
	return a.differs(ctx, want), nil
}

// A wanted is what a case expects.
type wanted struct {
	errs     []Match
	object   map[string]any // nil: anything
	typed    bool           // object was a Go struct
	exact    bool
	pruned   []string
	warnings []string // nil: anything
	lenient  bool     // of what is pruned nothing is said
}

func (c *Case) want() (wanted, error) {
	w := wanted{errs: c.Errs, exact: c.WantExact, pruned: c.Pruned, warnings: c.Warnings}
	if c.Want != nil {
		obj, err := object(c.Want)
		if err != nil {
			return w, inField("Want", err)
		}
		w.object, w.typed = obj, structType(c.Want) != nil
	}
	return w, nil
}
