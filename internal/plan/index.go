package plan

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonscan"
)

// Prop returns the declared property of that name, or nil. It takes constant time, unless names were chosen to collide:
// then the time grows with the logarithm of their number.
func (n *Node) Prop(name string) *Prop {
	x := &n.index
	if x.slots == nil {
		if len(n.Props) == 0 {
			return nil
		}
		return search(n.Props, name)
	}
	h := x.hash(name)
	for i := h; i != h+maxProbes; i++ {
		at := x.slots[i&x.mask]
		if at == 0 {
			return nil
		}
		if p := &n.Props[at-1]; p.Name == name {
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
// one schema differ in length, first or last letters, so that nearly every look-up ends at its first slot. The zero
// value is for adversarial names, which collide: they are found by binary search.
type propIndex struct {
	mask  uint32
	seed  uint32
	slots []uint16 // index in Props plus one; 0: empty
}

func (x *propIndex) hash(s string) uint32 {
	if s == "" {
		return 0
	}
	return jsonscan.Hash(s) * x.seed >> 16
}

// MaxProps is how many properties of one node the index can number. A document of 3 MiB, the most that a server takes,
// has room for more, so schema.Compile says so instead of building a wrong index.
const MaxProps = math.MaxUint16 - 1

// maxProbes is how many slots a look-up may take.
const maxProbes = 32

// IndexSize returns how many slots an index of n properties has.
func IndexSize(n int) int {
	if n == 0 {
		return 0
	}
	return 1 << bits.Len(uint(2*n-1))
}

// newPropIndex returns the index of props in slots, which are as many as [IndexSize] says.
func newPropIndex(props []Prop, slots []uint16) propIndex {
	x := propIndex{mask: uint32(len(slots) - 1), slots: slots}
	// A few seeds are tried for one without collisions. Otherwise the seed with the fewest probes is used.
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

// fill gives each property its slot, and returns how many slots a look-up may take. It stops at the first that takes
// too many.
func (x *propIndex) fill(props []Prop) (most int) {
	clear(x.slots)
	for i := range props {
		at := x.hash(props[i].Name) & x.mask
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
