package query

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var offered = NewSelectable(true, ".spec.int", ".spec.bool", ".spec.str", ".spec.m.k")

// SEL-004: the forms of a term, and how a server writes them.
func TestParseFields(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"only commas", ",,", ""},
		{"neither label nor value", "=,==,!=", ""},
		{"empty terms", "spec.int=7,,", "spec.int=7"},
		{"two equals signs are one", "spec.int==7", "spec.int=7"},
		{"unequal", "spec.int!=7", "spec.int!=7"},
		{"in byte order", "spec.str=b,metadata.name=a,spec.int!=7", "metadata.name=a,spec.int!=7,spec.str=b"},
		{"no value", "spec.str=,spec.bool!=", "spec.bool!=,spec.str="},
		{"blanks stay", "spec.str= a ", "spec.str= a "},
		{"backslashes", `spec.str=a\,b\=c\\`, `spec.str=a\,b\=c\\`},
		{"exclamation mark in a value", "spec.str=!", "spec.str=!"},
		{"bytes that are no UTF-8", "spec.str=\xff", "spec.str=\xff"},
		{"invalid UTF-8 and a backslash", "spec.str=\xff\\,", "spec.str=\uFFFD\\,"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f, err := offered.Parse(row.text)
			require.NoError(t, err)
			require.Equal(t, row.want, f.String())
			require.Equal(t, row.want == "", f.Empty())
		})
	}
}

// SEL-001, SEL-004: the error texts of a server, recorded from the reference.
func TestParseFieldsErrors(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"no operator", "spec.int", "invalid selector: 'spec.int'; can't understand 'spec.int'"},
		{"another operator", "spec.int > 7", "invalid selector: 'spec.int > 7'; can't understand 'spec.int > 7'"},
		{"the first in byte order", "spec.int,x=1,a", "invalid selector: 'spec.int,x=1,a'; can't understand 'a'"},
		{"two operators", "spec.int=7=8", "invalid field selector: unescaped character in value: 61"},
		{"three equals signs", "spec.int===8", "invalid field selector: unescaped character in value: 61"},
		{"unequal and equal", "spec.int!==8", "invalid field selector: unescaped character in value: 61"},
		{"unknown escape", `spec.str=\x`, `invalid field selector: invalid escape sequence: \x`},
		{"escaped letter", `spec.str=\é`, `invalid field selector: invalid escape sequence: \é`},
		{"escaped byte that is no UTF-8", "spec.str=\\\xff", "invalid field selector: invalid escape sequence: \\\uFFFD"},
		{"backslash at the end", `spec.str=a\`, `invalid field selector: invalid escape sequence: \`},
		{"a comma in a value", "spec.str=a,b=c", "field label not supported: b"},
		{"leading dot", ".spec.int=7", "field label not supported: .spec.int"},
		{"leading blank", " spec.int=7", "field label not supported:  spec.int"},
		{"no label", "=7", "field label not supported: "},
		{"exclamation mark in a label", "a!b=7", "field label not supported: a!b"},
		{"syntax before labels", "a=1,b", "invalid selector: 'a=1,b'; can't understand 'b'"},
		{"labels in byte order", "z=1,b=1", "field label not supported: b"},
		{"a parent of a field", "spec.m=x", "field label not supported: spec.m"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := offered.Parse(row.text)
			require.EqualError(t, err, row.want)
		})
	}
}

// A value with any characters is parsed back from its text, and the text is one term.
func TestFieldsRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	escape := strings.NewReplacer(`\`, `\\`, `,`, `\,`, `=`, `\=`)
	for range 20_000 {
		var value strings.Builder
		for range r.IntN(6) {
			value.WriteString([]string{`\`, ",", "=", "!", "a", "é", " "}[r.IntN(7)])
		}
		obj := map[string]any{"spec": map[string]any{"str": value.String()}}
		text := "spec.str=" + escape.Replace(value.String())
		f, err := offered.Parse("spec.int!=7," + text)
		require.NoError(t, err, "%q", text)
		require.True(t, f.Matches(obj), "%q", text)
		require.Equal(t, "spec.int!=7,"+text, f.String())
		f, err = offered.Parse("spec.str!=" + escape.Replace(value.String()))
		require.NoError(t, err, "%q", text)
		require.False(t, f.Matches(obj), "%q", text)
	}
}

func FuzzParseFields(f *testing.F) {
	for _, s := range []string{"", "=", "spec.int=7,,", `spec.str=a\,b\\`, "spec.int!==8", `spec.str=\x`, "metadata.name==a,metadata.namespace!=b", "spec.str=\xff\\="} {
		f.Add(s)
	}
	obj := map[string]any{"metadata": map[string]any{"name": "a"}, "spec": map[string]any{"int": int64(7), "str": "a,b"}}
	f.Fuzz(func(t *testing.T, text string) {
		fields, err := offered.Parse(text)
		if err != nil {
			require.True(t, fields.Empty())
			require.NotEmpty(t, err.Error())
			return
		}
		written := fields.String()
		again, err := offered.Parse(written)
		require.NoError(t, err, "%q", written)
		// Terms are in the order of their original texts, in which == has two characters.
		require.ElementsMatch(t, fields.terms, again.terms, "%q", written)
		require.Equal(t, fields.Matches(obj), again.Matches(obj))
	})
}

func BenchmarkFieldsMatches(b *testing.B) {
	f, err := offered.Parse("metadata.name=a,spec.str!=x,spec.int=7")
	require.NoError(b, err)
	obj := map[string]any{"metadata": map[string]any{"name": "a"}, "spec": map[string]any{"int": int64(7), "str": "a"}}
	b.ReportAllocs()
	for b.Loop() {
		f.Matches(obj)
	}
}

// A built-in kind without labels of its own has those of metadata, and a text of its own.
func TestMetadataOnly(t *testing.T) {
	for _, namespaced := range []bool{true, false} {
		s := NewSelectable(namespaced)
		s.MetadataOnly()
		f, err := s.Parse("metadata.name=a,metadata.namespace=b")
		require.NoError(t, err)
		require.Equal(t, namespaced, f.Matches(map[string]any{"metadata": map[string]any{"name": "a", "namespace": "b"}}))
		_, err = s.Parse("spec.a=b")
		require.EqualError(t, err, `"spec.a" is not a known field selector: only "metadata.name", "metadata.namespace"`)
		s.Set("metadata.name", nil)
		_, err = s.Parse("metadata.name=a")
		require.Error(t, err)
	}
}
