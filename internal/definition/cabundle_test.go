package definition

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// certificate returns a certificate of its own making, in PEM.
func certificate(t *testing.T) []byte {
	public, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, public, private)
	require.NoError(t, err)
	return block("CERTIFICATE", der)
}

func block(kind string, data []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data})
}

// Both builds, with the tag crdkit_nox509 and without it, agree on these.
func TestBundles(t *testing.T) {
	good := certificate(t)
	truncated, _ := pem.Decode(good)
	for name, c := range map[string]struct {
		bundle []byte
		fault  string // empty: it is readable
	}{
		"a certificate":                     {good, ""},
		"behind what cannot be read":        {append(block("CERTIFICATE", []byte("x")), good...), ""},
		"behind a key":                      {append(block("PRIVATE KEY", []byte("x")), good...), ""},
		"before rubbish":                    {append(good, "rubbish"...), ""},
		"no PEM":                            {[]byte("rubbish"), "unable to parse bytes as PEM block"},
		"a key":                             {block("PRIVATE KEY", []byte("x")), "no valid certificate authority data seen"},
		"a bad certificate before rubbish":  {append(block("CERTIFICATE", []byte("x")), "rubbish"...), "failed to parse certificate: "},
		"a certificate with a part missing": {block("CERTIFICATE", truncated.Bytes[:20]), "failed to parse certificate: "},
		"an empty certificate":              {block("CERTIFICATE", nil), "failed to parse certificate: "},
		"a length of too many bytes":        {block("CERTIFICATE", []byte{0x30, 0x84, 0, 0, 0, 0}), "failed to parse certificate: "},
	} {
		if err := CheckCABundle(c.bundle); c.fault == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, c.fault, name)
		}
	}
	require.Error(t, CheckCABundle(nil))
}
