package schema

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/pattern"
)

// Kinds is a set of the kinds of values that a schema tells apart.
type Kinds uint8

// The kinds of values. A float64 that counts as an integer is KindWhole, any other is KindFloat (VAL-011).
const (
	KindNull Kinds = 1 << iota
	KindBool
	KindInt
	KindWhole
	KindFloat
	KindString
	KindArray
	KindObject

	kindNumbers       = KindInt | KindWhole | KindFloat
	allKinds    Kinds = 0xff
)

// Flags says what a node has. In [Node.Below] they say what exists at the node or anywhere beneath it, combinators aside, so
// that a walk can leave out whole subtrees.
type Flags uint16

// The flags of a node.
const (
	HasDefault      Flags = 1 << iota // a default (for the node itself: Default is not nil)
	HasEmbedded                       // x-kubernetes-embedded-resource: true
	HasList                           // a list whose items must differ: list type set or map
	HasRules                          // x-kubernetes-validations
	ResourceRoot                      // the root of a resource, which is an embedded resource to all but Validate (PRU-001)
	Nullable                          // nullable: true
	PreserveFields                    // x-kubernetes-preserve-unknown-fields: true
	IntOrString                       // x-kubernetes-int-or-string: true
	UniqueItems                       // uniqueItems: true, which a server refuses in a CRD
	OtherKeys                         // additionalProperties is present: a schema, true or false
	NoOthers                          // additionalProperties: false
	Sized                             // the maximum that bounds the values' size is declared: see Node.Sized
	UncheckedFormat                   // a format that is not checked for the declared type
)

// A ListType is the value of x-kubernetes-list-type.
type ListType uint8

// The list types.
const (
	ListUntyped ListType = iota
	ListAtomic
	ListSet
	ListMap
)

// A Node is one position of a compiled schema, or one branch of a combinator. Nodes are built by [Compile], shared by all
// that use the schema, and must not be modified. Most of them say nothing of objects, or nothing of arrays: such keywords are
// together in parts, and nodes that say nothing share one empty part. No part is nil.
type Node struct {
	// Accept has the kinds of values that type, nullable and format together let through (VAL-003, VAL-010, VAL-012).
	Accept Kinds
	// Plain has those of the accepted kinds of which every value is valid, so that no further look is needed.
	Plain Kinds
	// List is ListUntyped where the node is no list.
	List  ListType
	Has   Flags // what this node has
	Below Flags // what it or any node beneath it has; nodes inside combinators do not count

	ID int // dense, in preorder: the index of this node in other packages' side tables

	*ObjectKeywords
	*ArrayKeywords
	String *StringChecks // nil: none
	Number *NumberChecks
	*RareKeywords

	Type string // as declared; empty for none
}

// ObjectKeywords are what a node says of objects.
type ObjectKeywords struct {
	Props      []Prop // sorted by name: the order in which they are visited and reported
	index      propIndex
	Additional *Node // nil: other keys have no schema; see OtherKeys and NoOthers

	MinProperties, MaxProperties int64 // math.MinInt64, math.MaxInt64: no bound

	// Required has the names in the schema's order. RequiredMask has the bits of those of them that are Props, RequiredRest
	// the names that have no bit.
	RequiredMask uint64
	Required     []string
	RequiredRest []string
	// Defaulted has the indexes of the Props with a default. DefaultMask has their bits, and DefaultRest the names that have
	// no bit.
	DefaultMask uint64
	Defaulted   []int
	DefaultRest []string
}

// ArrayKeywords are what a node says of arrays, beside its [ListType] and flags.
type ArrayKeywords struct {
	Items              *Node // nil: items are not described
	MinItems, MaxItems int64 // math.MinInt64, math.MaxInt64: no bound
	ListMapKeys        []string
}

// RareKeywords are what few nodes have.
type RareKeywords struct {
	Enum    *Enum        // nil: none
	Combine *Combinators // nil: none
	Rules   []ValidationRule
	// Default is nil where there is none. Numbers are as they come back from storage (DEF-009). It must be copied when used.
	Default any
	Format  string // as written, where it is checked for this type (FMT-001); else empty
	MapType string
}

// What the nodes share that say nothing of objects, nothing of arrays, or nothing rare.
var (
	noObjectKeywords = &ObjectKeywords{MinProperties: math.MinInt64, MaxProperties: math.MaxInt64}
	noArrayKeywords  = &ArrayKeywords{MinItems: math.MinInt64, MaxItems: math.MaxInt64}
	noRareKeywords   = &RareKeywords{}
)

// TypeText returns the type as errors name it: "integer,string" for int-or-string, which goes before any declared type (SVT-007).
func (n *Node) TypeText() string {
	if n.Has&IntOrString != 0 {
		return "integer,string"
	}
	return n.Type
}

// A Prop is a declared property.
type Prop struct {
	Name  string
	Node  *Node
	Mask  uint64 // one bit if the property is required or has a default; 0 if not, or if bits ran out
	Index int    // in Props
}

// Combinators are the branches of a node.
type Combinators struct {
	AllOf, AnyOf, OneOf []*Node
	Not                 *Node
}

// Child returns the node for the value of key in an object that n describes, and whether key is a declared property:
// else it is additionalProperties' schema. It returns nil where the key has no schema.
func (n *Node) Child(key string) (child *Node, declared bool) {
	if p := n.Prop(key); p != nil {
		return p.Node, true
	}
	return n.Additional, false
}

// Prop returns the declared property of that name, or nil. It takes constant time, unless names were chosen to collide: then the
// time grows with the logarithm of their number.
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

// IsResource reports whether an object at n is a resource: the whole object, or an embedded one. Such an object has
// [ResourceField]s, declared or not, that pruning keeps whole (PRU-001, PRU-008).
func (n *Node) IsResource() bool { return n.Has&(HasEmbedded|ResourceRoot) != 0 }

// ResourceField reports whether k is one of the fields that every resource has: apiVersion, kind and metadata.
func ResourceField(k string) bool { return k == "apiVersion" || k == "kind" || k == "metadata" }

// Sized reports whether the maximum is declared that bounds how large values of n's type are: maxItems of an array, maxProperties of an
// object, else maxLength. Only a declared math.MaxInt64 cannot be told from none by its value; what rules may cost depends on
// it. Nodes inside combinators are never sized.
func (n *Node) Sized() bool { return n.Has&Sized != 0 }

// Dense reports whether an object of that many fields likely has most of n's properties: then a walk that looks each property up
// in the object is faster than one that ranges over the object and looks up each key here.
func (n *Node) Dense(fields int) bool { return len(n.Props) <= 3*fields }

// A propIndex finds properties by a hash of a few bytes of their names: open addressing, at most half full. Names of one
// schema differ in length, first or last letters, so that nearly every look-up ends at its first slot. The zero value is for
// names that do not, of which nobody shall make a server's work: they are searched for by halves.
type propIndex struct {
	mask  uint32
	seed  uint32
	slots []uint16 // index in Props plus one; 0: empty
}

func (x *propIndex) hash(s string) uint32 {
	n := len(s)
	if n == 0 {
		return 0
	}
	h := uint32(n)*0x9E3779B1 ^ uint32(s[0])*0x85EBCA6B ^ uint32(s[n-1])*0xC2B2AE35 ^ uint32(s[n>>1])*0x27D4EB2F
	h *= x.seed
	return h >> 16
}

// maxProps is how many properties of one node the index can number. A document of 3 MiB, the most that a server takes, has
// room for more, so Compile says so instead of building a wrong index.
const maxProps = math.MaxUint16 - 1

// maxProbes is how many slots a look-up may take.
const maxProbes = 32

// indexSize returns how many slots an index of n properties has.
func indexSize(n int) int {
	if n == 0 {
		return 0
	}
	return 1 << bits.Len(uint(2*n-1))
}

// newPropIndex returns the index of props in slots, which are as many as [indexSize] says.
func newPropIndex(props []Prop, slots []uint16) propIndex {
	x := propIndex{mask: uint32(len(slots) - 1), slots: slots}
	// A few seeds are tried for one without collisions. Else the best stands in which no name is far from its place.
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

// fill gives each property its slot, and returns how many slots a look-up may take. It stops at the first that takes too many.
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

// StringChecks are what a string must fulfil, in the order in which it is checked. Only the first failure counts (VAL-030).
type StringChecks struct {
	MinLength, MaxLength int64 // in runes; math.MinInt64, math.MaxInt64: no bound
	Pattern              *pattern.Pattern
	BadPattern           error // of a Pattern that does not compile; then no string matches
	PatternText          string
	Format               *format.Format // nil: none that is known
}

// A StringFault is the first check of minLength, maxLength and pattern that a string fails.
type StringFault uint8

// The faults of strings.
const (
	StringFine StringFault = iota
	TooLong
	TooShort
	NoMatch
)

// Fault returns the first check that s fails: maxLength, minLength, then pattern. The format is not one of them.
func (c *StringChecks) Fault(s string) StringFault {
	work := jsonval.MaxWork
	return c.FaultWithin(s, &work)
}

// FaultWithin is [StringChecks.Fault] for one of several strings: work is how many steps searches with patterns may take for all of them, and
// is counted down. Without any left, the pattern does not match.
func (c *StringChecks) FaultWithin(s string, work *int) StringFault {
	// Bytes bound runes from above, and a quarter of them from below: runes are counted only in between (n <= 4r).
	if n := int64(len(s)); n > c.MaxLength || n/4 < c.MinLength {
		r := runes(s)
		if r > c.MaxLength {
			return TooLong
		}
		if r < c.MinLength {
			return TooShort
		}
	}
	if c.BadPattern != nil || c.Pattern != nil && !c.Pattern.MatchWithin(s, work) {
		return NoMatch
	}
	return StringFine
}

func runes(s string) int64 {
	n := int64(0)
	for range s {
		n++
	}
	return n
}

// KindOf returns the kind of v among those that a schema knows, and 0 for a value of another Go type and for NaN and infinities,
// which no JSON document has.
func KindOf(v any) Kinds {
	switch x := v.(type) {
	case nil:
		return KindNull
	case bool:
		return KindBool
	case int64:
		return KindInt
	case float64:
		return FloatKind(x)
	case string:
		return KindString
	case []any:
		return KindArray
	case map[string]any:
		return KindObject
	}
	return 0
}

// FloatKind returns KindWhole for a float64 that counts as an integer, KindFloat for another, and 0 for NaN and infinities.
func FloatKind(f float64) Kinds {
	switch {
	case f-f != 0:
		return 0
	case wholeEnough(f):
		return KindWhole
	}
	return KindFloat
}
