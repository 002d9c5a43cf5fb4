// Package quantity implements the numbers of Kubernetes, such as 100m, 1.5Gi and 2e3, for CEL rules.
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
// The work is bounded by the length of the text, whatever the exponent. [Parse] and [Valid] read each digit once. A
// quantity has the digits that were written, eight bytes for 18 of them, and powers of ten are never expanded:
// 1e2000000000 is a 1 and an exponent. The sum of numbers that are far apart keeps both, so that a sum of n quantities
// takes their digits and at most 600 more for each, and is exact. Comparing, adding and subtracting read each digit of
// both sides a few times; most comparisons end at the first difference. Quantities in fast form (CLI-021), which most
// are, do not allocate, except for a sum that does not fit that form.
//
// # Concurrency
//
// Quantities are immutable.
//
// # Parity
//
// Kubernetes 1.37, clauses CLI-020 to CLI-025, and 1.38 for [ParseLong]. Surprising behaviour:
//
//   - 1.0, 1000m and 1Pi are not integers; 5. and - are (CLI-020, CLI-022).
//   - Exponents keep their low 32 bits: 1e4294967296 is 1, and 1e2147483648 is 1e-2147483648.
//   - Ei is not valid, though k, - and a single point are zero: the decimal form requires a digit (CLI-020).
//   - A quantity that is compared with one in decimal form is no longer an integer: see [Quantity.Decimal].
//   - Digits below 10^-9 are rounded away from zero: 1e-2000000000 is 1n (CLI-021).
//
// Deviations, all for exponents of seven digits and more (CLI-025):
//
//   - A server expands the power of ten, which for an exponent of ten digits never ends. Here the value is what the
//     result would be.
//   - A server adds exponents in 32 bits. On overflow it has wrong numbers, such as 1e2147483647 + 1n = 2n, or divides
//     by zero; here arithmetic is exact.
package quantity
