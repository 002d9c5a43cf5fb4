package verdict

import (
	"github.com/crdkit/crdkit/schema"
)

// This file says what each keyword asks of a value by itself. Verdicts and reports are both made from these functions, from
// [schema.NumberChecks], and from [Unique]: there is no second definition of a keyword.

// A SizeFault says which bounds a size breaks: both, if the least is larger than the most.
type SizeFault uint8

// The faults of sizes.
const (
	TooFew SizeFault = 1 << iota
	TooMany
)

// Items returns which of minItems and maxItems the number of items breaks (VAL-040).
func Items(n *schema.Node, items []any) SizeFault { return ItemCount(n, len(items)) }

// ItemCount is [Items] for so many items.
func ItemCount(n *schema.Node, count int) SizeFault { return sizeFault(count, n.MinItems, n.MaxItems) }

// Properties returns which of minProperties and maxProperties the number of fields breaks (VAL-050).
func Properties(n *schema.Node, m map[string]any) SizeFault { return PropertyCount(n, len(m)) }

// PropertyCount is [Properties] for so many fields.
func PropertyCount(n *schema.Node, count int) SizeFault {
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

// Duplicates reports whether a list has equal items that uniqueItems forbids (VAL-040).
func Duplicates(n *schema.Node, items []any) bool {
	return n.Has&schema.UniqueItems != 0 && !Unique(items)
}

// Forbidden reports whether additionalProperties is false and k is no declared property (VAL-052).
func Forbidden(n *schema.Node, k string) bool {
	return n.Has&schema.NoOthers != 0 && n.Prop(k) == nil
}

// Missing reports whether a required property is not there (VAL-051).
func Missing(m map[string]any, name string) bool {
	_, ok := m[name]
	return !ok
}

// anyMissing reports whether one of several required properties is not there.
func anyMissing(m map[string]any, names []string) bool {
	for _, name := range names {
		if Missing(m, name) {
			return true
		}
	}
	return false
}

// Listed reports whether v is one of the values of the enum, or there is no enum (VAL-013).
func Listed(n *schema.Node, v any) bool { return n.Enum == nil || n.Enum.Has(v) }

// Text returns the first of maxLength, minLength and pattern that s does not fulfil (VAL-030). work is that of [OKWithin].
func Text(n *schema.Node, s string, work *int) schema.StringFault {
	if n.String == nil {
		return schema.StringFine
	}
	return n.String.FaultWithin(s, work)
}

// Formatted reports whether s has the format that the schema asks for (FMT-003).
func Formatted(n *schema.Node, s string) bool {
	return n.String == nil || n.String.Format == nil || n.String.Format.Valid(s)
}

// Number returns the checks that v, an int64 or a float64, does not fulfil (VAL-020 to VAL-022).
func Number(n *schema.Node, v any) schema.NumberFault {
	if n.Number == nil {
		return 0
	}
	if i, ok := v.(int64); ok {
		return n.Number.Int(i)
	}
	f, _ := v.(float64)
	return n.Number.Float(f)
}

// A Fate says what pruning makes of a field that is no declared property.
type Fate uint8

// The fates.
const (
	Dropped Fate = iota // PRU-003
	Kept                // with all that is in it (PRU-004)
	Entered             // it is pruned with the schema of additionalProperties, or without one (PRU-006)
)

// OtherFields returns the fate of the fields of an object at n that are no declared properties. preserve is true for an item of a list that
// preserves unknown fields.
func OtherFields(n *schema.Node, preserve bool) Fate {
	switch {
	case n.Has&schema.OtherKeys != 0:
		return Entered
	case preserve || n.Has&schema.PreserveFields != 0:
		return Kept
	}
	return Dropped
}

// Alone reports whether v, of a kind that n accepts, fulfils those keywords of n that look neither into v nor at a branch. work is that of
// [OKWithin].
func Alone(n *schema.Node, v any, work *int) bool {
	switch x := v.(type) {
	case string:
		if Text(n, x, work) != schema.StringFine || !Formatted(n, x) {
			return false
		}
	case int64, float64:
		if Number(n, v) != 0 {
			return false
		}
	case []any:
		if Items(n, x) != 0 || Duplicates(n, x) {
			return false
		}
	case map[string]any:
		if Properties(n, x) != 0 || anyMissing(x, n.Required) {
			return false
		}
		if n.Has&schema.NoOthers != 0 {
			for k := range x {
				if Forbidden(n, k) {
					return false
				}
			}
		}
	}
	return Listed(n, v)
}

// Here reports whether v fulfils the keywords of n itself, its combinators among them: whatever is wrong with v then, if anything is, is
// wrong with a part that an Items, a Props or the Additional of n describes. Null has no parts. For values outside the domain of JSON it
// returns false. work is that of [OKWithin].
func Here(n *schema.Node, v any, work *int) bool {
	kind := schema.KindOf(v)
	return kind != 0 && n.Accept&kind != 0 && Alone(n, v, work) && (kind == schema.KindNull || branchesOK(n.Combine, v, work))
}
