package format_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/format"
)

// CLI-040: what a server says, though this module declares a Go version whose net/url says otherwise.
func TestColons(t *testing.T) {
	for text, want := range map[string]string{
		"http://localhost:80/":           "",
		"http://[::1]:80/":               "",
		"HTTPS://user:pass@host:1":       "",
		"postgres://a:1,b:2/x":           "",
		"/a:b:c":                         "",
		"http:/a:b:c":                    "",
		"http://h/a:b:c?d:e:f":           "",
		"http://localhost:80:80/":        `parse "http://localhost:80:80/": invalid port ":80:80" after host`,
		"http://::1/":                    `parse "http://::1/": invalid port "::1" after host`,
		"https://a:b:c/":                 `parse "https://a:b:c/": invalid port ":b:c" after host`,
		"http://u@h:1:2?q":               `parse "http://u@h:1:2?q": invalid port ":1:2" after host`,
		"http://a:1:2/\x7f":              `parse "http://a:1:2/\x7f": net/url: invalid control character in URL`,
		"http://a:1:2/\x1f":              `parse "http://a:1:2/\x1f": net/url: invalid control character in URL`,
		"http://a:1:2/ ":                 `parse "http://a:1:2/ ": invalid port ":1:2" after host`,
		"http://a:1:2/\x00":              `parse "http://a:1:2/\x00": net/url: invalid control character in URL`,
		"https://host:x/":                `parse "https://host:x/": invalid port ":x" after host`,
		"http://[::1]:80:80/":            `parse "http://[::1]:80:80/": invalid port ":80:80" after host`,
		"http://example.com:80:80/%zz":   `parse "http://example.com:80:80/%zz": invalid port ":80:80" after host`,
		"http://us er@example.com:1:2/x": `parse "http://us er@example.com:1:2/x": invalid port ":1:2" after host`,
	} {
		_, err := format.ParseRequestURI(text)
		if want == "" {
			require.NoError(t, err, text)
		} else {
			require.EqualError(t, err, want, text)
		}
	}
	_, err := format.ParseURI("http://a:1:2/#f")
	require.EqualError(t, err, `parse "http://a:1:2/": invalid port ":1:2" after host`)
	u, err := format.ParseURI("http://a:1/#f")
	require.NoError(t, err)
	require.Equal(t, "f", u.Fragment)
}
