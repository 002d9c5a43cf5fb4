package query

// A Path is a parsed template. It is immutable and safe for concurrent use.
type Path struct {
	elements []chain // of each pair of braces; there is at least one
}

// A chain is the content of a pair of braces or an operand of a filter: a sequence of segments.
type chain []segment

// A segment maps values to other values.
type segment struct {
	kind    kind
	name    string // of a field
	literal any    // of kinds text and literal
	slice   slice
	union   []chain
	filter  *filter
}

type kind uint8

const (
	named kind = iota
	wildcard
	recursive
	slicing
	unions
	filtering
	textSegment // a literal in quotes, independent of the preceding segment
	literal     // a literal that replaces each value
	unknown     // a word without a meaning here, such as range
)

// A bound is one of the numbers of a slice.
type bound struct {
	value int64
	known bool
}

// A slice is [from:to:step]. If derived, it was written as an index, and to is the next number.
type slice struct {
	from, to, step bound
	derived        bool
}

// A filter keeps the items for which left has a value, if operator is empty, or for which the comparison holds.
type filter struct {
	left, right chain
	operator    string
}

// A PathInt is a whole number in the path itself. Unlike an object's number, it is not a cell's value (TAB-020).
type PathInt int64

// A PathByte is a byte of a string, as a wildcard returns it.
type PathByte byte
