package gen

import "math"

// Strings that functions of rules parse, by kind: valid, nearly valid, and edge cases. No exponent is large, because
// the reference computes the power.
var ruleTexts = map[string][]string{
	"": {
		"", "a", "b", "abc", "A", "a-b", "x y", " a ", "0", "1", "10", "true", "false", "äöü", "日本", "a,b,c", "aXbX", "<&>", "a\"b\\c", "it's", "a\nb", "\t", "%s", "😀é",
		"bad\xffutf8", "foo.bar", "k8s.io/name", "AbC", "-1", "1.5", "Kind", "v1", "null", "\x00", "é", "e\u0301", "\u0085a\u2028", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "1e3", "key",
		"0x1f", "9223372036854775808", "١",
	},
	"quantity": {
		"1", "0", "-1", "1k", "1Ki", "100m", "1.5", "1.5Gi", "1e3", "1E3", "1e-3", "5.", ".5", ".", "-", "+", "", "1n", "0.1n", "1u", "1Ei", "9Ei", "16Ei", "1e19", "1e20", "-1e20",
		"9223372036854775807", "9223372036854775808", "-9223372036854775808", "1K", "1ki", "1e", "--1", "a", "1 k", "1000000000000000000000m", "0.0000000001", "1.0", "1000m", "00", "1M",
		"1e-9", "1e-10", "1Pi", "0Ki", "-0", "1.000000001k", "999999999999999999", "0.1Ki", "1E", "12e6", "3e-2", "-.5Mi", "100", "2e18",
	},
	"ip": {
		"1.2.3.4", "127.0.0.1", "0.0.0.0", "255.255.255.255", "169.254.1.1", "224.0.0.1", "10.0.0.1", "240.0.0.1", "::1", "::", "fe80::1", "ff02::1", "2001:db8::1", "2001:DB8::1",
		"::ffff:1.2.3.4", "fe80::1%eth0", "1.2.3", "01.2.3.4", "a", "", "1:2:3:4:5:6:7:8", "2001:0db8:0:0::1", "ff01::1", "1.2.3.4.5", "::1.2.3.4", "fc00::1",
	},
	"cidr": {
		"10.0.0.0/8", "10.0.0.1/8", "0.0.0.0/0", "1.2.3.4/32", "::/0", "2001:db8::/32", "2001:db8::1/64", "fe80::/10", "::1/128", "10.0.0.0/33", "10.0.0.0", "", "::ffff:1.2.3.4/96",
		"10.0.0.0/08", "a/1", "fe80::1%eth0/64", "10.0.0.0/-1", "192.168.0.0/16", "10.1.0.0/16", "10.0.0.0/",
	},
	"url": {
		"https://example.com/path?k=v#f", "http://[::1]:80/a%20b?x=1&x=2&y", "/abs/path", "path", "", "http://", "https://user:pw@Host.Example:8080/", "mailto:x@y.z", "a:b", "://x", "http://a b/",
		"http://x/%zz", "HTTP://X", "http://x:port/", "https://x/?a=b;c=d", "https://x?q", "//host/p", "*", "http://[::1%25eth0]/", "https://x/\x7f", "ftp://x/a/../b", "https://x/ä?ä=ö", "?q", "#f",
	},
	"semver": {
		"1.2.3", "0.0.0", "1.2.3-alpha.1", "1.2.3-alpha.beta", "1.2.3+build.5", "1.2.3-rc.1+b", "10.20.30", "v1.2.3", "1.2", "1", "v1", "01.2.3", "1.02.3", "", "a.b.c", "1.2.3-", "1.2.3+",
		"1.2.3-01", "1.2.3-a_b", "1.2.3.4", "18446744073709551615.0.0", "9223372036854775808.0.0", "1.2-alpha", " 1.2.3", "v01.1", "1.2.3-alpha", "1.2.3-1", "V1.2.3", "1..3", "1.2.3-ä", "2.0.0",
	},
	"timestamp": {
		"2020-01-02T03:04:05Z", "2020-02-29T23:59:59.123456789Z", "2023-12-31T23:59:59+02:00", "1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "2020-01-02", "",
		"2020-01-02t03:04:05z", "2020-13-02T03:04:05Z", "2020-01-02T03:04:05", "2020-01-02T03:04:05.5-07:30", "0000-01-01T00:00:00Z", "2020-06-15T12:00:00.000001Z", "2020-01-02T03:04:60Z",
		"2020-01-02T03:04:05.123+01:00", "1969-12-31T23:59:59.5Z",
	},
	"duration": {
		"1h", "0s", "0", "-1h30m", "1.5s", "1ns", "2540400h", "1h2m3.004s", "1d", "1 day", "3 weeks", "", "a", "-1 day", "1.5 days", "100ms", "1us", "1µs", "9223372036854775807ns", "1h 2m", "5",
		"999999999999999999999s", "+5m", "1e3s", "2562047h47m16.854775807s", "2562047h47m16.854775808s",
	},
	"date":  {"2020-01-02", "2020-02-29", "2021-02-29", "", "2020-1-2", "0000-01-01", "9999-12-31", "2020-01-02T00:00:00Z"},
	"byte":  {"", "YWJj", "YWI=", "YQ==", "_-8=", "+/8=", "a", "////", "YWJ", "w6Q=", "YWJj\n", "/w=="},
	"uuid":  {"123e4567-e89b-12d3-a456-426614174000", "123E4567e89b12d3a456426614174000", "123", ""},
	"dns":   {"a", "a-b", "my-name", "a.b", "A", "-a", "a-", "a_b", "", "1a", "example.com", "a..b", "a_-", "a.-", "example.com/MyName", "/a", "a/", "a/b/c", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "ä", "a b/c", "."},
	"zone":  {"UTC", "", "Europe/Berlin", "America/New_York", "+01:00", "-08:30", "05:45", "Nowhere/City", "Asia/Kolkata", "99:00", "+5:00", "local", "Local", "a:b", "-00:30", "+00:00", "1:2:3", "Z"},
	"regex": {"^a", "a+", "[a-z]+", "^$", "", "[^b]", "(a)(b)?", "(", "[", "a|b", "(?i)A", "\\d+", ".", "^.*$", "x{1001}", "ä", "\\.", "(?P<n>a)", "a*", "\\p{L}", ".*?", "\\", "$"},
	"named": {
		"dns1123Label", "dns1123Subdomain", "dns1035Label", "qualifiedName", "dns1123LabelPrefix", "dns1123SubdomainPrefix", "dns1035LabelPrefix", "labelValue", "uri", "uuid", "byte", "date",
		"datetime", "DNS1123Label", "date-time", "", "a",
	},
	"double": {"1.5", "inf", "-Inf", "NaN", "nan", "1e3", "0x1p4", "1_0", "", " 1", "1.", ".5", "1e309", "-0", "infinity", "a"},
	"int":    {"1", "-5", "+3", "007", "9223372036854775807", "9223372036854775808", "", "1.0", " 1", "0x1", "1_0", "a", "-9223372036854775808"},
	"bool":   {"true", "false", "True", "TRUE", "t", "f", "1", "0", "F", "False", "FALSE", "tRue", "", "yes", "T"},
}

var ruleTextKinds = []string{"", "", "", "", "quantity", "ip", "cidr", "url", "semver", "timestamp", "duration", "date", "byte", "uuid", "dns", "zone", "regex", "named", "double", "int", "bool"}

// rightTexts is how many texts of a kind are valid. These come first.
var rightTexts = map[string]int{
	"quantity": 20, "ip": 13, "cidr": 9, "url": 3, "semver": 7, "timestamp": 6, "duration": 8, "date": 2, "byte": 6, "uuid": 2, "dns": 3, "zone": 7, "regex": 7, "named": 13, "double": 3, "int": 5,
}

// textOf chooses a text of a kind, usually a valid one.
func textOf(s *Source, kind string) string {
	texts := ruleTexts[kind]
	if n := rightTexts[kind]; n > 0 && !s.OneIn(5) {
		texts = texts[:n]
	}
	return Pick(s, texts)
}

// RuleText chooses a text that some function of rules can parse.
func RuleText(s *Source) string { return textOf(s, Pick(s, ruleTextKinds)) }

// ruleFormats says which texts a string of a format has.
var ruleFormats = map[string]string{
	"date": "date", "date-time": "timestamp", "duration": "duration", "byte": "byte", "uri": "url", "ipv4": "ip", "cidr": "cidr", "uuid": "uuid", "hostname": "dns", "k8s-short-name": "dns",
}

// Numbers in objects and rules. None of them makes a list so large that a loop over it takes minutes.
var (
	ruleIntegers = []int64{
		0, 1, 2, 3, 5, -1, -2, 7, 10, 12, 42, 100, 1 << 53, 1<<53 + 1, math.MaxInt32, math.MaxInt64, math.MinInt64, -100, 1577934245, 4102444800, 253402300800, -62135596801, 1000000000000,
		math.MaxInt64 - 1,
	}
	ruleFloats = []float64{
		0, 1, 1.5, -1, 2, 2.5, -0.5, math.Copysign(0, -1), 0.1, 3, 1e15, 1e21, 1e300, -1e300, 5e-324, math.MaxFloat64, 9223372036854775808, 9007199254740993, 1e-7, 123456.789, 100, 1e18, 0.30000000000000004,
		18446744073709551616, -9223372036854775808,
	}
	ruleKeys = []string{"a", "b", "k", "name", "x", "a-b", "x y", "", "ä", "key", "it's", "1", "kind", "in"}
)
