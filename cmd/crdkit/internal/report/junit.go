package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/crdkit/crdkit/internal/finding"
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
		j.message = Visible(f.Message)
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
		suite = &junitSuite{name: Visible(s.File)}
		j.byFile[s.File] = suite
		j.all = append(j.all, suite)
	}
	t := j.tests[s]
	if t == nil {
		t = &junitTest{name: Visible(s.Name), file: suite.name}
		j.tests[s] = t
		suite.tests = append(suite.tests, t)
	}
	return t
}

// add adds a finding to the test of its object. A finding that is not about an object is a test of its own.
func (j *junitSuites) add(f *finding.Finding) {
	t := j.test(Subject{f.File, cmp.Or(f.Object, string(f.Code))})
	text := fmt.Sprintf("%s: %s: %s\n", Location(f), f.Severity, Visible(fullMessage(f)))
	switch {
	case f.Code == finding.Unreadable:
		t.error.add(f, text)
	case f.Severity == finding.Error:
		t.failure.add(f, text)
	default:
		t.output += text
	}
	if t.line == 0 {
		t.line = f.Line
	}
}

// junit prints a suite for each file with a test for each object. What cannot be read is a test with an error.
func (r *Report) junit(to io.Writer) error {
	suites := junitSuites{byFile: map[string]*junitSuite{}, tests: map[Subject]*junitTest{}}
	for _, s := range r.Subjects {
		suites.test(s)
	}
	for _, f := range r.Findings {
		suites.add(f)
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
	w := bufio.NewWriter(to)
	counts := func(tests, failures, errors int) string {
		return fmt.Sprintf(`tests="%d" failures="%d" errors="%d"`, tests, failures, errors)
	}
	fmt.Fprintf(w, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"crdkit %s\" %s>\n", r.Command, counts(tests, failures, errors))
	for _, s := range suites.all {
		fmt.Fprintf(w, "  <testsuite name=\"%s\" %s>\n", xmlText(s.name), counts(len(s.tests), s.failures, s.errors))
		for _, t := range s.tests {
			t.print(w, "crdkit."+r.Command)
		}
		fmt.Fprint(w, "  </testsuite>\n")
	}
	fmt.Fprint(w, "</testsuites>\n")
	return w.Flush()
}

// print prints a test of a class.
func (t *junitTest) print(w io.Writer, class string) {
	fmt.Fprintf(w, `    <testcase name="%s" classname="%s" file="%s"`, xmlText(t.name), class, xmlText(t.file))
	if t.line > 0 {
		fmt.Fprintf(w, ` line="%d"`, t.line)
	}
	fmt.Fprint(w, ">")
	end := ""
	for _, fault := range []struct {
		element string
		junitFault
	}{{"failure", t.failure}, {"error", t.error}} {
		if fault.text != "" {
			fmt.Fprintf(w, "\n      <%s message=\"%s\">%s</%[1]s>", fault.element, xmlText(fault.message), xmlText(fault.text))
			end = "\n    "
		}
	}
	if t.output != "" {
		fmt.Fprintf(w, "\n      <system-out>%s</system-out>", xmlText(t.output))
		end = "\n    "
	}
	fmt.Fprintf(w, "%s</testcase>\n", end)
}

var xmlEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;",
	"\ufffe", "\ufffd", "\uffff", "\ufffd")

// xmlText escapes a text for XML, between tags and in quotes. [Visible] has removed control characters before.
func xmlText(text string) string { return xmlEscapes.Replace(strings.ToValidUTF8(text, "\ufffd")) }
