package plan

import (
	"math"
	"slices"
)

// Flags are the properties of a node. In [Node.Below] they are those of the node and all nodes below it, except in
// combinators, so that a walk can skip whole subtrees.
type Flags uint16

// The flags of a node.
const (
	HasDefault      Flags = 1 << iota // a default (for the node itself: Default is not nil)
	HasEmbedded                       // x-kubernetes-embedded-resource: true
	HasList                           // a list whose items must differ: list type set or map
	HasRules                          // x-kubernetes-validations
	ResourceRoot                      // the root of an object: a resource to all but Validate (PRU-001)
	Nullable                          // nullable: true
	PreserveFields                    // x-kubernetes-preserve-unknown-fields: true
	IntOrString                       // x-kubernetes-int-or-string: true
	UniqueItems                       // uniqueItems: true, which a server refuses in a CRD
	OtherKeys                         // additionalProperties is present: a schema, true or false
	NoOthers                          // additionalProperties: false
	Sized                             // the maximum size of the values is declared: see Node.Sized
	UncheckedFormat                   // a format that is not checked for the declared type
	FormerIntegers                    // numbers are integers as before Kubernetes 1.37: see Node.FloatKind
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

// String returns the value of the keyword, empty for ListUntyped.
func (t ListType) String() string { return [...]string{"", "atomic", "set", "map"}[t] }

// A Node is one position of a compiled schema, or one branch of a combinator. Nodes are built by schema.Compile, shared
// by all that use the schema, and must not be modified. Most nodes have no keywords for objects, or none for arrays. So
// these keywords are in structs of their own, and nodes that do not need one share an empty struct. The pointers are
// never nil.
type Node struct {
	// Accept has the kinds of values that the type, nullable and the format allow (VAL-003, VAL-010, VAL-012).
	Accept Kinds
	// Plain has the kinds in Accept whose values are all valid, without further checks.
	Plain Kinds
	// List is ListUntyped if the node is not a list.
	List  ListType
	Has   Flags // what this node has
	Below Flags // what it or any node below it has; nodes inside combinators do not count

	ID int // numbers the nodes in preorder, for slices in other packages that are indexed by it

	*ObjectKeywords
	*ArrayKeywords
	String *StringChecks // nil: none
	Number *NumberChecks
	*RareKeywords

	Type string // as declared; empty for none
}

// ObjectKeywords are the keywords of a node for objects.
type ObjectKeywords struct {
	Props      []Prop // sorted by name: the order in which they are visited and reported
	index      propIndex
	Additional *Node // nil: other keys have no schema; see OtherKeys and NoOthers

	MinProperties, MaxProperties int64 // math.MinInt64, math.MaxInt64: no bound

	// Required has the names in the schema's order. RequiredMask has the masks of those in Props, and RequiredRest the
	// names without a mask.
	RequiredMask uint64
	Required     []string
	RequiredRest []string
	// Defaulted has the indexes of the Props with a default. DefaultMask has their masks, and DefaultRest the names
	// without a mask.
	DefaultMask uint64
	Defaulted   []int
	DefaultRest []string
}

// ArrayKeywords are the keywords of a node for arrays, in addition to its [ListType] and flags.
type ArrayKeywords struct {
	Items              *Node // nil: items are not described
	MinItems, MaxItems int64 // math.MinInt64, math.MaxInt64: no bound
	ListMapKeys        []string
}

// RareKeywords are keywords that few nodes have.
type RareKeywords struct {
	Enum    *Enum        // nil: none
	Combine *Combinators // nil: none
	Rules   []Rule
	// Default is nil if there is none. Its numbers are as storage returns them (DEF-009). Users must copy it.
	Default any
	Format  string // as written, if it is checked for this type (FMT-001); otherwise empty
	MapType string
}

// The empty structs that nodes share. They must not be modified.
var (
	NoObjectKeywords = &ObjectKeywords{MinProperties: math.MinInt64, MaxProperties: math.MaxInt64}
	NoArrayKeywords  = &ArrayKeywords{MinItems: math.MinInt64, MaxItems: math.MaxInt64}
	NoRareKeywords   = &RareKeywords{}
)

// Empty is a node without keywords. It must not be modified.
var Empty = WithFlags(0)

// WithFlags returns a node with these flags and no keywords.
func WithFlags(has Flags) *Node {
	return &Node{Has: has, Below: has, ObjectKeywords: NoObjectKeywords, ArrayKeywords: NoArrayKeywords, RareKeywords: NoRareKeywords}
}

// TypeText returns the type as errors name it: "integer,string" for int-or-string, whatever the declared type is
// (SVT-007).
func (n *Node) TypeText() string {
	if n.Has&IntOrString != 0 {
		return "integer,string"
	}
	return n.Type
}

// A Rule is one of the x-kubernetes-validations. Its fields are those of schema.ValidationRule, so that pointers
// convert.
type Rule struct {
	Rule              string
	Message           string
	MessageExpression string
	Reason            *string
	FieldPath         string
	OptionalOldSelf   *bool
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

// Child returns the node for the value of key in an object that n describes, and whether key is a declared property. If
// it is not, child is the schema of additionalProperties, or nil if the key has no schema.
func (n *Node) Child(key string) (child *Node, declared bool) {
	if p := n.Prop(key); p != nil {
		return p.Node, true
	}
	return n.Additional, false
}

// IsResource reports whether an object at n is a resource: the whole object, or an embedded one. Pruning keeps its
// [ResourceField]s whole, declared or not (PRU-001, PRU-008).
func (n *Node) IsResource() bool { return n.Has&(HasEmbedded|ResourceRoot) != 0 }

// AnyObject reports whether every object is valid at n.
func (n *Node) AnyObject() bool {
	return n.Accept&KindObject != 0 && len(n.Props) == 0 && n.Additional == nil && n.Has&NoOthers == 0 &&
		len(n.Required) == 0 && n.MinProperties <= 0 && n.MaxProperties == math.MaxInt64 && n.Enum == nil && n.Combine == nil
}

// FieldIndex returns the index of a property. The undeclared [ResourceFields] of a resource have indexes after those of
// the properties. ok is false for other undeclared keys.
func (n *Node) FieldIndex(name string) (index int, ok bool) {
	if p := n.Prop(name); p != nil {
		return p.Index, true
	}
	i := slices.Index(ResourceFields, name)
	return len(n.Props) + i, i >= 0 && n.IsResource()
}

// FieldName returns the name of the field with an index.
func (n *Node) FieldName(index int) string {
	if index < len(n.Props) {
		return n.Props[index].Name
	}
	return ResourceFields[index-len(n.Props)]
}

// ResourceFields are the fields that every resource has. They must not be modified.
var ResourceFields = []string{"apiVersion", "kind", "metadata"}

// ResourceField reports whether k is one of the fields that every resource has: apiVersion, kind and metadata.
func ResourceField(k string) bool { return k == "apiVersion" || k == "kind" || k == "metadata" }

// Sized reports whether the maximum size of n's values is declared: maxItems for an array, maxProperties for an object,
// otherwise maxLength. [Node.MaxSize] cannot tell a declared math.MaxInt64 from none, but it changes the cost of rules.
// Nodes inside combinators are never sized.
func (n *Node) Sized() bool { return n.Has&Sized != 0 }

// SizeKeyword returns the name of that maximum.
func (n *Node) SizeKeyword() string {
	switch {
	case n.Has&IntOrString != 0:
	case n.Type == "array":
		return "maxItems"
	case n.Type == "object":
		return "maxProperties"
	}
	return "maxLength"
}

// MaxSize returns that maximum, or math.MaxInt64 if it is not declared.
func (n *Node) MaxSize() int64 {
	switch n.SizeKeyword() {
	case "maxItems":
		return n.MaxItems
	case "maxProperties":
		return n.MaxProperties
	}
	return n.MaxLength()
}

// MaxLength returns maxLength, or math.MaxInt64 if there is none.
func (n *Node) MaxLength() int64 {
	if n.String == nil {
		return math.MaxInt64
	}
	return n.String.MaxLength
}

// Dense reports whether n has few properties compared with the number of fields of an object. Then looking up each
// property in the object is faster than ranging over the object and looking up each key in n.
func (n *Node) Dense(fields int) bool { return len(n.Props) <= 3*fields }
