package protocol

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/crdkit/crdkit/internal/refusal"
)

const (
	warningRunes    = 4096 // the limit for all warnings of a response before they are cut
	cutWarningRunes = 256  // the limit for each one in that case
)

// WarningHeaders returns the values of the Warning headers of a response with those warnings, such as those of package
// resource's Result, one header for each. Empty warnings, repeated ones, and ones with control characters or invalid
// UTF-8 are left out. If all together are longer than 4096 characters, each is cut to 256, and the last ones are left
// out if that is still too long.
func WarningHeaders(warnings []string) []string {
	ordered := refusal.Distinct(slices.DeleteFunc(slices.Clone(warnings), func(text string) bool { return text == "" }))
	var w warningWriter
	for i, text := range ordered {
		switch {
		case w.cut && w.written >= warningRunes:
			return w.headers
		case !w.cut && printable(text) && w.written+utf8.RuneCountInString(text) > warningRunes:
			w = warningWriter{cut: true}
			for _, again := range ordered[:i+1] { // the warnings so far are kept without a limit
				w.write(again)
			}
		default:
			w.write(text)
		}
	}
	return w.headers
}

// A warningWriter writes warnings as headers.
type warningWriter struct {
	headers []string
	written int  // runes
	cut     bool // each warning is cut
}

func (w *warningWriter) write(text string) {
	if w.cut {
		text = cutRunes(text, cutWarningRunes)
	}
	if !printable(text) {
		return
	}
	w.written += utf8.RuneCountInString(text)
	w.headers = append(w.headers, `299 - "`+quoteWarning.Replace(text)+`"`)
}

var quoteWarning = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// printable reports whether a text may be in a header.
func printable(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// cutRunes returns the first n runes of a text.
func cutRunes(text string, n int) string {
	for i := range text {
		if n == 0 {
			return text[:i]
		}
		n--
	}
	return text
}
