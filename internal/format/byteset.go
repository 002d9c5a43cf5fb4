package format

// byteSet is a set of bytes, a bit for each. Asking costs no branch, so a scan does not depend on how well the text's bytes
// can be guessed.
type byteSet [4]uint64

const (
	digitBits = (1<<10 - 1) << '0'
	upperBits = (1<<26 - 1) << ('A' - 64)
	lowerBits = (1<<26 - 1) << ('a' - 64)
	hexBits   = (1<<6-1)<<('A'-64) | (1<<6-1)<<('a'-64)
)

var (
	hexDigits      = byteSet{digitBits, hexBits}
	base64Digits   = byteSet{digitBits | 1<<'+' | 1<<'/', upperBits | lowerBits}
	lowerAlphanums = byteSet{digitBits, lowerBits}
	lowerNameBytes = byteSet{digitBits | 1<<'-', lowerBits}
	atomBytes      = byteSet{ // what RFC 5322 calls atext, and the dot
		digitBits | 1<<'!' | 1<<'#' | 1<<'$' | 1<<'%' | 1<<'&' | 1<<'\'' | 1<<'*' | 1<<'+' | 1<<'-' | 1<<'.' | 1<<'/' | 1<<'=' | 1<<'?',
		upperBits | lowerBits | 1<<('^'-64) | 1<<('_'-64) | 1<<('`'-64) | 1<<('{'-64) | 1<<('|'-64) | 1<<('}'-64) | 1<<('~'-64),
	}
)

func (b *byteSet) has(c byte) bool { return b[c>>6]>>(c&63)&1 != 0 }

// all reports whether every byte of s is in the set. The empty string has none outside it.
func (b *byteSet) all(s string) bool {
	for i := range len(s) {
		if !b.has(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// isSpace reports whether c is in the class \s of regular expressions, which has no vertical tab.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r' }
