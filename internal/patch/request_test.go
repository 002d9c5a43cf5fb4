package patch_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/internal/test/given"
)

const (
	merge = "application/merge-patch+json"
	ops   = "application/json-patch+json"
)

// accept returns the patch for a body.
func accept(t testing.TB, contentType, body string) *patch.Patch {
	t.Helper()
	p, refused := patch.Accept(contentType, []byte(body))
	require.Nil(t, refused)
	return p
}

// apply applies a body with Apply and ApplyStrict. Their results must agree unless ApplyStrict refuses the form of the
// body.
func apply(t testing.TB, contentType, body, old string) (string, *field.Status) {
	t.Helper()
	p := accept(t, contentType, body)
	text, refused := p.Apply([]byte(old))
	strict, findings, refusedStrict := p.ApplyStrict([]byte(old))
	if refusedStrict == nil || refusedStrict.Code != 400 {
		require.Equal(t, refused, refusedStrict)
		require.Equal(t, string(text), string(strict))
	}
	if refusedStrict != nil {
		require.Nil(t, strict)
		require.Nil(t, findings)
	}
	return string(text), refused
}

// PAT-001, DEC-016.
func TestAccept(t *testing.T) {
	for _, contentType := range []string{
		merge, ops, merge + ";charset=utf-8", merge + "; charset=utf-8", ops + ";", ops + ";;x", merge + ";application/json",
	} {
		p, refused := patch.Accept(contentType, nil)
		require.Nil(t, refused, contentType)
		require.NotNil(t, p, contentType)
	}
	for _, contentType := range []string{
		"", ";" + merge, " " + merge, merge + " ;charset=utf-8", "application/Merge-Patch+json", "application/json", "application/yaml",
		"application/strategic-merge-patch+json", "application/apply-patch+yaml", "application/apply-patch+cbor", "text/plain",
	} {
		p, refused := patch.Accept(contentType, []byte("{}"))
		require.Nil(t, p, contentType)
		require.Equal(t, &field.Status{
			Code: 415, Reason: "UnsupportedMediaType",
			Message: "the body of the request was in an unknown format - accepted media types include: " +
				"application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
		}, refused, contentType)
	}

	long := make([]byte, 3<<20+1)
	_, refused := patch.Accept(merge, long[1:])
	require.Nil(t, refused, "DEC-016 at the limit")
	_, refused = patch.Accept(merge, long)
	require.Equal(t, &field.Status{Code: 413, Reason: "RequestEntityTooLarge", Message: "Request entity too large: limit is 3145728"}, refused)
	_, refused = patch.Accept("text/plain", long)
	require.Equal(t, 415, refused.Code, "PAT-001: the content type comes first")
}

// PAT-001: for both kinds of patch, before any error of old.
func TestCheck(t *testing.T) {
	for _, contentType := range []string{merge, ops} {
		for name, body := range map[string]string{
			"empty": "", "blank": " ", "no JSON": "{", "bytes behind it": "{} x", "byte order mark": "\uFEFF{}", "trailing comma": "[1,]",
			"DEC-007 too deep": strings.Repeat("[", 10001) + strings.Repeat("]", 10001),
		} {
			p := accept(t, contentType, body)
			want := &field.Status{Code: 400, Reason: "BadRequest", Message: "invalid JSON patch"}
			require.Equal(t, want, p.Check(), name)
			_, refused := p.Apply([]byte("[]"))
			require.Equal(t, want, refused, name)
			_, _, refused = p.ApplyStrict([]byte("[]"))
			require.Equal(t, want, refused, name)
		}
		for _, body := range []string{"{}", " [ ] ", "null", "5", `"\ud800"`, "1e400"} {
			require.Nil(t, accept(t, contentType, body).Check(), body)
		}
	}
}

// PAT-002, PAT-003: bodies that are not patches.
func TestRefusedDocuments(t *testing.T) {
	const noMerge = "Invalid JSON Patch"
	for _, row := range []struct {
		name, contentType, body string
		ignore, strict          string // the messages, empty for none
	}{
		{"PAT-002 list", merge, `[1]`, "", "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}"},
		{"PAT-002 number", merge, `5`, noMerge, "error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}"},
		{"PAT-002 string", merge, `"s"`, noMerge, "error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}"},
		{"PAT-002 bool", merge, `true`, noMerge, "error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}"},
		{"PAT-002 null", merge, `null`, noMerge, noMerge},
		{"PAT-002 too large a number", merge, `{"a":1e400}`, "", "error decoding patch: json: cannot unmarshal number 1e400 into Go value of type float64"},

		{"PAT-003 object", ops, `{}`, "json: cannot unmarshal object into Go value of type jsonpatch.Patch",
			"error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp"},
		{"PAT-003 string", ops, `"s"`, "json: cannot unmarshal string into Go value of type jsonpatch.Patch",
			"error decoding patch: json: cannot unmarshal string into Go value of type []handlers.jsonPatchOp"},
		{"PAT-003 bool", ops, `false`, "json: cannot unmarshal bool into Go value of type jsonpatch.Patch",
			"error decoding patch: json: cannot unmarshal bool into Go value of type []handlers.jsonPatchOp"},
		{"PAT-003 item that is a number", ops, `[{"op":"add","path":"/a"},-1]`, "json: cannot unmarshal number into Go value of type jsonpatch.Operation",
			"error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp"},
		{"PAT-003 item that is a list", ops, `[[],5]`, "json: cannot unmarshal array into Go value of type jsonpatch.Operation",
			"error decoding patch: json: cannot unmarshal array into Go value of type handlers.jsonPatchOp"},
		{"PAT-003 path of another type", ops, `[{"op":"add","path":5}]`, "the server rejected our request due to an error in our request",
			"error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string"},
		{"PAT-003 too large a value", ops, `[{"op":"add","path":"/a","value":1e400}]`, "",
			"error decoding patch: json: cannot unmarshal number 1e400 into Go struct field jsonPatchOp.value of type float64"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := accept(t, row.contentType, row.body)
			check := func(message string, refused *field.Status) {
				if message == "" {
					require.Nil(t, refused)
					return
				}
				require.NotNil(t, refused)
				require.Equal(t, message, refused.Message)
				if refused.Code != 422 {
					require.Equal(t, &field.Status{Code: 400, Reason: "BadRequest", Message: message}, refused)
				}
			}
			_, refused := p.Apply([]byte("{}"))
			check(row.ignore, refused)
			_, _, refused = p.ApplyStrict([]byte("{}"))
			check(row.strict, refused)
		})
	}
}

// The findings of strict decoding: DEC-005, DEC-012, PAT-002, PAT-003.
func TestFindings(t *testing.T) {
	for _, row := range []struct {
		name, contentType, body string
		want                    []string
	}{
		{"nothing", merge, `{"a":{"b":1},"c":{"b":1}}`, nil},
		{"DEC-005 duplicates", merge, `{"a":{"b":1,"b":2},"a":null,"l":[{"x":1,"x":1}]}`,
			[]string{`duplicate field "a.b"`, `duplicate field "a"`, `duplicate field "l[0].x"`}},
		{"PAT-003 unknown members", ops, `[{"op":"add","path":"/a","foo":1},{"Op":"x","op":"add","path":"/b","value":{"any":1}}]`,
			[]string{`json patch unknown field "[0].foo"`, `json patch unknown field "[1].Op"`}},
		{"PAT-003 duplicates", ops, `[{"op":"add","path":"/a","value":{"b":1,"b":2},"path":"/b"}]`,
			[]string{`json patch duplicate field "[0].value.b"`, `json patch duplicate field "[0].path"`}},
		{"no operation", ops, `null`, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, findings, refused := accept(t, row.contentType, row.body).ApplyStrict([]byte("{}"))
			require.Nil(t, refused)
			require.Equal(t, row.want, findings)
		})
	}
	t.Run("DEC-005 a hundred at most", func(t *testing.T) {
		body := "[" + strings.Repeat(`{"op":"add","path":"/a","x":1},`, 300) + `{"op":"add","path":"/a"}]`
		_, findings, refused := accept(t, ops, body).ApplyStrict([]byte("{}"))
		require.Nil(t, refused)
		require.Len(t, findings, 100)
	})
	t.Run("none with a refusal", func(t *testing.T) {
		_, findings, refused := accept(t, ops, `[{"op":"remove","path":"/a","x":1}]`).ApplyStrict([]byte("{}"))
		require.Equal(t, 422, refused.Code)
		require.Nil(t, findings)
	})
}

// DEC-016.
func TestNumberOfOperations(t *testing.T) {
	many := func(n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(`{"op":"test","path":"/a","value":1},`, n), ",") + "]"
	}
	text, refused := apply(t, ops, many(10000), `{"a":1}`)
	require.Nil(t, refused)
	require.Equal(t, `{"a":1}`, text)
	_, refused = apply(t, ops, many(10001), `{"a":1}`)
	require.Equal(t, &field.Status{
		Code: 413, Reason: "RequestEntityTooLarge",
		Message: "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
	}, refused)
}

func TestOldIsNoObject(t *testing.T) {
	for _, old := range []string{"", "null", "[]", "5", `"{}"`, "{", "{}{}"} {
		for contentType, body := range map[string]string{merge: "{}", ops: "[]"} {
			_, refused := apply(t, contentType, body, old)
			require.Equal(t, &field.Status{
				Code: 500, Reason: "InternalError", Message: "Internal error occurred: the object to patch is not a JSON object",
				Causes: []field.StatusCause{{Message: "the object to patch is not a JSON object"}},
			}, refused, old)
		}
	}
}

// Several goroutines can apply the same patch.
func TestReuse(t *testing.T) {
	for contentType, body := range map[string]string{
		merge: `{"l":[{"a":null}],"o":{"x":{"y":null}}}`,
		ops:   `[{"op":"add","path":"/o","value":{"a":{}}},{"op":"add","path":"/o/a/b","value":1}]`,
	} {
		p := accept(t, contentType, body)
		old := []byte(`{"o":{}}`)
		want, refused := p.Apply(old)
		require.Nil(t, refused)
		given.Concurrently(1, func() {
			text, _, refused := p.ApplyStrict(old)
			if refused != nil || string(text) != string(want) {
				t.Errorf("%s: %s, %v", contentType, text, refused)
			}
		})
		require.Equal(t, `{"o":{}}`, string(old))
		want[0] = 'x'
		text, _ := p.Apply(old)
		require.True(t, json.Valid(text), "the text is the caller's")
	}
}
