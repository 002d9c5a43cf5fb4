package given

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// Changed returns a copy of obj as it might have been before: some fields or items differ, are missing or added, and
// items are reordered. Sometimes nothing differs.
func (m *Maker) Changed(obj map[string]any) map[string]any {
	c := jsonval.Clone(obj).(map[string]any)
	for range m.IntN(4) {
		m.change(c)
	}
	return c
}

// change changes something in v, or below it, in place. It returns the new v.
func (m *Maker) change(v any) any {
	switch x := v.(type) {
	case map[string]any:
		if keys := slices.Sorted(maps.Keys(x)); len(keys) > 0 && m.chance(0.85) {
			k := pick(m, keys...)
			if m.chance(0.15) {
				delete(x, k)
			} else {
				x[k] = m.change(x[k])
			}
			return x
		}
		x[pick(m, names...)] = m.Anything(1)
		return x
	case []any:
		switch {
		case len(x) == 0 || m.chance(0.1):
			return append(x, m.Anything(1))
		case m.chance(0.2):
			m.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
			return x
		case m.chance(0.15):
			return slices.Delete(x, len(x)-1, len(x))
		}
		i := m.IntN(len(x))
		x[i] = m.change(x[i])
		return x
	case int64:
		if m.chance(0.3) {
			return float64(x)
		}
	}
	return m.Anything(1)
}

// BreakOne replaces the first string or number by an object, and reports whether there is one.
func BreakOne(m map[string]any) bool {
	for _, k := range slices.Sorted(maps.Keys(m)) {
		switch x := m[k].(type) {
		case string, int64:
			m[k] = map[string]any{}
			return true
		case map[string]any:
			if BreakOne(x) {
				return true
			}
		}
	}
	return false
}
