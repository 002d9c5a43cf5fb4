package eval

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseURL(t *testing.T) {
	const failed = "URL parse error during conversion from string: parse "
	for _, tc := range []struct {
		name, in string
		err      string // without failed
	}{
		{"CLI-040: absolute", "https://example.com/a", ""},
		{"CLI-040: a path", "/a", ""},
		{"CLI-040: no host", "http://", ""},
		{"CLI-040: opaque", "a:b", ""},
		{"CLI-040: mail", "mailto:x@y.z", ""},
		{"CLI-040: nothing", "", `"": empty url`},
		{"CLI-040: a relative path", "path", `"path": invalid URI for request`},
		{"CLI-040: a query", "?q", `"?q": invalid URI for request`},
		{"CLI-040: a fragment", "#f", `"#f": invalid URI for request`},
		{"CLI-040: no scheme", ":a", `":a": missing protocol scheme`},
		{"CLI-040: a blank in the host", "http://a b/", `"http://a b/": invalid character " " in host name`},
		{"CLI-040: a wrong escape", "http://a/%zz", `"http://a/%zz": invalid URL escape "%zz"`},
		{"CLI-040: a wrong port", "http://a:port/", `"http://a:port/": invalid port ":port" after host`},
		{"CLI-040: a control character", "http://a/\n", `"http://a/\n": net/url: invalid control character in URL`},
		{"CLI-040: valid, but not as a host", "// ", `"// ": invalid character " " in host name`},
		{"CLI-040: a wrong escape in the fragment", "http://a/#%zz", `"http://a/#%zz": invalid URL escape "%zz"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := parseURL(tc.in)
			require.Equal(t, tc.err == "" || tc.in == "// ", validURL(tc.in))
			if tc.err != "" {
				require.EqualError(t, err, failed+tc.err)
				return
			}
			require.NoError(t, err)
		})
	}
}

func TestURLParts(t *testing.T) {
	for _, tc := range []struct {
		name, in                           string
		scheme, host, hostname, port, path string
		query                              map[string][]string
	}{
		{"CLI-041: all parts", "HTTPS://user:p@Example.com:8080/a%2Fb/c?k=v&k=w&x=#frag", "https", "Example.com:8080", "Example.com", "8080", "/a%2Fb/c",
			map[string][]string{"k": {"v", "w"}, "x": {""}}},
		{"CLI-041: IPv6", "http://[::1]:80", "http", "[::1]:80", "::1", "80", "", map[string][]string{}},
		{"CLI-041: a path", "/a b", "", "", "", "", "/a%20b", map[string][]string{}},
		{"CLI-041: pairs that cannot be read", "/?a;b=1&c=%zz&d=e+f", "", "", "", "", "/", map[string][]string{"d": {"e f"}}},
		{"CLI-040: the fragment is none of the query", "/p?a=b#c=d", "", "", "", "", "/p", map[string][]string{"a": {"b"}}},
		{"CLI-040: opaque", "mailto:x@y.z", "mailto", "", "", "", "", map[string][]string{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			u, err := parseURL(tc.in)
			require.NoError(t, err)
			require.Equal(t, []string{tc.scheme, tc.host, tc.hostname, tc.port, tc.path},
				[]string{u.Scheme(), u.Host(), u.Hostname(), u.Port(), u.EscapedPath()})
			require.Equal(t, tc.query, map[string][]string(u.Query()))
		})
	}
}

func TestEqualURL(t *testing.T) {
	for _, tc := range []struct {
		name, a, b string
		want       bool
	}{
		{"CLI-041: the same", "http://a/b?c#d", "http://a/b?c#d", true},
		{"CLI-041: the scheme in upper case", "HTTP://a", "http://a", true},
		{"CLI-041: the host in upper case", "http://A", "http://a", false},
		{"CLI-041: an escape that needs not be", "/%41", "/A", false},
		{"CLI-041: an escape that must be", "/a b", "/a%20b", true},
		{"CLI-041: a slash", "http://a", "http://a/", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			u, err := parseURL(tc.a)
			require.NoError(t, err)
			v, err := parseURL(tc.b)
			require.NoError(t, err)
			require.Equal(t, tc.want, u.Equal(v))
			require.Equal(t, tc.want, v.Equal(u))
		})
	}
}

// FuzzParseURL compares parseURL with validURL, and calls all methods of URLs.
func FuzzParseURL(f *testing.F) {
	for _, s := range []string{"", "/", "http://a:80/b?c=d&e;f#g", "mailto:a@b", "http://[::1]:80", "http://a/%zz", ":", "//a", "/#%", "a:?b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		u, err := parseURL(s)
		if !validURL(s) {
			require.Error(t, err)
			return
		}
		if err != nil {
			require.Regexp(t, "^//|#", s, "read in another way the second time")
			return
		}
		require.True(t, u.Equal(u))
		for k, vs := range u.Query() {
			require.NotEmpty(t, vs, "%q", k)
		}
		u.Scheme()
		u.Host()
		u.Hostname()
		u.Port()
		u.EscapedPath()
	})
}

func TestURLLen(t *testing.T) {
	for text, want := range map[string]int{"https://h.example:80/path?q=1#f": 26, "mailto:someone@example.org": 25, "/a/b": 4} {
		u, err := parseURL(text)
		require.NoError(t, err)
		require.Equal(t, want, u.Len(), text)
	}
}
