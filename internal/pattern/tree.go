package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// A tree is a parsed pattern. It takes about 20 bytes for a byte of the text, regardless of counted repetitions, plus
// its character classes. It has no groups, because no caller needs submatches. A tree is immutable.
type tree struct {
	root     uint32
	nodes    []node
	kids     []uint32 // the parts of concatenations and alternatives
	ranges   []bounds // of counted repetitions
	classes  []class
	asserts  syntax.EmptyOp // the assertions of the pattern
	anchored bool           // matches begin only at the beginning of the text
}

// A node is a part of a pattern.
type node struct {
	op   nodeOp
	lazy bool // of a repetition: the shortest match is preferred
	// empty says that the part may match the empty string, in the sense of package regexp: a repetition of such a part
	// has a special order of preference.
	empty bool
	a, b  uint32
}

type nodeOp uint8

const (
	nodeEmpty     nodeOp = iota
	nodeFail             // matches nothing
	nodeRune             // a is the rune
	nodeClass            // a is an index of classes
	nodeAny              // any character
	nodeLine             // any but a newline
	nodeAssert           // a is the syntax.EmptyOp
	nodeConcat           // b parts, from kids[a] on
	nodeAlternate        // likewise
	nodeStar             // a is the part
	nodePlus             // likewise
	nodeQuest            // likewise
	nodeRepeat           // likewise; b is an index of ranges
)

// bounds are the bounds of a counted repetition. most may be unbounded.
type bounds struct{ least, most int32 }

// A byteSet is a set of bytes below 0x80.
type byteSet [2]uint64

func (s *byteSet) add(first, last byte) {
	for c := first; c <= last; c++ {
		s[c>>6] |= 1 << (c & 63)
	}
}

func (s *byteSet) invert() { s[0], s[1] = ^s[0], ^s[1] }

func (s *byteSet) has(c byte) bool { return s[c>>6]>>(c&63)&1 != 0 }

// A class is a set of characters.
type class struct {
	ascii  byteSet
	high   bool   // has all non-ASCII characters
	ranges []rune // else: pairs of bounds, in order
}

func (c *class) invert() {
	c.ascii.invert()
	c.high = !c.high
}

func (c *class) has(r rune) bool {
	if uint32(r) < utf8.RuneSelf {
		return c.ascii.has(byte(r))
	}
	if c.high || len(c.ranges) == 0 {
		return c.high
	}
	i := sort.Search(len(c.ranges)/2, func(i int) bool { return r <= c.ranges[2*i+1] })
	return 2*i < len(c.ranges) && c.ranges[2*i] <= r
}

// A grower makes a tree.
type grower struct {
	tree
	known map[string]uint32 // classes by their content
	stack []uint32          // parts of the current expression
}

//go:noinline
func (g *grower) add(n node) uint32 {
	if g.nodes == nil { // most patterns have several
		g.nodes = make([]node, 0, 8)
	}
	g.nodes = append(g.nodes, n)
	return uint32(len(g.nodes) - 1)
}

func (g *grower) assert(op syntax.EmptyOp) uint32 {
	g.asserts |= op
	return g.add(node{op: nodeAssert, empty: true, a: uint32(op)})
}

// class adds a class. It keeps c.ranges.
func (g *grower) class(c class) uint32 {
	var buf [64]byte // on the stack: most classes fit
	key := binary.LittleEndian.AppendUint64(buf[:0], c.ascii[0])
	key = binary.LittleEndian.AppendUint64(key, c.ascii[1])
	if c.high {
		key = append(key, 1)
	}
	for _, r := range c.ranges {
		key = binary.LittleEndian.AppendUint32(key, uint32(r))
	}
	at, ok := g.known[string(key)]
	if !ok {
		if g.known == nil {
			g.known = make(map[string]uint32)
		}
		at = uint32(len(g.classes))
		g.known[string(key)] = at
		g.classes = append(g.classes, c)
	}
	return g.add(node{op: nodeClass, a: at})
}

// pairs adds the class of the characters between each pair of bounds, which are sorted.
func (g *grower) pairs(runes []rune) uint32 {
	var c class
	for ; len(runes) > 1; runes = runes[2:] {
		low, high := runes[0], runes[1]
		if low < utf8.RuneSelf {
			c.ascii.add(byte(low), byte(min(high, utf8.RuneSelf-1)))
		}
		switch low = max(low, utf8.RuneSelf); {
		case low == utf8.RuneSelf && high == unicode.MaxRune:
			c.high = true
		case low <= high:
			c.ranges = append(c.ranges, low, high)
		}
	}
	return g.class(c)
}

// fold adds a node that matches r in either case.
func (g *grower) fold(r rune) uint32 {
	all := []rune{r, r}
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		all = append(all, f, f)
	}
	if len(all) == 2 {
		return g.add(node{op: nodeRune, a: uint32(r)})
	}
	slices.Sort(all)
	return g.pairs(all)
}

// joined adds the concatenation or the alternatives of some parts.
func (g *grower) joined(op nodeOp, parts []uint32) uint32 {
	switch {
	case len(parts) == 1:
		return parts[0]
	case len(parts) == 0 && op == nodeConcat:
		return g.add(node{op: nodeEmpty, empty: true})
	case len(parts) == 0:
		return g.add(node{op: nodeFail})
	}
	n := node{op: op, a: uint32(len(g.kids)), b: uint32(len(parts)), empty: op == nodeConcat}
	for _, part := range parts {
		if g.nodes[part].empty != n.empty {
			n.empty = !n.empty
			break
		}
	}
	g.kids = append(g.kids, parts...)
	return g.add(n)
}

// repeated adds repetitions of a part.
func (g *grower) repeated(part uint32, r repetition) uint32 {
	n := node{a: part, lazy: r.lazy}
	switch empty := g.nodes[part].empty; {
	case r.least == 1 && r.most == 1:
		return part
	case r.most == 0:
		return g.add(node{op: nodeEmpty, empty: true})
	case r.least == 0 && r.most == unbounded:
		n.op, n.empty = nodeStar, true
	case r.least == 1 && r.most == unbounded:
		n.op, n.empty = nodePlus, empty
	case r.least == 0 && r.most == 1:
		n.op, n.empty = nodeQuest, true
	default:
		n.op, n.empty, n.b = nodeRepeat, empty || r.least == 0, uint32(len(g.ranges))
		g.ranges = append(g.ranges, bounds{int32(r.least), int32(r.most)})
	}
	return g.add(n)
}

// finish returns the finished tree with that root.
func (g *grower) finish(root uint32) *tree {
	g.root = root
	g.anchored = g.startsAtBegin(root, maxLook)
	t := g.tree
	return &t
}

// maxLook limits the depth of startsAtBegin.
const maxLook = 100

// startsAtBegin reports whether all matches of a part begin at the beginning of the text. It may be a false negative.
func (g *grower) startsAtBegin(at uint32, depth int) bool {
	if depth == 0 {
		return false
	}
	switch n := &g.nodes[at]; n.op {
	case nodeAssert:
		return syntax.EmptyOp(n.a)&syntax.EmptyBeginText != 0
	case nodeConcat:
		return g.startsAtBegin(g.kids[n.a], depth-1)
	case nodeAlternate:
		for _, part := range g.kids[n.a : n.a+min(n.b, maxLook)] {
			if !g.startsAtBegin(part, depth-1) {
				return false
			}
		}
		return n.b <= maxLook
	case nodePlus:
		return g.startsAtBegin(n.a, depth-1)
	}
	return false
}

// parse returns the tree of a pattern with valid syntax.
func parse(text string) *tree {
	var g grower
	if root, ok := growPlain(text, &g); ok {
		return g.finish(root)
	}
	re, err := syntax.Parse(text, syntax.Perl)
	if err != nil { // Invariant: Check has parsed the same text.
		re = &syntax.Regexp{Op: syntax.OpNoMatch}
	}
	return treeOf(re)
}

func treeOf(re *syntax.Regexp) *tree {
	var g grower
	return g.finish(g.grow(re))
}

// grow adds the nodes for re. Package regexp/syntax limits its depth.
func (g *grower) grow(re *syntax.Regexp) uint32 {
	switch re.Op {
	case syntax.OpEmptyMatch:
		return g.add(node{op: nodeEmpty, empty: true})
	case syntax.OpLiteral:
		bottom := len(g.stack)
		for _, r := range re.Rune {
			part := uint32(0)
			if re.Flags&syntax.FoldCase != 0 {
				part = g.fold(r)
			} else {
				part = g.add(node{op: nodeRune, a: uint32(r)})
			}
			g.stack = append(g.stack, part)
		}
		return g.pop(nodeConcat, bottom)
	case syntax.OpCharClass:
		if len(re.Rune) == 0 {
			return g.add(node{op: nodeFail})
		}
		return g.pairs(re.Rune)
	case syntax.OpAnyCharNotNL:
		return g.add(node{op: nodeLine})
	case syntax.OpAnyChar:
		return g.add(node{op: nodeAny})
	case syntax.OpBeginLine:
		return g.assert(syntax.EmptyBeginLine)
	case syntax.OpEndLine:
		return g.assert(syntax.EmptyEndLine)
	case syntax.OpBeginText:
		return g.assert(syntax.EmptyBeginText)
	case syntax.OpEndText:
		return g.assert(syntax.EmptyEndText)
	case syntax.OpWordBoundary:
		return g.assert(syntax.EmptyWordBoundary)
	case syntax.OpNoWordBoundary:
		return g.assert(syntax.EmptyNoWordBoundary)
	case syntax.OpCapture:
		return g.grow(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return g.repeated(g.grow(re.Sub[0]), repetitionOf(re))
	case syntax.OpConcat, syntax.OpAlternate:
		op := nodeConcat
		if re.Op == syntax.OpAlternate {
			op = nodeAlternate
		}
		bottom := len(g.stack)
		for _, sub := range re.Sub {
			part := g.grow(sub)
			g.stack = append(g.stack, part)
		}
		return g.pop(op, bottom)
	}
	return g.add(node{op: nodeFail})
}

// pop removes the parts above bottom from the stack, and joins them.
func (g *grower) pop(op nodeOp, bottom int) uint32 {
	part := g.joined(op, g.stack[bottom:])
	g.stack = g.stack[:bottom]
	return part
}

func repetitionOf(re *syntax.Regexp) repetition {
	r := repetition{lazy: re.Flags&syntax.NonGreedy != 0}
	switch re.Op {
	case syntax.OpStar:
		r.most = unbounded
	case syntax.OpPlus:
		r.least, r.most = 1, unbounded
	case syntax.OpQuest:
		r.most = 1
	default:
		r.least, r.most = re.Min, re.Max
	}
	return r
}

// size returns the approximate memory of the tree in bytes.
func (t *tree) size() int {
	n := 12*cap(t.nodes) + 4*cap(t.kids) + 8*cap(t.ranges)
	for i := range t.classes {
		n += 48 + 4*cap(t.classes[i].ranges)
	}
	return n
}
