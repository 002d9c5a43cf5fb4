package eval

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// CLI-060: these names and no others.
func TestFormatNames(t *testing.T) {
	names := formatNames()
	require.True(t, slices.IsSorted(names), "lookupFormat searches in them")
	require.Equal(t, []string{
		"byte", "date", "datetime", "dns1035Label", "dns1035LabelPrefix", "dns1123Label", "dns1123LabelPrefix", "dns1123Subdomain",
		"dns1123SubdomainPrefix", "labelValue", "qualifiedName", "uri", "uuid",
	}, names)
	for _, name := range names {
		require.Equal(t, name, lookupFormat(name).name)
		require.Same(t, lookupFormat(name), lookupFormat(name))
	}
	for _, name := range []string{"", "DNS1123Label", "date-time", "zzz", "uuid4"} {
		require.Nil(t, lookupFormat(name), name)
	}
}

// CRC-042.
func TestFormatPatternSize(t *testing.T) {
	for name, size := range map[string]uint64{
		"dns1123Label": 30, "dns1035Label": 30, "dns1123LabelPrefix": 30, "dns1035LabelPrefix": 30,
		"dns1123Subdomain": 60, "dns1123SubdomainPrefix": 60, "qualifiedName": 60, "labelValue": 40,
		"uri": 1103, "uuid": 70, "byte": 84, "date": 71, "datetime": 71,
	} {
		require.Equal(t, size, lookupFormat(name).patternSize, name)
	}
}

// The parts of messages that CLI-061 spells out.
const (
	label1123 = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
		"alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
	label1035 = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an " +
		"alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
	labelValue = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
		"alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
		"'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
	tooLong = "must be no more than 63 characters"
)

// CLI-061, CLI-062, CLI-063, CLI-064.
func TestFormatValidate(t *testing.T) {
	long := strings.Repeat("a", 64)
	for _, c := range []struct {
		format, s string
		want      []string
	}{
		{"dns1123Label", "my-name", nil},
		{"dns1123Label", "my.name", []string{"must not contain dots"}},
		{"dns1123Label", "My", []string{label1123}},
		{"dns1123Label", long, []string{tooLong}},
		{"dns1123Label", long + "-", []string{tooLong, label1123}},
		{"dns1035Label", "a1", nil},
		{"dns1035Label", "1a", []string{label1035}},
		{"dns1123LabelPrefix", "my-", nil},
		{"dns1123LabelPrefix", "a_-", nil}, // CLI-063
		{"dns1123LabelPrefix", "_a-", []string{label1123}},
		{"dns1123LabelPrefix", "-", []string{label1123}},
		{"dns1123LabelPrefix", "--", nil},
		{"dns1123LabelPrefix", "", []string{label1123}},
		{"dns1123LabelPrefix", long + "-", []string{tooLong}},
		{"dns1123LabelPrefix", long[:63] + "-", nil},
		{"dns1035LabelPrefix", "a-", nil},
		{"dns1035LabelPrefix", "1-", nil},
		{"dns1035LabelPrefix", "1a-", []string{label1035}},
		{"dns1123Subdomain", "a.b", nil},
		{"dns1123SubdomainPrefix", "a.b-", nil},
		{"labelValue", "", nil},
		{"labelValue", "a b", []string{labelValue}},
		{"qualifiedName", "example.com/MyName", nil},
		{"qualifiedName", "/", []string{"prefix part must be non-empty", "name part must be non-empty",
			"name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
				"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"}},
		{"qualifiedName", "a/b/c", []string{"a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
			"alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
			"'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"}},
		{"qualifiedName", "a/" + long, []string{"name part must be no more than 63 bytes"}},
		{"uri", "http://a/b", nil},
		{"uri", "", []string{`parse "": empty url`}},
		{"uri", "path", []string{`parse "path": invalid URI for request`}},
		{"uuid", "123E4567e89b-12d3-a456-426614174000", nil},
		{"uuid", "123", []string{"does not match the UUID format"}},
		{"byte", "YQ==", nil},
		{"byte", "", []string{"invalid base64"}},
		{"byte", "-_==", []string{"invalid base64"}},
		{"date", "2024-02-29", nil},
		{"date", "2023-02-29", []string{"invalid date"}},
		{"datetime", "2024-02-29t01:02:03.5+99:99", nil},
		{"datetime", "2024-02-29T24:02:03Z", []string{"invalid datetime"}},
	} {
		require.Equal(t, c.want, lookupFormat(c.format).validate(c.s), "%s of %q", c.format, c.s)
	}
}

// No text makes a format panic, and a message is never empty.
func FuzzFormatValidate(f *testing.F) {
	for _, s := range []string{"", "a-", "-", "a/b", "%zz", "2024-02-29T01:02:03Z", "\xff-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, name := range formatNames() {
			for _, message := range lookupFormat(name).validate(s) {
				require.NotEmpty(t, message)
			}
		}
	})
}
