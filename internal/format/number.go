package format

// Formats for decimal numbers with check digits or limits (FMT-003, FMT-005).

import "strings"

func validISBN(s string) bool {
	digits, n := isbnDigits(s)
	return isISBN10(digits, n) || isISBN13(digits, n)
}

func validISBN10(s string) bool { return isISBN10(isbnDigits(s)) }
func validISBN13(s string) bool { return isISBN13(isbnDigits(s)) }

// isbnDigits returns the bytes of s without spaces and dashes, and their number. If there are more than 13, the length
// of the longest ISBN, it returns some number above 13 and meaningless bytes.
func isbnDigits(s string) (digits [13]byte, n int) {
	for i := range len(s) {
		c := s[i]
		if c == '-' || isSpace(c) {
			continue
		}
		if n == len(digits) {
			return digits, n + 1
		}
		digits[n] = c
		n++
	}
	return digits, n
}

// isISBN10 reports whether the digits are nine digits and a digit or X (ten), and their sum, weighted by 1 to 10, is
// divisible by 11.
func isISBN10(digits [13]byte, n int) bool {
	if n != 10 {
		return false
	}
	sum := 0
	for i, c := range digits[:10] {
		switch {
		case isDigit(c):
			sum += (i + 1) * int(c-'0')
		case c == 'X' && i == 9:
			sum += 10 * 10
		default:
			return false
		}
	}
	return sum%11 == 0
}

// isISBN13 reports whether the digits are 13 digits and their sum, weighted alternately by 1 and 3, is divisible by 10.
func isISBN13(digits [13]byte, n int) bool {
	if n != 13 {
		return false
	}
	sum := 0
	for i, c := range digits {
		if !isDigit(c) {
			return false
		}
		sum += (1 + i%2*2) * int(c-'0')
	}
	return sum%10 == 0
}

// creditcard considers only the digits: all other characters are skipped, even letters.
func validCreditCard(s string) bool {
	var digits [16]byte // the longest card number
	n := 0
	for i := range len(s) {
		if !isDigit(s[i]) {
			continue
		}
		if n == len(digits) {
			return false
		}
		digits[n] = s[i]
		n++
	}
	return isCardNumber(string(digits[:n])) && luhn(digits[:n])
}

// isCardNumber reports whether the digits have the prefix and the length of some issuer (FMT-005).
func isCardNumber(digits string) bool {
	switch len(digits) {
	case 13:
		return digits[0] == '4'
	case 14:
		second, third := digits[1], digits[2]
		return digits[0] == '3' && (second == '0' && third <= '5' || second == '6' || second == '8')
	case 15:
		switch digits[:2] {
		case "34", "37":
			return true
		case "21", "18":
			return digits[:4] == "2131" || digits[:4] == "1800"
		}
	case 16:
		switch digits[0] {
		case '3':
			return digits[1] == '5'
		case '4':
			return true
		case '5':
			return '1' <= digits[1] && digits[1] <= '5'
		case '6':
			return digits[1] == '5' || digits[:4] == "6011"
		}
	}
	return false
}

// luhn reports whether the sum of the digits is divisible by 10, with every second one from the right doubled and
// reduced to one digit.
func luhn(digits []byte) bool {
	sum := 0
	for i, c := range digits {
		d := int(c - '0')
		if (len(digits)-i)%2 == 0 {
			d *= 2
			if d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// ssn is 3, 2 and 4 digits separated by dashes or spaces. The separators are optional in the server's pattern, but
// required by its rule that the length is 11.
func validSSN(s string) bool {
	if len(s) != 11 {
		return false
	}
	return isSeparator(s[3]) && isSeparator(s[6]) && digits.all(s[:3]) && digits.all(s[4:6]) && digits.all(s[7:])
}

func isSeparator(c byte) bool { return c == '-' || c == ' ' }

func validRGBColor(s string) bool {
	s, ok := strings.CutPrefix(s, "rgb")
	if !ok {
		return false
	}
	for _, before := range [...]byte{'(', ',', ','} {
		if s == "" || s[0] != before {
			return false
		}
		s = strings.TrimLeftFunc(s[1:], isSpace[rune])
		n := octet(s, false)
		if n == 0 {
			return false
		}
		s = strings.TrimLeftFunc(s[n:], isSpace[rune])
	}
	return s == ")"
}
