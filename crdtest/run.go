package crdtest

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/crdkit/crdkit/internal/since"
)

// A Case is a request and its expected answer. Object, or Base and Patch, are the sent object; Old makes the request an
// update.
//
// Objects are YAML or JSON in a string, a []byte or a json.RawMessage, or any Go value that encodes as a JSON object,
// such as a struct of the project or a map. They need no apiVersion (see Version), no kind (see Kind), and neither name
// nor namespace.
type Case struct {
	Name string // of the subtest

	// Object is the object that is sent. If it is nil, Patch is applied to Base, or to Old if there is no Base. Patch
	// is YAML or JSON: a merge patch if it is an object, a JSON patch (RFC 6902) if it is a list.
	Object any
	Base   any
	Patch  string

	// Old is the stored object, which makes the request an update. It gets the defaults of the definition and loses
	// unknown fields, but need not be valid. If OldCRD is set, it was stored under another definition: it gets the
	// defaults of that one, and must be valid under it. OldCRD is the name of a file, a manifest, or a *Set.
	Old    any
	OldCRD any

	// Kind is used if the object has no kind: Widget, or Widget.example.com if several groups have the kind. Empty: the
	// name of the object's Go type, if one definition has that kind. A set of a single definition needs no kind.
	Kind string
	// Version is used if the object has no apiVersion. Empty: the name of the package of the object's Go type, if that
	// is a version such as v1beta1; otherwise the storage version.
	Version string
	// Subresource is empty, "status" or "scale". The object of a scale request is a Scale of autoscaling/v1.
	Subresource string

	// Errs are exactly the errors of the answer, in any order: nil for an object that must be accepted. The error that
	// rules were not evaluated because of other errors may be left out.
	Errs []Match
	// Want is the object in the answer, or a part of it. It is in the version of the request. Lists in it are compared
	// as a whole. In a Go struct, an object without fields or a null matches an absent value, because a struct cannot
	// omit it. With WantExact it is the whole object; apiVersion, kind, generation, name and namespace may still be left
	// out.
	Want      any
	WantExact bool
	// Stored is likewise what is in the store after the request, in the storage version, and Read what later requests
	// read in the versions that are its keys.
	Stored any
	Read   map[string]any
	// Pruned are the paths of the fields that are dropped because the schema does not know them, in any order. Other
	// dropped fields fail the test, such as a misspelled one. A leading dot of a path is ignored.
	Pruned []string
	// Warnings are those of the answer, in any order. Nil: any; empty: none.
	Warnings []string

	// Since has other expected answers of servers from a minor version of Kubernetes on, such as 1.36. Of the keys that
	// are not later than the version of the set (see [Set.For] and [Set.RunOn]), the last one counts.
	Since map[string]Answer
}

// An Answer is an expected answer. It replaces all of a [Case]'s fields of the same names.
type Answer struct {
	Errs      []Match
	Want      any
	WantExact bool
	Stored    any
	Read      map[string]any
	Pruned    []string
	Warnings  []string
}

// Run runs each case as a subtest. A case with impossible input (an object that is not YAML, a version that does not
// exist) ends its subtest. An unexpected answer fails it, with a text that has the line of the case, the differences,
// and the object as validated.
func (s *Set) Run(t *testing.T, cases []Case) {
	t.Helper()
	_, file, _, _ := runtime.Caller(1)
	s.run(t, file, cases)
}

// RunOn runs the cases on servers of several minor versions of Kubernetes ([Set.For]). Each version has a subtest, and
// the cases have subtests of that, as with [Set.Run]. A version that is not known fails the test.
func (s *Set) RunOn(t *testing.T, versions []string, cases []Case) {
	t.Helper()
	_, file, _, _ := runtime.Caller(1)
	for _, version := range versions {
		of, err := s.For(version)
		if err != nil {
			t.Error(err)
			continue
		}
		t.Run(of.minor.String(), func(t *testing.T) {
			t.Helper()
			of.run(t, file, cases)
		})
	}
}

func (s *Set) run(t *testing.T, file string, cases []Case) {
	t.Helper()
	for i := range cases {
		c := &cases[i]
		t.Run(c.Name, func(t *testing.T) {
			t.Helper()
			failure, err := s.try(t.Context(), c)
			s.notes.logUnconverted(t)
			if err != nil {
				t.Fatalf("%s%v", caseLine(file, c.Name), err)
			}
			if failure != "" {
				t.Error(caseLine(file, c.Name) + failure)
			}
		})
	}
}

// try runs a case. The text says how the answer differs from the expected one; the error says why there is no answer.
func (s *Set) try(ctx context.Context, c *Case) (string, error) {
	q, err := s.request(ctx, c)
	if err != nil {
		return "", err
	}
	a := q.ask(ctx)
	s.notes.add(a)
	want, err := c.on(s.minor)
	if err != nil {
		return "", err
	}
	for name := range want.read {
		if _, _, err := q.d.version(name); err != nil {
			return "", inField("Read", err)
		}
	}
	return a.differs(want), nil
}

// A wanted is the expected answer of a case.
type wanted struct {
	errs     []Match
	object   partial
	stored   partial
	read     map[string]partial // by version
	exact    bool
	pruned   []string
	warnings []string // nil: any
	lenient  bool     // ignore pruned fields
}

// A partial object is an expected object, or a part of it.
type partial struct {
	object map[string]any // nil: any
	typed  bool           // object was a Go struct
}

// on returns the answer that c expects from a server of that version.
func (c *Case) on(minor since.Minor) (wanted, error) {
	from, of := since.Minor(0), c
	for version, a := range c.Since {
		m, err := since.ParseServed(version)
		if err != nil || version == "" {
			return wanted{}, inField("Since", cmp.Or(err, errors.New("a version is empty")))
		}
		if m <= minor && m > from {
			from, of = m, &Case{
				Errs: a.Errs, Want: a.Want, WantExact: a.WantExact, Stored: a.Stored, Read: a.Read, Pruned: a.Pruned, Warnings: a.Warnings,
			}
		}
	}
	return of.want()
}

func (c *Case) want() (w wanted, err error) {
	w = wanted{errs: c.Errs, exact: c.WantExact, pruned: c.Pruned, warnings: c.Warnings, read: make(map[string]partial, len(c.Read))}
	if w.object, err = newPartial("Want", c.Want); err != nil {
		return w, err
	}
	if w.stored, err = newPartial("Stored", c.Stored); err != nil {
		return w, err
	}
	for name, v := range c.Read {
		if w.read[name], err = newPartial("Read["+name+"]", v); err != nil {
			return w, err
		}
	}
	return w, nil
}

// newPartial returns the value of a field of a case.
func newPartial(name string, v any) (partial, error) {
	if v == nil {
		return partial{}, nil
	}
	obj, err := object(v)
	if err != nil {
		return partial{}, inField(name, err)
	}
	return partial{obj, structType(v) != nil}, nil
}
