package pattern

import "regexp/syntax"

// A memo finds all matches in a string, one after another, in time linear in its length: it backtracks in order of
// preference, and remembers which instructions fail at which positions, with a bit for each instruction and position.
type memo struct {
	seen  [][]uint64 // by instruction: the positions at which it was tried, as bits
	jobs  []job
	words int // of memory
}

// A job is an instruction to try at a position.
type job struct {
	pc uint32
	at int
}

// Limits on the memory of a memo, in words of eight bytes and in jobs.
const (
	maxMemoWords = 4 << 20
	maxJobs      = 2 << 20
)

func (k *memo) reset() {
	clear(k.seen)
	k.seen, k.words = k.seen[:0], 0
	if cap(k.jobs) > maxPooled {
		k.jobs = nil
	}
}

// try reports whether an instruction has not been tried yet at a position in a string of n bytes. It reports !ok if
// there is no room to remember it.
func (k *memo) try(j job, n int) (first, ok bool) {
	if int(j.pc) >= len(k.seen) {
		k.seen = append(k.seen, make([][]uint64, int(j.pc)+1-len(k.seen))...)
	}
	bits := k.seen[j.pc]
	if bits == nil {
		words := n/64 + 1
		if k.words += words + 4; k.words > maxMemoWords {
			return false, false
		}
		bits = make([]uint64, words)
		k.seen[j.pc] = bits
	}
	word, bit := &bits[j.at>>6], uint64(1)<<(j.at&63)
	if *word&bit != 0 {
		return false, true
	}
	*word |= bit
	return true, true
}

// forget allows all instructions to be tried again at a position.
func (k *memo) forget(at int) {
	for _, bits := range k.seen {
		if bits != nil {
			bits[at>>6] &^= 1 << (at & 63)
		}
	}
}

// remember finds the first match that begins at or after a position, like simulate. The machine's memo must be of the
// same string and of earlier positions. It reports false if there is no room to remember more.
func (m *machine) remember(s string, at int, meter Meter) (span, bool) {
	k := &m.memo
	for {
		k.jobs = append(k.jobs[:0], job{startInst, at})
		for len(k.jobs) > 0 {
			last := len(k.jobs) - 1
			j := k.jobs[last]
			k.jobs = k.jobs[:last]
			if len(k.jobs) > maxJobs {
				return noSpan, false
			}
			if m.steps++; !m.spend(meter) {
				return noSpan, true
			}
			if first, ok := k.try(j, len(s)); !ok {
				return noSpan, false
			} else if !first {
				continue
			}
			before, r, width := rune(-1), rune(-1), 0
			i := m.at(j.pc)
			if i.op >= instAssert {
				before, r, width = around(s, j.at)
			}
			switch i.op {
			case instMatch:
				// The jobs tried here may lead to this match. Earlier positions are not visited again.
				k.forget(j.at)
				m.steps += len(k.seen) / 16
				return span{at, j.at}, true
			case instJump:
				k.jobs = append(k.jobs, job{i.out, j.at})
			case instAlt:
				k.jobs = append(k.jobs, job{i.arg, j.at}, job{i.out, j.at})
			case instAssert:
				if i.holds(syntax.EmptyOpContext(before, r)) {
					k.jobs = append(k.jobs, job{i.out, j.at})
				}
			case instFail:
			default:
				if r >= 0 && m.takes(i, r) {
					k.jobs = append(k.jobs, job{i.out, j.at + width})
				}
			}
		}
		if at == len(s) || m.tree.anchored {
			return noSpan, true
		}
		_, _, width := around(s, at)
		at += width
	}
}
