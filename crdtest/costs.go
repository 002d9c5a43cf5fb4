package crdtest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/manifest"
)

// RequireCosts fails the test if the costs of the rules of s differ from those in a file, so that a review shows a rule
// that becomes more expensive. The file has a line for each rule that compiles, with a server's estimate for a new
// definition and its share of the limit of a rule; and one for each schema, with the total. The flag -crdtest.update
// and CRDTEST_UPDATE=1 make RequireCosts write the file; its directory must exist.
//
//	crds.RequireCosts(t, "testdata/costs.txt")
//
// An estimate over its limit does not fail the test: [Set.Accepted] checks that. Estimates are those of Kubernetes
// 1.37; other versions of this module may have others.
func (s *Set) RequireCosts(t testing.TB, file string) {
	t.Helper()
	got := s.costs()
	name := filepath.ToSlash(file)
	if updating() {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatalf("crdtest: %v", err)
		}
		return
	}
	data, err := manifest.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		t.Errorf("%s is missing: %s=1 or -crdtest.update writes it", name, updateEnv)
	case err != nil:
		t.Fatalf("crdtest: %v", err)
	default:
		if want := strings.ReplaceAll(string(data), "\r\n", "\n"); want != got {
			t.Errorf("%s: costs differ (-want +got); %s=1 or -crdtest.update writes them\n%s", name, updateEnv, differences(want, got))
		}
	}
}

// costs returns the text of a file of costs.
//
// Clauses: CES-080, CES-090, ECT-020.
func (s *Set) costs() string {
	var b strings.Builder
	b.WriteString("# The estimated costs of rules, written by crdtest.\n")
	for _, d := range s.definitions {
		fmt.Fprintf(&b, "%s\n", d.Name())
		for _, schema := range d.check().Costs().Schemas {
			fmt.Fprintf(&b, "  %s: total %d\n", schema.Path, schema.Total)
			for _, r := range schema.Rules {
				line := fmt.Sprintf("    %s: %d, %.1f%%", strings.TrimPrefix(strings.TrimPrefix(r.Path, schema.Path), "."), r.Estimate, 100*r.Share)
				if r.MessageEstimate > 0 {
					line += fmt.Sprintf(", message %d", r.MessageEstimate)
				}
				b.WriteString(line + ": " + strings.Join(strings.Fields(r.Rule), " ") + "\n")
			}
		}
	}
	return b.String()
}

// maxLines is the maximum of lines in a difference.
const maxLines = 40

// differences returns the lines that only one of two texts has, each with a sign, in the order of the texts.
func differences(want, got string) string {
	count := map[string]int{}
	for line := range strings.Lines(want) {
		count[line]++
	}
	for line := range strings.Lines(got) {
		count[line]--
	}
	var out []string
	for _, text := range []struct {
		sign, of string
		only     int
	}{{"-", want, 1}, {"+", got, -1}} {
		for line := range strings.Lines(text.of) {
			if count[line]*text.only > 0 {
				count[line] -= text.only
				out = append(out, "    "+text.sign+" "+strings.TrimSpace(line))
			}
		}
	}
	if rest := len(out) - maxLines; rest > 0 {
		out = append(out[:maxLines], fmt.Sprintf("    and %d more", rest))
	}
	return strings.Join(out, "\n")
}
