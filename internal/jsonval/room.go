package jsonval

import "github.com/crdkit/crdkit/field"

// A Room is how much more a walk through a value may visit and do. Its methods take what a part of the value needs, and report whether there
// was room for it.
//
// A value from a decoder is a tree, and as large as its text. A Go value may hold one list in several places, and that list another
// one, so that a walk through it takes no end although it needs little memory.
type Room struct {
	Size int // of what may be visited, in the units of MaxSize
	Work int // steps of what is not linear in the value: searches with patterns, and looks at the branches of combinators
}

// NewRoom returns the room for one value.
func NewRoom() Room { return Room{MaxSize, MaxWork} }

// MaxSize is the largest value that is taken for an object's: 16 MiB of text in keys and strings, or four million numbers. A server takes
// no text of more than 3 MiB, and what that decodes to has less than this size.
const MaxSize = 128 << 20

// MaxWork is how many steps a walk may take besides: one or two seconds.
const MaxWork = 1 << 27

// What the parts of a value need, in bytes: about what they take in memory, where each byte of a text may become six when it is encoded.
const (
	valueSize = 32  // of each value in a list or a map
	mapSize   = 192 // of a map that is not empty
	byteSize  = 8   // of each byte in a text
)

// Map takes what m needs, apart from its keys and values.
func (r *Room) Map(m map[string]any) bool {
	if len(m) > 0 {
		r.Size -= mapSize + valueSize*len(m)
	}
	return r.Size >= 0
}

// List takes what l needs, apart from its values.
func (r *Room) List(l []any) bool {
	r.Size -= valueSize * len(l)
	return r.Size >= 0
}

// Text takes what s needs.
func (r *Room) Text(s string) bool {
	r.Size -= byteSize * len(s)
	return r.Size >= 0
}

// TooLarge returns the error of a value at that place which is larger than [MaxSize], nil for any other. Only its first [MaxDepth] levels count.
func TooLarge(at *field.Path, v any) *field.Error {
	room := NewRoom()
	if room.holds(v, MaxDepth) {
		return nil
	}
	return field.Invalid(at, field.OmitValue, tooLarge)
}

// holds takes what v needs, down to that depth.
func (r *Room) holds(v any, depth int) bool {
	switch x := v.(type) {
	case string:
		return r.Text(x)
	case map[string]any:
		if depth == 0 {
			return true
		}
		if !r.Map(x) {
			return false
		}
		for k, e := range x {
			if !r.Text(k) || !r.holds(e, depth-1) {
				return false
			}
		}
	case []any:
		if depth == 0 {
			return true
		}
		if !r.List(x) {
			return false
		}
		for _, e := range x {
			if !r.holds(e, depth-1) {
				return false
			}
		}
	}
	return true
}
