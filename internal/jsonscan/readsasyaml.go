package jsonscan

// maxYAMLKey is how long a key may be: below the 1,024 bytes that a YAML reader looks ahead for the colon.
const maxYAMLKey = 1000

// ReadsAsYAML reports whether a YAML reader reads a JSON object as a JSON reader does. It may be a false negative,
// never a false positive: it is false for numbers with fractions and for texts that are not ASCII. If the text is not
// JSON, the result is meaningless.
func ReadsAsYAML(text []byte) bool {
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			end := stringEnd(text, i+1)
			if end < 0 || end < len(text) && text[end] == ':' && end-i > maxYAMLKey {
				return false
			}
			i = end - 1
		case c >= '0' && c <= '9':
			start := i
			for i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9' {
				i++
			}
			if i-start >= 18 || text[start] == '0' && text[start-1] == '-' {
				return false
			}
		case c == ':':
			if text[i-1] != '"' { // this includes a space before it
				return false
			}
		case c == '.', c == 'E', c == '+', c != '\n' && (c < ' ' || c > '~'):
			return false
		case c == 'e' && text[i-1] >= '0' && text[i-1] <= '9':
			return false
		}
	}
	return true
}

// stringEnd returns the index after a string that begins before start, or -1 if the two readers may read it
// differently.
func stringEnd(text []byte, start int) int {
	for i := start; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			return i + 1
		case c < ' ' || c > '~':
			return -1
		case c != '\\':
		case i+1 == len(text):
			return -1
		case text[i+1] == 'u':
			if i+5 >= len(text) || text[i+2] != '0' || text[i+3] != '0' || text[i+4] < '2' || text[i+4] > '7' ||
				text[i+4] == '7' && (text[i+5]|0x20) == 'f' {
				return -1
			}
			i++
		case text[i+1] == '"' || text[i+1] == '\\' || text[i+1] == 'n' || text[i+1] == 'r' || text[i+1] == 't':
			i++
		default:
			return -1
		}
	}
	return -1
}
