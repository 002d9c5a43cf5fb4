package eval

import (
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/cel/ast"
)

// This file has expressions with other variables than self and oldSelf, whose data no schema describes.

// PlanCondition prepares a checked expression with variables of the given names. See [Plan].
func PlanCondition(a *ast.AST, names []string) (*Program, error) {
	p := planner{ast: a, slots: freeSlot}
	for _, name := range names {
		p.scope = append(p.scope, variable{name: name, slot: p.slots})
		p.slots++
	}
	return p.program()
}

// A Variable is the value of a variable.
type Variable struct{ value }

// Dynamic returns data as package unstructured decodes it as the value of a variable of type dyn. It copies the maps and
// lists, but not the texts. An object has all its keys, and null is a value.
func Dynamic(data any) Variable { return Variable{dynamic(data)} }

// Unresolved returns a variable without a value: its use is an error.
func Unresolved(name string) Variable { return Variable{failure("no such attribute(s): " + name)} }

func dynamic(data any) value {
	switch x := data.(type) {
	case nil:
		return null
	case bool:
		return boolean(x)
	case int64:
		return integer(x)
	case int:
		return integer(int64(x))
	case float64:
		return double(x)
	case string:
		return value{kind: kindString, ref: data}
	case map[string]any:
		d := newDict(len(x))
		if len(x) > smallDict {
			d.reserve(len(x))
		}
		for _, name := range slices.Sorted(maps.Keys(x)) {
			d.put(textValue(name), dynamic(x[name]))
		}
		return value{kind: kindMap, ref: d}
	case []any:
		vals := make([]value, len(x))
		for i := range x {
			vals[i] = dynamic(x[i])
		}
		return newList(vals)
	}
	return failure(fmt.Sprintf("unsupported data: %T", data))
}

// LoadVariables sets the input of the following programs, which [PlanCondition] has prepared for variables in the same
// order.
func (m *Machine) LoadVariables(variables ...Variable) {
	f := &m.frame
	f.reserve(freeSlot + len(variables))
	f.identities, f.sorted.known = 0, nil
	f.held, f.variables = 0, len(variables)
	for i, v := range variables {
		f.slots[freeSlot+i] = v.value
	}
}
