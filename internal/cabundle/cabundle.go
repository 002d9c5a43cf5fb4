package cabundle

import (
	"encoding/pem"
	"errors"
	"fmt"
)

// Readable reports whether a bundle has a readable certificate. Others are ignored.
func Readable(bundle []byte) bool {
	for len(bundle) > 0 {
		var block *pem.Block
		if block, bundle = pem.Decode(bundle); block == nil {
			return false
		}
		if isCertificate(block) && parse(block.Bytes) == nil {
			return true
		}
	}
	return false
}

// Fault returns the error of a bundle without a readable certificate.
func Fault(bundle []byte) error {
	for len(bundle) > 0 {
		var block *pem.Block
		if block, bundle = pem.Decode(bundle); block == nil {
			return errors.New("unable to parse bytes as PEM block")
		}
		if !isCertificate(block) {
			continue
		}
		if err := parse(block.Bytes); err != nil {
			return fmt.Errorf("failed to parse certificate: %w", err)
		}
	}
	return errors.New("no valid certificate authority data seen")
}

func isCertificate(block *pem.Block) bool {
	return block.Type == "CERTIFICATE" && len(block.Headers) == 0
}
