package format

import (
	"encoding/hex"
	"go/version"
	"net"
	"net/mail"
	"net/url"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// The checks of this file are the clauses word for word: regular expressions, the parsers of the standard library, and
// no care for speed. The fuzz tests compare the scanners with them.

const (
	uuidRule       = `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$`
	uuid3Rule      = `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`
	uuid4Rule      = `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`
	uuid5Rule      = `(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`
	colorValueRule = `\s*(?:0|[1-9]\d?|1\d\d|2[0-4]\d|25[0-5])\s*`
	hostnameRule   = `^([a-zA-Z0-9\p{S}\p{L}]((-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?)` +
		`|([a-zA-Z0-9\p{S}\p{L}](([a-zA-Z0-9-\p{S}\p{L}]{0,61}[a-zA-Z0-9\p{S}\p{L}])?)(\.)){1,}([a-zA-Z\p{L}]){2,63})$`
	cardRule = `^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}` +
		`|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$`
	byteRule      = `^(?:[A-Za-z0-9+\/]{4})*(?:[A-Za-z0-9+\/]{2}==|[A-Za-z0-9+\/]{3}=|[A-Za-z0-9+\/]{4})$`
	clockRule     = `^([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))$`
	shortNameRule = `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
	amountRule    = `(\d+)\s*([A-Za-zµ]+)`
	unitRule      = `(?i)^(?:ns|us|µs|ms|s|m|h|hr|d|w|wk|(?:nano|micro|milli|sec|min|hour|day|week).*)$`
)

var (
	hexDigitsRule     = regexp.MustCompile(`[0-9a-fA-F]+`)
	prefixLengthRule  = regexp.MustCompile(`^[0-9]+$`)
	bareMACRule       = regexp.MustCompile(`^(?:[0-9a-fA-F]{12}|[0-9a-fA-F]{16}|[0-9a-fA-F]{40})$`)
	isbnSeparatorRule = regexp.MustCompile(`[\s-]+`)
	isbn10Rule        = regexp.MustCompile(`^(?:[0-9]{9}X|[0-9]{10})$`)
	isbn13Rule        = regexp.MustCompile(`^[0-9]{13}$`)
	noDigitsRule      = regexp.MustCompile(`[^0-9]+`)
	compiledCardRule  = regexp.MustCompile(cardRule)
	compiledClockRule = regexp.MustCompile(clockRule)
	amounts           = regexp.MustCompile(amountRule)
	units             = regexp.MustCompile(unitRule)
)

// slowChecks returns the check of each format by its name without dashes.
func slowChecks() map[string]func(string) bool {
	matches := func(rule string) func(string) bool { return regexp.MustCompile(rule).MatchString }
	hostname, ssn := matches(hostnameRule), matches(`^\d{3}[- ]?\d{2}[- ]?\d{4}$`)
	shortName := matches("^" + shortNameRule + "$")
	longName := matches("^" + shortNameRule + `(\.` + shortNameRule + ")*$")
	return map[string]func(string) bool{
		"bsonobjectid": func(s string) bool {
			id, err := hex.DecodeString(s)
			return err == nil && len(id) == 12
		},
		"byte":       matches(byteRule),
		"cidr":       slowCIDR,
		"creditcard": slowCreditCard,
		"date":       slowDate,
		"datetime":   slowDateTime,
		"duration":   slowDuration,
		"email":      slowEmail,
		"hexcolor":   matches(`^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$`),
		"hostname": func(s string) bool {
			for part := range strings.SplitSeq(s, ".") {
				if len(part) > 63 {
					return false
				}
			}
			return len(s) <= 255 && hostname(s)
		},
		"ipv4": func(s string) bool { return strings.Contains(s, ".") && slowIP(s) != nil },
		"ipv6": func(s string) bool { return strings.Contains(s, ":") && net.ParseIP(s) != nil },
		"isbn": func(s string) bool { return slowISBN10(s) || slowISBN13(s) },

		"isbn10":       slowISBN10,
		"isbn13":       slowISBN13,
		"k8slongname":  func(s string) bool { return len(s) <= 253 && longName(s) },
		"k8sshortname": func(s string) bool { return len(s) <= 63 && shortName(s) },
		"mac":          slowMAC,
		"password":     func(string) bool { return true },
		"rgbcolor":     matches(`^rgb\(` + colorValueRule + "," + colorValueRule + "," + colorValueRule + `\)$`),
		"ssn":          func(s string) bool { return len(s) == 11 && ssn(s) },
		"uri": func(s string) bool {
			u, err := url.ParseRequestURI(s)
			if err == nil && (u.Scheme == "http" || u.Scheme == "https") && !strings.Contains(u.Host, "[") && strings.Count(u.Host, ":") > 1 {
				return false // as in programs that declare Go 1.26
			}
			return err == nil
		},
		"uuid":  matches(uuidRule),
		"uuid3": matches(uuid3Rule),
		"uuid4": matches(uuid4Rule),
		"uuid5": matches(uuid5Rule),
	}
}

// slowEmail is net/mail as it is since Go 1.26. An older one reads names with encoded words otherwise, and is not asked
// about them.
func slowEmail(s string) bool {
	if strings.Contains(s, "=?") && version.Compare(runtime.Version(), "go1.26") < 0 {
		return validEmail(s)
	}
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address != ""
}

// slowIP drops the zeros that net.ParseIP does not like.
func slowIP(s string) net.IP {
	s = hexDigitsRule.ReplaceAllStringFunc(s, func(digits string) string {
		digits = strings.TrimLeft(digits, "0")
		if digits == "" {
			return "0"
		}
		return digits
	})
	if strings.Contains(s, "%") { // a zone
		return nil
	}
	return net.ParseIP(s)
}

func slowCIDR(s string) bool {
	address, prefix, found := strings.Cut(s, "/")
	ip := slowIP(address)
	if !found || ip == nil || !prefixLengthRule.MatchString(prefix) {
		return false
	}
	limit := 128
	if !strings.Contains(address, ":") {
		limit = 32
	}
	length, err := strconv.Atoi(prefix)
	return err == nil && length <= limit
}

// slowMAC has the forms without separators, which net.ParseMAC reads since Go 1.26, beside those that it always read.
func slowMAC(s string) bool {
	if bareMACRule.MatchString(s) {
		return true
	}
	_, err := net.ParseMAC(s)
	return err == nil
}

func slowISBN10(s string) bool {
	s = isbnSeparatorRule.ReplaceAllString(s, "")
	if !isbn10Rule.MatchString(s) {
		return false
	}
	sum := 0
	for i := range 10 {
		digit := strings.IndexByte("0123456789X", s[i])
		sum += (i + 1) * digit
	}
	return sum%11 == 0
}

func slowISBN13(s string) bool {
	s = isbnSeparatorRule.ReplaceAllString(s, "")
	if !isbn13Rule.MatchString(s) {
		return false
	}
	sum := 0
	for i := range 12 {
		sum += []int{1, 3}[i%2] * int(s[i]-'0')
	}
	return int(s[12]-'0') == (10-sum%10)%10
}

func slowCreditCard(s string) bool {
	s = noDigitsRule.ReplaceAllString(s, "")
	if !compiledCardRule.MatchString(s) {
		return false
	}
	sum := 0
	for i := range len(s) {
		digit := int(s[len(s)-1-i] - '0')
		if i%2 == 1 {
			digit *= 2
		}
		sum += digit/10 + digit%10
	}
	return sum%10 == 0
}

func slowDate(s string) bool {
	_, err := time.Parse("2006-01-02", s)
	return err == nil
}

func slowDateTime(s string) bool {
	parts := strings.Split(strings.ToLower(s), "t")
	if len(s) < 4 || len(parts) < 2 || !slowDate(parts[0]) {
		return false
	}
	m := compiledClockRule.FindStringSubmatch(parts[1])
	return m != nil && m[1] <= "23" && m[2] <= "59" && m[3] <= "59"
}

func slowDuration(s string) bool {
	if _, err := time.ParseDuration(s); err == nil {
		return true
	}
	found := false
	for _, m := range amounts.FindAllStringSubmatch(s, -1) {
		if _, err := strconv.ParseInt(m[1], 10, 64); err != nil {
			return false
		}
		if units.MatchString(m[2]) {
			found = true
		}
	}
	return found
}
