package finding

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/unstructured"
)

// converted finds keys of JSON objects that may come from YAML's booleans and numbers.
var converted = regexp.MustCompile(`"(?:true|false|[-.0-9][^"]*)":`)

// Keys adds a note for each key of an object in YAML that is read as another string, because it has no quotes: y is
// read as a boolean, and its key becomes "true". body is the object as JSON.
func (l *List) Keys(body []byte) {
	if l.Part.JSON || !converted.Match(body) {
		return
	}
	if obj, err := unstructured.DecodeJSON(body); err == nil {
		l.keysIn(obj, nil)
	}
}

func (l *List) keysIn(v any, path []field.Segment) {
	switch x := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(x)) {
			at := append(path, field.Segment{Key: key}) // shared by all values: nothing retains it
			if mayBeConverted(key) {
				l.key(at)
			}
			if jsonval.IsContainer(x[key]) {
				l.keysIn(x[key], at)
			}
		}
	case []any:
		for i, item := range x {
			if jsonval.IsContainer(item) {
				l.keysIn(item, append(path, field.Segment{Index: i, IsIndex: true}))
			}
		}
	}
}

// mayBeConverted reports whether a key may be the text of a boolean or of a number.
func mayBeConverted(key string) bool {
	return key == "true" || key == "false" || key != "" && strings.IndexByte("-.0123456789", key[0]) >= 0
}

func (l *List) key(path []field.Segment) {
	written, plain := l.Locate().PlainKey(l.inDocument(path))
	read := path[len(path)-1].Key
	if !plain || written == read {
		return
	}
	at, _ := l.Key(path)
	p := field.PathOf(path...)
	l.Add(Finding{
		Severity: Note, Code: YAMLKey, Message: fmt.Sprintf("%v: YAML reads the key %s as %s", p, written, read),
		Path: p.String(), Pointer: (&field.Error{Path: p}).Pointer(),
		Hints: []string{"quote it: write " + strconv.Quote(written)},
	}, at)
}
