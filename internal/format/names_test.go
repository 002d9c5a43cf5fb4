package format_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/format"
)

// The texts of EMD-008 and MET-020, written out once more.
const (
	label = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"

	subdomain = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`

	label1035 = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"

	key = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

	value = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)

func long(n int) string { return strings.Repeat("a", n) }

// A syntax is a function that returns messages. If there is one that only returns the verdict, it is is.
type syntax struct {
	messages func(string) []string
	is       func(string) bool
}

var (
	dnsLabel     = syntax{messages: format.DNS1123Label}
	dnsSubdomain = syntax{messages: format.DNS1123Subdomain}
	dnsPrefix    = syntax{messages: format.DNS1123SubdomainPrefix}
	dns1035      = syntax{messages: format.DNS1035Label}
	foldedKind   = syntax{func(s string) []string { return format.DNS1035Label(strings.ToLower(s)) }, format.IsDNS1035LabelFold}
	qualified    = syntax{messages: format.QualifiedName}
	foldedKey    = syntax{func(s string) []string { return format.QualifiedName(strings.ToLower(s)) }, format.IsQualifiedNameFold}
	labelValue   = syntax{messages: format.LabelValue}
	segment      = syntax{messages: format.PathSegment}
	segmentStart = syntax{messages: format.PathSegmentPrefix}
)

func TestMessages(t *testing.T) {
	const (
		tooLong63   = "must be no more than 63 characters"
		tooLong253  = "must be no more than 253 characters"
		longPrefix  = "prefix part must be no more than 253 bytes"
		emptyPrefix = "prefix part must be non-empty"
		emptyName   = "name part must be non-empty"
		longName    = "name part must be no more than 63 bytes"
	)
	twoSlashes := "a valid label key " + key + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
	tests := []struct {
		clause string
		syntax syntax
		name   string
		want   []string
	}{
		{"MET-004", dnsLabel, "my-name", nil},
		{"MET-004", dnsLabel, "123-abc", nil},
		{"MET-004", dnsLabel, "a", nil},
		{"MET-004", dnsLabel, long(63), nil},
		{"MET-004", dnsLabel, long(64), []string{tooLong63}},
		{"MET-004", dnsLabel, long(63) + ".", []string{tooLong63, label}},
		{"MET-004", dnsLabel, long(63) + ".a", []string{tooLong63, "must not contain dots"}},
		{"MET-004", dnsLabel, "a.b", []string{"must not contain dots"}},
		{"MET-004", dnsLabel, "a..b", []string{label}},
		{"MET-004", dnsLabel, "", []string{label}},
		{"MET-004", dnsLabel, "a-", []string{label}},
		{"MET-004", dnsLabel, "A", []string{label}},
		{"MET-004", dnsLabel, "ä", []string{label}},

		{"MET-001", dnsSubdomain, "a.b-c.9", nil},
		{"MET-001", dnsSubdomain, long(253), nil},
		{"MET-001", dnsSubdomain, long(254), []string{tooLong253}},
		{"EMD-008", dnsSubdomain, long(253) + ".", []string{tooLong253, subdomain}},
		{"MET-001", dnsSubdomain, "", []string{subdomain}},
		{"MET-001", dnsSubdomain, ".", []string{subdomain}},
		{"MET-001", dnsSubdomain, "a.-b", []string{subdomain}},
		{"MET-001", dnsSubdomain, "a-.b", []string{subdomain}},
		{"MET-001", dnsSubdomain, "a\n", []string{subdomain}},
		{"MET-001", dnsSubdomain, "a/b", []string{subdomain}},

		{"MET-001", dnsPrefix, "a", nil},
		{"MET-001", dnsPrefix, "a-", nil},
		{"MET-001", dnsPrefix, "a--", nil},
		{"MET-001", dnsPrefix, "_-", nil},
		{"MET-001", dnsPrefix, "A-", nil},
		{"MET-001", dnsPrefix, "--", nil},
		{"MET-001", dnsPrefix, "a.-", nil},
		{"MET-001", dnsPrefix, "a.b-", nil},
		{"MET-001", dnsPrefix, "-", []string{subdomain}},
		{"MET-001", dnsPrefix, "---", []string{subdomain}},
		{"MET-001", dnsPrefix, "a.", []string{subdomain}},
		{"MET-001", dnsPrefix, long(253) + "-", nil},
		{"MET-001", dnsPrefix, long(254) + "-", []string{tooLong253}},

		{"MET-023", dns1035, "abc-123", nil},
		{"MET-023", dns1035, "9a", []string{label1035}},
		{"MET-023", dns1035, "a.b", []string{label1035}},
		{"MET-023", dns1035, "", []string{label1035}},
		{"EMD-008", dns1035, long(64) + "-", []string{tooLong63, label1035}},

		{"OME-020", foldedKind, "MyKind", nil},
		{"OME-020", foldedKind, "\u212aind", nil}, // the Kelvin sign, whose lower case is k
		{"OME-020", foldedKind, "Ärger", []string{label1035}},
		{"OME-020", foldedKind, "A-", []string{label1035}},
		{"OME-020", foldedKind, "9A", []string{label1035}},
		{"OME-020", foldedKind, "", []string{label1035}},
		{"OME-020", foldedKind, strings.Repeat("A", 64), []string{tooLong63}},

		{"MET-021", qualified, "a", nil},
		{"MET-021", qualified, "A_b.C-9", nil},
		{"MET-021", qualified, "a.io/B", nil},
		{"MET-021", qualified, long(253) + "/" + long(63), nil},
		{"MET-021", qualified, "a/b/c", []string{twoSlashes}},
		{"MET-021", qualified, "//", []string{twoSlashes}},
		{"MET-021", qualified, "/a", []string{emptyPrefix}},
		{"MET-021", qualified, "/", []string{emptyPrefix, emptyName, "name part " + key}},
		{"MET-021", qualified, "A.io/", []string{"prefix part " + subdomain, emptyName, "name part " + key}},
		{"MET-021", qualified, long(253) + "./a", []string{longPrefix, "prefix part " + subdomain}},
		{"MET-021", qualified, "", []string{emptyName, "name part " + key}},
		{"MET-021", qualified, long(64), []string{longName}},
		{"MET-021", qualified, long(63) + "_", []string{longName, "name part " + key}},
		{"MET-021", qualified, "a b", []string{"name part " + key}},

		{"MET-007", foldedKey, "B.c/X", nil},
		{"MET-007", foldedKey, "\u212a.io/x", nil},
		{"MET-007", foldedKey, "B..c/X", []string{"prefix part " + subdomain}},
		{"MET-007", foldedKey, "B-/X", []string{"prefix part " + subdomain}},
		{"MET-007", foldedKey, "/X", []string{emptyPrefix}},
		{"MET-007", foldedKey, strings.Repeat("A", 254) + "/x", []string{longPrefix}},
		{"MET-007", foldedKey, "é/x", []string{"prefix part " + subdomain}},

		{"MET-022", labelValue, "", nil},
		{"MET-022", labelValue, "My_value.9-x", nil},
		{"MET-022", labelValue, long(63), nil},
		{"MET-022", labelValue, long(64), []string{"must be no more than 63 bytes"}},
		{"MET-022", labelValue, "-" + long(63), []string{"must be no more than 63 bytes", value}},
		{"MET-022", labelValue, "x y", []string{value}},
		{"MET-022", labelValue, ".", []string{value}},

		{"MET-002", segment, "", nil},
		{"MET-002", segment, "A b_ä", nil},
		{"MET-002", segment, "...", nil},
		{"MET-002", segment, ".", []string{"may not be '.'"}},
		{"MET-002", segment, "..", []string{"may not be '..'"}},
		{"MET-002", segment, "%/", []string{"may not contain '/'", "may not contain '%'"}},
		{"MET-002", segmentStart, ".", nil},
		{"MET-002", segmentStart, "..", nil},
		{"MET-002", segmentStart, "a%", []string{"may not contain '%'"}},
		{"MET-002", segmentStart, "/", []string{"may not contain '/'"}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s/%.20q", tt.clause, tt.name), func(t *testing.T) {
			require.Equal(t, tt.want, tt.syntax.messages(tt.name))
			if tt.syntax.is != nil {
				require.Equal(t, tt.want == nil, tt.syntax.is(tt.name))
			}
		})
	}
}

// FuzzSyntax compares the scanners with the regular expressions of the clauses, and the verdicts with the messages.
func FuzzSyntax(f *testing.F) {
	match := func(expression string) func(string) bool {
		return regexp.MustCompile("^(?:" + expression + ")$").MatchString
	}
	const (
		labelFormat = `[a-z0-9]([-a-z0-9]*[a-z0-9])?`
		keyFormat   = `([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]`
	)
	isLabel, isKey := match(labelFormat), match(keyFormat)
	isSubdomain := match(labelFormat + `(\.` + labelFormat + `)*`)
	is1035 := match(`[a-z]([-a-z0-9]*[a-z0-9])?`)
	isQualified := func(s string) bool {
		parts := strings.Split(s, "/")
		name := parts[len(parts)-1]
		return len(parts) <= 2 && len(name) <= 63 && isKey(name) &&
			(len(parts) == 1 || len(parts[0]) <= 253 && isSubdomain(parts[0]))
	}
	masked := func(s string) string {
		if len(s) > 1 && strings.HasSuffix(s, "-") {
			return s[:len(s)-2] + "a"
		}
		return s
	}
	tests := map[string]struct {
		syntax
		want func(string) bool
	}{
		"label":        {dnsLabel, func(s string) bool { return len(s) <= 63 && isLabel(s) }},
		"subdomain":    {dnsSubdomain, func(s string) bool { return len(s) <= 253 && isSubdomain(s) }},
		"prefix":       {dnsPrefix, func(s string) bool { return len(masked(s)) <= 253 && isSubdomain(masked(s)) }},
		"1035":         {dns1035, func(s string) bool { return len(s) <= 63 && is1035(s) }},
		"kind":         {foldedKind, func(s string) bool { s = strings.ToLower(s); return len(s) <= 63 && is1035(s) }},
		"qualified":    {qualified, isQualified},
		"key":          {foldedKey, func(s string) bool { return isQualified(strings.ToLower(s)) }},
		"value":        {labelValue, func(s string) bool { return s == "" || len(s) <= 63 && isKey(s) }},
		"segment":      {segment, func(s string) bool { return s != "." && s != ".." && !strings.ContainsAny(s, "/%") }},
		"segmentStart": {segmentStart, func(s string) bool { return !strings.ContainsAny(s, "/%") }},
	}
	for _, s := range []string{
		"", "a", "a-b.c/D_e", "a.-b", "_-", "A-", "-", "a--", ".", "..", "a/", "/a", "a/b/c", "%", "\u212a.io/x", "\xff-", "İ",
		long(63) + "-", long(64), long(253), long(254) + "-", long(253) + "/" + long(63),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for name, tt := range tests {
			if tt.is != nil {
				require.Equal(t, tt.want(s), tt.is(s), "%s of %q", name, s)
			}
			require.Equal(t, tt.want(s), tt.messages(s) == nil, "%s of %q", name, s)
		}
	})
}

func ExampleDNS1123Label() {
	fmt.Println(format.DNS1123Label("my.name"))
	// Output: [must not contain dots]
}

func ExampleQualifiedName() {
	for _, s := range []string{"example.com/MyName", "/x", strings.Repeat("x", 64)} {
		fmt.Println(format.QualifiedName(s))
	}
	// Output:
	// []
	// [prefix part must be non-empty]
	// [name part must be no more than 63 bytes]
}

func ExamplePathSegment() {
	fmt.Println(format.PathSegment("a/b%c"))
	// Output: [may not contain '/' may not contain '%']
}

func BenchmarkQualifiedName(b *testing.B) {
	for b.Loop() {
		format.QualifiedName("app.kubernetes.io/component-name")
	}
}
