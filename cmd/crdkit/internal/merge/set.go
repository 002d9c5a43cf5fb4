package merge

import (
	"encoding/json"
	"math"
	"strings"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/unstructured"
)

// A set has paths. A nil set is empty.
type set struct {
	member bool // the path that leads here
	below  map[string]*set
}

// at returns the set below a step, or nil.
func (s *set) at(step string) *set {
	if s == nil {
		return nil
	}
	return s.below[step]
}

// has reports whether a step leads to a path of the set. If the step leads to a field of a struct, paths below it count.
func (s *set) has(step string, isField bool) bool {
	next := s.at(step)
	return next != nil && (next.member || isField && len(next.below) > 0)
}

// child returns the set below a step, and creates it.
func (s *set) child(step string) *set {
	if s.below == nil {
		s.below = map[string]*set{}
	}
	next := s.below[step]
	if next == nil {
		next = &set{}
		s.below[step] = next
	}
	return next
}

// add adds the paths of other, from which those of a field of the root can be left out.
func (s *set) add(other *set, without string) {
	s.member = s.member || other.member
	for step, next := range other.below {
		if step != without || without == "" {
			s.child(step).add(next, "")
		}
	}
}

// all adds the paths that lead to those of the set.
func (s *set) all() {
	s.member = true
	for _, next := range s.below {
		next.all()
	}
}

// setOf reads a fieldsV1.
func setOf(fields map[string]any) *set {
	s := &set{}
	for key, v := range fields {
		if key == "." {
			s.member = true
			continue
		}
		below, _ := v.(map[string]any)
		next := setOf(below)
		next.member = next.member || len(below) == 0
		s.child(canonical(key)).add(next, "")
	}
	return s
}

// canonical returns a key of a fieldsV1 as [step] functions write it.
func canonical(key string) string {
	kind, text, _ := strings.Cut(key, ":")
	if kind != "k" && kind != "v" {
		return key
	}
	obj, err := unstructured.DecodeJSON([]byte(`{"a":` + text + `}`))
	if err != nil {
		return key
	}
	return kind + ":" + jsonText(obj["a"])
}

// jsonText returns a value as JSON, in which equal numbers are equal.
func jsonText(v any) string {
	text, _ := json.Marshal(plainNumbers(v)) // Invariant: it has been decoded from JSON
	return string(text)
}

func plainNumbers(v any) any {
	switch x := v.(type) {
	case float64:
		if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			return int64(x)
		}
	case map[string]any:
		plain := make(map[string]any, len(x))
		for k, v := range x {
			plain[k] = plainNumbers(v)
		}
		return plain
	}
	return v
}

// The steps of paths, in the form of a fieldsV1.
func fieldStep(name string) string { return "f:" + name }

// itemStep returns the step to an item of a list of type set or map.
func itemStep(n *plan.Node, item any) string {
	if n.List == plan.ListSet {
		return "v:" + jsonText(item)
	}
	keys := map[string]any{}
	for _, name := range n.ListMapKeys {
		if v := n.KeyOrDefault(item, name); v != nil {
			keys[name] = v
		}
	}
	return "k:" + jsonText(keys)
}
