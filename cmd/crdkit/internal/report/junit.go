package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/internal/tool/finding"
)

// A junitSuite has the tests of a file.
type junitSuite struct {
	name             string
	tests            []*junitTest
	failures, errors int
}

// A junitTest is an object or a definition.
type junitTest struct {
	name, file     string
	line           int // of the first finding
	failure, error junitFault
	output         string // warnings and notes
}

// A junitFault has the errors of a test. Its message is that of the first one.
type junitFault struct{ message, text string }

// add adds a finding with its text.
func (j *junitFault) add(f *finding.Finding, text string) {
	if j.text == "" {
		j.message = output.EscapeLines(f.Message)
	}
	j.text += text
}

// junitSuites are the suites of a report, in the order in which their files come.
type junitSuites struct {
	all    []*junitSuite
	byFile map[string]*junitSuite
	tests  map[Subject]*junitTest
}

// test returns the test of a subject.
func (j *junitSuites) test(s Subject) *junitTest {
	suite := j.byFile[s.File]
	if suite == nil {
		suite = &junitSuite{name: output.EscapeLines(s.File)}
		j.byFile[s.File] = suite
		j.all = append(j.all, suite)
	}
	t := j.tests[s]
	if t == nil {
		t = &junitTest{name: output.EscapeLines(s.Name), file: suite.name}
		j.tests[s] = t
		suite.tests = append(suite.tests, t)
	}
	return t
}

// add adds a finding to the test of its object. A finding that is not about an object is a test of its own.
func (j *junitSuites) add(f *group) {
	t := j.test(Subject{f.File, cmp.Or(f.Object, string(f.Code))})
	text := fmt.Sprintf("%s: %s: %s\n", Location(f.Finding), f.Severity, output.EscapeLines(fullMessage(f)))
	switch {
	case f.Code == finding.Unreadable:
		t.error.add(f.Finding, text)
	case f.Severity == finding.Error:
		t.failure.add(f.Finding, text)
	default:
		t.output += text
	}
	if t.line == 0 {
		t.line = f.Line
	}
}

// junit prints a suite for each file with a test for each object. What cannot be read is a test with an error.
func (r *Report) junit(w *output.Writer) {
	suites := junitSuites{byFile: map[string]*junitSuite{}, tests: map[Subject]*junitTest{}}
	for _, s := range r.Subjects {
		suites.test(s)
	}
	for _, g := range r.groups() {
		suites.add(g)
	}
	tests, failures, errors := 0, 0, 0
	for _, s := range suites.all {
		for _, t := range s.tests {
			if t.error.text != "" {
				s.errors++
			} else if t.failure.text != "" {
				s.failures++
			}
		}
		tests, failures, errors = tests+len(s.tests), failures+s.failures, errors+s.errors
	}
	counts := func(tests, failures, errors int) string {
		return fmt.Sprintf(`tests="%d" failures="%d" errors="%d"`, tests, failures, errors)
	}
	w.Printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"crdkit %s\" %s>\n", r.Command, counts(tests, failures, errors))
	for _, s := range suites.all {
		w.Printf("  <testsuite name=\"%s\" %s>\n", xmlText(s.name), counts(len(s.tests), s.failures, s.errors))
		for _, t := range s.tests {
			t.print(w, "crdkit."+r.Command)
		}
		w.Printf("  </testsuite>\n")
	}
	w.Printf("</testsuites>\n")
}

// print prints a test of a class.
func (t *junitTest) print(w *output.Writer, class string) {
	w.Printf(`    <testcase name="%s" classname="%s" file="%s"`, xmlText(t.name), class, xmlText(t.file))
	if t.line > 0 {
		w.Printf(` line="%d"`, t.line)
	}
	w.Printf(">")
	content := t.output != ""
	for _, fault := range []struct {
		element string
		junitFault
	}{{"failure", t.failure}, {"error", t.error}} {
		if fault.text != "" {
			w.Printf("\n      <%s message=\"%s\">%s</%[1]s>", fault.element, xmlText(fault.message), xmlText(fault.text))
			content = true
		}
	}
	if t.output != "" {
		w.Printf("\n      <system-out>%s</system-out>", xmlText(t.output))
	}
	if content {
		w.Printf("\n    ")
	}
	w.Printf("</testcase>\n")
}

var xmlEscapes = strings.NewReplacer("##", "#&#35;", "&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;",
	"\ufffe", "\ufffd", "\uffff", "\ufffd")

// xmlText escapes a text for XML, between tags and in quotes. [output.EscapeLines] has removed control characters before.
// Two number signs could begin a command of a CI service.
func xmlText(text string) string { return xmlEscapes.Replace(strings.ToValidUTF8(text, "\ufffd")) }
