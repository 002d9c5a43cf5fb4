package yamltext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/unstructured"
)

// SetInteger returns a file with an integer set for a key in the map at a path of one of its documents. It replaces an
// existing number, or adds the key before the others. index is that of the document in [Split]. data is not
// modified.
//
// It is an error if there is no such map, or if anything else in the document would change, for instance because of an
// alias.
func SetInteger(data []byte, index int, path []field.Segment, key string, n int64) ([]byte, error) {
	parts := Split(data)
	if index < 0 || index >= len(parts) {
		return nil, fmt.Errorf("position: there is no document %d", index)
	}
	part := parts[index]
	doc, err := Locate(part)
	if err != nil {
		return nil, err
	}
	refused := fmt.Errorf("position: %s: %d cannot be written there", key, n)
	value := strconv.FormatInt(n, 10)
	var out []byte
	whole := append(slices.Clip(path), field.Segment{Key: key})
	if at, there := doc.Value(whole); there {
		from := offset(data, at)
		old, _ := doc.Plain(whole)
		if part.JSON {
			old = number(data[from:])
		}
		if old == "" || !bytes.HasPrefix(data[from:], []byte(old)) {
			return nil, refused
		}
		out = slices.Concat(data[:from], []byte(value), data[from+len(old):])
	} else {
		at, ok := doc.Value(path)
		if !ok {
			return nil, refused
		}
		out = inserted(data, at, key, value, part.JSON)
	}
	after := Split(out)
	if len(after) != len(parts) || !sameBut(part, after[index], path, key, n) {
		return nil, refused
	}
	return out, nil
}

// inserted returns data with a key and its value inserted at the beginning of a map.
func inserted(data []byte, at Position, key, value string, inJSON bool) []byte {
	from := offset(data, at)
	text := key + ": " + value
	if inJSON {
		text = strconv.Quote(key) + ": " + value
	}
	if from < len(data) && data[from] == '{' {
		from++
		rest := bytes.TrimLeft(data[from:], " \t\r\n")
		blank := string(data[from : len(data)-len(rest)])
		switch {
		case len(rest) > 0 && rest[0] == '}':
		case strings.Contains(blank, "\n"): // a line for each key
			text = blank + text + ","
		default:
			text += ", "
		}
	} else {
		eol := "\n"
		if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
			eol = "\r\n"
		}
		text += eol + strings.Repeat(" ", at.Column-1)
	}
	return slices.Concat(data[:from], []byte(text), data[from:])
}

// sameBut reports whether a document is unchanged, except for an integer in the map at a path.
func sameBut(before, after Part, path []field.Segment, key string, n int64) bool {
	old, ok1 := decoded(before)
	now, ok2 := decoded(after)
	if !ok1 || !ok2 {
		return false
	}
	at := old
	for _, s := range path {
		switch v := at.(type) {
		case map[string]any:
			at = v[s.Key]
		case []any:
			if !s.IsIndex || s.Index >= len(v) {
				return false
			}
			at = v[s.Index]
		}
	}
	m, ok := at.(map[string]any)
	if !ok {
		return false
	}
	m[key] = float64(n)
	return reflect.DeepEqual(old, now)
}

func decoded(p Part) (v any, ok bool) {
	text := p.Text
	if !p.JSON {
		var err error
		if text, err = unstructured.YAMLToJSON(text); err != nil {
			return nil, false
		}
	}
	return v, json.Unmarshal(text, &v) == nil
}

// number returns the number at the beginning of a text.
func number(text []byte) string {
	return string(text[:len(text)-len(bytes.TrimLeft(text, "+-.0123456789eE"))])
}

// offset returns the offset of a position in a file, in bytes.
func offset(data []byte, at Position) int {
	from := 0
	for range at.Line - 1 {
		i := bytes.IndexByte(data[from:], '\n')
		if i < 0 {
			return len(data)
		}
		from += i + 1
	}
	if at.Line == 1 && bytes.HasPrefix(data, []byte("\ufeff")) {
		from += len("\ufeff")
	}
	for range at.Column - 1 {
		_, size := utf8.DecodeRune(data[from:])
		from += size
	}
	return from
}
