package main

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
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// randomToken returns a secret that nobody guesses.
func randomToken() (string, error) {
	b := make([]byte, 32)
	if _, err := rand.Read(b); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// certificates makes an authority, in PEM for those who shall trust it, and a certificate of it for the server at that address.
// Both are valid for a year, and the authority's key is forgotten.
func certificates(addr net.Addr) (authority []byte, certificate tls.Certificate, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, certificate, err
	}
	now := time.Now()
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()),
		Subject:      pkix.Name{CommonName: "apiserver example authority"},
		NotBefore:    now.Add(-time.Hour), // clocks differ
		NotAfter:     now.AddDate(1, 0, 0),
		KeyUsage:     x509.KeyUsageCertSign,
		IsCA:         true, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, ca, ca, &key.PublicKey, key)
	if err != nil {
		return nil, certificate, err
	}
	authority = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})

	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano() + 1),
		Subject:      pkix.Name{CommonName: "apiserver example"},
		NotBefore:    ca.NotBefore, NotAfter: ca.NotAfter,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	if tcp, ok := addr.(*net.TCPAddr); ok && !tcp.IP.IsUnspecified() {
		leaf.IPAddresses = append(leaf.IPAddresses, tcp.IP)
	}
	own, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, certificate, err
	}
	signed, err = x509.CreateCertificate(rand.Reader, leaf, ca, &own.PublicKey, key)
	if err != nil {
		return nil, certificate, err
	}
	return authority, tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: own}, nil
}

// writeKubeconfig writes the file with which kubectl finds the server and is let in. It is for its owner's eyes only.
func writeKubeconfig(file string, addr net.Addr, authority []byte, token string) error {
	const name = "apiserver-example"
	named := func(key string, value map[string]any) []any { return []any{map[string]any{"name": name, key: value}} }
	text, err := json.MarshalIndent(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": name,
		"clusters": named("cluster", map[string]any{
			"server":                     "https://" + addr.String(),
			"certificate-authority-data": base64.StdEncoding.EncodeToString(authority),
		}),
		"users":    named("user", map[string]any{"token": token}),
		"contexts": named("context", map[string]any{"cluster": name, "user": name, "namespace": "default"}),
	}, "", "  ")
	if err != nil {
		return err
	}
	// A new file, so that neither the mode nor the owner of an old one matters.
	temporary, err := os.CreateTemp(filepath.Dir(file), ".kubeconfig-*")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	_, err = temporary.Write(append(text, '\n'))
	if closed := temporary.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file) // CreateTemp made it 0600
}
