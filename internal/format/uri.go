package format

import (
	"fmt"
	"net/url"
	"strings"
)

// This file parses URLs as a server's net/url does, whatever Go version this module declares.

// ParseURI is [url.Parse], strict about colons in hosts.
func ParseURI(s string) (*url.URL, error) {
	text, _, _ := strings.Cut(s, "#")
	if err := strayColon(text); err != nil {
		return nil, &url.Error{Op: "parse", URL: text, Err: err}
	}
	return url.Parse(s)
}

// ParseRequestURI is [url.ParseRequestURI], strict about colons in hosts.
func ParseRequestURI(s string) (*url.URL, error) {
	if err := strayColon(s); err != nil {
		return nil, &url.Error{Op: "parse", URL: s, Err: err}
	}
	return url.ParseRequestURI(s)
}

// strayColon returns the error of an http or https URL whose host has more than one colon without being in brackets. It
// returns nil if the parser finds another error before it reaches the host.
func strayColon(s string) error {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") || !strings.HasPrefix(rest, "//") ||
		strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) >= 0 {
		return nil
	}
	host := rest[2:]
	if i := strings.IndexAny(host, "/?"); i >= 0 {
		host = host[:i]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	i := strings.IndexByte(host, ':')
	if i < 0 || i == strings.LastIndexByte(host, ':') || strings.IndexByte(host, '[') >= 0 {
		return nil
	}
	return fmt.Errorf("invalid port %q after host", host[i:])
}
