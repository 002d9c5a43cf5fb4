package format

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// cases has valid and invalid strings for each format, by its name as a schema writes it.
var cases = map[string]struct{ good, bad []string }{
	"bsonobjectid": {
		good: []string{"507f1f77bcf86cd799439011", "507F1F77BCF86CD799439011"},
		bad:  []string{"", "507f1f77bcf86cd79943901", "507f1f77bcf86cd7994390111", "507f1f77bcf86cd79943901g", "507f1f77bcf86cd799439011\n"},
	},
	"byte": {
		good: []string{"YQ==", "YWI=", "YWJj", "YWJjZA==", "+/+/"},
		bad:  []string{"", "=", "====", "A===", "YQ", "YQ=", "YWJ", "YQ==YQ==", "Y=Q=", "-_-_", "YQ==\n", "YW J"},
	},
	"cidr": {
		good: []string{"10.0.0.0/8", "10.1.2.3/8", "010.0.0.01/024", "0.0.0.0/0", "1.2.3.4/32", "::/0", "2001:db8::1/128", "::1.2.3.4/96",
			"00001::/0000128"},
		bad: []string{"", "/", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "10.0.0/8", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.0/8 ", "::/129",
			"fe80::1%eth0/64", "/8", "256.0.0.0/8", "::1.2.3.256/96", "1.2.3.4/4294967304", "1.2.3.4/18446744073709551624"},
	},
	"creditcard": {
		good: []string{"4111111111111111", "4222222222222", "5555555555554444", "6011111111111117", "6511111111111112", "378282246310005",
			"30569309025904", "36000000000008", "213112345678904", "180012345678905", "3530111333300000", "4111 1111-1111x1111", "ä4111111111111111\n"},
		bad: []string{"", "4111111111111112", "411111111111111", "411111111111111118", "5055555555555552", "5655555555555556", "6012111111111116",
			"30669309025902", "340000000000008", "180100000000000", "213200000000009",
			"1234567890123452"},
	},
	"date": {
		good: []string{"2026-01-31", "2024-02-29", "2000-02-29", "0000-02-29", "9999-12-31", "2026-04-30"},
		bad: []string{"", "2026-1-31", "26-01-31", "2026-01-32", "2026-02-29", "1900-02-29", "2026-04-31", "2026-00-10", "2026-13-10", "2026-01-00",
			"2026-01-31 ", "2026/01/31", "2026-01-31T00:00:00Z", "+026-01-31", "2026-01-31\n", "２026-01-1"},
	},
	"date-time": {
		good: []string{"2026-01-02T03:04:05Z", "2026-01-02t03:04:05z", "2026-01-02T23:59:59.123456789+01:00", "2026-01-02T00:00:00,5Z",
			"2026-01-02T00:00:00x5Z", "2026-01-02T00:00:00ä5Z", "2026-01-02T00:00:00\xff5Z", "2026-01-02T00:00:0055Z", "2026-01-02T00:00:00z5z",
			"2026-01-02T00:00:00+1+01:00", "2026-01-02T00:00:00+99:99", "2026-01-02T00:00:00ZTfoo", "2026-01-02T00:00:00Zt"},
		bad: []string{"", "2026", "2026-01-02", "2026-01-02T", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-01-02T24:00:00Z",
			"2026-01-02T00:60:00Z", "2026-01-02T00:00:60Z", "2026-02-30T00:00:00Z", "2026-01-02T00:00:00.Z", "2026-01-02T00:00:00\n5Z",
			"2026-01-02T00:00:00T5Z", "2026-01-02T00:00:00+0100", "2026-01-02T00:00:00+1:00", "2026-01-02T0:00:00Z", "2026-01-02T00:00:00Z\n",
			"2026-01-02TT00:00:00Z", "2026-01-02T00:00:00.5.5Z"},
	},
	"duration": {
		good: []string{"1h", "1.5h", "-2d", "1 day", "P1D", "x 1h y", "5 secondsfoo", "1.5 d", "0", "-0", "0.h", "1µs", "1μs", "1\t\n2 WEEKS", "3 wk",
			"1 month 2 days", "9223372036854775807 d", "000000000000000000000000000001s", "0.99999999999999999999s", "99999999999999999999 1s"},
		bad: []string{"", "1", "h", "1 month", "1 fortnight", "day", "1\vs", "1\u00a0s", "1 hrs", "1 wks", "9223372036854775808 d",
			"1 day 9223372036854775808 x", "1 μs", "1ſ"},
	},
	"email": {
		good: []string{"a@b", "a.b@c.d", "X Y <a@b.c>", "  a@b  ", `"q s"@d.e`, "a@[1.2.3.4]", "a@[::1]", "ä@ö", "a@b (name)", "a@b(=?koi8-r?x?a?=)", `"X, Y" <a@b>`,
			"x..y <a@b>", "<a@b>", "group: a@b;", "group: X <a@b> ;", "x (a comment) y <a@b>", `x <"\""@b>`, "a@ b", "x =?koi8-r?q?a?= <a@b>"},
		bad: []string{"", "a", "a@", "@b", "a@b, c@d", "<a@b", "a b@c", "a@b\n", "a..b@c", ".a@b", "a.@b", "a @b", `""@b`, `"\`, "a@[b]", "a@[1.2.3.4", "a@b (", "\xff@b",
			"\"\xff\"@b", "group:;", "group: a@b, c@d;", "a: b: c@d;;", "a@b <c@d>", "a (=?koi8-r?q?a?=", "a@b (=?koi8-r?q?a?=)", "=?koi8-r?q?a?= <a@b>", "=?utf-8?q??= <a@b>"},
	},
	"hexcolor": {
		good: []string{"#fff", "fff", "#A0b1C2", "123456"},
		bad:  []string{"", "#", "#ff", "#ffff", "#fffffff", "##fff", "ggg", "#fff\n", "fff#"},
	},
	"hostname": {
		good: []string{"a", "a-", "a-b", "123", "A.COM", "example.com", "x-y.z.example.com", "1.2.3.com", "ä", "ä.öü", "☃.net", "$.com", "\xff",
			"\xff.com", strings.Repeat("a", 63), "a--b.com", strings.Repeat("a.", 126) + "com", "a." + strings.Repeat("b", 63)},
		bad: []string{"", "1.2.3.4", "a.b", "a.com.", "a_b", "-a", "a--b", "aa-b", ".com", "a..com", "-a.com", "a-.com", "a.c-m", "a.c1", "a.☃☃",
			"a.\xff\xff", "a b", "a\n", "a.com\n", strings.Repeat("a", 64), strings.Repeat("ä", 32), strings.Repeat("a.", 125) + "aa.com", strings.Repeat("a.", 127) + "com",
			strings.Repeat("a", 64) + ".com", "a." + strings.Repeat("b", 64), "٣"},
	},
	"ipv4": {
		good: []string{"1.2.3.4", "0.0.0.0", "255.255.255.255", "01.002.0003.4", "::ffff:1.2.3.4", "::ffff:01.2.3.4", "1:2:3:4:5:6:7.8.9.10",
			"0000001::1.2.3.4"},
		bad: []string{"", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1..2.3", ".1.2.3", "1.2.3.", "a.b.c.d", "::1", "1.2.3.4 ", "1.2.3.4\n", "0x1.2.3.4",
			"-1.2.3.4", "1.2.3.4:80", "1:2:3:4:5:6:7:8.9.10.11", "1.2.3.4294967300"},
	},
	"ipv6": {
		good: []string{"::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "2001:DB8::1", "::ffff:1.2.3.4",
			"1:2:3:4:5:6:1.2.3.4"},
		bad: []string{"", "1.2.3.4", ":", ":::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "1::2::3", "00001::", "10000::", "::g",
			"::1%eth0", "[::1]", "::1 ", "::1\n", "::01.2.3.4", "::1.2.3", "::1.2.3.4:5", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:1.2.3.4", "1:", ":1"},
	},
	"isbn": {
		good: []string{"0321751043", "978-0321751041"},
		bad:  []string{"", "0321751044", "9780321751042", "032175104"},
	},
	"isbn10": {
		good: []string{"0321751043", "0-8044-2957-X", " 0 321 75104\t3\n"},
		bad:  []string{"", "0321751044", "080442957x", "X321751044", "X321751042", "03217510433", "032175104", "9780321751041", "0321751043\v", "032175104３"},
	},
	"isbn13": {
		good: []string{"9780321751041", "978-3-16-148410-0", "0000000000000"},
		bad:  []string{"", "9780321751042", "978032175104X", "97803217510410", "0321751043", "978 0321 751041\u00a0"},
	},
	"k8s-short-name": {
		good: []string{"a", "1", "a-b", "a--1", strings.Repeat("a", 63)},
		bad:  []string{"", "-", "-a", "a-", "A", "a.b", "a_b", "a\n", "ä", strings.Repeat("a", 64)},
	},
	"k8s-long-name": {
		good: []string{"a", "a.b", "a-b.1.c--d", strings.Repeat("a", 253), strings.Repeat("a.", 126) + "a"},
		bad:  []string{"", ".", "a.", ".a", "a..b", "a-.b", "a.-b", "A.b", "a.b\n", strings.Repeat("a", 254), strings.Repeat("a.", 126) + "aa"},
	},
	"mac": {
		good: []string{"01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab", "01:23:45:67:89:ab:cd:ef", "0123.4567.89ab.cdef", "0123456789ab",
			"0123456789abcdef", strings.Repeat("01:", 19) + "01", strings.Repeat("0123.", 9) + "0123", strings.Repeat("01", 20)},
		bad: []string{"", "01:23:45:67:89", "01:23:45:67:89:", "01:23:45:67:89:ab:", "01:23-45:67-89:ab", "01:23:45:67:89:ab:cd", "0123.4567", "0123.4567.89ab.",
			"0123.4567:89ab", "012345.6789ab", "01:23:45:67:89:ag", "0123456789a", "0123456789abc", "0123456789abcd", "01:23:45:67:89:ab\n",
			"012-345-678-9ab"},
	},
	"password": {good: []string{"", "x", "\xff"}},
	"rgbcolor": {
		good: []string{"rgb(0,0,0)", "rgb(255,255,255)", "rgb( 1 ,\t20\n,\f\r199 )", "rgb(249,250,99)"},
		bad: []string{"", "rgb()", "rgb(0,0)", "rgb(0,0,0,0)", "rgb(256,0,0)", "rgb(00,0,0)", "rgb(01,0,0)", "RGB(0,0,0)", "rgb (0,0,0)", " rgb(0,0,0)",
			"rgb(0,0,0) ", "rgb(0,0,0", "rgb(-1,0,0)", "rgb(0,,0)", "rgb(0\v,0,0)", "rgb(1 0,0,0)", "rgb(99999999999999999999,0,0)"},
	},
	"ssn": {
		good: []string{"123-45-6789", "123 45 6789", "123-45 6789"},
		bad:  []string{"", "123456789", "12345-6789", "123-45-678", "123-45-67890", "123_45_6789", "12a-45-6789", "123-45-678\n"},
	},
	"uri": {
		good: []string{"http://example.com/x?y#z", "mailto:a@b", "urn:x", "/path", "//host", "*", "http://[::1]:80/", "x:"},
		bad:  []string{"", "x", "?x", "#x", "x/y", "http://a b/", "http://[::1", "http://::", "/%zz", "/\n", ":x"},
	},
	"uuid": {
		good: []string{"123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000", "123e4567e89b-12d3a456-426614174000"},
		bad: []string{"", "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-4266141740000", "123e4567-e89b-12d3-a456-42661417400g",
			"123e4567--e89b-12d3-a456-426614174000", "-123e4567-e89b-12d3-a456-426614174000", "123e-4567-e89b-12d3-a456-426614174000",
			"123e4567-e89b-12d3-a456-426614174000-", "{123e4567-e89b-12d3-a456-426614174000}", "123e4567-e89b-12d3-a456-426614174000\n"},
	},
	"uuid3": {
		good: []string{"123e4567-e89b-32d3-0456-426614174000", "123e4567e89b32d3f456426614174000"},
		bad:  []string{"", "123e4567-e89b-42d3-a456-426614174000"},
	},
	"uuid4": {
		good: []string{"123e4567-e89b-42d3-8456-426614174000", "123e4567-e89b-42d3-9456-426614174000", "123E4567-E89B-42D3-A456-426614174000",
			"123e4567e89b42d3b456426614174000"},
		bad: []string{"", "123e4567-e89b-32d3-a456-426614174000", "123e4567-e89b-42d3-7456-426614174000", "123e4567-e89b-42d3-c456-426614174000"},
	},
	"uuid5": {
		good: []string{"123e4567-e89b-52d3-8456-426614174000", "123e4567e89b52d3B456426614174000"},
		bad:  []string{"", "123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-52d3-0456-426614174000"},
	},
}

// TestValid proves FMT-003, FMT-004, FMT-005 (creditcard), FMT-006 (date-time) and FMT-007. Every row is also put to
// the slow checks, so the table cannot err together with a scanner.
func TestValid(t *testing.T) {
	slow := slowChecks()
	for name, c := range cases {
		f := Lookup(name)
		require.NotNil(t, f, name)
		check := slow[f.Name]
		require.NotNil(t, check, name)
		for _, s := range c.good {
			require.True(t, f.Valid(s), "%s accepts %q", name, s)
			require.True(t, check(s), "the slow check of %s accepts %q", name, s)
		}
		for _, s := range c.bad {
			require.False(t, f.Valid(s), "%s refuses %q", name, s)
			require.False(t, check(s), "the slow check of %s refuses %q", name, s)
		}
	}
}

func TestEveryFormatHasCases(t *testing.T) {
	require.Len(t, cases, len(formats))
	require.Len(t, slowChecks(), len(formats))
}

// TestDates proves the calendar of FMT-003 on every day of a few years, and a day around each.
func TestDates(t *testing.T) {
	for _, year := range []string{"0000", "0004", "0100", "1900", "2000", "2023", "2024", "9999"} {
		for month := range 100 {
			for day := range 100 {
				s := year + "-" + pair(month) + "-" + pair(day)
				require.Equal(t, slowDate(s), validDate(s), s)
			}
		}
	}
}

func pair(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }

// TestHostRunes proves FMT-004's classes on all of the first scripts and symbols, and on some of the other runes.
func TestHostRunes(t *testing.T) {
	slow := slowChecks()["hostname"]
	step := rune(1)
	for r := rune(0); r <= unicode.MaxRune; r += step {
		if r == 0x3000 {
			step = 127
		}
		for _, s := range []string{string(r), "a." + string(r) + string(r)} {
			require.Equal(t, slow(s), validHostname(s), "%q (%U)", s, r)
		}
	}
}

// TestLookup proves FMT-002.
func TestLookup(t *testing.T) {
	tests := []struct {
		name, want string // want: the format's own name, empty if there is none
	}{
		{name: "date", want: "date"},
		{name: "date-time", want: "datetime"},
		{name: "datetime", want: "datetime"},
		{name: "d-a-t-e", want: "date"},
		{name: "-date--", want: "date"},
		{name: "credit-card", want: "creditcard"},
		{name: "k8s-short-name", want: "k8sshortname"},
		{name: "k8sshortname", want: "k8sshortname"},
		{name: "k8s-long-name", want: "k8slongname"},
		{name: "DATE"},
		{name: "date_time"},
		{name: " date"},
		{name: ""},
		{name: "-"},
		{name: "int32"},
		{name: "binary"},
		{name: "zzz"},
	}
	for _, tt := range tests {
		f := Lookup(tt.name)
		if tt.want == "" {
			require.Nil(t, f, tt.name)
			continue
		}
		require.NotNil(t, f, tt.name)
		require.Equal(t, tt.want, f.Name, tt.name)
	}
}

func TestTable(t *testing.T) {
	require.True(t, slices.IsSortedFunc(formats[:], func(a, b Format) int { return strings.Compare(a.Name, b.Name) }))
	for i := range formats {
		require.Same(t, &formats[i], Lookup(formats[i].Name))
	}
}

// TestKept proves FMT-001.
func TestKept(t *testing.T) {
	tests := []struct {
		name, typ, format string
		want              bool
	}{
		{name: "string", typ: "string", format: "date-time", want: true},
		{name: "string, unknown", typ: "string", format: "DATE"},
		{name: "string, of a number", typ: "string", format: "int32"},
		{name: "string, none", typ: "string", format: ""},
		{name: "no type or int-or-string", typ: "", format: "k8s-short-name", want: true},
		{name: "no type, of a number", typ: "", format: "int64"},
		{name: "integer", typ: "integer", format: "int32", want: true},
		{name: "integer, long", typ: "integer", format: "int64", want: true},
		{name: "integer, with a dash", typ: "integer", format: "int-32"},
		{name: "integer, of a number", typ: "integer", format: "double"},
		{name: "integer, of a string", typ: "integer", format: "date"},
		{name: "number", typ: "number", format: "float", want: true},
		{name: "number, double", typ: "number", format: "double", want: true},
		{name: "number, of an integer", typ: "number", format: "int32"},
		{name: "boolean", typ: "boolean", format: "date"},
		{name: "object", typ: "object", format: "date"},
		{name: "array", typ: "array", format: "date"},
		{name: "unknown type", typ: "String", format: "date"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, Kept(tt.typ, tt.format))
		})
	}
}

func TestLongStrings(t *testing.T) {
	for _, unit := range []string{"a", "1", "1 ", "0:", "::", "(", "-", "\xff", "ä", "1 x", "=", "a.", "T"} {
		s := strings.Repeat(unit, 1<<17)
		for i := range formats {
			formats[i].Valid(s)
		}
	}
	require.True(t, validByte(strings.Repeat("YWJj", 1<<20)))
	require.True(t, validDuration(strings.Repeat("x", 1<<20)+"1h"))
}

func FuzzValid(f *testing.F) {
	for _, c := range cases {
		for _, s := range c.good {
			f.Add(s)
		}
		for _, s := range c.bad {
			f.Add(s)
		}
	}
	slow := slowChecks()
	f.Fuzz(func(t *testing.T, s string) {
		for i := range formats {
			name := formats[i].Name
			require.Equal(t, slow[name](s), formats[i].Valid(s), "%s: %q", name, s)
		}
	})
}

func BenchmarkValid(b *testing.B) {
	for i := range formats {
		name := formats[i].Name
		for written, c := range cases {
			if strings.ReplaceAll(written, "-", "") != name {
				continue
			}
			b.Run(name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					formats[i].Valid(c.good[0])
				}
			})
		}
	}
}
