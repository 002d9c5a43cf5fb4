package validity

import (
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// This file has the check of each keyword for a single value. The verdict and the errors both use these
// functions, [plan.StringChecks], [plan.NumberChecks] and [jsonval.Unique], so each keyword is defined once.

// A SizeFault is the set of bounds that a size violates: both, if the minimum is larger than the maximum.
type SizeFault uint8

// The faults of sizes.
const (
	TooFew SizeFault = 1 << iota
	TooMany
)

// ItemCount returns which of minItems and maxItems the number of items violates (VAL-040).
func ItemCount(n *plan.Node, count int) SizeFault { return sizeFault(count, n.MinItems, n.MaxItems) }

// PropertyCount returns which of minProperties and maxProperties the number of fields violates (VAL-050).
func PropertyCount(n *plan.Node, count int) SizeFault {
	return sizeFault(count, n.MinProperties, n.MaxProperties)
}

func sizeFault(size int, least, most int64) (faults SizeFault) {
	if int64(size) < least {
		faults |= TooFew
	}
	if int64(size) > most {
		faults |= TooMany
	}
	return faults
}

// NotUnique reports whether a list has equal items that uniqueItems forbids (VAL-040).
func NotUnique(n *plan.Node, items []any) bool {
	return n.Has&plan.UniqueItems != 0 && !jsonval.Unique(items)
}

// forbidden reports whether additionalProperties is false and k is not a declared property (VAL-052).
func forbidden(n *plan.Node, k string) bool {
	return n.Has&plan.NoOthers != 0 && n.Prop(k) == nil
}

// missing reports whether a required property is missing (VAL-051).
func missing(m map[string]any, name string) bool {
	_, ok := m[name]
	return !ok
}

// anyMissing reports whether one of several required properties is missing.
func anyMissing(m map[string]any, names []string) bool {
	for _, name := range names {
		if missing(m, name) {
			return true
		}
	}
	return false
}

// Listed reports whether v is one of the values of the enum, or there is no enum (VAL-013).
func Listed(n *plan.Node, v any) bool { return n.Enum == nil || n.Enum.Has(v) }

// Text returns the first of maxLength, minLength and pattern that s violates (VAL-030). work is [jsonval.Budget.Work].
func Text(n *plan.Node, s string, work *int) plan.StringFault {
	if n.String == nil {
		return plan.StringFine
	}
	return n.String.Fault(s, work)
}

// Formatted reports whether s has the format of the schema (FMT-003).
func Formatted(n *plan.Node, s string) bool {
	return n.String == nil || n.String.Format == nil || n.String.Format.Valid(s)
}

// textOK reports whether s satisfies all of these.
func textOK(n *plan.Node, s string, work *int) bool {
	return n.String == nil || n.String.Fault(s, work) == plan.StringFine && Formatted(n, s)
}

// Number returns the checks that v, an int64 or a float64, fails (VAL-020 to VAL-022).
func Number(n *plan.Node, v any) plan.NumberFault {
	if n.Number == nil {
		return 0
	}
	if i, ok := v.(int64); ok {
		return n.Number.Int(i)
	}
	f, _ := v.(float64)
	return n.Number.Float(f)
}

// A Pruning is what pruning does with a field that is not a declared property.
type Pruning uint8

// What pruning does with such a field.
const (
	Dropped Pruning = iota // PRU-003
	Kept                   // with everything in it (PRU-004)
	Entered                // it is pruned with the schema of additionalProperties, or without one (PRU-006)
)

// OtherFields returns what pruning does with the fields of an object at n that are not declared properties. preserve is
// set for an item of a list that preserves unknown fields.
func OtherFields(n *plan.Node, preserve bool) Pruning {
	switch {
	case n.Has&plan.OtherKeys != 0:
		return Entered
	case preserve || n.Has&plan.PreserveFields != 0:
		return Kept
	}
	return Dropped
}

// alone reports whether v, of a kind that n accepts, satisfies the keywords of n, except combinators and those for the
// fields or items of v. work is [jsonval.Budget.Work].
func alone(n *plan.Node, v any, work *int) bool {
	switch x := v.(type) {
	case string:
		if !textOK(n, x, work) {
			return false
		}
	case int64, float64:
		if Number(n, v) != 0 {
			return false
		}
	case []any:
		if ItemCount(n, len(x)) != 0 || NotUnique(n, x) {
			return false
		}
	case map[string]any:
		if PropertyCount(n, len(x)) != 0 || anyMissing(x, n.Required) {
			return false
		}
		if n.Has&plan.NoOthers != 0 {
			for k := range x {
				if forbidden(n, k) {
					return false
				}
			}
		}
	}
	return Listed(n, v)
}

// here reports whether v satisfies the keywords of n itself, including its combinators. Violations in the fields and
// items of v, which n.Props, n.Additional and n.Items describe, do not count. It returns false for values that are not
// JSON. work is [jsonval.Budget.Work].
func here(n *plan.Node, v any, work *int) bool {
	kind := n.KindOf(v)
	return kind != 0 && n.Accept&kind != 0 && alone(n, v, work) && (kind == plan.KindNull || branchesOK(n.Combine, v, work))
}
