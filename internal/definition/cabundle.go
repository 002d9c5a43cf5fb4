package definition

import (
	"cmp"
	"encoding/pem"
	"errors"
	"fmt"
)

// CheckCABundle returns the first error of a bundle that has no readable certificate. If there is a readable one, others are
// ignored.
func CheckCABundle(bundle []byte) error {
	var first error
	for len(bundle) > 0 {
		var block *pem.Block
		if block, bundle = pem.Decode(bundle); block == nil {
			return cmp.Or(first, errors.New("unable to parse bytes as PEM block"))
		}
		if block.Type != "CERTIFICATE" || len(block.Headers) > 0 {
			continue
		}
		err := parse(block.Bytes)
		if err == nil {
			return nil
		}
		first = cmp.Or(first, fmt.Errorf("failed to parse certificate: %w", err))
	}
	return cmp.Or(first, errors.New("no valid certificate authority data seen"))
}
