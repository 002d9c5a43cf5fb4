package format

import "strings"

// The maximum lengths of names in bytes.
const (
	MaxLabel         = 63  // a DNS label, a label value, the name part of a qualified name
	MaxDNS1123Domain = 253 // a DNS subdomain, the prefix part of a qualified name
)

// DNS1123Label returns the messages for an s that is not a DNS label according to RFC 1123, in lower case: the name of
// a namespace.
//
// Clause: MET-004.
func DNS1123Label(s string) []string {
	var messages []string
	if len(s) > MaxLabel {
		messages = append(messages, labelTooLong)
	}
	switch {
	case labelSyntax(s):
	case subdomainSyntax(s):
		messages = append(messages, labelHasDots)
	default:
		messages = append(messages, labelMessage)
	}
	return messages
}

// DNS1123LabelPrefix returns the messages for an s that is not allowed as the prefix of generated DNS labels.
//
// Clause: MET-004.
func DNS1123LabelPrefix(s string) []string {
	if base, masked := maskDash(s); masked {
		return DNS1123Label(base + "a")
	}
	return DNS1123Label(s)
}

// DNS1123Subdomain returns the messages for an s that is not a DNS subdomain according to RFC 1123, in lower case:
// labels, here of any length, separated by dots. The name of a custom object is one.
//
// Clauses: EMD-008, MET-001.
func DNS1123Subdomain(s string) []string {
	return faults(len(s) > MaxDNS1123Domain, subdomainTooLong, !subdomainSyntax(s), subdomainMessage)
}

// faults returns up to two messages: a and b, each if its fault is true.
func faults(isA bool, a string, isB bool, b string) (messages []string) {
	if isA {
		messages = append(messages, a)
	}
	if isB {
		messages = append(messages, b)
	}
	return messages
}

// DNS1123SubdomainPrefix returns the messages for an s that is not allowed as the prefix of generated DNS subdomains.
// It does the same check as a server: if two or more bytes end with a dash, the last two count as one letter, whatever
// the byte before the dash is. So _- is accepted, although a generated name with that prefix is not.
//
// Clause: MET-001.
func DNS1123SubdomainPrefix(s string) []string {
	base, masked := maskDash(s)
	if !masked {
		return DNS1123Subdomain(s)
	}
	if _, ok := subdomainScan(base); ok && len(base) < MaxDNS1123Domain {
		return nil // without allocating base + "a"
	}
	return DNS1123Subdomain(base + "a")
}

// maskDash returns s without its last two bytes if the last one is a dash, and whether it is.
func maskDash(s string) (base string, masked bool) {
	if len(s) > 1 && s[len(s)-1] == '-' {
		return s[:len(s)-2], true
	}
	return s, false
}

// DNS1035Label returns the messages for an s that is not a DNS label according to RFC 1035, in lower case: it starts
// with a letter.
//
// Clauses: EMD-008, MET-023.
func DNS1035Label(s string) []string {
	return faults(len(s) > MaxLabel, labelTooLong, !label1035Syntax(s), label1035Message)
}

// IsDNS1035LabelFold reports whether the lower case of s is a DNS label according to RFC 1035: kinds are checked this
// way.
//
// Clauses: OME-020, MET-023.
func IsDNS1035LabelFold(s string) bool {
	for i := range len(s) {
		c := lower(s[i])
		if !lowerLetter(c) && (i == 0 || !lowerAlphanumeric(c) && (c != '-' || i == len(s)-1)) {
			// Some non-ASCII letters have an ASCII lower case: that of the Kelvin sign is k.
			return DNS1035Label(strings.ToLower(s)) == nil
		}
	}
	return s != "" && len(s) <= MaxLabel
}

// QualifiedName returns the messages for an s that is not a qualified name: the key of a label, a finalizer. It is a
// name of letters, digits, dashes, dots and underscores, optionally preceded by a DNS subdomain and a slash. The
// messages about the prefix come first.
//
// Clause: MET-021.
func QualifiedName(s string) []string {
	prefix, name, slash := strings.Cut(s, "/")
	if !slash {
		prefix, name = "", s
	}
	if slash && strings.IndexByte(name, '/') >= 0 {
		return []string{qualifiedMessage}
	}
	var messages []string
	switch {
	case slash && prefix == "":
		messages = append(messages, prefixEmpty)
	case slash:
		messages = faults(len(prefix) > MaxDNS1123Domain, prefixTooLong, !subdomainSyntax(prefix), prefixMessage)
	}
	switch {
	case name == "":
		messages = append(messages, nameEmpty)
	case len(name) > MaxLabel:
		messages = append(messages, nameTooLong)
	}
	if !keySyntax(name) {
		messages = append(messages, nameMessage)
	}
	return messages
}

// IsQualifiedNameFold reports whether the lower case of s is a qualified name: keys of annotations are checked this
// way.
//
// Clause: MET-007.
func IsQualifiedNameFold(s string) bool {
	return QualifiedName(s) == nil || QualifiedName(strings.ToLower(s)) == nil
}

// LabelValue returns the messages for an s that is not a valid label value.
//
// Clause: MET-022.
func LabelValue(s string) []string {
	return faults(len(s) > MaxLabel, valueTooLong, s != "" && !keySyntax(s), valueMessage)
}

// PathSegment returns the messages for an s that is not allowed as a segment of a URL's path. The empty name is
// accepted: callers check for missing names.
//
// Clause: MET-002.
func PathSegment(s string) []string {
	switch s {
	case ".":
		return []string{segmentDot}
	case "..":
		return []string{segmentDots}
	}
	return PathSegmentPrefix(s)
}

// PathSegmentPrefix returns the messages for an s that is not allowed as the prefix of generated path segments.
//
// Clause: MET-002.
func PathSegmentPrefix(s string) []string {
	return faults(strings.Contains(s, "/"), segmentSlash, strings.Contains(s, "%"), segmentPercent)
}

// labelSyntax reports whether s matches [a-z0-9]([-a-z0-9]*[a-z0-9])?
func labelSyntax(s string) bool {
	if s == "" || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		if !lowerAlphanumeric(s[i]) && s[i] != '-' {
			return false
		}
	}
	return true
}

// label1035Syntax reports whether s matches [a-z]([-a-z0-9]*[a-z0-9])?
func label1035Syntax(s string) bool { return s != "" && lowerLetter(s[0]) && labelSyntax(s) }

// subdomainSyntax reports whether s consists of labels of labelSyntax, separated by dots.
func subdomainSyntax(s string) bool {
	last, ok := subdomainScan(s)
	return ok && lowerAlphanumeric(last)
}

// subdomainScan reports whether a subdomain may begin with s, and returns the last byte of s. For an empty s that is a
// dot.
func subdomainScan(s string) (last byte, ok bool) {
	last = '.'
	for _, c := range []byte(s) {
		if !lowerAlphanumeric(c) && (c != '-' && c != '.' || last == '.' || c == '.' && last == '-') {
			return 0, false
		}
		last = c
	}
	return last, true
}

// keySyntax reports whether s matches ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
func keySyntax(s string) bool {
	if s == "" || !alphanumeric(s[0]) || !alphanumeric(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !alphanumeric(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return true
}

func lowerLetter(c byte) bool       { return 'a' <= c && c <= 'z' }
func lowerAlphanumeric(c byte) bool { return lowerLetter(c) || '0' <= c && c <= '9' }
func alphanumeric(c byte) bool      { return lowerAlphanumeric(lower(c)) }

// lower returns the lower case of an ASCII letter, and any other byte as it is.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + ('a' - 'A')
	}
	return c
}
