package hostile

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/resource"
)

// settledRows are texts of objects, of 3 MiB, that are validated without being decoded.
var settledRows = []row{
	settledRow("keys in the reverse order", true, func(n int) string {
		return `"free":{` + settledList(n, func(i int) string { return fmt.Sprintf(`"%08d":1`, n-i) }) + "}"
	}),
	settledRow("keys in the reverse order, with a long beginning", true, func(n int) string {
		const length = 1 << 11
		return `"free":{` + settledList(n, func(i int) string { return fmt.Sprintf(`"%s%08d":1`, strings.Repeat("k", length), n-i) }) + "}"
	}),
	settledRow("an escaped key in each of 300 objects in one another", false, func(n int) string {
		return `"free":` + strings.Repeat(`{"\u0061":`, 300) + `"` + strings.Repeat("x", n-300*12) + `"` + strings.Repeat("}", 300)
	}),
	settledRow("objects with an escaped key", true, func(n int) string {
		return `"free":[` + settledList(n, func(int) string { return `{"\u0061":1}` }) + "]"
	}),
	settledRow("deep lists", false, func(n int) string {
		return `"free":` + strings.Repeat("[", n/2) + strings.Repeat("]", n/2)
	}),
	settledRow("a number of a million digits", false, func(n int) string { return `"free":` + strings.Repeat("9", n) }),
	settledRow("a fraction of a million digits", true, func(n int) string { return `"free":0.` + strings.Repeat("1", n) }),
	settledRow("a text of escapes", true, func(n int) string { return `"text":"` + strings.Repeat(`\u00e9`, n/6) + `"` }),
	settledRow("a text with a pattern", true, func(n int) string { return `"pattern":"` + strings.Repeat("a", n) + `"` }),
	settledRow("a set", true, func(n int) string {
		return `"set":[` + settledList(n, func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + "]"
	}),
	settledRow("a set with an escape", false, func(n int) string {
		return `"set":["\u0061",` + settledList(n, func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + "]"
	}),
	settledRow("a map", true, func(n int) string {
		return `"map":[` + settledList(n, func(i int) string { return fmt.Sprintf(`{"k":"%d"}`, i) }) + "]"
	}),
	settledRow("empty objects with a thousand properties", true, func(n int) string {
		return `"wide":[` + settledList(n, func(int) string { return "{}" }) + "]"
	}),
	settledRow("objects with many required properties", true, func(n int) string {
		object := "{" + strings.TrimSuffix(settledNames(`"p%d":1,`, settledRequired), ",") + "}"
		return `"many":[` + settledList(n, func(int) string { return object }) + "]"
	}),
	settledRow("branches in one another", false, func(n int) string {
		return `"branches":[` + settledList(n, func(i int) string { return fmt.Sprintf(`"%d"`, i) }) + "]"
	}),
	settledRow("embedded resources", true, func(n int) string {
		return `"embedded":[` + settledList(n, func(i int) string {
			return fmt.Sprintf(`{"apiVersion":"v1","kind":"A","metadata":{"name":"a%d","labels":{"a":"b"}}}`, i)
		}) + "]"
	}),
	settledRow("values with rules", true, func(n int) string {
		return `"ruled":[` + settledList(n, func(i int) string { return fmt.Sprintf(`{"a":%d}`, i) }) + "]"
	}),
	{
		name: "settled: labels", n: 3 << 20, linear: true, want: "settled",
		setup: func(n int) func() string {
			return settledCall(fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"n","labels":{%s}}}`,
				settledList(n-200, func(i int) string { return fmt.Sprintf(`"l%08d":"v"`, n-i) })))
		},
	},
}

// settledRow is a row of the texts that spec makes, the fields of an object that are so long together.
func settledRow(name string, linear bool, spec func(n int) string) row {
	return row{name: "settled: " + name, n: 3 << 20, linear: linear, want: "settled", setup: func(n int) func() string {
		return settledCall(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a","namespace":"n","generation":1},"spec":{` + spec(n-200) + `}}`)
	}}
}

// settledCall asks everything about a text.
func settledCall(text string) func() string {
	v, body := settledVersion(), []byte(text)
	return func() string {
		return fmt.Sprintf("settled %v, and by an update %v: %d bytes", v.Settled(body), v.SettledUpdate(body, body), len(body))
	}
}

// settledList returns items that are about n bytes long together, with commas.
func settledList(n int, item func(i int) string) string {
	var b strings.Builder
	for i := 0; ; i++ {
		text := item(i)
		if b.Len()+len(text)+1 > n {
			return b.String()
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(text)
	}
}

// settledRequired is how many properties are required: more than have bits.
const settledRequired = 500

func settledNames(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func settledVersion() *resource.Version {
	branches := "{type: string}"
	for range 12 {
		branches = "{anyOf: [" + branches + ", {maxLength: 1}]}"
	}
	branches = strings.ReplaceAll(branches, "{type: string}", "{minLength: 1}")
	return compiled(definitionOf("example.com", `
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              free: {nullable: true, x-kubernetes-preserve-unknown-fields: true}
              text: {type: string, maxLength: 4000000}
              pattern: {type: string, pattern: '^(a|a|b)*c?$'}
              set: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              map: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}
              wide: {type: array, items: {type: object, properties: {`+settledNames("p%d: {type: integer}, ", 1000)+`}}}
              many: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true, required: [`+settledNames("p%d, ", settledRequired)+`]}}
              branches: {type: array, items: {type: string, anyOf: [`+branches+`, {not: `+branches+`}]}}
              embedded: {type: array, items: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}
              ruled: {type: array, maxItems: 1000000, items: {type: object, properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: self.a >= 0}]}}
`)).Version("v1")
}
