package hostile

import (
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// documentRows are documents: JSON and YAML texts. n is about the length of the text in bytes, unless the name says
// otherwise.
var documentRows = []row{
	documentRow("many plain YAML documents", 1<<20, "objects", func(n int) string { return strings.Repeat("a: 1\n---\n", n/9) }),
	documentRow("many YAML documents that are not plain", 1<<19, "objects", func(n int) string {
		return strings.Repeat("a: !!str 1\n---\n", n/15)
	}),
	documentRow("many empty YAML documents", 3<<20, "0 objects", func(n int) string { return strings.Repeat("---\n", n/4) }),
	documentRow("many JSON objects", 1<<20, "objects", func(n int) string { return strings.Repeat("{\"a\":1}\n", n/8) }),
	documentRow("many JSON objects, then half of one", 1<<20, "neither JSON", func(n int) string {
		return strings.Repeat("{\"a\":1}\n", n/8) + "{"
	}),
	documentRow("lines of dashes between JSON objects", 1<<20, "objects", func(n int) string {
		return strings.Repeat("{}\n---\n---\n", n/11)
	}),

	documentRow("YAML of 2 MiB of flow lists in one another", 2<<20, "max depth", func(n int) string { return "a: " + strings.Repeat("[", n) }),
	documentRow("YAML of 2 MiB of dashes", 2<<20, "max depth", func(n int) string { return "a:\n" + strings.Repeat("- ", n/2) + "x" }),
	documentRow("YAML of 2 MiB of question marks", 2<<20, "max depth", func(n int) string { return strings.Repeat("? ", n/2) }),
	documentRow("JSON of 2 MiB of objects in one another", 2<<20, "max depth", func(n int) string { return strings.Repeat("{\"a\":", n/5) }),
	documentRow("YAML with each key farther in", 1<<20, "1 objects", func(n int) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}),

	documentRow("YAML with many keys", 1<<20, "1 objects", func(n int) string {
		return documentLines(n, func(i int) string { return fmt.Sprintf("k%d: 1", i) })
	}),
	documentRow("YAML with one key many times", 1<<20, "1 objects", func(n int) string { return strings.Repeat("a: 1\n", n/5) }),
	documentRow("YAML with many keys that are numbers", 1<<20, "1 objects", func(n int) string {
		return documentLines(n, func(i int) string { return fmt.Sprintf("%d.5: 1", i) })
	}),
	documentRow("YAML with keys that are no numbers", 1<<20, "1 objects", func(n int) string { return strings.Repeat(".nan: 1\n", n/8) }),
	documentRow("JSON with one key many times", 1<<20, "1 objects", func(n int) string {
		return "{" + strings.Repeat("\"a\":1,", n/6) + "\"b\":1}"
	}),
	documentRow("a JSON key of 1 MiB, many times", 3<<20, "1 objects", func(n int) string {
		key := "\"" + strings.Repeat("k", n/3) + "\":1"
		return "{" + key + "," + key + "," + key + "}"
	}),
	documentRow("a YAML key of 1 MiB", 1<<20, "1 objects", func(n int) string { return "? " + strings.Repeat("k", n) + "\n: 1" }),
	{
		name: "document: the same keys again, far down", n: 1 << 20, linear: true, want: "100 findings",
		setup: func(n int) func() string {
			const depth = 1000
			key := "\"" + strings.Repeat("k", 20) + "\":"
			text := []byte(strings.Repeat("{"+key, depth) + "{" + strings.Repeat("\"a\":1,\"b\":1,", n/12) + documentTwice(200) + "}" + strings.Repeat("}", depth))
			return func() string {
				_, findings, err := unstructured.DecodeJSONStrict(text)
				return fmt.Sprint(len(findings), " findings ", err)
			}
		},
	},

	documentRow("many YAML anchors", 1<<20, "1 objects", func(n int) string {
		return documentLines(n, func(i int) string { return fmt.Sprintf("k%d: &a%d 1", i, i) })
	}),
	documentRow("one YAML anchor many times", 1<<20, "1 objects", func(n int) string {
		return documentLines(n, func(i int) string { return fmt.Sprintf("k%d: &a 1\nl%d: *a", i, i) })
	}),
	documentRow("YAML aliases of a small scalar", 1<<19, "1 objects", func(n int) string { return "a: &a x\nb: [" + strings.Repeat("*a,", n/3) + "]" }),
	documentAliases("512 YAML aliases of 1 MiB", 1<<20, func(n int) string {
		return "a: &a " + strings.Repeat("x", n) + "\nb: [" + strings.Repeat("*a,", 512) + "]"
	}),
	documentAliases("4,000 YAML aliases of a number of 1 MiB", 1<<20, func(n int) string {
		return "a: &a 0." + strings.Repeat("1", n) + "\nb: [" + strings.Repeat("*a,", 4000) + "]"
	}),
	documentAliases("YAML aliases of binary data", 1<<20, func(n int) string {
		return "a: &a !!binary " + strings.Repeat("QUJD", n/4) + "\nb: [" + strings.Repeat("*a,", 512) + "]"
	}),
	documentAliases("YAML aliases of aliases of a text", 1<<16, func(n int) string {
		text := "l0: &l0 [" + strings.Repeat("x", n) + "]\n"
		for i := range 6 {
			text += fmt.Sprintf("l%d: &l%d [", i+1, i+1) + strings.Repeat(fmt.Sprintf("*l%d,", i), 9) + "]\n"
		}
		return text
	}),
	documentAliases("YAML aliases of a text of many lines", 1<<20, func(n int) string {
		return "a: &a |\n" + strings.Repeat("  x\n", n/4) + "b:\n" + strings.Repeat("- *a\n", 512)
	}),
	documentAliases("YAML aliases in UTF-16", 1<<19, func(n int) string {
		text := "\uFEFFa: &a " + strings.Repeat("x", n) + "\nb: [" + strings.Repeat("*a,", 512) + "]"
		var wide []byte
		for _, unit := range utf16.Encode([]rune(text)) {
			wide = append(wide, byte(unit>>8), byte(unit))
		}
		return string(wide)
	}),
	documentAliases("merges of a large YAML map", 1<<20, func(n int) string {
		return "a: &a {x: " + strings.Repeat("x", n) + "}\nb:\n- <<: *a\n" + strings.Repeat("- <<: [*a, *a]\n", 256)
	}),
	{
		name: "document: a definition with YAML aliases of 1 MiB", n: 1 << 20, want: "excessive aliasing",
		setup: func(n int) func() string {
			text := []byte("kind: CustomResourceDefinition\na: &a " + strings.Repeat("x", n) + "\nb: [" + strings.Repeat("*a,", 512) + "]")
			return func() string {
				_, err := crd.Parse(text)
				_, schemaErr := schema.Decode(text)
				return fmt.Sprint(err, schemaErr)
			}
		},
	},
	documentRow("YAML with many %TAG directives", 1<<20, "too many", func(n int) string {
		return documentLines(n, func(i int) string { return fmt.Sprintf("%%TAG !t%d! x", i) }) + "---\na: 1"
	}),
	documentRow("YAML with many tags", 1<<19, "1 objects", func(n int) string { return "a: [" + strings.Repeat("!!str x,", n/8) + "]" }),

	documentRow("a YAML text of many lines", 3<<20, "1 objects", func(n int) string { return "a: |\n" + strings.Repeat("  x\n", n/4) }),
	documentRow("a folded YAML text of many lines", 3<<20, "1 objects", func(n int) string { return "a: >\n" + strings.Repeat("  x\n", n/4) }),
	documentRow("a YAML text with many empty lines", 2<<20, "1 objects", func(n int) string { return "a: |\n" + strings.Repeat("\n", n) + "  x\n" }),
	documentRow("YAML scalars with many empty lines behind them", 2<<20, "1 objects", func(n int) string {
		return "a:\n" + strings.Repeat("- a\n"+strings.Repeat("\n", 1000), n/1004)
	}),
	documentRow("a quoted YAML text of many lines", 2<<20, "1 objects", func(n int) string { return "a: \"" + strings.Repeat("x\n ", n/3) + "\"" }),
	documentRow("a YAML list in brackets", 1<<19, "1 objects", func(n int) string { return "a: [" + strings.Repeat("1,\n ", n/4) + "]" }),
	documentRow("YAML comments", 2<<20, "1 objects", func(n int) string { return "a: 1\n" + strings.Repeat("# c\n", n/4) }),
	documentRow("YAML lines that end in CR LF", 1<<20, "1 objects", func(n int) string {
		return documentLines(n, func(i int) string { return fmt.Sprintf("k%d: 1\r", i) })
	}),
	documentRow("byte order marks", 1<<20, "", func(n int) string { return strings.Repeat("\uFEFF", n/3) + "a: 1\n" }),

	documentRow("a YAML number of a million digits", 1<<20, "1 objects", func(n int) string { return "a: " + strings.Repeat("1", n) }),
	documentRow("a JSON number of a million digits", 1<<20, "cannot unmarshal number", func(n int) string { return "{\"a\":" + strings.Repeat("1", n) + "}" }),
	documentRow("a JSON fraction of a million digits", 1<<20, "1 objects", func(n int) string { return "{\"a\":0." + strings.Repeat("1", n) + "}" }),
	documentRow("large exponents", 1<<20, "1 objects", func(n int) string {
		return "{\"a\":[" + strings.Repeat("1e-999999999,", n/13) + "1]}"
	}),
	documentRow("numbers to the base of sixty", 1<<20, "1 objects", func(n int) string { return "a: " + strings.Repeat("1:", n/2) + "1" }),
	documentRow("escapes of half characters", 3<<20, "1 objects", func(n int) string { return "{\"a\":\"" + strings.Repeat("\\ud800", n/6) + "\"}" }),
	documentStrict("strict: fields that come twice below a long key", func(n int) string {
		return `{"properties":{"` + strings.Repeat("k", n) + `":{` + strings.Repeat(`"type":"object",`, n/20) + `"type":"object"}}}`
	}),
	documentStrict("strict: unknown fields below a long key", func(n int) string {
		return `{"properties":{"` + strings.Repeat("k", n) + `":{` + documentLines(n, func(i int) string { return fmt.Sprintf(`"x%d":1,`, i) }) + `"type":"object"}}}`
	}),
	documentStrict("strict: fields that come twice far down", func(n int) string {
		deep := n / 40
		return strings.Repeat(`{"properties":{"abcdefgh":`, min(deep, 4_900)) + "{" + strings.Repeat(`"type":"object",`, n/20) + `"type":"object"}` + strings.Repeat("}}", min(deep, 4_900))
	}),
	documentRow("bytes that are no UTF-8", 3<<20, "1 objects", func(n int) string { return "{\"a\":\"" + strings.Repeat("\xff", n) + "\"}" }),
}

// documentRow is a row whose time is linear: a text that all decoders read.
func documentRow(name string, n int, want string, text func(n int) string) row {
	if want == "" {
		want = "objects"
	}
	return row{
		name: "document: " + name, n: n, linear: true, want: want,
		setup: func(n int) func() string { return documentDecoders(text(n)) },
	}
}

// documentAliases is a row of a text with aliases of something large.
func documentAliases(name string, n int, text func(n int) string) row {
	return row{
		name: "document: " + name, n: n, want: "excessive aliasing",
		setup: func(n int) func() string { return documentDecoders(text(n)) },
	}
}

// documentStrict is a row of a schema that is decoded strictly, by itself and in a definition.
func documentStrict(name string, text func(n int) string) row {
	return row{
		name: "document: " + name, n: 1 << 20, want: "too long",
		setup: func(n int) func() string {
			body := text(n)
			definition := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"as.x.io"},
				"spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":` + body + `}}]}}`
			return func() string {
				_, findings, err := schema.DecodeStrict([]byte(body))
				_, more, bad := crd.ParseStrict([]byte(definition))
				return fmt.Sprintf("%.300v %.300v %.300v %.300v", findings, more, err, bad)
			}
		},
	}
}

// documentDecoders reads a text in all ways that there are, and answers with the result of one of them.
func documentDecoders(text string) func() string {
	data := []byte(text)
	return func() string {
		objects, err := unstructured.DecodeAll(data)
		_, findings, _ := unstructured.DecodeStrict(data)
		_, yamlFindings, _ := unstructured.YAMLToJSONStrict(data)
		return fmt.Sprintf("%d objects %.300v %d findings", len(objects), err, len(findings)+len(yamlFindings))
	}
}

func documentLines(n int, line func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteString(line(i))
		b.WriteByte('\n')
	}
	return b.String()
}

// documentTwice returns members with each key twice.
func documentTwice(keys int) string {
	members := make([]string, 0, 2*keys)
	for i := range keys {
		member := fmt.Sprintf("\"t%d\":1", i)
		members = append(members, member, member)
	}
	return strings.Join(members, ",")
}
