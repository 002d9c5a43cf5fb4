package gen

import (
	"slices"
	"strconv"
	"strings"
)

// Name returns a name of some syntax, or something similar.
func Name(s *Source) string {
	pool := slices.Concat(names, labelKeys, []string{"a.b-c.d/e_f", "v1", "g.io/v1", "K", strings.Repeat("a", 63), strings.Repeat("a.", 126) + "a"})
	return edited(s, Pick(s, pool), "aZ09-._/% äö\xff\x00")
}

// edited returns the text with a few edits: characters are removed, inserted, doubled, or change their case.
func edited(s *Source, text, alphabet string) string {
	b := []byte(text)
	for range s.Intn(4) {
		i := s.Intn(len(b) + 1)
		switch c := alphabet[s.Intn(len(alphabet))]; s.Intn(6) {
		case 0:
			b = slices.Insert(b, i, c)
		case 1:
			if i < len(b) {
				b[i] = c
			}
		case 2:
			if i < len(b) {
				b = slices.Delete(b, i, i+1)
			}
		case 3:
			b = slices.Insert(b, i, b[i:]...)
		case 4:
			b = b[:i]
		case 5:
			if i < len(b) && (b[i]|0x20 >= 'a' && b[i]|0x20 <= 'z') {
				b[i] ^= 0x20
			}
		}
	}
	return string(b)
}

// formatTexts has valid texts of each format. With edits, they become nearly valid.
var formatTexts = map[string][]string{
	"bsonobjectid":   {"507f1f77bcf86cd799439011"},
	"uri":            {"https://a.example:80/x?y=z#f", "/x", "*", "mailto:a@b", "http://[::1]/"},
	"email":          {"a@b.c", "A B <a.b@c.d>", `"a b"@c`, "a@[1.2.3.4]"},
	"hostname":       {"a.example.com", "localhost", "xn--bcher-kva.example", "a-b.co"},
	"ipv4":           {"1.2.3.4", "255.255.255.255", "01.02.03.04", "::ffff:1.2.3.4"},
	"ipv6":           {"::1", "fe80::1:2", "1:2:3:4:5:6:7:8", "::ffff:1.2.3.4", "fe80::1%eth0"},
	"cidr":           {"10.0.0.0/8", "::/0", "fe80::/64", "01.2.3.4/024"},
	"mac":            {"00:00:5e:00:53:01", "02-00-5e-10-00-00-00-01", "0000.5e00.5301", "00005e005301"},
	"uuid":           {"123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"},
	"uuid3":          {"6fa459ea-ee8a-3ca4-894e-db77e160355e"},
	"uuid4":          {"16fd2706-8baf-433b-82eb-8c7fada847da"},
	"uuid5":          {"886313e1-3b8a-5372-9b90-0c9aee199e5d"},
	"isbn":           {"0321751043", "978-0321751041"},
	"isbn10":         {"0321751043", "080442957X", "0-8044-2957-X"},
	"isbn13":         {"978-0321751041", "9780321751041"},
	"creditcard":     {"4111 1111 1111 1111", "5500-0000-0000-0004", "340000000000009", "30000000000004", "6011000000000004", "3530111333300000"},
	"ssn":            {"123-45-6789", "123 45 6789"},
	"hexcolor":       {"#fff", "A1b2C3"},
	"rgbcolor":       {"rgb(0,128,255)", "rgb( 1 , 2 , 3 )"},
	"byte":           {"Zm9v", "Zm8=", "Zg==", "+/+/"},
	"password":       {"x"},
	"date":           {"2020-02-29", "0000-01-01"},
	"duration":       {"1h2m3.5s", "22 ns", "1 day", "P1D", "-2w", "5 microseconds", "1µs"},
	"datetime":       {"2020-01-02T03:04:05Z", "2020-01-02t03:04:05.678+01:00", "2020-02-30T00:00:00Z"},
	"k8s-short-name": {"a-b-1", strings.Repeat("a", 63)},
	"k8s-long-name":  {"a.b-c.d", strings.Repeat("a.", 126) + "a"},
}

// Formats returns the names of all string formats.
func Formats() []string {
	var all []string
	for name := range formatTexts {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

var formatNames = Formats()

// FormatText returns a text that nearly has a format.
func FormatText(s *Source) string {
	return edited(s, Pick(s, formatTexts[Pick(s, formatNames)]), "0123456789abcdefxXzZtT:.-/+,#()@<>[]% =_\"'*?µä\x00\xff\n")
}

// Version returns the name of a version, or something similar.
func Version(s *Source) string {
	number := func() string {
		return Pick(s, []string{"1", "2", "10", "0", "01", "11", "9223372036854775807", "9223372036854775808", "99999999999999999999", "-1", ""})
	}
	switch s.Intn(4) {
	case 0:
		return "v" + number()
	case 1:
		return "v" + number() + Pick(s, []string{"alpha", "beta", "gamma", "Beta"}) + number()
	case 2:
		return "v" + strconv.Itoa(s.Intn(30)) + Pick(s, []string{"alpha", "beta"}) + strconv.Itoa(s.Intn(30))
	}
	return edited(s, Pick(s, []string{"v1", "v2beta1", "v10alpha3", "foo", "V1", ""}), "v0129ab.-Vä")
}
