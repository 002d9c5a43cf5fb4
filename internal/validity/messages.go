package validity

import (
	"fmt"
	"strconv"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/since"
)

// The messages, with their clauses. Names are those of VAL-004.

// ofType is the message of VAL-010, VAL-012, FMT-003.
func ofType(name, want, got string) string {
	return name + " in body must be of type " + want + ": " + strconv.Quote(got)
}

// longer is the message of minLength (VAL-030).
func longer(name string, least int64) string {
	return fmt.Sprintf("%s in body should be at least %d chars long", name, least)
}

// atLeast is the message of minItems (VAL-040) and minProperties (VAL-050). The unit is plural, even for 1.
func atLeast(name string, least int64, unit string) string {
	return fmt.Sprintf("%s in body should have at least %d %s", name, least, unit)
}

// tooShort is the message of minLength as of [since.SizeErrorTypes].
func tooShort(least int64) string { return field.TooShort(nil, "", least).Detail }

// tooFew is the message of minItems and minProperties as of [since.SizeErrorTypes].
func tooFew(least int64) string { return field.TooFew(nil, 0, least).Detail }

// noMoreBytes is the message of maxLength, which counts runes (VAL-030).
func noMoreBytes(most int64, profile since.Profile) string {
	switch {
	case most >= 0 && !profile.Has(since.ByteCounts):
		return fmt.Sprintf("may not be longer than %d", most)
	case most == 1 && !profile.Has(since.SingularCounts):
		return "may not be more than 1 bytes"
	}
	return field.TooLong(nil, most).Detail
}

// atMost is the message of maxItems (VAL-040) and maxProperties (VAL-050), which also mentions items.
func atMost(most int64, profile since.Profile) string {
	if most == 1 && !profile.Has(since.SingularCounts) {
		return "must have at most 1 items"
	}
	return field.TooMany(nil, 0, most).Detail
}

// outOfRange is the message of VAL-020. what is Checked, MultipleOf, Minimum boundary or Maximum boundary.
func outOfRange(what string, n *plan.Node, name string) string {
	format := "(default format)"
	if n.Number.Ranged != plan.RangeInt { // other formats are not checked
		format = "with format " + n.Format
	}
	return fmt.Sprintf("%s value must be of type %s %s in %s", what, n.TypeText(), format, name)
}

// number prints a bound (VAL-022).
func number(v any) string { return fmt.Sprint(v) }
