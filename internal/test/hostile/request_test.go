package hostile

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/protocol"
)

const (
	requestJSONPatch  = "application/json-patch+json"
	requestMergePatch = "application/merge-patch+json"
)

// requestRows are requests: patches, scales, conversions, selectors, JSONPaths.
var requestRows = []row{
	requestPatch("a patch that copies what it has copied", 10_000, "error in our request", requestJSONPatch, func(n int) string {
		return requestOperations(n, `{"op":"copy","from":"/spec","path":"/spec/free"}`)
	}),
	requestPatch("fields that come twice below a long key of a JSON patch", 1<<20, "", requestJSONPatch, func(n int) string {
		return `[{"op":"add","path":"/spec/free","value":{"` + strings.Repeat("k", n) + `":{` + strings.Repeat(`"a":1,`, n/10) + `"a":2}}}]`
	}),
	requestPatch("fields that come twice below a long key of a merge patch", 1<<20, "", requestMergePatch, func(n int) string {
		return `{"spec":{"free":{"` + strings.Repeat("k", n) + `":{` + strings.Repeat(`"a":1,`, n/10) + `"a":2}}}}`
	}),
	requestPatch("a patch that copies a text", 10_000, "error in our request", requestJSONPatch, func(n int) string {
		return `[{"op":"add","path":"/spec/free","value":["` + strings.Repeat("x", 1<<20) + `"]},` +
			requestOperations(min(n, 9999), `{"op":"copy","from":"/spec/free/0","path":"/spec/free/-"}`)[1:]
	}),
	requestPatch("a patch that moves an object into itself", 10_000, "error in our request", requestJSONPatch, func(n int) string {
		return requestOperations(n, `{"op":"move","from":"/spec","path":"/spec/free"}`)
	}),
	requestPatch("10,000 insertions at the front of a list", 10_000, "", requestJSONPatch, func(n int) string {
		return `[{"op":"add","path":"/spec/free","value":[` + strings.Repeat("0,", 20*n) + `0]},` +
			requestOperations(min(n, 9999), `{"op":"add","path":"/spec/free/0","value":1}`)[1:]
	}),
	requestPatch("10,000 tests of a large object", 10_000, "", requestJSONPatch, func(n int) string {
		return `[{"op":"add","path":"/spec/free","value":[` + strings.Repeat("0,", 2*n) + `0]},` +
			requestOperations(min(n, 9999), `{"op":"test","path":"/spec/free/0","value":0}`)[1:]
	}),
	requestPatch("a path of 1 MiB", 1<<20, "error in our request", requestJSONPatch, func(n int) string {
		return `[{"op":"add","path":"` + strings.Repeat("/a", n/2) + `","value":1}]`
	}),
	requestPatch("paths through a deep object", 5000, "", requestJSONPatch, func(n int) string {
		return `[{"op":"add","path":"/spec/free","value":` + strings.Repeat(`{"a":`, n/2) + "1" + strings.Repeat("}", n/2) + `},` +
			requestOperations(200, `{"op":"test","path":"/spec/free`+strings.Repeat("/a", n/2)+`","value":1}`)[1:]
	}),
	requestPatch("operations that nest an object", 10_000, "", requestJSONPatch, func(n int) string {
		return requestOperations(n, `{"op":"replace","path":"/spec/free","value":{"a":1}}`)
	}),
	requestPatch("too many operations", 100_000, "allowed maximum operations", requestJSONPatch, func(n int) string {
		return requestOperations(max(n, 10_001), `{"op":"test"}`)
	}),
	requestPatch("1.5 million unknown operations", 1_000_000, "allowed maximum operations", requestJSONPatch, func(n int) string {
		return "[" + strings.Repeat("{},", max(n, 10_001)) + "{}]"
	}),
	requestPatch("an index of a million digits", 1<<20, "error in our request", requestJSONPatch, func(n int) string {
		return `[{"op":"remove","path":"/metadata/finalizers/` + strings.Repeat("9", n) + `"}]`
	}),
	requestPatch("a merge patch nested to the limit", 9000, "", requestMergePatch, func(n int) string {
		return `{"spec":{"free":` + strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) + "}}"
	}),
	requestPatch("a merge patch with one key many times", 3<<20-100, "", requestMergePatch, func(n int) string {
		return `{"spec":{"free":{` + strings.Repeat(`"a":1,`, n/6) + `"b":1}}}`
	}),
	requestPatch("a merge patch of unknown fields", 1<<20, "no errors", requestMergePatch, func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, `"u%d":1,`, i)
		}
		return `{"spec":{` + b.String() + `"replicas":1}}`
	}),
	requestPatch("a patch that is larger than a server takes", 16<<20, "limit is 3145728", requestMergePatch, func(n int) string {
		return `{"spec":{"free":"` + strings.Repeat("x", max(n, 4<<20)) + `"}}`
	}),
	{
		name: "request: a patch of a Scale with many unknown fields", n: 1 << 20, linear: true, want: "no errors",
		setup: func(n int) func() string {
			v, body := valueVersion(), requestList(n, func(i int) string { return fmt.Sprintf(`"u%d":1`, i) })
			return func() string {
				return valueAnswer(v.PatchScale(context.Background(), requestMergePatch, []byte(`{"spec":{"replicas":2,`+body+`}}`), valueStored("free", nil)))
			}
		},
	},

	requestSelector("labels with many requirements", 3<<20, "matches false", func(n int) (string, string) {
		return requestList(n, func(i int) string { return fmt.Sprintf("k%d=v", i) }), ""
	}),
	requestSelector("labels with many values", 3<<20, "matches false", func(n int) (string, string) {
		return "k in (" + requestList(n, func(i int) string { return fmt.Sprintf("v%d", i) }) + ")", ""
	}),
	requestSelector("labels with long keys", 3<<20, "must be no more than", func(n int) (string, string) { return strings.Repeat("k", n) + "=v", "" }),
	requestSelector("labels with many wrong values", 3<<20, "more wrong values", func(n int) (string, string) {
		return "k in (" + requestList(n, func(i int) string { return fmt.Sprintf("-v%d", i) }) + ")", ""
	}),
	requestSelector("labels of commas", 3<<20, "found ','", func(n int) (string, string) { return strings.Repeat(",", n), "" }),
	requestSelector("fields with many terms", 3<<20, "matches", func(n int) (string, string) {
		return "", requestList(n, func(i int) string { return fmt.Sprintf("metadata.name!=v%d", i) })
	}),
	requestSelector("fields with many backslashes", 3<<20, "matches", func(n int) (string, string) {
		return "", "metadata.name=" + strings.Repeat(`\\`, n/2)
	}),

	requestPath("a path of recursive descents", 20, "rows", func(n int) string { return strings.Repeat("..*", n) }),
	requestPath("a path of wildcards", 1000, "rows", func(n int) string { return strings.Repeat("[*]", n) }),
	requestPath("a path of unions", 10_000, "rows", func(n int) string { return ".spec[" + strings.Repeat("'free',", n) + "'free']" }),
	requestPath("unions in one another", 20, "rows", func(n int) string { return ".spec" + strings.Repeat("['free','free']", n) }),
	requestPath("filters in one another", 90, "rows", func(n int) string {
		return ".spec.free" + strings.Repeat("[?(@", n) + strings.Repeat(")]", n)
	}),
	requestPath("a path of many names", 100_000, "rows", func(n int) string { return strings.Repeat(".a", n) }),
	requestPath("a path of a long name", 1<<20, "rows", func(n int) string { return "." + strings.Repeat("a", n) }),

	{
		name: "request: warnings with line breaks", n: 100_000, linear: true, want: "0 headers",
		setup: func(n int) func() string {
			warnings := given.List(n, func(i int) string { return fmt.Sprintf("a%d\r\nSet-Cookie: b", i) })
			return func() string { return requestHeaders(warnings) }
		},
	},
	{
		name: "request: unknown fields with line breaks", n: 10_000, linear: true, want: "0 headers",
		setup: func(n int) func() string {
			v, obj := valueVersion(), valueWith("free", nil)
			for i := range n {
				obj["spec"].(valueObject)[fmt.Sprintf("a%d\nSet-Cookie: b", i)] = true
			}
			return func() string { return requestHeaders(v.Create(context.Background(), obj).Warnings) }
		},
	},
	{
		name: "request: a million warnings", n: 1_000_000, linear: true, want: "headers",
		setup: func(n int) func() string {
			warnings := given.List(n, func(i int) string { return fmt.Sprintf("warning %d", i) })
			return func() string { return requestHeaders(warnings) }
		},
	},
	{
		name: "request: a warning of 16 MiB", n: 16 << 20, linear: true, want: "1 headers",
		setup: func(n int) func() string {
			warnings := []string{strings.Repeat("é", n/2)}
			return func() string { return requestHeaders(warnings) }
		},
	},
}

func requestPatch(name string, n int, want, contentType string, body func(n int) string) row {
	if want == "" {
		want = "no errors"
	}
	return row{
		name: "request: " + name, n: n, want: want,
		setup: func(n int) func() string {
			v, text := valueVersion(), []byte(body(n))
			return func() string {
				return valueAnswer(v.Patch(context.Background(), contentType, text, valueStored("free", nil)))
			}
		},
	}
}

func requestOperations(n int, operation string) string {
	return "[" + strings.Repeat(operation+",", n-1) + operation + "]"
}

func requestSelector(name string, n int, want string, text func(n int) (labels, fields string)) row {
	return row{
		name: "request: " + name, n: n, linear: true, want: want,
		setup: func(n int) func() string {
			v := valueVersion()
			labels, fields := text(n)
			return func() string {
				s, refused := v.Selector(labels, fields)
				if refused != nil {
					text := refused.Error()
					return text[:min(len(text), 1<<10)] + text[max(0, len(text)-1<<10):]
				}
				return fmt.Sprint(len(s.Labels())+len(s.Fields()), " matches ", s.Matches(valueStored("free", nil)))
			}
		},
	}
}

// requestPath is a row about the path of a column, in an object that has much to find.
func requestPath(name string, n int, want string, path func(n int) string) row {
	return row{
		name: "request: " + name, n: n, want: want,
		setup: func(n int) func() string {
			d := valueDefinition()
			d.Spec.Versions[0].AdditionalPrinterColumns = []crd.Column{{Name: "c", Type: "string", JSONPath: path(n)}}
			r, err := resource.Compile(d)
			if err != nil {
				return func() string { return "rows: " + err.Error() }
			}
			obj := valueStored("free", given.List(300, func(int) any { return make([]any, 300) }))
			return func() string {
				return fmt.Sprint("rows: ", len(r.Version("v1").Table([]map[string]any{obj}, time.Time{}).Rows))
			}
		},
	}
}

func requestHeaders(warnings []string) string {
	headers := protocol.WarningHeaders(warnings)
	for _, h := range headers {
		if strings.ContainsAny(h, "\r\n") {
			return "a header with a line break"
		}
	}
	return fmt.Sprint(len(headers), " headers")
}

func requestList(n int, item func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(item(i))
	}
	return b.String()
}
