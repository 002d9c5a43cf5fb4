package namedformat

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/format"
)

// A Format is a named format. There is one of each, so pointers can be compared.
type Format struct {
	// Name is the part after format. in a rule.
	Name string
	// PatternSize is the length of a pattern whose match costs as much as Validate: M of CRC-042.
	PatternSize uint64

	validate func(s string) []string
}

// Validate returns the messages for an s that does not have the format, nil if it does. The list is the caller's.
//
// Clauses: CLI-061 to CLI-064.
func (f *Format) Validate(s string) []string { return f.validate(s) }

// formats has one Format for each name. Invariant: sorted by name.
var formats = [...]Format{
	{"byte", 84, oneMessage("byte", "invalid base64")},
	{"date", 71, oneMessage("date", "invalid date")},
	{"datetime", 71, oneMessage("datetime", "invalid datetime")},
	{"dns1035Label", 30, format.DNS1035Label},
	{"dns1035LabelPrefix", 30, func(s string) []string { return format.DNS1035Label(withoutDash(s)) }},
	{"dns1123Label", 30, format.DNS1123Label},
	{"dns1123LabelPrefix", 30, func(s string) []string { return format.DNS1123Label(withoutDash(s)) }},
	{"dns1123Subdomain", 60, format.DNS1123Subdomain},
	{"dns1123SubdomainPrefix", 60, format.DNS1123SubdomainPrefix},
	{"labelValue", 40, format.LabelValue},
	{"qualifiedName", 60, format.QualifiedName},
	{"uri", 1103, validateURI},
	{"uuid", 70, oneMessage("uuid", "does not match the UUID format")},
}

// Names returns the names of all formats, sorted.
//
// Clause: CLI-060.
func Names() []string {
	all := make([]string, len(formats))
	for i := range formats {
		all[i] = formats[i].Name
	}
	return all
}

// Lookup returns the format with exactly that name, or nil if there is none.
//
// Clause: CLI-060.
func Lookup(name string) *Format {
	i, found := slices.BinarySearchFunc(formats[:], name, func(f Format, name string) int {
		return strings.Compare(f.Name, name)
	})
	if !found {
		return nil
	}
	return &formats[i]
}

// oneMessage returns the check of a format that schemas also have, with a single message.
func oneMessage(schemaFormat, message string) func(string) []string {
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
