package eval

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/crdkit/crdkit/internal/format"
)

// A webURL is an absolute URL or an absolute path. It is not modified. What is a valid one, and the reasons in errors, are
// those of net/url, so they are a server's if both are built with the same Go version. The zero URL prints as "", which
// [parseURL] does not accept. Its Query has the values of each key in their order, without invalid pairs (CLI-041).
type webURL struct{ url.URL }

// validURL reports whether s is a URL. [parseURL] may still refuse it: "// " is a path with two slashes, but parseURL
// then parses the second part as a host.
//
// Clauses: CLI-040.
func validURL(s string) bool {
	_, err := format.ParseRequestURI(s)
	return err == nil
}

// parseURL parses s, which may be any text. The errors are those of CLI-040.
//
// Clauses: CLI-040.
func parseURL(s string) (*webURL, error) {
	u, err := format.ParseRequestURI(s)
	if err == nil {
		if u.Scheme != "" && !strings.Contains(s, "#") {
			return &webURL{*u}, nil
		}
		// ParseRequestURI treats a fragment as a part of the path or the query, and two slashes at the beginning as a
		// path.
		if u, err = format.ParseURI(s); err == nil {
			return &webURL{*u}, nil
		}
	}
	return nil, fmt.Errorf("URL parse error during conversion from string: %w", err)
}

// Scheme returns the scheme in lower case, without the colon, or "".
func (u *webURL) Scheme() string { return u.URL.Scheme }

// Host returns the host as written, with the port and with the brackets of an IPv6 address, or "".
func (u *webURL) Host() string { return u.URL.Host }

// Equal reports whether u and v have the same text when printed (CLI-041).
func (u *webURL) Equal(v *webURL) bool {
	return u.User == nil && u.URL == v.URL || u.String() == v.String()
}

// Len returns the approximate length of u in bytes.
func (u *webURL) Len() int {
	return len(u.URL.Scheme) + len(u.Opaque) + len(u.URL.Host) + len(u.Path) + len(u.RawQuery) + len(u.Fragment)
}

// QueryLen returns an upper bound for the number of values in [webURL.Query].
func (u *webURL) QueryLen() int {
	if u.RawQuery == "" {
		return 0
	}
	return strings.Count(u.RawQuery, "&") + 1
}
