package format

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/since"
)

// Format is one string format. Formats are shared: do not modify them.
type Format struct {
	// Name is the format's name without dashes: datetime, k8sshortname. Error messages show the name as written in the
	// schema instead (FMT-002).
	Name string
	// Valid reports whether a string has this format. It accepts any string and is never nil.
	Valid func(s string) bool
}

// Invariant: sorted by name.
var formats = [...]Format{
	{"bsonobjectid", validBSONObjectID},
	{"byte", validByte},
	{"cidr", validCIDR},
	{"creditcard", validCreditCard},
	{"date", validDate},
	{"datetime", validDateTime},
	{"duration", validDuration},
	{"email", validEmail},
	{"hexcolor", validHexColor},
	{"hostname", validHostname},
	{"ipv4", validIPv4},
	{"ipv6", validIPv6},
	{"isbn", validISBN},
	{"isbn10", validISBN10},
	{"isbn13", validISBN13},
	{"k8slongname", validLongName},
	{"k8sshortname", validShortName},
	{"mac", validMAC},
	{"password", validPassword},
	{"rgbcolor", validRGBColor},
	{"ssn", validSSN},
	{"uri", validURI},
	{"uuid", validUUID},
	{"uuid3", validUUID3},
	{"uuid4", validUUID4},
	{"uuid5", validUUID5},
}

// OfNames reports whether f is a format for names of Kubernetes: k8s-short-name or k8s-long-name. f may be nil.
func (f *Format) OfNames() bool {
	return f != nil && (f.Name == "k8sshortname" || f.Name == "k8slongname")
}

// Lookup returns the format with that name, or nil if it does not exist. Dashes are ignored anywhere: date-time and
// d-a-t-e-time are both datetime. Case matters: DATE is unknown. Number formats (int32, double) are not string formats,
// so they are unknown, too.
//
// Clauses: FMT-002, FMT-003.
func Lookup(name string) *Format {
	if name == "" { // true for most schemas
		return nil
	}
	name = strings.ReplaceAll(name, "-", "")
	i, ok := slices.BinarySearchFunc(formats[:], name, func(f Format, name string) int {
		return strings.Compare(f.Name, name)
	})
	if !ok {
		return nil
	}
	return &formats[i]
}

// Kept reports whether a schema of the given type keeps the format with that name, which is written as in the schema. A
// format that is not kept is treated as absent. The type is the schema's only type, or empty if the schema has none or
// a list of types (int-or-string). Without a type, and for type string, the formats of [Lookup] are kept; for integer
// int32 and int64; for number float and double; for every other type none. The empty name is never kept.
//
// Clauses: FMT-001, FMT-002.
func Kept(typ, name string) bool {
	switch typ {
	case "", "string":
		return Lookup(name) != nil
	case "integer":
		return name == "int32" || name == "int64"
	case "number":
		return name == "float" || name == "double"
	}
	return false
}

// EnforcedSince returns the fact that servers check values against the format with that name, which is written as in
// the schema: since.Always if all versions treat it alike. The type is as for [Kept].
func EnforcedSince(typ, name string) since.Fact {
	switch name {
	case "int32", "int64", "float", "double":
		if typ == "integer" || typ == "number" {
			return since.NumberFormats
		}
	case "k8s-short-name", "k8s-long-name":
		return since.ShortNameFormats
	}
	return since.Always
}

// password accepts everything: it only tells user interfaces to hide the value.
func validPassword(string) bool { return true }
