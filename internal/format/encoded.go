package format

// Formats that are runs of hexadecimal or base64 digits, and Kubernetes names (FMT-003).

import "strings"

func validBSONObjectID(s string) bool { return len(s) == 24 && hexDigits.all(s) }

func validHexColor(s string) bool {
	s = strings.TrimPrefix(s, "#")
	return (len(s) == 3 || len(s) == 6) && hexDigits.all(s)
}

// byte is padded standard base64 in groups of four. Unlike in base64 itself, the empty string is not valid.
func validByte(s string) bool {
	if s == "" || len(s)%4 != 0 {
		return false
	}
	// Because the length is a multiple of four, one or two trailing equals signs leave three or two digits in the last
	// group.
	s = strings.TrimSuffix(s, "=")
	s = strings.TrimSuffix(s, "=")
	return base64Digits.all(s)
}

func validUUID(s string) bool  { return scanUUID(s, 0, false) }
func validUUID3(s string) bool { return scanUUID(s, '3', false) }
func validUUID4(s string) bool { return scanUUID(s, '4', true) }
func validUUID5(s string) bool { return scanUUID(s, '5', true) }

// scanUUID reports whether s is five groups of hex digits with an optional dash before each but the first. The third
// group starts with version, unless that is 0; with variant, the fourth one starts with 8, 9, a or b.
func scanUUID(s string, version byte, variant bool) bool {
	for group, length := range [...]int{8, 4, 4, 4, 12} {
		if group > 0 {
			s = strings.TrimPrefix(s, "-")
		}
		if len(s) < length || !hexDigits.all(s[:length]) {
			return false
		}
		if group == 2 && version != 0 && s[0] != version {
			return false
		}
		if group == 3 && variant && strings.IndexByte("89abAB", s[0]) < 0 {
			return false
		}
		s = s[length:]
	}
	return s == ""
}

func validShortName(s string) bool { return len(s) <= MaxLabel && isNameLabel(s) }

// A long name is short names separated by dots; only the whole has a length limit.
func validLongName(s string) bool {
	if len(s) > MaxDNS1123Domain {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if !isNameLabel(label) {
			return false
		}
	}
	return true
}

// isNameLabel reports whether s is not empty, has only lower-case letters, digits and dashes, and no dash at either
// end.
func isNameLabel(s string) bool {
	return s != "" && lowerAlphanums.has(s[0]) && lowerAlphanums.has(s[len(s)-1]) && lowerNameBytes.all(s)
}
