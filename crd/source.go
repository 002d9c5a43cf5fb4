package crd

import (
	"bytes"
	"strings"

	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// generic decodes one document to generic values: as JSON if it begins with a brace and is JSON, else as YAML (CDC-001). It returns
// the JSON that the values were read from, too: data itself, or what the YAML amounts to.
func generic(data []byte) (v any, text []byte, err error) {
	if startsWithBrace(data) {
		err = json.UnmarshalCaseSensitivePreserveInts(data, &v)
		if err == nil || !isSyntaxError(err) || strings.HasSuffix(err.Error(), "after top-level value") {
			return v, data, err
		}
		// A flow mapping of YAML begins with a brace as well.
	}
	text, yamlErr := yaml.YAMLToJSON(data)
	switch {
	case yamlErr == nil:
		err = json.UnmarshalCaseSensitivePreserveInts(text, &v)
	case err == nil:
		err = yamlErr
	}
	return v, text, err
}

func startsWithBrace(data []byte) bool {
	data = bytes.TrimLeft(data, " \t\r\n")
	return len(data) > 0 && data[0] == '{'
}

func isSyntaxError(err error) bool {
	is, _ := json.SyntaxErrorOffset(err)
	return is
}

// documents cuts a YAML stream before each line that begins with `---`, and behind each that begins with `...`. Documents
// without content are left out; directives and comments in front of a document stay with it. Each document starts with as many
// newlines as there are lines above it, so that a reader counts lines as its user does.
func documents(data []byte) [][]byte {
	var (
		out     [][]byte
		start   int  // of the document
		above   int  // newlines in data[:start]
		line    int  // newlines so far
		content bool // since start
		marked  bool // there was a --- since start
	)
	cut := func(end int) {
		switch {
		case content && above == 0:
			out = append(out, data[start:end:end])
		case content:
			out = append(out, append(bytes.Repeat([]byte("\n"), above), data[start:end]...))
		}
		if content || marked {
			start, above = end, line
		}
		content, marked = false, false
	}
	for at := 0; at < len(data); line++ {
		end := len(data)
		if n := bytes.IndexByte(data[at:], '\n'); n >= 0 {
			end = at + n + 1
		}
		text := data[at:end]
		switch {
		case isMarker(text, "---"):
			cut(at)
			marked = true
			content = hasContent(text[3:])
		case isMarker(text, "..."):
			cut(at)
			start, above = end, line+1
		case text[0] == '%' && !content && !marked: // a directive
		default:
			content = content || hasContent(text)
		}
		at = end
	}
	cut(len(data))
	return out
}

// isMarker reports whether a line is a marker between documents: it may have more behind a blank.
func isMarker(line []byte, marker string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(marker))
	return ok && (len(rest) == 0 || strings.IndexByte(" \t\r\n", rest[0]) >= 0)
}

// hasContent reports whether there is more in a line than blanks, a byte order mark and a comment.
func hasContent(line []byte) bool {
	line = bytes.TrimLeft(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")), " \t\r\n")
	return len(line) > 0 && line[0] != '#'
}
