package plan

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// Prop returns the declared property of that name, or nil. It takes constant time, or logarithmic time if names were
// chosen to collide.
func (n *Node) Prop(name string) *Prop { return prop(n, name) }

// PropOf is Prop for the bytes of a name.
func (n *Node) PropOf(name []byte) *Prop { return prop(n, name) }

func prop[T string | []byte](n *Node, name T) *Prop {
	x := &n.index
	if x.slots == nil {
		if len(n.Props) == 0 {
			return nil
		}
		return search(n.Props, string(name))
	}
	h := hash(x, name)
	for i := h; i != h+maxProbes; i++ {
		at := x.slots[i&x.mask]
		if at == 0 {
			return nil
		}
		if p := &n.Props[at-1]; p.Name == string(name) {
			return p
		}
	}
	return nil
}

func search(props []Prop, name string) *Prop {
	i, ok := slices.BinarySearchFunc(props, name, func(p Prop, name string) int { return strings.Compare(p.Name, name) })
	if !ok {
		return nil
	}
	return &props[i]
}

// A propIndex finds properties by a hash of a few bytes of their names: open addressing, at most half full. Names of
// one schema differ in length, or in their first or last letters, so nearly every lookup ends at its first slot. The
// zero value is for adversarial names, which collide: Prop finds these by binary search.
type propIndex struct {
	mask  uint32
	seed  uint32
	slots []uint16 // index in Props plus one; 0: empty
}

func hash[T string | []byte](x *propIndex, s T) uint32 {
	if len(s) == 0 {
		return 0
	}
	return jsonscan.Hash(s) * x.seed >> 16
}

// MaxProps is the maximum number of properties of a node, whose indexes have 16 bits. A document of 3 MiB, which a
// server accepts, can have more: schema.Compile then returns an error.
const MaxProps = math.MaxUint16 - 1

// maxProbes is the maximum number of slots that a lookup may examine.
const maxProbes = 32

// IndexSize returns the number of slots of an index of n properties.
func IndexSize(n int) int {
	if n == 0 {
		return 0
	}
	return 1 << bits.Len(uint(2*n-1))
}

// newPropIndex builds the index of props in slots, of which there are [IndexSize].
func newPropIndex(props []Prop, slots []uint16) propIndex {
	x := propIndex{mask: uint32(len(slots) - 1), slots: slots}
	// Try a few seeds to find one without collisions, or else use the one with the fewest probes.
	best, fewest := uint32(0), maxProbes+1
	for seed := range uint32(4) {
		x.seed = seed*2 + 0x2545F491
		if probes := x.fill(props); probes < fewest {
			best, fewest = x.seed, probes
		}
		if fewest <= 1 {
			break
		}
	}
	switch best {
	case 0:
		return propIndex{}
	case x.seed:
	default:
		x.seed = best
		x.fill(props)
	}
	return x
}

// fill assigns a slot to each property, and returns the maximum number of slots that a lookup may examine. It stops at
// the first property that needs too many.
func (x *propIndex) fill(props []Prop) (most int) {
	clear(x.slots)
	for i := range props {
		at := hash(x, props[i].Name) & x.mask
		probes := 1
		for ; x.slots[at] != 0; probes++ {
			if probes > maxProbes {
				return probes
			}
			at = (at + 1) & x.mask
		}
		x.slots[at] = uint16(i + 1)
		most = max(most, probes)
	}
	return most
}
