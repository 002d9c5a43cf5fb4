package eval

// pairs caches the results of comparisons of lists and maps in a run that compares many items. So values that share
// structure, and large values in a loop, are compared once.
type pairs struct {
	compared int // items so far
	results  map[pair]value
}

type pair struct{ a, b handle }

const (
	// manyCompared is the number of compared items from which on results are kept.
	manyCompared = 1 << 13
	// minKept is the least number of items in a comparison whose result is kept.
	minKept = 16
	// maxPairs is the maximum number of kept results.
	maxPairs = 1 << 13
)

// forget drops all results.
func (p *pairs) forget() { *p = pairs{} }

// pollPair counts the comparison of two items.
func (f *frame) pollPair() {
	f.alike.compared++
	f.poll()
}

// once returns the result of comparing a and b, lists or maps. It calls do unless the result has been kept.
func (f *frame) once(a, b value, do func(f *frame, a, b value) value) value {
	p := &f.alike
	f.visits(3 * stepBytes)
	if p.compared < manyCompared {
		return do(f, a, b)
	}
	x, ok := handleOf(a)
	y, also := handleOf(b)
	if !ok || !also {
		return do(f, a, b)
	}
	which := pair{x, y}
	if known, ok := p.results[which]; ok {
		return known
	}
	before := p.compared
	eq := do(f, a, b)
	if p.compared-before < minKept {
		return eq
	}
	if p.results == nil || len(p.results) >= maxPairs {
		p.results = map[pair]value{}
	}
	p.results[which] = eq
	return eq
}
