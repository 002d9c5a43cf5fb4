package weburl

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/crdkit/crdkit/internal/uri"
)

// A URL is the result of [Parse]. The zero URL is the empty text, which Parse does not accept.
type URL struct {
	url url.URL
}

// Valid reports whether s is a URL. [Parse] may still refuse it: "// " is a path with two slashes, but Parse then
// parses the second part as a host.
//
// Clauses: CLI-040.
func Valid(s string) bool {
	_, err := uri.ParseRequestURI(s)
	return err == nil
}

// Parse parses s, which may be any text. The errors are those of CLI-040.
//
// Clauses: CLI-040.
func Parse(s string) (*URL, error) {
	u, err := uri.ParseRequestURI(s)
	if err == nil {
		if u.Scheme != "" && !strings.Contains(s, "#") {
			return &URL{url: *u}, nil
		}
		// ParseRequestURI treats a fragment as a part of the path or the query, and two slashes at the beginning as a
		// path.
		if u, err = uri.Parse(s); err == nil {
			return &URL{url: *u}, nil
		}
	}
	return nil, fmt.Errorf("URL parse error during conversion from string: %w", err)
}

// Scheme returns the scheme in lower case, without the colon, or "".
func (u *URL) Scheme() string { return u.url.Scheme }

// Host returns the host as written, with the port and with the brackets of an IPv6 address, or "".
func (u *URL) Host() string { return u.url.Host }

// Hostname returns the host without port and brackets, or "".
func (u *URL) Hostname() string { return u.url.Hostname() }

// Port returns the port without the colon, or "".
func (u *URL) Port() string { return u.url.Port() }

// EscapedPath returns the path in escaped form, or "".
func (u *URL) EscapedPath() string { return u.url.EscapedPath() }

// Query returns the values of each key of the query, in their order. Invalid pairs are left out. The map is the
// caller's.
//
// Clauses: CLI-041.
func (u *URL) Query() map[string][]string { return u.url.Query() }

// Equal reports whether u and v have the same text when printed (CLI-041).
func (u *URL) Equal(v *URL) bool {
	return u.url.User == nil && u.url == v.url || u.url.String() == v.url.String()
}

// String returns u as a text.
func (u *URL) String() string { return u.url.String() }

// Len returns the approximate length of u in bytes.
func (u *URL) Len() int {
	return len(u.url.Scheme) + len(u.url.Opaque) + len(u.url.Host) + len(u.url.Path) + len(u.url.RawQuery) + len(u.url.Fragment)
}

// QueryLen returns an upper bound for the number of values in [URL.Query].
func (u *URL) QueryLen() int {
	if u.url.RawQuery == "" {
		return 0
	}
	return strings.Count(u.url.RawQuery, "&") + 1
}
