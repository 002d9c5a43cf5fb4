package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A result is the result of one test.
type result struct {
	name   string
	failed bool
}

// passedOver are the messages of specs that did not run because something in their container has failed.
var passedOver = []string{
	"Spec skipped because an earlier spec in an ordered container failed", "Spec skipped because a BeforeAll node failed",
}

// parseReport returns the results of the specs in a report of Ginkgo, without those that were skipped or that are
// pending. A spec that did not run because an earlier one has failed counts as failed.
func parseReport(report []byte) (out []result, err error) {
	var suites []struct {
		SpecReports []struct {
			ContainerHierarchyTexts           []string
			LeafNodeType, LeafNodeText, State string
			Failure                           struct{ Message string }
		}
	}
	if err := json.Unmarshal(report, &suites); err != nil {
		return nil, err
	}
	for _, s := range suites {
		for _, r := range s.SpecReports {
			skipped := r.State == "skipped" && !slices.Contains(passedOver, r.Failure.Message)
			if r.LeafNodeType != "It" && r.State == "passed" || skipped || r.State == "pending" {
				continue
			}
			name := strings.Join(append(slices.Clone(r.ContainerHierarchyTexts), r.LeafNodeText), " ")
			if r.LeafNodeType != "It" {
				name = r.LeafNodeType
			}
			out = append(out, result{strings.Join(strings.Fields(name), " "), r.State != "passed"})
		}
	}
	return out, nil
}

// parseKnown reads a list of tests that fail. A line with # is the reason for the lines below it. Each of these has a
// package and the name of a test, or a common prefix of several names followed by ... .
func parseKnown(text string) (map[string]string, error) {
	out, reason := map[string]string{}, ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if is, ok := strings.CutPrefix(line, "# "); ok {
			reason = is
			continue
		}
		if line == "" {
			continue
		}
		if _, twice := out[line]; twice || reason == "" || !strings.Contains(line, " ") {
			return nil, fmt.Errorf("line %d of the list: %q", i+1, line)
		}
		out[line] = reason
	}
	return out, nil
}

// reasonFor returns the reason why a test is known to fail, or "".
func reasonFor(reasons map[string]string, key string) string {
	if reason := reasons[key]; reason != "" {
		return reason
	}
	for k, reason := range reasons {
		if prefix, ok := strings.CutSuffix(k, "..."); ok && strings.HasPrefix(key, prefix) {
			return reason
		}
	}
	return ""
}

// A tally counts results.
type tally struct {
	cases, passed   int
	reasons         map[string]int // of tests that are known to fail
	unknown, mended []string       // other tests that fail, and tests on the list that pass
}

func (t *tally) count(p string, c result, reasons map[string]string) {
	t.cases++
	reason := reasonFor(reasons, p+" "+c.name)
	switch {
	case c.failed && reason == "":
		t.unknown = append(t.unknown, c.name)
	case c.failed:
		t.because(reason, 1)
	default:
		t.passed++
		if reason != "" {
			t.mended = append(t.mended, c.name)
		}
	}
}

func (t *tally) because(reason string, n int) {
	if t.reasons == nil {
		t.reasons = map[string]int{}
	}
	t.reasons[reason] += n
}

func (t *tally) add(more *tally) {
	t.cases, t.passed = t.cases+more.cases, t.passed+more.passed
	for reason, n := range more.reasons {
		t.because(reason, n)
	}
	t.unknown, t.mended = append(t.unknown, more.unknown...), append(t.mended, more.mended...)
}

// String returns the counts.
func (t *tally) String() string {
	known := t.cases - t.passed - len(t.unknown)
	return fmt.Sprintf("%3d cases: %3d pass, %2d fail for known reasons, %d for others", t.cases, t.passed, known, len(t.unknown))
}
