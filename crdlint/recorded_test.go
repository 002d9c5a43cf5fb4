package crdlint

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
)

const recordedFile = "testdata/recorded.txt"

// How often each lint fires on recorded definitions of real projects. No lint with the severity warning has findings in
// more than a third of the projects, and the library confirms each witness. CRDKIT_LINT_FINDINGS names a directory for
// fifty findings, drawn with the seed CRDKIT_LINT_SEED, to be read by a person.
func TestRecorded(t *testing.T) {
	dir := os.Getenv("CRDKIT_CONFORMANCE")
	if dir == "" {
		t.Skip("CRDKIT_CONFORMANCE names no directory of recorded answers")
	}
	type row struct {
		CRD json.RawMessage `json:"crd"`
	}
	var texts []string
	for r := range given.Rows[row](t, filepath.Join(dir, "crds/projects.jsonl")) {
		texts = append(texts, string(r.CRD))
	}
	for _, file := range given.Files(t, filepath.Join(dir, "random/crds/*.yaml")) {
		texts = append(texts, string(given.File(t, file)))
	}
	var all []string // each finding with its definition
	definitions, groups := 0, map[string]bool{}
	findings, fired, projects := map[string]int{}, map[string]int{}, map[string]map[string]bool{}
	seen := map[string]bool{}
	for _, text := range texts {
		d, err := crd.Parse([]byte(text))
		if err != nil {
			continue
		}
		checked := crdcheck.Compile(d)
		if len(checked.Errors()) > 0 {
			continue
		}
		definitions++
		groups[d.Spec.Group] = true
		here := map[string]bool{}
		for _, f := range Find(t.Context(), checked, nil) {
			verify(t, text, &f)
			findings[f.Lint]++
			if !here[f.Lint] {
				here[f.Lint] = true
				fired[f.Lint]++
			}
			if projects[f.Lint] == nil {
				projects[f.Lint] = map[string]bool{}
			}
			projects[f.Lint][d.Spec.Group] = true
			if line := d.Name() + ": " + f.String(); !seen[line] {
				seen[line] = true
				all = append(all, d.Name()+"\n"+printed([]Finding{f})+"why: "+f.Why+"\n\n"+text)
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "On %d definitions of %d groups, which real projects have published, or changed versions of these:\n\n", definitions, len(groups))
	b.WriteString("| Lint | Findings | Definitions | Groups |\n|---|--:|--:|--:|\n")
	for _, l := range Lints() {
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", l.Name, findings[l.Name], fired[l.Name], len(projects[l.Name]))
		if l.Severity == Warning {
			require.LessOrEqual(t, 3*len(projects[l.Name]), len(groups), l.Name)
		}
	}
	if dir := os.Getenv("CRDKIT_LINT_FINDINGS"); dir != "" { // to read some of them
		seed, err := strconv.ParseUint(os.Getenv("CRDKIT_LINT_SEED"), 10, 64)
		require.NoError(t, err)
		r := rand.New(rand.NewPCG(seed, 0))
		for i, k := range r.Perm(len(all))[:50] {
			require.NoError(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("%02d.txt", i+1)), []byte(all[k]), 0o644))
		}
	}
	if given.Update() {
		require.NoError(t, os.WriteFile(recordedFile, []byte(b.String()), 0o644))
	}
	require.Equal(t, string(given.File(t, recordedFile)), b.String())
}
