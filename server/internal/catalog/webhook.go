package catalog

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
)

// compile compiles a definition for a server of that minor version of Kubernetes, empty for the newest release. The
// converter, if not nil, replaces the definition's strategy. A conversion webhook must have a URL, since the server does
// not support Services.
func compile(d *crd.CustomResourceDefinition, converter conversion.Converter, kubernetes string) (*Compiled, error) {
	r, err := resource.Compile(d)
	if err != nil {
		return nil, err
	}
	if r, err = r.For(kubernetes); err != nil {
		return nil, err
	}
	var end func()
	c := d.Spec.Conversion
	switch {
	case converter != nil:
		r = r.WithConverter(converter)
	case c == nil || c.Strategy != crd.ConversionWebhook:
	case c.WebhookClientConfig == nil || c.WebhookClientConfig.URL == nil:
		r = r.WithConverter(conversion.ConverterFunc(unreachable))
	default:
		of, err := conversion.Compile(d)
		if err != nil {
			return nil, err
		}
		w := newWebhook(*c.WebhookClientConfig.URL, c.WebhookClientConfig.CABundle)
		r, end = r.WithConverter(of.Webhook(UID, w.post)), w.client.CloseIdleConnections
	}
	tracked, err := apply.Compile(r)
	if err != nil {
		return nil, err
	}
	return &Compiled{r, tracked, end}, nil
}

// unreachable is the converter of a webhook that has no URL: as in a server that cannot reach it, conversions fail.
func unreachable(context.Context, []map[string]any, string) ([]map[string]any, error) {
	return nil, errors.New("the webhook has no URL, and no converter was given")
}

const webhookTimeout = 30 * time.Second

// MaxAnswer is the maximum size of a webhook's response, in bytes.
const MaxAnswer = 16 << 20

// A webhook is a conversion webhook at a URL.
type webhook struct {
	client *http.Client
	url    string
}

func newWebhook(url string, caBundle []byte) *webhook {
	client := WebhookClient(caBundle, "")
	client.Timeout = webhookTimeout
	return &webhook{client, url}
}

// WebhookClient returns a client, with connections of its own, for the webhook of a clientConfig. Its server must have
// a certificate for serverName or, if that is empty, for the host of the URL.
func WebhookClient(caBundle []byte, serverName string) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: serverName}
	if len(caBundle) > 0 {
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(caBundle)
	}
	return &http.Client{Transport: transport, CheckRedirect: sameHost}
}

// maxRedirects is how many redirects in a row are followed.
const maxRedirects = 10

// sameHost refuses redirects to another host or port, and from https to http: a webhook, or who answers in its place,
// must not decide where the server sends objects, nor make it send requests inside of its network.
func sameHost(to *http.Request, via []*http.Request) error {
	from := via[0].URL
	switch {
	case from.Scheme == "https" && to.URL.Scheme != "https":
		return fmt.Errorf("the webhook redirects from https to %s", to.URL.Scheme)
	case to.URL.Host != from.Host:
		return errors.New("the webhook redirects to another host")
	case len(via) >= maxRedirects:
		return fmt.Errorf("stopped after %d redirects", maxRedirects)
	}
	return nil
}

// post sends a review and returns the response.
func (w *webhook) post(ctx context.Context, review []byte) ([]byte, error) {
	return Post(ctx, w.url+"?timeout=30s", review, w.client.Do)
}

// Post sends a review to a webhook with do, and returns the body of the response. If the status code is not a success,
// the error is the message of the Status in the body or, without a Status, a message for the code.
func Post(ctx context.Context, url string, review []byte, do func(*http.Request) (*http.Response, error)) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(review))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, */*")
	response, err := do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, MaxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("unexpected error when reading response body. Please retry. Original error: %w", err)
	case len(answer) > MaxAnswer:
		return nil, errors.New("the answer is too long")
	}
	if err := refusedBy(response.StatusCode, response.Header, answer); err != nil {
		return nil, err
	}
	if len(answer) == 0 {
		return nil, fmt.Errorf("0-length response with status code: %d and content type: %s", response.StatusCode, response.Header.Get("Content-Type"))
	}
	return answer, nil
}

// The messages for status codes of responses without a Status.
var refusals = map[int]string{
	http.StatusConflict:            "the server reported a conflict",
	http.StatusNotFound:            "the server could not find the requested resource",
	http.StatusBadRequest:          "the server rejected our request for an unknown reason",
	http.StatusUnauthorized:        "the server has asked for the client to provide credentials",
	http.StatusMethodNotAllowed:    "the server does not allow this method on the requested resource",
	http.StatusUnprocessableEntity: "the server rejected our request due to an error in our request",
	http.StatusServiceUnavailable:  "the server is currently unable to handle the request",
	http.StatusGatewayTimeout:      "the server was unable to return a response in the time allotted, but may still be processing the request",
	http.StatusTooManyRequests:     "the server has received too many requests and has asked us to try again later",
}

// maxErrorText limits the bytes of a response in an error message.
const maxErrorText = 2048

// refusedBy returns the error of [Post] for a response.
func refusedBy(code int, header http.Header, answer []byte) error {
	if code/100 == 2 {
		return nil
	}
	var status struct{ Kind, Message string }
	if json.Unmarshal(answer, &status) == nil && status.Kind == "Status" && status.Message != "" {
		return errors.New(status.Message)
	}
	text := "unknown"
	if kind := header.Get("Content-Type"); kind == "" || strings.HasPrefix(kind, "text/") {
		text = strings.TrimSpace(string(answer[:min(len(answer), maxErrorText)]))
	}
	switch message, known := refusals[code]; {
	case known:
		return errors.New(message)
	case code == http.StatusNotAcceptable && text == "unknown":
		return errors.New("the server was unable to respond with a content type that the client supports")
	case code == http.StatusForbidden, code == http.StatusUnsupportedMediaType, code == http.StatusNotAcceptable:
		return errors.New(text)
	case code >= http.StatusInternalServerError:
		return fmt.Errorf("an error on the server (%q) has prevented the request from succeeding", text)
	}
	return fmt.Errorf("the server responded with the status code %d but did not return more information", code)
}

// UID returns a random UUID (RFC 9562, version 4).
func UID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
