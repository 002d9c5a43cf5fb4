package server

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Credentials are a certificate for a server, the authority that signed it, and a token for the clients. They are
// immutable, and safe for concurrent use.
type Credentials struct {
	// Token is the value for [Options].Token.
	Token string
	// Authority is the certificate of the authority, in PEM. Its key is not kept.
	Authority []byte

	certificate tls.Certificate
}

// NewCredentials returns new credentials, which are valid for a year. The certificate is for localhost, 127.0.0.1, ::1,
// and the hosts: names or addresses; empty ones are left out.
func NewCredentials(hosts ...string) (*Credentials, error) {
	token := make([]byte, 32)
	rand.Read(token) // never fails
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: "crdkit server authority"},
		NotBefore:    now.Add(-time.Hour), // clocks differ
		NotAfter:     now.AddDate(1, 0, 0),
		KeyUsage:     x509.KeyUsageCertSign,
		IsCA:         true, BasicConstraintsValid: true,
	}
	authority, err := x509.CreateCertificate(rand.Reader, ca, ca, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano() + 1),
		Subject:      pkix.Name{CommonName: "crdkit server"},
		NotBefore:    ca.NotBefore, NotAfter: ca.NotAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	for _, host := range hosts {
		if ip := net.ParseIP(host); ip != nil {
			leaf.IPAddresses = append(leaf.IPAddresses, ip)
		} else if host != "" {
			leaf.DNSNames = append(leaf.DNSNames, host)
		}
	}
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	signed, err := x509.CreateCertificate(rand.Reader, leaf, ca, &own.PublicKey, key)
	if err != nil {
		return nil, err
	}
	return &Credentials{
		Token:       base64.RawURLEncoding.EncodeToString(token),
		Authority:   pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority}),
		certificate: tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: own},
	}, nil
}

// The names of the files in a directory with credentials.
const (
	authorityFile   = "ca.crt"
	certificateFile = "tls.crt"
	keyFile         = "tls.key"
	tokenFile       = "token"
)

// LoadCredentials returns the credentials in a directory, so that a kubeconfig stays valid after a restart. If the
// directory has none, it creates them for the hosts, as [NewCredentials] does, in files that only their owner can read.
// Expired credentials are an error.
func LoadCredentials(dir string, hosts ...string) (*Credentials, error) {
	certificate, err := tls.LoadX509KeyPair(filepath.Join(dir, certificateFile), filepath.Join(dir, keyFile))
	if errors.Is(err, fs.ErrNotExist) {
		c, err := NewCredentials(hosts...)
		if err == nil {
			err = c.save(dir)
		}
		return c, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if time.Now().After(certificate.Leaf.NotAfter) {
		return nil, fmt.Errorf("%s: the certificate expired at %s", dir, certificate.Leaf.NotAfter.Format(time.RFC3339))
	}
	authority, err := os.ReadFile(filepath.Join(dir, authorityFile))
	if err != nil {
		return nil, err
	}
	token, err := os.ReadFile(filepath.Join(dir, tokenFile))
	if err != nil {
		return nil, err
	}
	if len(token) == 0 {
		return nil, fmt.Errorf("%s: the token is empty", filepath.Join(dir, tokenFile))
	}
	return &Credentials{Token: string(token), Authority: authority, certificate: certificate}, nil
}

// save writes the credentials into a directory. It writes the certificate last, because LoadCredentials looks for that
// file.
func (c *Credentials) save(dir string) error {
	key, err := x509.MarshalPKCS8PrivateKey(c.certificate.PrivateKey)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		text []byte
	}{
		{tokenFile, []byte(c.Token)},
		{authorityFile, c.Authority},
		{keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})},
		{certificateFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.certificate.Certificate[0]})},
	} {
		if err := os.WriteFile(filepath.Join(dir, file.name), file.text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// ServerTLS returns the TLS configuration of a server with these credentials.
func (c *Credentials) ServerTLS() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{c.certificate}, MinVersion: tls.VersionTLS12}
}

// ClientTLS returns the TLS configuration of a client that trusts only the authority.
func (c *Credentials) ClientTLS() *tls.Config {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(c.Authority)
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// Kubeconfig returns a kubeconfig for the server at a URL, in JSON, which kubectl and client libraries read as YAML. It
// contains the token: keep it secret.
func (c *Credentials) Kubeconfig(url string) []byte {
	const name = "crdkit"
	named := func(key string, value map[string]any) []any { return []any{map[string]any{"name": name, key: value}} }
	text, _ := json.MarshalIndent(map[string]any{ // never fails for maps of strings
		"apiVersion": "v1", "kind": "Config", "current-context": name,
		"clusters": named("cluster", map[string]any{
			"server":                     url,
			"certificate-authority-data": base64.StdEncoding.EncodeToString(c.Authority),
		}),
		"users":    named("user", map[string]any{"token": c.Token}),
		"contexts": named("context", map[string]any{"cluster": name, "user": name, "namespace": "default"}),
	}, "", "  ")
	return append(text, '\n')
}
