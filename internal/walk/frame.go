// Package walk has the path of a walk through an object, kept on the Go stack until an error needs its text.
package walk

import (
	"strconv"

	"github.com/crdkit/crdkit/field"
)

// A Step is how a frame's value is reached from its parent's.
type Step uint8

// The steps. A declared property and another key of the same object print differently in places.
const (
	Property Step = iota
	OtherKey
	Item
)

// A Frame is one step of a path. A nil *Frame is the root. Walkers declare one for each container they are in, outside the
// loop over its children, and write Key or Index before each child: so a path costs nothing until somebody renders it.
// A frame must not outlive the call that declares it, nor be put where it escapes to the heap.
type Frame struct {
	Parent *Frame
	Key    string
	Index  int
	Step   Step
}

// Name returns the path as the schema checks name a value: spec.items[7].name. At the root a declared property has no dot
// before it, and another key has one (VAL-004).
func (f *Frame) Name() string {
	if f == nil {
		return ""
	}
	parent := f.Parent.Name()
	switch {
	case f.Step == Item:
		return parent + "[" + strconv.Itoa(f.Index) + "]"
	case f.Step == Property && parent == "":
		return f.Key
	}
	return parent + "." + f.Key
}

// Dotted returns the path as unknown fields are reported: keys with dots between them, indexes in brackets, nothing escaped
// (PRU-010).
func (f *Frame) Dotted() string {
	if f == nil {
		return ""
	}
	parent := f.Parent.Dotted()
	switch {
	case f.Step == Item:
		return parent + "[" + strconv.Itoa(f.Index) + "]"
	case f.Parent == nil:
		return f.Key
	}
	return parent + "." + f.Key
}

// Path returns the path behind base, with keys that are no declared properties in brackets (OME-012, LST-009).
func (f *Frame) Path(base *field.Path) *field.Path {
	if f == nil {
		return base
	}
	parent := f.Parent.Path(base)
	switch f.Step {
	case Item:
		return parent.Index(f.Index)
	case OtherKey:
		return parent.Key(f.Key)
	}
	return parent.Child(f.Key)
}
