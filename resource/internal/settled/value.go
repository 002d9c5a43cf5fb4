package settled

import (
	"bytes"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/validity"
)

// A mode is a set of flags for what is checked besides the schema.
type mode uint8

const (
	// stored: the value must be in its stored form. It is not set in branches of combinators, nor for the properties
	// that a resource's schema has for apiVersion, kind and metadata. These are walked a second time, so their text is
	// known to be valid JSON.
	stored mode = 1 << iota
	// preserving: the value is an item of a list that preserves unknown fields, so its unknown fields are preserved,
	// too (PRU-004).
	preserving
)

// value checks the value at i against n, and returns the offset after it, or bad.
func (s *Scan) value(n *plan.Node, i int, m mode) (end int) {
	switch s.at(i) {
	case '"':
		end, escaped := s.quoted(i)
		if end == bad {
			return bad
		}
		if n.Plain&plan.KindString != 0 {
			return end + 1
		}
		return s.string(n, i, end, escaped)
	case '{':
		return s.object(n, i, m, nil)
	case '[':
		return s.list(n, i, m)
	case 't':
		return s.bool(n, i, "true")
	case 'f':
		return s.bool(n, i, "false")
	case 'n':
		if n.Accept&plan.KindNull == 0 || n.Enum != nil || m&stored != 0 && n.Has&plan.Nullable == 0 {
			return bad
		}
		return s.literal(i, "null")
	}
	return s.numeric(n, i)
}

// string checks the string between two offsets.
func (s *Scan) string(n *plan.Node, i, end int, escaped bool) int {
	if n.Accept&plan.KindString == 0 {
		return bad
	}
	text := s.text(i, end, escaped)
	if validity.Text(n, text, &s.work) != plan.StringFine || !validity.Formatted(n, text) || !validity.Listed(n, text) {
		return bad
	}
	if n.Combine != nil && !s.branches(n.Combine, i, end+1) {
		return bad
	}
	return end + 1
}

func (s *Scan) bool(n *plan.Node, i int, word string) int {
	end := s.literal(i, word)
	if end == bad || n.Plain&plan.KindBool != 0 {
		return end
	}
	if n.Accept&plan.KindBool == 0 || !validity.Listed(n, word == "true") || n.Combine != nil && !s.branches(n.Combine, i, end) {
		return bad
	}
	return end
}

func (s *Scan) numeric(n *plan.Node, i int) int {
	x, end := s.number(i)
	if end == bad || x.changes {
		return bad
	}
	kind := plan.KindInt
	if !x.whole {
		kind = n.FloatKind(x.f)
	}
	if n.Plain&kind != 0 {
		return end
	}
	if n.Accept&kind == 0 {
		return bad
	}
	var v any = x.f
	if x.whole {
		v = x.i
	}
	if validity.Number(n, v) != 0 || !validity.Listed(n, v) {
		return bad
	}
	if n.Combine != nil && !s.branches(n.Combine, i, end) {
		return bad
	}
	return end
}

// fewProps is the number of properties up to which a bit for each, on the Go stack, finds duplicates. With more,
// duplicates are found as those of undeclared keys are, so that the cost depends on the object, not on its schema.
const fewProps = 256

// members records the members of an object that a walk has visited.
type members struct {
	bits                       [fewProps / 64]uint64 // properties
	seen                       uint64                // properties that have a mask
	count, required, defaulted int
	others                     keyList
	escaped                    bool // a key has escapes
	resource                   resourceFields
}

// object checks the object at i. If it is an item of a list map, list is the node of the list, and the values of the
// list map keys are pushed to s.items.
func (s *Scan) object(n *plan.Node, i int, m mode, list *plan.Node) int {
	start := i
	if n.Accept&plan.KindObject == 0 || !s.deeper() {
		return bad
	}
	isStored := m&stored != 0
	records := isStored && s.records
	if isStored && len(n.Props) > 0 && n.Additional != nil && n.Additional.Below&plan.HasList != 0 {
		return bad // LST-001: additionalProperties would apply to declared properties, too; no CRD can have both
	}
	seen := members{others: keyList{from: len(s.others)}}
	slots := len(s.items)
	if list != nil {
		for range list.ListMapKeys {
			s.items = append(s.items, span{})
		}
	}
	i, more := s.enter(i, '}')
	for more {
		end, escaped, from := s.key(i)
		if from == bad {
			return bad
		}
		key := s.text(i, end, escaped)
		if escaped {
			key, seen.escaped = strings.Clone(key), true
		}
		p := n.Prop(key)
		if !s.note(n, p, key, i+1, end, isStored, &seen) {
			return bad
		}
		at := 0
		if records {
			at = s.beginField(n, p, key, from)
		}
		if i = s.memberValue(n, p, key, from, m, &seen); i == bad {
			return bad
		}
		if records {
			s.finish(at, i)
		}
		if n.Has&plan.ResourceRoot != 0 && isStored && !s.rootKey(key, from, i) {
			return bad
		}
		if list != nil {
			s.work -= len(list.ListMapKeys) / 8
			for k, name := range list.ListMapKeys {
				if name == key {
					s.items[slots+k] = span{int32(from), int32(i)}
				}
			}
		}
		i, more = s.next(i, '}')
	}
	if i == bad {
		return bad
	}
	s.depth--
	if !s.endKeys(&seen.others) || seen.escaped && isStored && s.decode(start, i) == nil {
		return bad
	}
	if !complete(n, isStored, &seen) || (n.Enum != nil || n.Combine != nil) && !s.common(n, start, i) {
		return bad
	}
	return i
}

// note records the key between two offsets, without its quotes, in seen. It reports false if it is a duplicate of a
// property.
func (s *Scan) note(n *plan.Node, p *plan.Prop, key string, from, to int, isStored bool, seen *members) bool {
	seen.count++
	if p != nil {
		seen.seen |= p.Mask
	}
	if p != nil && len(n.Props) <= fewProps {
		word, bit := p.Index>>6&(len(seen.bits)-1), uint64(1)<<(p.Index&63)
		if seen.bits[word]&bit != 0 {
			return false
		}
		seen.bits[word] |= bit
	} else if isStored {
		s.addKey(&seen.others, from, to)
	}
	if len(n.RequiredRest) > 0 {
		seen.required += s.countIn(n.RequiredRest, key)
	}
	if isStored && len(n.DefaultRest) > 0 {
		seen.defaulted += s.countIn(n.DefaultRest, key)
	}
	return true
}

// memberValue checks the value of a member, which is at i. p is the property, nil for none.
func (s *Scan) memberValue(n *plan.Node, p *plan.Prop, key string, i int, m mode, seen *members) int {
	isStored := m&stored != 0
	below := m &^ preserving
	switch {
	case isStored && n.IsResource() && plan.ResourceField(key):
		return s.resourceField(n, p, key, i, &seen.resource)
	case p != nil:
		return s.value(p.Node, i, below)
	case n.Additional != nil:
		return s.value(n.Additional, i, below)
	case n.Has&plan.NoOthers != 0: // VAL-052
		return bad
	case !isStored:
		return s.skip(i)
	}
	switch validity.OtherFields(n, m&preserving != 0) {
	case validity.Entered:
		return s.emptied(i)
	case validity.Kept:
		return s.plain(i)
	}
	return bad
}

// complete reports whether an object has a valid number of members and all that it must have: those that are required,
// and, if isStored, those with a default and a resource's valid apiVersion and kind.
func complete(n *plan.Node, isStored bool, seen *members) bool {
	switch {
	case validity.PropertyCount(n, seen.count) != 0, seen.seen&n.RequiredMask != n.RequiredMask, seen.required != len(n.RequiredRest):
		return false
	case !isStored:
		return true
	case seen.seen&n.DefaultMask != n.DefaultMask, seen.defaulted != len(n.DefaultRest):
		return false
	}
	return !n.IsResource() || seen.resource.apiVersion && seen.resource.kind
}

// deeper counts a level of nesting, and reports whether it is within the limit.
func (s *Scan) deeper() bool {
	s.depth++
	return s.depth < maxDepth
}

// countIn returns how many of names are key.
func (s *Scan) countIn(names []string, key string) (n int) {
	s.work -= len(names) / 8
	if s.work <= 0 {
		return 0
	}
	for _, name := range names {
		if name == key {
			n++
		}
	}
	return n
}

// rootKey reports whether the root may have that key, with the value between two offsets.
func (s *Scan) rootKey(key string, i, end int) bool {
	switch key {
	case "metadata", "kind", "apiVersion":
		return true
	case "spec":
		s.spec = i
		return true
	case "status":
		s.status = i
		return !s.root.DropsStatus || s.root.StatusDefault != nil &&
			(bytes.Equal(s.data[i:end], s.root.StatusText) || jsonval.Equal(s.decode(i, end), s.root.StatusDefault))
	}
	return !strings.EqualFold(key, "kind") && !strings.EqualFold(key, "apiVersion") // DEC-002
}

// common checks the enum and the combinators of a list or an object.
func (s *Scan) common(n *plan.Node, i, end int) bool {
	return (n.Enum == nil || validity.Listed(n, s.decode(i, end))) && (n.Combine == nil || s.branches(n.Combine, i, end))
}

// branches checks combinators for the value between two offsets.
func (s *Scan) branches(c *plan.Combinators, i, end int) bool {
	return validity.Combined(c, func(n *plan.Node) bool { return s.branch(n, i, end) })
}

// branch reports whether the value between two offsets is valid for a branch. It counts at least as many steps as
// package validity. If no work is left, its result does not matter, because [Scan.Object] returns false.
func (s *Scan) branch(n *plan.Node, i, end int) bool {
	if s.work -= 2*(end-i) + 4; s.work <= 0 {
		return false
	}
	depth, items := s.depth, len(s.items)
	ok := n == nil || s.value(n, i, 0) != bad
	s.depth, s.items = depth, s.items[:items]
	return ok
}

func (s *Scan) list(n *plan.Node, i int, m mode) int {
	start, records := i, m&stored != 0 && s.records
	if n.Accept&plan.KindArray == 0 || !s.deeper() {
		return bad
	}
	distinct := n.Has&plan.HasList != 0 // No branch of a combinator has a list type.
	isMap := distinct && n.List == plan.ListMap
	mark := len(s.items)
	if n.Has&plan.PreserveFields != 0 {
		m |= preserving
	}
	count := 0
	i, more := s.enter(i, ']')
	for more {
		count++
		from, at := i, 0
		if records {
			at = s.begin(i)
		}
		switch {
		case isMap:
			if s.at(i) != '{' || n.Items == nil {
				return bad
			}
			i = s.object(n.Items, i, m, n)
		case n.Items != nil:
			i = s.value(n.Items, i, m)
		case m&stored == 0:
			i = s.skip(i)
		case m&preserving != 0:
			i = s.plain(i)
		default:
			i = s.emptied(i)
		}
		if i == bad {
			return bad
		}
		if records {
			s.finish(at, i)
		}
		if distinct && !isMap {
			s.items = append(s.items, span{int32(from), int32(i)})
		}
		i, more = s.next(i, ']')
	}
	if i == bad {
		return bad
	}
	s.depth--
	if validity.ItemCount(n, count) != 0 {
		return bad
	}
	if distinct {
		size := 1
		if isMap {
			size = len(n.ListMapKeys)
		}
		if count > 1 && !s.distinct(s.items[mark:], size, count) && !validity.OK(n, s.decode(start, i), validity.Lists) {
			return bad
		}
		s.items = s.items[:mark]
	}
	if n.Has&plan.UniqueItems != 0 {
		if items, ok := s.decode(start, i).([]any); !ok || validity.NotUnique(n, items) {
			return bad
		}
	}
	if n.Enum == nil && n.Combine == nil || s.common(n, start, i) {
		return i
	}
	return bad
}

// plain checks a value that has no schema and that pruning keeps: storage must not change it.
func (s *Scan) plain(i int) int { return s.schemaless(i, true) }

// emptied checks a value that has no schema and that pruning empties: its objects must have no keys (PRU-003).
func (s *Scan) emptied(i int) int { return s.schemaless(i, false) }

func (s *Scan) schemaless(i int, keys bool) int {
	switch s.at(i) {
	case '"':
		end, _ := s.quoted(i)
		if end == bad {
			return bad
		}
		return end + 1
	case 't':
		return s.literal(i, "true")
	case 'f':
		return s.literal(i, "false")
	case 'n':
		return s.literal(i, "null")
	case '{':
		return s.schemalessObject(i, keys)
	case '[':
		return s.schemalessList(i, keys)
	}
	x, end := s.number(i)
	if x.changes {
		return bad
	}
	return end
}

func (s *Scan) schemalessList(i int, keys bool) int {
	if !s.deeper() {
		return bad
	}
	i, more := s.enter(i, ']')
	for more {
		i, more = s.next(s.schemaless(i, keys), ']')
	}
	s.depth--
	return i
}

func (s *Scan) schemalessObject(i int, keys bool) int {
	start := i
	i, more := s.enter(i, '}')
	if !more {
		return i
	}
	if !keys || !s.deeper() {
		return bad
	}
	seen, escapedKey := keyList{from: len(s.others)}, false
	for more {
		from := i + 1
		end, escaped, value := s.key(i)
		if value == bad {
			return bad
		}
		escapedKey = escapedKey || escaped
		s.addKey(&seen, from, end)
		i, more = s.next(s.schemaless(value, keys), '}')
	}
	s.depth--
	if i == bad || !s.endKeys(&seen) || escapedKey && s.decode(start, i) == nil {
		return bad
	}
	return i
}
