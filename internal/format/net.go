package format

// Network addresses and names (FMT-003, FMT-004).

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func validURI(s string) bool {
	_, err := ParseRequestURI(s)
	return err == nil
}

// ipv4 has a dot, and is an IP address by the rules of Go before 1.17, which allowed leading zeros. That includes IPv6
// addresses that end with a dotted part.
func validIPv4(s string) bool {
	for i := range len(s) {
		switch s[i] {
		case '.':
			return scanIPv4(s, true)
		case ':':
			return strings.Contains(s[i:], ".") && scanIPv6(s, true)
		}
	}
	return false
}

func validIPv6(s string) bool { return scanIPv6(s, false) }

func validCIDR(s string) bool {
	address, prefix, found := strings.Cut(s, "/")
	if !found {
		return false
	}
	limit := 0
	switch {
	case scanIPv4(address, true):
		limit = 32
	case scanIPv6(address, true):
		limit = 128
	default:
		return false
	}
	length, digits := decimal(prefix, limit)
	return digits > 0 && digits == len(prefix) && length <= limit
}

// decimal returns the number at the start of s and its number of digits. It stops after the digit that makes it exceed
// limit.
func decimal(s string, limit int) (value, digits int) {
	for digits < len(s) && isDigit(s[digits]) && value <= limit {
		value = value*10 + int(s[digits]-'0')
		digits++
	}
	return value, digits
}

// scanIPv4 reports whether s is four decimal octets separated by dots. They may have leading zeros only if zeros is
// set.
func scanIPv4(s string, zeros bool) bool {
	for i := range 4 {
		if i > 0 {
			if s == "" || s[0] != '.' {
				return false
			}
			s = s[1:]
		}
		n := octet(s, zeros)
		if n == 0 {
			return false
		}
		s = s[n:]
	}
	return s == ""
}

// octet returns the length of the number from 0 to 255 at the start of s, or 0 if there is none. It may have leading
// zeros only if zeros is set.
func octet(s string, zeros bool) int {
	value, digits := decimal(s, 255)
	if value > 255 || !zeros && digits > 1 && s[0] == '0' {
		return 0
	}
	return digits
}

// scanIPv6 reports whether s is eight groups of hex digits separated by colons. One :: may replace one or more zero
// groups, and the last two groups may be an IPv4 address. A zone is not allowed. With zeros, groups and octets may have
// any number of leading zeros.
func scanIPv6(s string, zeros bool) bool {
	groups, short := 0, false // short: a :: replaces some groups
	if strings.HasPrefix(s, "::") {
		short = true
		s = s[2:]
		if s == "" {
			return true
		}
	}
	for groups < 8 {
		digits := hexGroup(s, zeros)
		if digits == 0 {
			return false
		}
		if digits < len(s) && s[digits] == '.' {
			if groups > 6 || groups < 6 && !short || !scanIPv4(s, zeros) {
				return false
			}
			groups += 2
			s = ""
			break
		}
		groups++
		s = s[digits:]
		if s == "" {
			break
		}
		if s[0] != ':' || len(s) == 1 {
			return false
		}
		s = s[1:]
		if s[0] == ':' {
			if short {
				return false
			}
			short = true
			s = s[1:]
			if s == "" {
				break
			}
		}
	}
	return s == "" && short == (groups < 8)
}

// hexGroup returns the number of hex digits at the start of s, or 0 if they are not a group of an IPv6 address: a
// 16-bit number with at most four digits unless zeros is set.
func hexGroup(s string, zeros bool) int {
	digits, significant := 0, 0
	for digits < len(s) && hexDigits.has(s[digits]) {
		if significant > 0 || s[digits] != '0' || !zeros {
			significant++
		}
		if significant > 4 {
			return 0
		}
		digits++
	}
	return digits
}

// mac is 6, 8 or 20 bytes in hex: separated by colons or by dashes, in groups of two bytes separated by dots, or
// without separators.
func validMAC(s string) bool {
	if len(s) < 12 {
		return false
	}
	separator, group := byte(0), len(s) // group: the number of hex digits between separators
	switch {
	case s[2] == ':' || s[2] == '-':
		separator, group = s[2], 2
	case s[4] == '.':
		separator, group = '.', 4
	}
	digits := 0
	for i := range len(s) {
		if i%(group+1) == group {
			if s[i] != separator {
				return false
			}
			continue
		}
		if !hexDigits.has(s[i]) {
			return false
		}
		digits++
	}
	return s[len(s)-1] != separator && (digits == 12 || digits == 16 || digits == 40)
}

// FMT-004. The server's pattern has two forms: one label, or labels separated by dots, the last of which has letters
// only. Its limits on the number of runes have no effect, because a part has at most 63 bytes.
func validHostname(s string) bool {
	if len(s) > 255 {
		return false
	}
	dot := strings.LastIndexByte(s, '.')
	if dot < 0 {
		return isSingleLabel(s)
	}
	if !isTopLevel(s[dot+1:]) {
		return false
	}
	for label := range strings.SplitSeq(s[:dot], ".") {
		if !isLabel(label) {
			return false
		}
	}
	return true
}

// isSingleLabel reports whether s is valid without dots. A dash is allowed only after the first rune, even if it is the
// last one: a- is valid and aa-a is not.
func isSingleLabel(s string) bool {
	if s == "" || len(s) > 63 {
		return false
	}
	_, first := utf8.DecodeRuneInString(s)
	for i, r := range s {
		if !isHostRune(r) && !(r == '-' && i == first) {
			return false
		}
	}
	return true
}

// isLabel reports whether s is valid before a dot.
func isLabel(s string) bool {
	if s == "" || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	return strings.IndexFunc(s, func(r rune) bool { return !isHostRune(r) && r != '-' }) < 0
}

// isTopLevel reports whether s is valid after the last dot: two letters or more.
func isTopLevel(s string) bool {
	other := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
	return other < 0 && len(s) <= 63 && utf8.RuneCountInString(s) >= 2
}

// isHostRune reports whether r is a letter or symbol of any script, or an ASCII digit.
func isHostRune(r rune) bool {
	if r < utf8.RuneSelf {
		c := byte(r)
		if isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' {
			return true
		}
	}
	return unicode.IsLetter(r) || unicode.IsSymbol(r)
}
