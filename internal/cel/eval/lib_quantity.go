package eval

import (
	"github.com/crdkit/crdkit/internal/cel/estimate"
	"github.com/crdkit/crdkit/internal/cel/lib/quantity"
	"github.com/crdkit/crdkit/internal/since"
)

// quantities: CEN-031, CLI-020 to CLI-025.
func quantities() []*Function {
	// Before that version, parsing a quantity cost as much as any other call.
	parsing := costs{charge: scan, static: func(c *estimate.Call) estimate.Result {
		if !since.QuantityCost.In(c.Minor) {
			return estimate.Costing(1)
		}
		return scanning.static(c)
	}}
	return []*Function{
		fn("quantity", global("string_to_quantity", quantityType, stringType).does(
			visiting(4, parseQuantity))).costing(parsing),
		fn("isQuantity", global("is_quantity_string", boolType, stringType).does(
			call1(value.str, quantity.Valid, asBool))).costing(parsing).is(once),
		fn("sign", global("quantity_sign", intType, quantityType).does(
			call1(amountOf, func(q quantity.Quantity) int64 { return int64(q.Sign()) }, asInt))),
		fn("isInteger", method("quantity_is_integer", boolType, quantityType).does(call1(amountOf, quantity.Quantity.IsInteger, asBool))),
		fn("asInteger", method("quantity_get_int", intType, quantityType).does(try1(amountOf, quantity.Quantity.Int64, asInt))),
		fn("asApproximateFloat", method("quantity_get_float", doubleType, quantityType).does(
			call1(amountOf, quantity.Quantity.Float, asDouble))),
		fn("add",
			method("quantity_add", quantityType, quantityType, quantityType).does(combined(quantity.Quantity.Add, amountOf)),
			method("quantity_add_int", quantityType, quantityType, intType).does(combined(quantity.Quantity.Add, amountOfInt))),
		fn("sub",
			method("quantity_sub", quantityType, quantityType, quantityType).does(combined(quantity.Quantity.Sub, amountOf)),
			method("quantity_sub_int", quantityType, quantityType, intType).does(combined(quantity.Quantity.Sub, amountOfInt))),
		fn("isLessThan", method("quantity_is_less_than", boolType, quantityType, quantityType).does(ofAmounts(below))),
		fn("isGreaterThan", method("quantity_is_greater_than", boolType, quantityType, quantityType).does(ofAmounts(above))),
		fn("compareTo", method("quantity_compare_to", intType, quantityType, quantityType).does(ofAmounts(sign))),
	}
}

func parseQuantity(f *frame, args []value) value {
	parse := quantity.Parse
	if f.profile.Has(since.LongQuantities) {
		parse = quantity.ParseLong
	}
	q, err := parse(args[0].str())
	return result(f, q, err, asQuantity)
}

// combined returns a binding of a sum or a difference. operand returns the one on the right.
//
//go:noinline
func combined(do func(a, b quantity.Quantity) quantity.Quantity, operand func(value) quantity.Quantity) binding {
	return func(f *frame, a []value) value {
		l, r := amountOf(a[0]), operand(a[1])
		limbs := l.Limbs() + r.Limbs()
		f.visits(limbBytes * limbs)
		f.makes(16 * limbs)
		return f.amount(do(l, r), true)
	}
}

// An amount is a quantity. A computed one is not recognised on the right of an equality (CVA-042).
type amount struct {
	quantity.Quantity
	computed bool
}

func amountOf(v value) quantity.Quantity    { return v.ref.(*amount).Quantity }
func amountOfInt(v value) quantity.Quantity { return quantity.New(v.int()) }

// amount returns a quantity as a value, which is valid until the next run.
func (f *frame) amount(q quantity.Quantity, computed bool) value {
	return value{kind: kindQuantity, ref: kept(&f.amounts, 4, amount{Quantity: q, computed: computed})}
}

// ofAmounts returns a binding that compares two quantities.
//
//go:noinline
func ofAmounts(use func(c int) value) binding {
	return func(f *frame, a []value) value {
		l, r := a[0].ref.(*amount), a[1].ref.(*amount)
		f.visits(limbBytes * (l.Limbs() + r.Limbs()))
		c := l.Compare(r.Quantity)
		if r.IsDecimal() { // In a server, a comparison (unlike ==) changes the form of its receiver.
			l.Quantity = l.Decimal()
		}
		return use(c)
	}
}

func asQuantity(f *frame, q quantity.Quantity) value { return f.amount(q, false) }

func below(c int) value { return boolean(c < 0) }
func above(c int) value { return boolean(c > 0) }
func sign(c int) value  { return integer(int64(c)) }

// limbBytes is the number of bytes whose visit is as much work as computing with one limb of a quantity.
const limbBytes = 8
