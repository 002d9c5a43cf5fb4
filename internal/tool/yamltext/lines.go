package yamltext

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// lineStarts returns the positions in the text where the YAML parser's lines begin. The parser also ends a line at a
// carriage return and at the characters U+0085, U+2028 and U+2029. If the text has none of these, lineStarts returns
// nil.
func lineStarts(text []byte) []Position {
	// One search for each is faster than bytes.ContainsAny.
	special := func(char string) bool { return bytes.Contains(text, []byte(char)) }
	if !slices.ContainsFunc([]string{"\u0085", "\u2028", "\u2029"}, special) && bytes.Count(text, []byte("\r")) == bytes.Count(text, []byte("\r\n")) {
		return nil
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	starts := []Position{{1, 1}}
	line, column := 1, 1
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		column++
		switch {
		case r == '\n':
			line, column = line+1, 1
		case r == '\r' && len(text) > 0 && text[0] == '\n':
			continue
		case r != '\r' && r != '\u0085' && r != '\u2028' && r != '\u2029':
			continue
		}
		starts = append(starts, Position{line, column})
	}
	return starts
}
