// Package quantity has the numbers of Kubernetes, such as 100m, 1.5Gi and 2e3, as CEL rules see them.
//
//	q, err := quantity.Parse("1.5Gi")
//	// ...
//	limit, _ := quantity.Parse("2G")
//	q.Compare(limit)         // -1
//	q.Sub(limit).Sign()      // -1
//	q.IsInteger()            // false: not a question of the value alone
//
// # Cost
//
// All text is bounded by its own length, whatever the exponent. [Parse] and [Valid] read each digit once. A quantity holds the digits
// that were written, eight bytes for 18 of them, and no power of ten is ever written out: 1e2000000000 is a 1 and an exponent. Numbers
// that lie far apart are added by holding both, so that a sum of n quantities takes their digits and at most 600 more for
// each, and stays exact. Comparing, adding and subtracting read each digit of both sides a few times; most comparisons end at
// the first difference. Quantities in fast form (CLI-021), which most are, do not allocate, except for a sum that does not fit it.
//
// # Concurrency
//
// Quantities are immutable.
//
// # Parity
//
// Kubernetes 1.37, clauses CLI-020 to CLI-025. What surprises most:
//
//   - 1.0, 1000m and 1Pi are not integers; 5. and - are (CLI-020, CLI-022).
//   - Exponents keep their low 32 bits: 1e4294967296 is 1, and 1e2147483648 is 1e-2147483648.
//   - Ei is not valid, though k, - and a point alone are zero: the decimal form asks for a digit (CLI-020).
//   - To be compared with a quantity in decimal form makes a quantity one that is not an integer: see [Quantity.Decimal].
//   - What is below 10^-9 is rounded away from zero: 1e-2000000000 is 1n (CLI-021).
//
// Deviations, all for exponents of seven digits and more (CLI-025):
//
//   - A server writes the power of ten out, which for an exponent of ten digits never ends. Here the value is what that would give.
//   - A server computes sums of exponents in 32 bits. Where these overflow it has wrong numbers, such as 1e2147483647 + 1n = 2n, or
//     fails in a division by zero; here arithmetic is exact.
package quantity
