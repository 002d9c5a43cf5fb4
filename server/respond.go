package server

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/limits"
	"github.com/crdkit/crdkit/server/protocol"
)

// refuse answers with a refusal.
func (q *request) refuse(s *field.Status) {
	if s.RetryAfterSeconds > 0 {
		q.w.Header().Set("Retry-After", strconv.Itoa(s.RetryAfterSeconds))
	}
	q.sendStatus(s.Code, s)
}

// sendStatus answers with a Status. It has no other form: a clause of Accept that asks for one does not count.
func (q *request) sendStatus(code int, status any) {
	if q.form.As != "" {
		q.form, _ = protocol.NegotiateDiscovery(q.r.Header.Get("Accept"))
	}
	q.send(code, status)
}

// answer answers with an object.
func (q *request) answer(code int, obj map[string]any) {
	if err := q.fitsObject(obj); err != nil {
		q.refuse(failed(err))
		return
	}
	switch q.form.As {
	case protocol.AsTable:
		q.table(code, []map[string]any{obj}, resource.ListMeta{ResourceVersion: text(metadata(obj), "resourceVersion")})
	case protocol.AsPartialObjectMetadata:
		q.send(code, resource.PartialMetadata(obj, q.form.APIVersion))
	default:
		q.send(code, obj)
	}
}

// list answers with a list of objects.
func (q *request) list(objects []map[string]any, meta resource.ListMeta) {
	if err := q.fitsList(); err != nil {
		q.refuse(failed(err))
		return
	}
	switch q.form.As {
	case protocol.AsTable:
		q.table(http.StatusOK, objects, meta)
	case protocol.AsPartialObjectMetadataList:
		q.send(http.StatusOK, resource.PartialMetadataList(objects, meta, q.form.APIVersion))
	default:
		if q.kind.BuiltIn {
			objects = untyped(objects)
		}
		q.send(http.StatusOK, q.listOf(objects, meta))
	}
}

// untyped returns copies of objects without apiVersion and kind. In lists of built-in kinds, only the list itself has
// them.
func untyped(objects []map[string]any) []map[string]any {
	out := make([]map[string]any, len(objects))
	for i, obj := range objects {
		out[i] = maps.Clone(obj)
		delete(out[i], "apiVersion")
		delete(out[i], "kind")
	}
	return out
}

func (q *request) table(code int, objects []map[string]any, meta resource.ListMeta) {
	t, refused := q.tableOf(objects, meta)
	if refused != nil {
		q.refuse(refused)
		return
	}
	q.send(code, t)
}

// tableOf returns a table of objects, or refuses the request's query.
func (q *request) tableOf(objects []map[string]any, meta resource.ListMeta) (resource.Table, *field.Status) {
	var t resource.Table
	if columns := catalog.Columns(q.kind.Type); q.sub == "scale" {
		t = resource.ScaleTable(objects, q.s.now())
	} else if columns != nil {
		t = builtInTable(columns, objects, q.s.now())
	} else {
		t = q.kind.Version().Table(objects, q.s.now())
	}
	t.APIVersion, t.ListMeta = q.form.APIVersion, meta
	if err := t.Include(q.query.Get("includeObject")); err != nil {
		return t, failed(err)
	}
	return t, nil
}

// gzipFrom is the size above which a body is compressed.
const gzipFrom = 128 << 10

// The media types of bodies and responses. protobufType is another one of bodies.
const (
	jsonType = "application/json"
	yamlType = "application/yaml"
)

// send answers with v, in the negotiated media type.
func (q *request) send(code int, v any) { q.sendAs(code, cmp.Or(q.form.MediaType, jsonType), v) }

// sendAs answers with v in the negotiated encoding, and with the given content type.
func (q *request) sendAs(code int, contentType string, v any) {
	body, err := q.encode(v)
	if err != nil {
		body, _ = json.Marshal(protocol.Internal(err))
		code, contentType = http.StatusInternalServerError, jsonType
	}
	q.respond(code, contentType, len(body), bytes.NewReader(body))
}

// respond writes a body of the given size, compressed if it is large and the client accepts gzip. All responses except
// watches and parts of long lists use it.
func (q *request) respond(code int, contentType string, size int, body io.WriterTo) {
	queue := 0
	if q.reads() {
		queue = queued // nothing was written: the client may try again
	}
	err := q.deliver(size, queue, func() error {
		h := q.headers(contentType)
		if q.gzips(size) {
			var packed bytes.Buffer
			z, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed)
			body.WriteTo(z)
			z.Close()
			size, body = packed.Len(), &packed
		}
		h.Set("Content-Length", strconv.Itoa(size))
		q.w.WriteHeader(code)
		body.WriteTo(q.w) // the client may be gone
		return nil
	})
	switch {
	case err == nil:
	case errors.Is(err, limits.ErrFull):
		q.refuse(tooMany())
	default:
		q.refuse(failed(err))
	}
}

// listOf returns a list. That of a built-in kind has no empty continue.
func (q *request) listOf(objects []map[string]any, meta resource.ListMeta) map[string]any {
	list := q.kind.Version().List(objects, meta)
	if about, _ := list["metadata"].(map[string]any); q.kind.BuiltIn && meta.Continue == "" {
		delete(about, "continue")
	}
	return list
}

// reads reports whether the request changes nothing.
func (q *request) reads() bool {
	return q.r.Method == http.MethodGet || q.r.Method == http.MethodHead
}

// gzips reports whether a body of that size is compressed, and if so, sets the headers.
func (q *request) gzips(size int) bool {
	if size <= gzipFrom || !strings.Contains(q.r.Header.Get("Accept-Encoding"), "gzip") {
		return false
	}
	h := q.w.Header()
	h.Set("Content-Encoding", "gzip")
	h.Add("Vary", "Accept-Encoding")
	return true
}

// headers sets the headers of all responses, and returns them.
func (q *request) headers(contentType string) http.Header {
	h := q.w.Header()
	h.Set("Content-Type", contentType)
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-cache, private")
	}
	for _, text := range protocol.WarningHeaders(q.warnings) {
		h.Add("Warning", text)
	}
	return h
}

// encode returns v as JSON or YAML. JSON is indented if the client asks for that (KCT-023). If v is so deep that most
// of the text would be indentation, it is compact JSON, which is also YAML.
func (q *request) encode(v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	inYAML := q.form.MediaType == yamlType
	switch indented := inYAML || q.pretty(); {
	case indented && indentation(body) > 1<<20+16*int64(len(body)):
	case inYAML:
		return yaml.JSONToYAML(body)
	case indented:
		var indented bytes.Buffer
		_ = json.Indent(&indented, body, "", "  ") // cannot fail: body is JSON
		body = indented.Bytes()
	}
	return append(body, '\n'), nil
}

// indentation returns how many spaces the indented form of a JSON text has.
func indentation(text []byte) (blanks int64) {
	depth, quoted := int64(0), false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			blanks += 2 * depth
		case c == '}' || c == ']':
			depth--
			blanks += 2 * depth
		case c == ',':
			blanks += 2 * depth
		}
	}
	return blanks
}

func (q *request) pretty() bool {
	if p := q.query["pretty"]; len(p) > 0 {
		return p[0] == "true" || p[0] == "1"
	}
	agent := q.r.UserAgent()
	return strings.HasPrefix(agent, "curl") || strings.HasPrefix(agent, "Wget") || strings.HasPrefix(agent, "Mozilla/5.0")
}
