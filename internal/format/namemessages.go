package format

import "cmp"

// The server's messages about names. Clauses: EMD-008, MET-002, MET-004, MET-020 to MET-023.
//
// The examples are separated by two spaces, as in the server.
const (
	labelTooLong = "must be no more than 63 characters"
	labelHasDots = "must not contain dots"
	labelMessage = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
		"an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"

	subdomainTooLong = "must be no more than 253 characters"
	subdomainMessage = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
		"end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
		`'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`

	label1035Message = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and " +
		"end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is " +
		"'[a-z]([-a-z0-9]*[a-z0-9])?')"

	keyMessage = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
		"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
		"'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

	qualifiedMessage = "a valid label key " + qualifiedRest
	qualifiedRest    = keyMessage + " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"

	prefixEmpty   = "prefix part must be non-empty"
	prefixTooLong = "prefix part must be no more than 253 bytes"
	prefixMessage = "prefix part " + subdomainMessage
	nameEmpty     = "name part must be non-empty"
	nameTooLong   = "name part must be no more than 63 bytes"
	nameMessage   = "name part " + keyMessage

	valueTooLong = "must be no more than 63 bytes"
	valueMessage = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and " +
		"end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
		"'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"

	segmentDot     = "may not be '.'"
	segmentDots    = "may not be '..'"
	segmentSlash   = "may not contain '/'"
	segmentPercent = "may not contain '%'"
)

// former has the messages that were others before [since.LabelKeys].
var former = map[string]string{
	qualifiedMessage: "a qualified name " + qualifiedRest,
	prefixTooLong:    "prefix part must be no more than 253 characters",
	nameTooLong:      "name part must be no more than 63 characters",
	valueTooLong:     labelTooLong,
}

// Former replaces in place the messages about keys and values of labels by those before [since.LabelKeys].
func Former(messages []string) []string {
	for i, m := range messages {
		messages[i] = cmp.Or(former[m], m)
	}
	return messages
}
