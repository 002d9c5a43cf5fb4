package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/internal/tool/finding"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

// hostile is a report about files whose names and texts try to break the formats.
func hostile() *Report {
	r := New("validate")
	source := []byte("\ufeffa: 1\r\n\tb: \x1b[31m<x>&é" + strings.Repeat("long ", 100) + "\n")
	r.File("z.yaml")
	r.AddSubject(Subject{"a:b %,c\n::error::.yaml", "Widget <a>"})
	r.AddSubject(Subject{"z.yaml", "Widget fine"})
	r.Add(finding.Finding{File: "a:b %,c\n::error::.yaml", Position: yamltext.Position{Line: 2, Column: 5}, Severity: finding.Error, Code: "Invalid", Message: "x \x1b[2J\x00 ]]> <b>\n::error::second % line",
		Hints: []string{"a \u202e hint"}, Path: "spec.a", Pointer: "/spec/a", Object: "Widget <a>", Source: source})
	r.Add(finding.Finding{File: "z.yaml", Position: yamltext.Position{Line: 1, Column: 1}, Severity: finding.Warning, Code: finding.Warned, Message: "first", Source: source})
	r.Add(finding.Finding{File: "<stdin>", Severity: finding.Error, Code: finding.Unreadable, Message: "not there"})
	r.Add(finding.Finding{File: "/abs/x.yaml", Severity: finding.Note, Code: finding.Unused, Message: "a note", Template: "a/\x07.yaml"})
	r.Summary.Unreadable = 1
	r.Finish()
	return r
}

func printed(t *testing.T, r *Report, o Options, color ...bool) string {
	t.Helper()
	var b bytes.Buffer
	w := output.New(&b)
	if color != nil {
		w.UseColor()
	}
	require.NoError(t, r.Print(w, o))
	return b.String()
}

// Findings come by file and place, and nothing in them reaches a terminal as a control character.
func TestText(t *testing.T) {
	text := printed(t, hostile(), Options{Snippets: true})
	require.NotContains(t, strings.ReplaceAll(text, "\n", ""), "\x1b")
	require.NotContains(t, text, "\u202e")
	require.True(t, strings.HasPrefix(text, "z.yaml:1:1: warning: first\n    a: 1\n    ^\n\na:b %,c"), text)
	require.Contains(t, text, `     b: \u001b[31m<x>&é`)
	require.Contains(t, text, "\n        ^\n", "the caret is below the fifth character")
	for line := range strings.Lines(text) {
		require.Less(t, len(line), 400)
	}
	colored := printed(t, hostile(), Options{}, true)
	require.Contains(t, colored, output.Red+"error\x1b[0m")
	require.NotContains(t, colored, "\x1b[2J")
}

// One workflow command a finding, whatever its text.
func TestGitHub(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(printed(t, hostile(), Options{Format: GitHub})), "\n")
	require.Len(t, lines, 4)
	require.Equal(t, "::warning file=z.yaml,line=1,col=1::first", lines[0])
	require.True(t, strings.HasPrefix(lines[1], "::error file=a%3Ab %25%2Cc%0A%3A%3Aerror%3A%3A.yaml,line=2,col=5,title=Widget <a>::x "), lines[1])
}

func TestJUnit(t *testing.T) {
	text := printed(t, hostile(), Options{Format: JUnit})
	type fault struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Suites   []struct {
			Name  string `xml:"name,attr"`
			Cases []struct {
				Name    string `xml:"name,attr"`
				Line    int    `xml:"line,attr"`
				Failure *fault `xml:"failure"`
				Error   *fault `xml:"error"`
				Output  string `xml:"system-out"`
			} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	require.NoError(t, xml.Unmarshal([]byte(text), &got), text)
	require.Equal(t, []int{5, 1, 1}, []int{got.Tests, got.Failures, got.Errors})
	require.Equal(t, []string{hostile().Subjects[0].File, "z.yaml"}, []string{got.Suites[0].Name, got.Suites[1].Name})
	require.Equal(t, "Widget fine", got.Suites[1].Cases[0].Name)
	require.Nil(t, got.Suites[1].Cases[0].Failure)
	var failure, unreadable *fault
	line, systemOut := 0, ""
	for _, s := range got.Suites {
		for _, c := range s.Cases {
			if c.Failure != nil {
				failure, line = c.Failure, c.Line
			}
			if c.Error != nil {
				unreadable = c.Error
			}
			systemOut += c.Output
		}
	}
	for _, f := range hostile().Findings {
		switch {
		case f.Code == finding.Unreadable:
			require.Equal(t, output.EscapeLines(f.Message), unreadable.Message)
		case f.Severity == finding.Error:
			require.Equal(t, output.EscapeLines(f.Message), failure.Message)
			require.Contains(t, failure.Text, Location(f)+": error: ")
			require.Equal(t, f.Line, line)
		default:
			require.Contains(t, systemOut, Location(f)+": "+string(f.Severity)+": ")
		}
	}
}

// Whatever a text has in it, XML readers get it back, except for what XML has no characters for.
func TestXMLText(t *testing.T) {
	for text, want := range map[string]string{
		"a<b>&\"'\t\n\r;": "a<b>&\"'\t\n\r;", "]]>&#34;<!--": "]]>&#34;<!--", "\xff\ufffe\uffffé": "\ufffd\ufffd\ufffdé",
	} {
		var got struct {
			Attr string `xml:"a,attr"`
			Text string `xml:",chardata"`
		}
		require.NoError(t, xml.Unmarshal([]byte(`<x a="`+xmlText(text)+`">`+xmlText(text)+"</x>"), &got), text)
		require.Equal(t, []string{want, want}, []string{got.Attr, got.Text})
	}
}

// What SARIF 2.1.0 asks of each object that is there: the properties that it knows, those that it requires, and their
// values.
func TestSARIF(t *testing.T) {
	var log map[string]any
	require.NoError(t, json.Unmarshal([]byte(printed(t, hostile(), Options{Format: SARIF, Version: "1.0.0"})), &log))
	only := func(v any, required string, optional string) map[string]any {
		t.Helper()
		m, ok := v.(map[string]any)
		require.True(t, ok, "%v", v)
		known := strings.Fields(required + " " + optional)
		for name := range m {
			require.Contains(t, known, name)
		}
		for _, name := range strings.Fields(required) {
			require.Contains(t, m, name)
		}
		return m
	}
	only(log, "version runs", "$schema")
	require.Equal(t, "2.1.0", log["version"])
	run := only(log["runs"].([]any)[0], "tool", "results columnKind")
	require.Equal(t, "unicodeCodePoints", run["columnKind"])
	driver := only(only(run["tool"], "driver", "")["driver"], "name", "version informationUri rules")
	rules := driver["rules"].([]any)
	seen := map[string]bool{}
	for _, r := range rules {
		id := only(r, "id shortDescription", "fullDescription helpUri")["id"].(string)
		require.False(t, seen[id], "rules are unique")
		seen[id] = true
	}
	results := run["results"].([]any)
	require.Len(t, results, 4)
	for _, v := range results {
		r := only(v, "message", "ruleId ruleIndex level locations")
		require.Equal(t, r["ruleId"], rules[int(r["ruleIndex"].(float64))].(map[string]any)["id"])
		require.Contains(t, []any{"error", "warning", "note"}, r["level"])
		require.NotEmpty(t, only(r["message"], "text", "")["text"])
		for _, l := range r["locations"].([]any) {
			place := only(only(l, "", "physicalLocation logicalLocations")["physicalLocation"], "artifactLocation", "region")
			uri, err := url.Parse(only(place["artifactLocation"], "uri", "")["uri"].(string))
			require.NoError(t, err)
			require.True(t, uri.Scheme == "" || uri.Scheme == "file")
			if place["region"] != nil {
				region := only(place["region"], "startLine startColumn", "")
				require.GreaterOrEqual(t, region["startLine"], 1.0)
				require.GreaterOrEqual(t, region["startColumn"], 1.0)
			}
		}
	}
}

// A report without findings has an empty list of results.
func TestEmptySARIF(t *testing.T) {
	require.Contains(t, printed(t, New("check"), Options{Format: SARIF}), "\"results\": []")
}

// More findings than a report lists are counted.
func TestMany(t *testing.T) {
	r := New("validate")
	for range MaxFindings + 5 {
		r.Add(finding.Finding{File: "a", Severity: finding.Warning, Message: "m"})
	}
	r.Finish()
	require.Len(t, r.Findings, MaxFindings)
	require.Equal(t, Counts{Warnings: MaxFindings + 5, Omitted: 5}, r.Summary.Findings)
	require.Zero(t, r.ExitCode())
	require.Contains(t, printed(t, r, Options{}), "and 5 more\n")
}

// The exit code, and the number of refused objects: each counts once, unless the command counts by itself.
func TestSummary(t *testing.T) {
	r := New("validate")
	r.Finish()
	require.Zero(t, r.ExitCode())
	require.Equal(t, "there is nothing to validate\n", printed(t, r, Options{}))
	for _, f := range []finding.Finding{
		{File: "a", Severity: finding.Error, Object: "x"}, {File: "a", Severity: finding.Error, Object: "x"}, {File: "b", Severity: finding.Error, Object: "x"}, {File: "b", Severity: finding.Error},
		{File: "b", Severity: finding.Warning, Object: "y"}, {File: "b", Severity: finding.Note, Object: "y"}, {File: "b", Severity: finding.Note, Object: "y"},
	} {
		r.Add(f)
	}
	r.Summary.Objects, r.Summary.Definitions, r.Summary.BuiltIn, r.Summary.Patches, r.Summary.Others = 1, 2, 1, 2, 1
	r.Summary.Undefined = map[string]int{"B": 2, "A": 1}
	r.Finish()
	require.Equal(t, 1, r.ExitCode())
	require.Equal(t, 2, r.Summary.Refused)
	require.Equal(t, []string{
		"no definition for: A (1), B (2)",
		"skipped: 1 document of a built-in kind, 2 patches, 1 document that is no definition",
		"2 definitions, 1 object, 2 refused, 4 errors, 1 warning, 2 notes",
	}, r.Summary.lines())
	r.SetRefused(0)
	r.Summary.Unreadable = 1
	r.Finish()
	require.Equal(t, 2, r.ExitCode())
	require.Zero(t, r.Summary.Refused)
}

// Findings are sorted by file, line and column. Those at the same position stay in their order.
func TestFinish(t *testing.T) {
	r := New("validate")
	r.File("b")
	add := func(file string, line, column int, message string) {
		r.Add(finding.Finding{File: file, Position: yamltext.Position{Line: line, Column: column}, Message: message})
	}
	add("a", 1, 1, "")
	add("b", 2, 1, "first")
	add("b", 1, 3, "")
	add("b", 1, 2, "")
	add("b", 2, 1, "second")
	r.Finish()
	var got []string
	for _, f := range r.Findings {
		got = append(got, Location(f)+f.Message)
	}
	require.Equal(t, []string{"b:1:2", "b:1:3", "b:2:1first", "b:2:1second", "a:1:1"}, got)
}

func TestFileURI(t *testing.T) {
	for name, want := range map[string]string{
		"a/b.yaml": "a/b.yaml", "/a b": "file:///a%20b", "C:/x": "file:///C:/x", "<stdin>": "stdin", "a:b": "./a:b", "ab/c": "ab/c",
	} {
		require.Equal(t, want, fileURI(name))
	}
}

// A snippet is the part of a long line around the column.
func TestSnippet(t *testing.T) {
	long := strings.Repeat("0123456789", 40)
	source := []byte("first\r\n" + long + "\n\té: x\nlast")
	other := []byte("x\ny")
	for _, c := range []struct {
		source       []byte
		line, column int
		text, caret  string
	}{
		{source, 1, 3, "first", "  ^"},
		{source, 2, 1, long[:160], "^"},
		{source, 2, 81, long[:160], strings.Repeat(" ", 80) + "^"},
		{source, 2, 201, long[120:280], strings.Repeat(" ", 80) + "^"},
		{source, 2, 400, long[319:], strings.Repeat(" ", 80) + "^"},
		{source, 2, 1000, long[320:], strings.Repeat(" ", 80) + "^"},
		{source, 3, 5, " é: x", "    ^"},
		{source, 4, 1, "last", "^"},
		{other, 2, 1, "y", "^"},
		{[]byte("short"), 1, 6, "short", "     ^"},
		{source, 5, 1, "", "^"},
		{[]byte{}, 1, 1, "", "^"},
	} {
		var in lines
		_, _, _ = in.snippet(&finding.Finding{Position: yamltext.Position{Line: 1, Column: 1}, File: "first", Source: source})
		line, caret, ok := in.snippet(&finding.Finding{Position: yamltext.Position{Line: c.line, Column: c.column}, File: "second", Source: c.source})
		require.True(t, ok)
		require.Equal(t, []string{c.text, c.caret}, []string{line, caret}, "%d:%d", c.line, c.column)
	}
	var in lines
	_, _, ok := in.snippet(&finding.Finding{Source: source})
	require.False(t, ok, "a finding without a position has no snippet")
	_, _, ok = in.snippet(&finding.Finding{Position: yamltext.Position{Line: 1}})
	require.False(t, ok, "a finding without a source has no snippet")
}

// The text format has examples, templates and hints below the message, all of them indented, and a blank line between
// files with snippets.
func TestTextLayout(t *testing.T) {
	r := New("compat")
	at := yamltext.Position{Line: 1, Column: 2}
	r.Add(finding.Finding{File: "a", Position: at, Severity: finding.Error, Message: "one\ntwo", Object: "x", Example: "a: 1\nb: 2", Hints: []string{"do\nthis"}, Template: "t.yaml", Source: []byte("abc")})
	r.Add(finding.Finding{File: "a", Severity: finding.Note, Message: "three"})
	r.Add(finding.Finding{File: "b", Position: at, Severity: finding.Warning, Message: "four"})
	r.Text = func(w *output.Writer) { w.Printf("details\n") }
	r.Finish()
	const below = "    template: t.yaml\n    a: 1\n    b: 2\n    hint: do\n    this\n"
	const end = "details\n1 refused, 1 error, 1 warning, 1 note\n"
	require.Equal(t, "a: note: three\na:1:2: error: one\n    two [x]\n"+below+"b:1:2: warning: four\n"+end, printed(t, r, Options{}))
	require.Equal(t, "a: note: three\na:1:2: error: one\n    two [x]\n    abc\n     ^\n"+below+"\nb:1:2: warning: four\n"+end, printed(t, r, Options{Snippets: true}))
	const bold, red, yellow, blue, green, plain = "\x1b[1m", "\x1b[31m", "\x1b[33m", "\x1b[36m", "\x1b[32m", "\x1b[0m"
	require.Equal(t, bold+"a"+plain+": "+blue+"note"+plain+": three\n"+
		bold+"a:1:2"+plain+": "+red+"error"+plain+": one\n    two [x]\n    abc\n    "+green+" ^"+plain+"\n"+
		strings.Replace(below, "hint:", green+"hint:"+plain, 1)+"\n"+bold+"b:1:2"+plain+": "+yellow+"warning"+plain+": four\n"+end,
		printed(t, r, Options{Snippets: true}, true))
	require.Contains(t, printed(t, r, Options{Format: GitHub}), "::error file=a,line=1,col=2,title=x::one%0Atwo%0Aa: 1%0Ab: 2%0Ahint: do%0Athis\n")
}

// Formats for people print one finding of a group, with the names of some others, and a limited number of examples,
// those of errors first. JSON and SARIF have all findings, and the summary counts them.
func TestGroups(t *testing.T) {
	r := New("compat")
	add := func(severity finding.Severity, n int, group string) {
		r.Add(finding.Finding{File: "f", Severity: severity, Code: finding.Breaks, Object: "o", Message: fmt.Sprintf("%s %d", group, n), Example: "for example",
			Group: group, Name: fmt.Sprintf("name %d", n)})
	}
	for n := range 6 {
		add(finding.Note, n, "same")
	}
	for n := range maxExamples {
		add(finding.Error, n, fmt.Sprintf("other %d", n))
	}
	for n := range 2 {
		add(finding.Error, n, "")
	}
	r.Finish()
	printed := func(format Format) string {
		var out bytes.Buffer
		w := output.New(&out)
		require.NoError(t, r.Print(w, Options{Format: format}))
		return out.String()
	}
	text := printed(Text)
	require.True(t, strings.HasPrefix(text, "f: note: same 0 [o]\n    -o json has an example\n    also name 1\n    also name 2\n    also name 3\n    and 2 more of this kind; -o json lists them\n"+
		"f: error: other 0 0 [o]\n    for example\nf: error: other 1"), text)
	require.Equal(t, maxExamples+2, strings.Count(text, "for example"), text)
	require.Contains(t, text, fmt.Sprintf("%d errors, 6 notes", maxExamples+2))
	require.Equal(t, maxExamples+3, strings.Count(printed(GitHub), "::error file=")+strings.Count(printed(GitHub), "::notice file="))
	require.Equal(t, 1, strings.Count(printed(JUnit), "same"))
	require.Equal(t, 6, strings.Count(printed(JSON), `"message": "same`))
	require.Equal(t, 6, strings.Count(printed(SARIF), `"text": "same`))
}
