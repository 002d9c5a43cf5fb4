package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/position"
)

// hostile is a report about files whose names and texts try to break the formats.
func hostile() *Report {
	r := New("validate")
	source := []byte("\ufeffa: 1\r\n\tb: \x1b[31m<x>&é" + strings.Repeat("long ", 100) + "\n")
	r.File("z.yaml")
	r.AddSubject(Subject{"a:b %,c\n::error::.yaml", "Widget <a>"})
	r.AddSubject(Subject{"z.yaml", "Widget fine"})
	r.Add(Finding{File: "a:b %,c\n::error::.yaml", Position: position.Position{Line: 2, Column: 5}, Severity: Error, Code: "Invalid", Message: "x \x1b[2J\x00 ]]> <b>\n::error::second % line",
		Hints: []string{"a \u202e hint"}, Path: "spec.a", Pointer: "/spec/a", Object: "Widget <a>", Source: source})
	r.Add(Finding{File: "z.yaml", Position: position.Position{Line: 1, Column: 1}, Severity: Warning, Code: CodeWarning, Message: "first", Source: source})
	r.Add(Finding{File: "<stdin>", Severity: Error, Code: CodeUnreadable, Message: "not there"})
	r.Add(Finding{File: "/abs/x.yaml", Severity: Note, Code: CodeHint, Message: "a note", Template: "a/\x07.yaml"})
	r.Summary.Unreadable = 1
	r.Finish()
	return r
}

func printed(t *testing.T, r *Report, o Options) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, r.Print(&b, o))
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
	colored := printed(t, hostile(), Options{Color: true})
	require.Contains(t, colored, red+"error"+plain)
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
	line, output := 0, ""
	for _, s := range got.Suites {
		for _, c := range s.Cases {
			if c.Failure != nil {
				failure, line = c.Failure, c.Line
			}
			if c.Error != nil {
				unreadable = c.Error
			}
			output += c.Output
		}
	}
	for _, f := range hostile().Findings {
		switch {
		case f.Code == CodeUnreadable:
			require.Equal(t, Visible(f.Message), unreadable.Message)
		case f.Severity == Error:
			require.Equal(t, strings.ToValidUTF8(Visible(f.Message), "\ufffd"), failure.Message)
			require.Contains(t, failure.Text, f.Location()+": error: ")
			require.Equal(t, f.Line, line)
		default:
			require.Contains(t, output, f.Location()+": "+string(f.Severity)+": ")
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

// What SARIF 2.1.0 asks of each object that is there: the properties that it knows, those that it requires, and their values.
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
		id := only(r, "id", "")["id"].(string)
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

// More findings than a report lists are counted.
func TestMany(t *testing.T) {
	r := New("validate")
	for range MaxFindings + 5 {
		r.Add(Finding{File: "a", Severity: Warning, Message: "m"})
	}
	r.Finish()
	require.Len(t, r.Findings, MaxFindings)
	require.Equal(t, Counts{Warnings: MaxFindings + 5, Omitted: 5}, r.Summary.Findings)
	require.Zero(t, r.ExitCode())
	require.Contains(t, printed(t, r, Options{}), "and 5 more\n")
}
