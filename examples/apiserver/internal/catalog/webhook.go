package catalog

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
)

// compile compiles a definition. Where a webhook converts, it is asked at its URL; there are no Services here.
func compile(d *crd.CustomResourceDefinition) (*resource.Resource, error) {
	r, err := resource.Compile(d)
	if err != nil {
		return nil, err
	}
	c := d.Spec.Conversion
	if c == nil || c.Strategy != crd.ConversionWebhook || c.WebhookClientConfig == nil || c.WebhookClientConfig.URL == nil {
		return r, nil
	}
	of, err := conversion.Compile(d)
	if err != nil {
		return nil, err
	}
	return r.WithConverter(of.Webhook(UID, webhook(*c.WebhookClientConfig.URL, c.WebhookClientConfig.CABundle))), nil
}

const (
	webhookTimeout = 30 * time.Second
	webhookAnswer  = 16 << 20 // bytes, at most
)

// webhook returns a function that posts a review to that URL.
func webhook(url string, caBundle []byte) func(context.Context, []byte) ([]byte, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	if len(caBundle) > 0 {
		pool := x509.NewCertPool()
		pool.AppendCertsFromPEM(caBundle)
		transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	client := &http.Client{Transport: transport, Timeout: webhookTimeout}
	return func(ctx context.Context, review []byte) ([]byte, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"?timeout=30s", bytes.NewReader(review))
		if err != nil {
			return nil, err
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, */*")
		response, err := client.Do(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		answer, err := io.ReadAll(io.LimitReader(response.Body, webhookAnswer+1))
		switch {
		case err != nil:
			return nil, err
		case len(answer) > webhookAnswer:
			return nil, errors.New("the answer is too long")
		case response.StatusCode/100 != 2:
			return nil, fmt.Errorf("the server responded with the status code %d but did not return more information", response.StatusCode)
		}
		return answer, nil
	}
}

// UID returns a random UUID (RFC 9562, version 4).
func UID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
