package pattern

import (
	"regexp/syntax"
	"sync"
)

// A machine has the instructions of a pattern: a nondeterministic automaton. An instruction is built from the tree when
// a string first needs it, so that the copies of a counted repetition take no memory before they are reached. A machine
// must not be used by two goroutines at the same time.
type machine struct {
	tree  *tree
	insts []inst

	// Scratch space.
	marks []uint32 // by instruction: the round in which it was visited
	steps int      // not reported to the meter yet
	rest  allowance
	round uint32
	stack []uint32
	now   []thread
	next  []thread
	memo  memo
}

// An inst is an instruction.
type inst struct {
	op  instOp
	out uint32 // the next instruction
	arg uint32 // of instAlt: the next instruction if out fails. Else the argument of the node, or the node to expand
	k   uint32 // of instPending: the number of finished parts or copies of the node
}

type instOp uint8

const (
	instPending instOp = iota // a node that has not been expanded yet
	instMatch
	instFail
	instJump
	instAlt
	instAssert
	instRune // this one and the ones below consume a character
	instClass
	instAny
	instLine
)

// leaves has the instructions of the nodes without parts.
var leaves = [...]instOp{
	nodeEmpty: instJump, nodeFail: instFail, nodeRune: instRune, nodeClass: instClass, nodeAny: instAny,
	nodeLine: instLine, nodeAssert: instAssert,
}

// The instructions that each machine has.
const (
	matchInst uint32 = iota
	startInst
	firstInst
)

// instBytes is the size of an instruction and its mark.
const instBytes = 20

// machines holds idle machines. Each keeps the instructions of the last pattern that it was used for.
var machines sync.Pool

// maxPooled is the number of instructions above which a machine is not kept.
const maxPooled = 1 << 16

func takeMachine(t *tree) *machine {
	m, ok := machines.Get().(*machine)
	if !ok {
		m = new(machine)
	}
	if m.tree != t {
		m.reset(t)
	}
	return m
}

func (m *machine) release() {
	if len(m.insts) <= maxPooled && cap(m.now)+cap(m.next)+cap(m.stack) <= 4*maxPooled {
		machines.Put(m)
	}
}

// reset makes m a machine of t without any instructions.
func (m *machine) reset(t *tree) {
	m.tree = t
	m.insts = append(m.insts[:0], inst{op: instMatch}, inst{op: instPending, arg: t.root, out: matchInst})
}

// at returns an instruction that is not pending.
func (m *machine) at(pc uint32) inst {
	if i := m.insts[pc]; i.op != instPending {
		return i
	}
	return m.expand(pc)
}

func (m *machine) add(i inst) uint32 {
	m.insts = append(m.insts, i)
	return uint32(len(m.insts) - 1)
}

// pending adds the instruction of a node, or of the rest of one, followed by next.
func (m *machine) pending(node, k, next uint32) uint32 {
	return m.add(inst{op: instPending, arg: node, k: k, out: next})
}

// alt returns an instruction that prefers again to next, or next to again if lazy.
func alt(again, next uint32, lazy bool) inst {
	if lazy {
		again, next = next, again
	}
	return inst{op: instAlt, out: again, arg: next}
}

// expand replaces a pending instruction. The order of preference is that of package regexp.
func (m *machine) expand(pc uint32) inst {
	i := m.insts[pc]
	for i.op == instPending {
		i = m.expandNode(pc, i)
	}
	m.insts[pc] = i
	return i
}

// expandNode makes one step of expand for instruction pc, which is i.
func (m *machine) expandNode(pc uint32, i inst) inst {
	n := m.tree.nodes[i.arg]
	next := i.out
	switch n.op {
	case nodeConcat:
		if i.k+1 < n.b {
			next = m.pending(i.arg, i.k+1, next)
		}
		return inst{op: instPending, arg: m.tree.kids[n.a+i.k], out: next}
	case nodeAlternate:
		part := m.tree.kids[n.a+i.k]
		if i.k+1 == n.b {
			return inst{op: instPending, arg: part, out: next}
		}
		return inst{op: instAlt, out: m.pending(part, 0, next), arg: m.pending(i.arg, i.k+1, next)}
	case nodeQuest:
		return alt(m.pending(n.a, 0, next), next, n.lazy)
	case nodeStar:
		return m.star(pc, n, next)
	case nodePlus:
		return m.plus(pc, n, next)
	case nodeRepeat:
		return m.repeat(pc, n, i)
	}
	return inst{op: leaves[n.op], arg: n.a, out: next}
}

// plus returns instruction pc: at least one copy of the part of n.
func (m *machine) plus(pc uint32, n node, next uint32) inst {
	loop := m.add(alt(pc, next, n.lazy))
	return inst{op: instPending, arg: n.a, out: loop}
}

// star returns instruction pc: any number of copies of the part of n. If the part may be empty, it is (x+)?, so that an
// empty copy ends the loop before other copies are tried.
func (m *machine) star(pc uint32, n node, next uint32) inst {
	if !m.tree.nodes[n.a].empty {
		return alt(m.pending(n.a, 0, pc), next, n.lazy)
	}
	first := m.pending(n.a, 0, 0)
	m.insts[first].out = m.add(alt(first, next, n.lazy))
	return alt(first, next, n.lazy)
}

// repeat returns instruction pc: the rest of a counted repetition, x{2,} as xx+, and x{2,4} as xx(x(x)?)?.
func (m *machine) repeat(pc uint32, n node, i inst) inst {
	r, done, next := m.tree.ranges[n.b], int32(i.k), i.out
	if r.most == unbounded && done >= r.least-1 {
		if r.least == 0 {
			return m.star(pc, n, next)
		}
		return m.plus(pc, n, next)
	}
	rest := next
	if done+1 != r.most {
		rest = m.pending(i.arg, i.k+1, next)
	}
	if done < r.least {
		return inst{op: instPending, arg: n.a, out: rest}
	}
	return alt(m.pending(n.a, 0, rest), next, n.lazy)
}

// takes reports whether an instruction consumes r.
func (m *machine) takes(i inst, r rune) bool {
	switch i.op {
	case instRune:
		return r == rune(i.arg)
	case instClass:
		return m.tree.classes[i.arg].has(r)
	case instAny:
		return true
	case instLine:
		return r != '\n'
	}
	return false
}

// begin starts a round, in which each instruction is visited once.
func (m *machine) begin() {
	if m.round++; m.round == 0 {
		clear(m.marks)
		m.round = 1
	}
}

// visit reports whether this round visits an instruction for the first time.
func (m *machine) visit(pc uint32) bool {
	if int(pc) >= len(m.marks) {
		m.marks = append(m.marks, make([]uint32, len(m.insts)-len(m.marks))...)
	}
	if m.marks[pc] == m.round {
		return false
	}
	m.marks[pc] = m.round
	return true
}

// pop takes an instruction off the stack, and reports whether this round visits it for the first time.
func (m *machine) pop() (pc uint32, first bool) {
	last := len(m.stack) - 1
	pc = m.stack[last]
	m.stack = m.stack[:last]
	return pc, m.visit(pc)
}

// holds reports whether an assertion holds where flags do.
func (i inst) holds(flags syntax.EmptyOp) bool { return syntax.EmptyOp(i.arg)&^flags == 0 }
