package unstructured

import (
	"bytes"
	"encoding/json"
	"strconv"
)

const (
	// maxFindings is the maximum number of findings of strict decoding (DEC-005).
	maxFindings = 100
	// maxPaths limits the bytes of paths that are built to find new ones. Only a text that repeats the same large
	// objects many times, deeply nested, exceeds it; such a text gets the findings so far.
	maxPaths = 16 << 20
)

// duplicates returns the findings of strict decoding for the JSON of an object, in the order of the text: keys that
// occur twice, each path once. A server's decoder builds the path of each, which is slow if there are many deeply
// nested ones.
//
// Clauses: DEC-005.
func duplicates(text []byte) []string {
	f := finder{decoder: json.NewDecoder(bytes.NewReader(text)), known: map[string]bool{}}
	f.decoder.UseNumber()
	f.run()
	return f.findings
}

// A finder walks a valid JSON text.
type finder struct {
	decoder  *json.Decoder
	open     []openValue
	findings []string
	known    map[string]bool // the paths in findings
	made     int             // bytes of paths built so far
}

// An openValue is a list or an object whose end has not been read yet.
type openValue struct {
	keys  map[string]bool // of an object; true for those already known to be duplicates; nil for a list
	key   string          // of the current member
	inKey bool            // a key has been read, but not its value
	index int             // of the next item
}

func (f *finder) run() {
	for {
		token, err := f.decoder.Token()
		if err != nil { // the end of the text
			return
		}
		last := len(f.open) - 1
		if delim, ok := token.(json.Delim); ok && (delim == '}' || delim == ']') {
			f.open = f.open[:last]
			continue
		}
		if last >= 0 {
			in := &f.open[last]
			switch {
			case in.keys == nil:
				in.index++
			case !in.inKey:
				in.key, in.inKey = token.(string), true
				if !f.takeKey(in) {
					return
				}
				continue
			default:
				in.inKey = false
			}
		}
		switch token {
		case json.Delim('{'):
			f.open = append(f.open, openValue{keys: map[string]bool{}})
		case json.Delim('['):
			f.open = append(f.open, openValue{})
		}
	}
}

// takeKey reports whether more findings are possible after this key.
func (f *finder) takeKey(in *openValue) bool {
	told, again := in.keys[in.key]
	in.keys[in.key] = again
	if !again || told {
		return true
	}
	path := f.path()
	f.made += len(path)
	if !f.known[path] {
		f.known[path] = true
		f.findings = append(f.findings, "duplicate field "+strconv.Quote(path))
	}
	return len(f.findings) < maxFindings && f.made < maxPaths
}

// path returns the path of the current key.
func (f *finder) path() string {
	var b []byte
	for i := range f.open {
		switch v := &f.open[i]; {
		case v.keys == nil:
			b = append(strconv.AppendInt(append(b, '['), int64(v.index-1), 10), ']')
		case i > 0:
			b = append(append(b, '.'), v.key...)
		default:
			b = append(b, v.key...)
		}
	}
	return string(b)
}
