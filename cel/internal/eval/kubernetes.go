package eval

import (
	"strings"

	"github.com/crdkit/crdkit/cel/internal/namedformat"
	"github.com/crdkit/crdkit/cel/internal/quantity"
	"github.com/crdkit/crdkit/cel/internal/semver"
)

// An amount is a quantity. One that was computed is not recognised on the right of an equality (CVA-042).
type amount struct {
	quantity.Quantity
	computed bool
}

func amountOf(v value) quantity.Quantity { return v.ref.(*amount).Quantity }

// amount returns a quantity, which is good until the next run.
func (f *frame) amount(q quantity.Quantity, computed bool) value {
	if len(f.amounts) == cap(f.amounts) {
		f.amounts = make([]amount, 0, max(4, min(2*cap(f.amounts), much)))
	}
	f.amounts = append(f.amounts, amount{Quantity: q, computed: computed})
	return value{kind: kindQuantity, ref: &f.amounts[len(f.amounts)-1]}
}

// ofAmounts makes a binding that compares two quantities.
func ofAmounts(use func(c int) value) binding {
	return func(f *frame, a []value) value {
		l, r := a[0].ref.(*amount), a[1].ref.(*amount)
		f.visits(limbBytes * (l.Limbs() + r.Limbs()))
		c := l.Compare(r.Quantity)
		if r.IsDecimal() { // In a server, an order, unlike ==, changes the form of its receiver.
			l.Quantity = l.Decimal()
		}
		return use(c)
	}
}

func below(c int) value { return boolean(c < 0) }
func above(c int) value { return boolean(c > 0) }
func sign(c int) value  { return integer(int64(c)) }

// limbBytes is how many bytes are as much work to look at as one limb of a quantity is to compute with.
const limbBytes = 8

// visitSum counts the sum or the difference of two quantities.
func (f *frame) visitSum(a, b value) {
	limbs := amountOf(a).Limbs() + amountOf(b).Limbs()
	f.visits(limbBytes * limbs)
	f.makes(16 * limbs)
}

// quantities are the functions of quantities (CLI-020 to CLI-025).
func quantities() map[string]binding {
	return map[string]binding{
		"string_to_quantity": func(f *frame, a []value) value {
			f.visits(4 * len(a[0].str()))
			q, err := quantity.Parse(a[0].str())
			if err != nil {
				return failureOf(err)
			}
			return f.amount(q, false)
		},
		"is_quantity_string":  ofText(quantity.Valid),
		"quantity_sign":       func(_ *frame, a []value) value { return integer(int64(amountOf(a[0]).Sign())) },
		"quantity_is_integer": func(_ *frame, a []value) value { return boolean(amountOf(a[0]).IsInteger()) },
		"quantity_get_int": func(_ *frame, a []value) value {
			i, err := amountOf(a[0]).Int64()
			return result(integer, i, err)
		},
		"quantity_get_float": func(_ *frame, a []value) value { return double(amountOf(a[0]).Float()) },
		"quantity_add": func(f *frame, a []value) value {
			f.visitSum(a[0], a[1])
			return f.amount(amountOf(a[0]).Add(amountOf(a[1])), true)
		},
		"quantity_add_int": func(f *frame, a []value) value {
			f.visitSum(a[0], a[0])
			return f.amount(amountOf(a[0]).Add(quantity.New(a[1].int())), true)
		},
		"quantity_sub": func(f *frame, a []value) value {
			f.visitSum(a[0], a[1])
			return f.amount(amountOf(a[0]).Sub(amountOf(a[1])), true)
		},
		"quantity_sub_int": func(f *frame, a []value) value {
			f.visitSum(a[0], a[0])
			return f.amount(amountOf(a[0]).Sub(quantity.New(a[1].int())), true)
		},
		"quantity_is_less_than":    ofAmounts(below),
		"quantity_is_greater_than": ofAmounts(above),
		"quantity_compare_to":      ofAmounts(sign),
	}
}

// ofVersions makes a binding that compares two versions.
func ofVersions(use func(c int) value) binding {
	return func(f *frame, a []value) value {
		v, w := a[0].ref.(semver.Version), a[1].ref.(semver.Version)
		f.visits(stepBytes * min(v.Identifiers(), w.Identifiers()))
		return use(v.Compare(w))
	}
}

func versionValue(v semver.Version) value { return value{kind: kindSemver, ref: v} }

// visitVersion counts what it takes to read a version.
func (f *frame) visitVersion(s string) {
	f.visits(4 * len(s))
	if n := strings.Count(s, "."); n > much {
		f.makes(n * 4 * textBytes)
	}
}

// versions are the functions of semantic versions (CLI-050 to CLI-052).
func versions() map[string]binding {
	return map[string]binding{
		"string_to_semver": func(f *frame, a []value) value {
			f.visitVersion(a[0].str())
			v, err := semver.Parse(a[0].str(), false)
			return result(versionValue, v, err)
		},
		"string_bool_to_semver": func(f *frame, a []value) value {
			f.visitVersion(a[0].str())
			v, err := semver.Parse(a[0].str(), a[1].isTrue())
			return result(versionValue, v, err)
		},
		"is_semver_string": func(f *frame, a []value) value {
			f.visitVersion(a[0].str())
			return boolean(semver.Valid(a[0].str(), false))
		},
		"is_semver_string_bool": func(f *frame, a []value) value {
			f.visitVersion(a[0].str())
			return boolean(semver.Valid(a[0].str(), a[1].isTrue()))
		},
		"semver_major":           func(_ *frame, a []value) value { return integer(a[0].ref.(semver.Version).Major()) },
		"semver_minor":           func(_ *frame, a []value) value { return integer(a[0].ref.(semver.Version).Minor()) },
		"semver_patch":           func(_ *frame, a []value) value { return integer(a[0].ref.(semver.Version).Patch()) },
		"semver_is_less_than":    ofVersions(below),
		"semver_is_greater_than": ofVersions(above),
		"semver_compare_to":      ofVersions(sign),
	}
}

func formatValue(f *namedformat.Format) value { return value{kind: kindFormat, ref: f} }

// formats are the named formats (CLI-060).
func formats() map[string]binding {
	all := map[string]binding{
		"format-named": func(_ *frame, a []value) value {
			if f := namedformat.Lookup(a[0].str()); f != nil {
				return some(formatValue(f))
			}
			return none
		},
		"format-validate": func(f *frame, a []value) value {
			if faults := a[0].ref.(*namedformat.Format).Validate(a[1].str()); len(faults) > 0 {
				return some(f.textList(faults))
			}
			return none
		},
	}
	for _, name := range namedformat.Names() {
		f := namedformat.Lookup(name)
		all["format."+name] = func(*frame, []value) value { return formatValue(f) }
	}
	return all
}
