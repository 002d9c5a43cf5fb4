package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// A junitSuite has the tests of a file.
type junitSuite struct {
	name             string
	tests            []*junitTest
	failures, errors int
}

// A junitTest is an object or a definition.
type junitTest struct {
	name, file      string
	line            int // of the first finding
	failure, failed junitFault
	output          string // what is no error
}

// A junitFault is what is wrong with the object of a test.
type junitFault struct{ message, text string }

// add adds a line for a finding.
func (j *junitFault) add(f *Finding, line string) {
	if j.text == "" {
		j.message = Visible(f.Message)
	}
	j.text += line
}

// junit prints a suite for each file, and in it a test for each object. What cannot be read is a test with an error.
func (r *Report) junit(to io.Writer) error {
	var suites []*junitSuite
	byFile := map[string]*junitSuite{}
	bySubject := map[Subject]*junitTest{}
	test := func(s Subject) *junitTest {
		in := byFile[s.File]
		if in == nil {
			in = &junitSuite{name: Visible(s.File)}
			byFile[s.File] = in
			suites = append(suites, in)
		}
		t := bySubject[s]
		if t == nil {
			t = &junitTest{name: Visible(s.Name), file: in.name}
			bySubject[s] = t
			in.tests = append(in.tests, t)
		}
		return t
	}
	for _, s := range r.Subjects {
		test(s)
	}
	for _, f := range r.Findings {
		name := f.Object
		if name == "" {
			name = string(f.Code)
		}
		t := test(Subject{f.File, name})
		line := fmt.Sprintf("%s: %s: %s\n", f.place(), f.Severity, Visible(f.full()))
		switch {
		case f.Code == CodeUnreadable:
			t.failed.add(f, line)
		case f.Severity == Error:
			t.failure.add(f, line)
		default:
			t.output += line
		}
		if t.line == 0 {
			t.line = f.Line
		}
	}
	tests, failures, errors := 0, 0, 0
	for _, s := range suites {
		for _, t := range s.tests {
			if t.failed.text != "" {
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
	for _, s := range suites {
		fmt.Fprintf(w, "  <testsuite name=\"%s\" %s>\n", xmlText(s.name), counts(len(s.tests), s.failures, s.errors))
		for _, t := range s.tests {
			t.print(w, "crdkit."+r.Command)
		}
		fmt.Fprint(w, "  </testsuite>\n")
	}
	fmt.Fprint(w, "</testsuites>\n")
	return w.Flush()
}

// print prints a test, which belongs to a class.
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
	}{{"failure", t.failure}, {"error", t.failed}} {
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

// xmlText returns a text as XML has it, between tags and in quotes. Control characters are gone already: see [Visible].
func xmlText(text string) string { return xmlEscapes.Replace(strings.ToValidUTF8(text, "\ufffd")) }
