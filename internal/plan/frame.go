package plan

import (
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
)

// A Step is the kind of step from a frame's parent to its value.
type Step uint8

// The steps. A declared property and any other key of the same object print differently in some forms. A step to a
// branch of a combinator leads to another schema for the same value; it does not appear in paths of values.
const (
	StepProperty Step = iota
	StepOtherKey
	StepItem
	StepBranch
)

// A Frame is one step of a path. A nil *Frame is the root. Walkers declare one for each container, outside the loop
// over its children, and set Key or Index before each child, so a path costs nothing until it is rendered. A frame must
// not outlive the call that declares it, and must not escape to the heap. For the same reason the methods copy keys
// into their results: if a string of a frame escaped, all frames above it would escape, too.
type Frame struct {
	Parent *Frame
	Key    string
	Index  int
	Step   Step
}

// Name returns the path as the messages of schema checks print it: spec.items[7].name. At the root, a declared property
// has no leading dot, and any other key has one (VAL-004).
func (f *Frame) Name() string {
	var buf [128]byte
	return string(f.appendName(buf[:0]))
}

func (f *Frame) appendName(b []byte) []byte {
	if f == nil {
		return b
	}
	b = f.Parent.appendName(b)
	switch {
	case f.Step == StepBranch:
		return b
	case f.Step == StepItem:
		return f.appendIndex(b)
	case f.Step == StepOtherKey || len(b) > 0:
		b = append(b, '.')
	}
	return append(b, f.Key...)
}

// Unnamed reports whether [Frame.Name] is empty.
func (f *Frame) Unnamed() bool {
	for ; f != nil; f = f.Parent {
		if f.Step != StepBranch && (f.Step != StepProperty || f.Key != "") {
			return false
		}
	}
	return true
}

// Dotted returns the path in the form of unknown fields: keys separated by dots, indexes in brackets, without escapes
// (PRU-010). Unknown fields are never found in branches.
func (f *Frame) Dotted() string {
	var buf [128]byte
	return string(f.appendDotted(buf[:0]))
}

func (f *Frame) appendDotted(b []byte) []byte {
	if f == nil {
		return b
	}
	b = f.Parent.appendDotted(b)
	switch {
	case f.Step == StepItem:
		return f.appendIndex(b)
	case f.Parent != nil:
		b = append(b, '.')
	}
	return append(b, f.Key...)
}

func (f *Frame) appendIndex(b []byte) []byte {
	return append(strconv.AppendInt(append(b, '['), int64(f.Index), 10), ']')
}

// Path returns base extended by the path, with keys that are not declared properties in brackets (OME-012, LST-009).
func (f *Frame) Path(base *field.Path) *field.Path {
	if f == nil {
		return base
	}
	parent := f.Parent.Path(base)
	switch f.Step {
	case StepBranch:
		return parent
	case StepItem:
		return parent.Index(f.Index)
	case StepOtherKey:
		return parent.Key(strings.Clone(f.Key))
	}
	return parent.Child(strings.Clone(f.Key))
}

// Schema returns the path of the schema of the value: from the branch of a combinator, if a step to a branch leads to
// it, otherwise from the root, whose schema has the path base.
func (f *Frame) Schema(base string) string {
	var buf [256]byte
	return string(f.appendSchema(buf[:0], base))
}

func (f *Frame) appendSchema(b []byte, base string) []byte {
	switch {
	case f == nil:
		return append(b, base...)
	case f.Step == StepBranch:
		return b
	}
	if b = f.Parent.appendSchema(b, base); len(b) > 0 {
		b = append(b, '.')
	}
	switch f.Step {
	case StepItem:
		return append(b, "items"...)
	case StepOtherKey:
		return append(b, "additionalProperties"...)
	}
	return append(append(append(b, "properties["...), f.Key...), ']')
}
