package validity

import (
	"math/bits"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/since"
)

// wrongType reports a value whose kind the node does not accept. The error's value is the name of a type. If there is a
// format, which matters only for strings and arrays, both types have their Go names (VAL-010, VAL-012).
func (r *reporter) wrongType(n *plan.Node, v any, kind plan.Kinds, at *plan.Frame) {
	if r.full(field.ErrorTypeTypeInvalid) {
		return
	}
	want, got := n.TypeText(), jsonType(kind)
	if n.Format != "" && kind&(plan.KindNull|plan.KindString|plan.KindArray) == 0 {
		goType := ""
		switch v.(type) {
		case int64:
			goType = "int64"
		case float64:
			goType = "float64"
		}
		if goType != n.Format { // if equal, the value has the format, but not the type
			want, got = n.Format, goType
		}
	}
	name := at.Name()
	r.at(at, typeKeyword(n, kind), name, field.ErrorTypeTypeInvalid, got, ofType(name, want, got))
}

// typeKeyword returns the keyword because of which n does not accept a value of that kind.
func typeKeyword(n *plan.Node, kind plan.Kinds) string {
	switch {
	case kind == plan.KindNull:
		return origin.Nullable
	case n.Has&plan.IntOrString != 0:
		return origin.IntOrString
	case n.Type == "":
		return origin.Format
	}
	return origin.Type
}

func jsonType(kind plan.Kinds) string {
	switch kind {
	case plan.KindNull:
		return "null"
	case plan.KindBool:
		return "boolean"
	case plan.KindInt:
		return "integer"
	case plan.KindWhole, plan.KindFloat:
		return "number"
	case plan.KindString:
		return "string"
	case plan.KindArray:
		return "array"
	}
	return "object"
}

// text reports the first of maxLength, minLength and pattern that s violates, and then the format (VAL-030, FMT-003).
func (r *reporter) text(n *plan.Node, s string, at *plan.Frame) {
	r.budget.Text(s)
	c := n.String
	fault := Text(n, s, &r.budget.Work)
	switch {
	case fault == plan.NoMatch && r.exhausted():
		return
	case fault == plan.TooLong && !r.full(field.ErrorTypeTooLong):
		r.withMessage(at, origin.MaxLength, at.Name(), field.ErrorTypeTooLong, field.OmitValue, noMoreBytes(c.MaxLength, r.errs.Profile()), number(c.MaxLength))
	case fault == plan.TooShort:
		r.tooShort(s, c.MinLength, at)
	case fault == plan.NoMatch && !r.full(field.ErrorTypeInvalid):
		name, pattern := at.Name(), c.PatternText
		if c.BadPattern != nil {
			pattern += ", but pattern is invalid: " + c.BadPattern.Error()
		}
		r.at(at, origin.Pattern, name, field.ErrorTypeInvalid, s, name+" in body should match '"+pattern+"'")
	}
	if !Formatted(n, s) && !r.full(field.ErrorTypeTypeInvalid) {
		name := at.Name()
		r.at(at, origin.Format, name, field.ErrorTypeTypeInvalid, s, ofType(name, n.Format, s))
	}
}

// tooShort reports a string that is too short.
func (r *reporter) tooShort(s string, least int64, at *plan.Frame) {
	typ := field.ErrorTypeInvalid
	if r.errs.Profile().Has(since.SizeErrorTypes) {
		typ = field.ErrorTypeTooShort
	}
	if r.full(typ) {
		return
	}
	name := at.Name()
	message := longer(name, least)
	detail := message
	if typ == field.ErrorTypeTooShort {
		detail = tooShort(least)
	}
	r.withMessage(at, origin.MinLength, name, typ, s, detail, message)
}

// number reports the checks that a number fails. v is the number as checked, an int64 or a float64, and f the same as a
// float64: the server compares f if a bound is not a number of the node's type (VAL-020).
func (r *reporter) number(n *plan.Node, v any, f float64, at *plan.Frame) {
	faults := Number(n, v)
	if faults == 0 {
		return
	}
	if r.errs.Full() {
		for range bits.OnesCount(uint(faults)) {
			r.errs.Skip(field.ErrorTypeInvalid)
		}
		return
	}
	c, name := n.Number, at.Name()
	_, integer := v.(int64)
	// shown returns the value and the bound as the server compared them (VAL-022).
	shown := func(b *plan.Bound) (value, bound any) {
		switch {
		case b.OutOfRange:
			return f, b.Value
		case integer:
			return v, b.Int
		}
		return v, b.Value
	}
	beyond := func(b *plan.Bound, keyword, relation string) {
		value, bound := shown(b)
		if !b.Exclusive {
			relation += "or equal to "
		}
		r.at(at, keyword, name, field.ErrorTypeInvalid, value, name+" in body should be "+relation+number(bound))
	}
	if faults&plan.ValueRange != 0 {
		r.atRoot(at, rangeKeyword(n), outOfRange("Checked", n, name))
	}
	if faults&plan.FactorRange != 0 {
		r.atRoot(at, origin.MultipleOf, outOfRange("MultipleOf", n, name))
	}
	if faults&plan.FactorNotPositive != 0 {
		_, factor := shown(c.MultipleOf)
		r.at(at, origin.MultipleOf, name, field.ErrorTypeInvalid, factor, "factor MultipleOf declared for "+name+" must be positive: "+number(factor))
	}
	if faults&plan.NotMultiple != 0 {
		value, factor := shown(c.MultipleOf)
		r.at(at, origin.MultipleOf, name, field.ErrorTypeInvalid, value, name+" in body should be a multiple of "+number(factor))
	}
	if faults&plan.MinimumRange != 0 {
		r.atRoot(at, origin.Minimum, outOfRange("Minimum boundary", n, name))
	}
	if faults&plan.BelowMinimum != 0 {
		beyond(c.Minimum, origin.Minimum, "greater than ")
	}
	if faults&plan.MaximumRange != 0 {
		r.atRoot(at, origin.Maximum, outOfRange("Maximum boundary", n, name))
	}
	if faults&plan.AboveMaximum != 0 {
		beyond(c.Maximum, origin.Maximum, "less than ")
	}
}

// rangeKeyword returns the keyword that limits the numbers of n.
func rangeKeyword(n *plan.Node) string {
	if n.Number.Ranged == plan.RangeInt {
		return origin.Type
	}
	return origin.Format
}

// enum reports a value that is not one of the allowed values (VAL-013).
func (r *reporter) enum(n *plan.Node, v any, at *plan.Frame) {
	if Listed(n, v) || r.full(field.ErrorTypeNotSupported) {
		return
	}
	if jsonval.IsContainer(v) && r.tooLarge() { // the error prints v
		return
	}
	// The server's message prints the values with fmt: "1" and 1 look the same, {} and "{}" do not.
	r.withMessage(at, origin.Enum, at.Name(), field.ErrorTypeNotSupported, v, n.Enum.Listed(), n.Enum.Printed())
}
