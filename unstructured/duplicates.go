package unstructured

import (
	"bytes"
	"encoding/json"
	"strconv"
)

const (
	// maxFindings is how many findings strict decoding has (DEC-005).
	maxFindings = 100
	// maxPaths is how many bytes of paths are made to find those that are not among the findings yet. Only a text with the same large objects
	// again and again, far down, needs more, and there has the findings so far.
	maxPaths = 16 << 20
)

// duplicates returns what strict decoding finds in the JSON of an object, in the order of the text: keys that occur twice, each path once.
// A server's decoder makes the path of each, which is slow where there are many far down.
//
// Clauses: DEC-005.
func duplicates(text []byte) []string {
	f := finder{decoder: json.NewDecoder(bytes.NewReader(text)), known: map[string]bool{}}
	f.decoder.UseNumber()
	f.run()
	return f.findings
}

// A finder goes through a valid JSON text.
type finder struct {
	decoder  *json.Decoder
	open     []openValue
	findings []string
	known    map[string]bool // the paths in findings
	made     int             // bytes of paths
}

// An openValue is a list or an object whose end has not come.
type openValue struct {
	keys  map[string]bool // of an object, with true for those that are known to occur twice; nil for a list
	key   string          // of the member that is read
	inKey bool            // a key has come, and its value has not
	index int             // of the item that comes next
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

// takeKey reports whether more can be found behind a key.
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

// path returns the path of the key that has come.
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
