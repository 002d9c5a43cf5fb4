package format

// byteSet is a set of bytes, with a bit for each. Lookups need no branch, so the speed of a scan does not depend on
// branch prediction.
type byteSet [4]uint64

const (
	digitBits = (1<<10 - 1) << '0'
	upperBits = (1<<26 - 1) << ('A' - 64)
	lowerBits = (1<<26 - 1) << ('a' - 64)
	hexBits   = (1<<6-1)<<('A'-64) | (1<<6-1)<<('a'-64)
)

var (
	digits         = byteSet{digitBits}
	hexDigits      = byteSet{digitBits, hexBits}
	base64Digits   = byteSet{digitBits | 1<<'+' | 1<<'/', upperBits | lowerBits}
	lowerAlphanums = byteSet{digitBits, lowerBits}
	lowerNameBytes = byteSet{digitBits | 1<<'-', lowerBits}
	atomBytes      = byteSet{ // the atext characters of RFC 5322, and the dot
		digitBits | 1<<'!' | 1<<'#' | 1<<'$' | 1<<'%' | 1<<'&' | 1<<'\'' | 1<<'*' | 1<<'+' | 1<<'-' | 1<<'.' | 1<<'/' | 1<<'=' | 1<<'?',
		upperBits | lowerBits | 1<<('^'-64) | 1<<('_'-64) | 1<<('`'-64) | 1<<('{'-64) | 1<<('|'-64) | 1<<('}'-64) | 1<<('~'-64),
	}
)

func (b *byteSet) has(c byte) bool { return b[c>>6]>>(c&63)&1 != 0 }

// all reports whether every byte of s is in the set. It is true for the empty string.
func (b *byteSet) all(s string) bool {
	for i := range len(s) {
		if !b.has(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c-'0' <= 9 }

// isSpace reports whether c matches \s in regular expressions, which does not include the vertical tab.
func isSpace[T byte | rune](c T) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r'
}
