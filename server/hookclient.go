package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"

	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/hooks"
)

// A serviceResolver returns the address, host:port, of a Service.
type serviceResolver func(ctx context.Context, namespace, name string, port int) (address string, err error)

// noServices is the resolver of a server whose options have none.
func noServices(_ context.Context, namespace, name string, _ int) (string, error) {
	return "", fmt.Errorf("service %q in namespace %q: this server does not resolve Services, see Options.ResolveService", name, namespace)
}

// newStoredHook returns a hook that is called over the network.
func newStoredHook(h *hooks.Hook, resolve serviceResolver) *hook {
	out := &hook{Hook: h, stored: true, close: func() {}}
	to, client, err := hookClient(&h.Client, resolve)
	if err != nil {
		out.call = func(context.Context, []byte) ([]byte, error) {
			return nil, fmt.Errorf("could not get REST client: %w", err)
		}
		return out
	}
	out.close = client.CloseIdleConnections
	out.call = func(ctx context.Context, review []byte) ([]byte, error) {
		return catalog.Post(ctx, to+"?"+timeoutQuery(ctx), review, client.Do)
	}
	return out
}

// hookClient returns a client for a webhook, and its URL. The client does not follow redirects to other hosts, and none
// from https. It has no timeout of its own: contexts have one.
func hookClient(c *hooks.ClientConfig, resolve serviceResolver) (to string, client *http.Client, err error) {
	if c.Service != nil {
		s, port := c.Service, 443
		if s.Port != nil {
			port = int(*s.Port)
		}
		name := s.Name + "." + s.Namespace + ".svc"
		target := url.URL{Scheme: "https", Host: net.JoinHostPort(name, strconv.Itoa(port)), Path: "/"}
		if s.Path != nil && *s.Path != "" {
			target.Path = *s.Path
		}
		client = catalog.WebhookClient(c.CABundle, name)
		transport := client.Transport.(*http.Transport)
		dial := transport.DialContext
		transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if addr == target.Host {
				resolved, err := resolve(ctx, s.Namespace, s.Name, port)
				if err != nil {
					return nil, err
				}
				addr = resolved
			}
			return dial(ctx, network, addr)
		}
		return target.String(), client, nil
	}
	if c.URL == nil {
		return "", nil, errors.New("webhook configuration must have either service or URL")
	}
	target, err := url.Parse(*c.URL)
	if err != nil {
		return "", nil, err
	}
	if target.Scheme != "https" {
		return "", nil, fmt.Errorf("the scheme of the URL is %q, not https", target.Scheme)
	}
	if target.RawQuery, target.Fragment, target.User = "", "", nil; target.Path == "" {
		target.Path = "/"
	}
	return target.String(), catalog.WebhookClient(c.CABundle, ""), nil
}
