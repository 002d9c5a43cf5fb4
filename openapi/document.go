package openapi

import (
	"bytes"
	"crypto/sha512"
	"encoding/hex"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// A Document is an OpenAPI document as JSON, or the index of such documents. It never changes, and is safe for
// concurrent use by multiple goroutines.
type Document struct {
	format format
	json   []byte
	parts  // used by merging; empty in an index

	hashOnce sync.Once
	hash     string
}

// A member is a key and a value of a JSON object in a document. The value aliases the document's bytes.
type member struct {
	name  string
	value []byte
}

// MarshalJSON returns a copy of the document: compact JSON, with its members in the server's order, and always the same
// bytes for the same definitions.
//
// json.Marshal of a version 2 document escapes characters that are special in HTML, which a server does not do
// (PV3-050). Use the methods of Document for the bytes that Hash covers.
func (d *Document) MarshalJSON() ([]byte, error) { return bytes.Clone(d.json), nil }

// AppendJSON appends the document to dst.
func (d *Document) AppendJSON(dst []byte) []byte { return append(dst, d.json...) }

// Size returns the length of the document in bytes: its Content-Length.
func (d *Document) Size() int { return len(d.json) }

// WriteTo writes the document to w with one call of Write. It does not copy the document: as io.Writer requires, w must
// not modify it.
func (d *Document) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(d.json)
	return int64(n), err
}

// Hash returns the hash with which a server identifies the content of a document: the SHA-512 of its bytes in
// upper-case hexadecimal digits. The first call takes time linear in the document.
func (d *Document) Hash() string {
	d.hashOnce.Do(func() {
		sum := sha512.Sum512(d.json)
		d.hash = strings.ToUpper(hex.EncodeToString(sum[:]))
	})
	return d.hash
}

// ETag returns Hash as the value of an ETag header, in double quotes.
func (d *Document) ETag() string { return `"` + d.Hash() + `"` }

// Key returns the key of a group version in the index: apis/GROUP/VERSION, or api/VERSION for the core group, which
// only built-in kinds have. It is also the path of its document below /openapi/v3/.
func Key(group, version string) string {
	if group == "" {
		return "api/" + version
	}
	return "apis/" + group + "/" + version
}

// Index returns the body of GET /openapi/v3 for documents under keys such as [Key] returns. It lists the path of each
// document with its hash, so that clients can cache the document forever. It may list other documents as well. Nil
// documents are ignored.
func Index(documents map[string]*Document) *Document {
	b := []byte(`{"paths":{`)
	for _, key := range slices.Sorted(maps.Keys(documents)) {
		d := documents[key]
		if d == nil {
			continue
		}
		if b[len(b)-1] != '{' {
			b = append(b, ',')
		}
		at := url.URL{Path: "/openapi/v3/" + key, RawQuery: "hash=" + d.Hash()}
		b = append(formatV3.appendString(b, key), `:{"serverRelativeURL":`...)
		b = append(formatV3.appendString(b, at.String()), '}')
	}
	return &Document{format: formatIndex, json: append(b, "}}"...)}
}

// A layout has the constant parts of a document, between the lists of members: PV3-010, PV2-010.
type layout struct{ paths, schemas, parameters, end string }

const info = `"info":{"title":"Kubernetes CRD Swagger","version":"v0.1.0"},"paths":{`

var layouts = [formats]layout{
	formatV3: {`{"openapi":"3.0.0",` + info, `},"components":{"schemas":{`, "", "}}}"},
	formatV2: {`{"swagger":"2.0",` + info, `},"definitions":{`, `},"parameters":{`, "}}"},
}

// parts are the parts of a document. In a finished document, each list is sorted by name and has each name once.
type parts struct {
	paths, schemas, parameters []member
}

// finish returns the document of p. If several members have the same name, the last one is used. The document takes
// ownership of the lists.
func (p *parts) finish(f format) *Document {
	size := 200
	for _, members := range [...]*[]member{&p.paths, &p.schemas, &p.parameters} {
		*members = lastOfEach(*members)
		for _, m := range *members {
			size += len(m.name) + len(m.value) + 16 // quotes, colon, comma and some escapes
		}
	}
	d := &Document{format: f, json: make([]byte, 0, size), parts: *p}
	l := &layouts[f]
	d.json = append(d.json, l.paths...)
	d.appendMembers(d.paths)
	d.json = append(d.json, l.schemas...)
	d.appendMembers(d.schemas)
	d.json = append(d.json, l.parameters...)
	d.appendMembers(d.parameters) // version 3 has none
	d.json = append(d.json, l.end...)
	return d
}

// appendMembers appends the members to the document's bytes and makes their values alias these bytes, so that the
// original values can be freed.
func (d *Document) appendMembers(members []member) {
	for i := range members {
		m := &members[i]
		if i > 0 {
			d.json = append(d.json, ',')
		}
		d.json = append(d.format.appendString(d.json, m.name), ':')
		start := len(d.json)
		d.json = append(d.json, m.value...)
		m.value = d.json[start:len(d.json):len(d.json)]
	}
}

// lastOfEach returns the members sorted by name, with only the last member of each name.
func lastOfEach(members []member) []member {
	slices.SortStableFunc(members, byName)
	out := members[:0]
	for i, m := range members {
		if i+1 == len(members) || members[i+1].name != m.name {
			out = append(out, m)
		}
	}
	return out
}

func byName(a, b member) int { return strings.Compare(a.name, b.name) }
