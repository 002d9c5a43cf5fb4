//go:build crdkit_nox509

package definition

import "errors"

// parse returns what is wrong with the outermost ASN.1 value of a certificate, which must be a sequence.
func parse(der []byte) error {
	malformed := errors.New("x509: malformed certificate")
	if len(der) < 2 || der[0] != 0x30 {
		return malformed
	}
	length, rest := int(der[1]), der[2:]
	if length >= 0x80 { // the low bits are the number of bytes of the length
		n := length - 0x80
		if n == 0 || n > 3 || n > len(rest) {
			return malformed
		}
		length = 0
		for _, b := range rest[:n] {
			length = length<<8 | int(b)
		}
		rest = rest[n:]
	}
	if length != len(rest) {
		return malformed
	}
	return nil
}
