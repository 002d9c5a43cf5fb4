package eval

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/format"
)

// A namedFormat is a format of rules: format.dns1123Label(). It is not a format of schemas, although byte, date,
// datetime, uri and uuid accept the same texts there. There is one of each, so pointers can be compared.
type namedFormat struct {
	// name is the part after format. in a rule.
	name string
	// patternSize is the length of a pattern whose match costs as much as validate: M of CRC-042.
	patternSize uint64
	// validate returns the messages for an s that does not have the format, nil if it does. The list is the caller's.
	// Lengths count bytes, even if a message says characters.
	//
	// Clauses: CLI-061 to CLI-064.
	validate func(s string) []string
}

// namedFormats has one format for each name. Invariant: sorted by name.
var namedFormats = [...]namedFormat{
	{"byte", 84, withMessage("byte", "invalid base64")},
	{"date", 71, withMessage("date", "invalid date")},
	{"datetime", 71, withMessage("datetime", "invalid datetime")},
	{"dns1035Label", 30, format.DNS1035Label},
	{"dns1035LabelPrefix", 30, func(s string) []string { return format.DNS1035Label(withoutDash(s)) }},
	{"dns1123Label", 30, format.DNS1123Label},
	{"dns1123LabelPrefix", 30, func(s string) []string { return format.DNS1123Label(withoutDash(s)) }},
	{"dns1123Subdomain", 60, format.DNS1123Subdomain},
	{"dns1123SubdomainPrefix", 60, format.DNS1123SubdomainPrefix},
	{"labelValue", 40, format.LabelValue},
	{"qualifiedName", 60, format.QualifiedName},
	{"uri", 1103, validateURI},
	{"uuid", 70, withMessage("uuid", "does not match the UUID format")},
}

// formatNames returns the names of all formats, sorted.
//
// Clause: CLI-060.
func formatNames() []string {
	all := make([]string, len(namedFormats))
	for i := range namedFormats {
		all[i] = namedFormats[i].name
	}
	return all
}

// lookupFormat returns the format with exactly that name, or nil if there is none.
//
// Clause: CLI-060.
func lookupFormat(name string) *namedFormat {
	i, found := slices.BinarySearchFunc(namedFormats[:], name, func(f namedFormat, name string) int {
		return strings.Compare(f.name, name)
	})
	if !found {
		return nil
	}
	return &namedFormats[i]
}

// withMessage returns the check of a format that schemas also have, with a single message.
func withMessage(schemaFormat, message string) func(string) []string {
	valid := format.Lookup(schemaFormat).Valid
	return func(s string) []string {
		if valid(s) {
			return nil
		}
		return []string{message}
	}
}

// withoutDash returns the text that is checked instead of a name prefix that ends in a dash. CLI-063: it should only
// replace the dash with a letter, but the byte before the dash is lost, too.
func withoutDash(s string) string {
	if len(s) > 1 && strings.HasSuffix(s, "-") {
		return s[:len(s)-2] + "a"
	}
	return s
}

func validateURI(s string) []string {
	if _, err := format.ParseRequestURI(s); err != nil {
		return []string{err.Error()}
	}
	return nil
}
