package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// The lists are well-formed.
func TestKnown(t *testing.T) {
	for name, s := range suites {
		known, err := parseKnown(s.known)
		require.NoError(t, err, name)
		require.Equal(t, s.known == "", len(known) == 0, name)
	}
}

func TestParseKnown(t *testing.T) {
	known, err := parseKnown("# one reason\npkg A\npkg B sub...\n\n# another\nother A\n")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"pkg A": "one reason", "pkg B sub...": "one reason", "other A": "another"}, known)
	require.Equal(t, "one reason", reasonFor(known, "pkg A"))
	require.Equal(t, "one reason", reasonFor(known, "pkg B subject"))
	require.Empty(t, reasonFor(known, "pkg A more"))
	for _, wrong := range []string{"pkg A", "# reason\npkg A\npkg A", "# reason\nA"} {
		_, err := parseKnown(wrong)
		require.Error(t, err, wrong)
	}
}

func TestParseReport(t *testing.T) {
	results, err := parseReport([]byte(`[{"SpecReports":[
{"ContainerHierarchyTexts":["A","b "],"LeafNodeType":"It","LeafNodeText":"does","State":"passed"},
{"ContainerHierarchyTexts":["A"],"LeafNodeType":"It","LeafNodeText":"panics","State":"panicked"},
{"ContainerHierarchyTexts":["A"],"LeafNodeType":"It","LeafNodeText":"waits","State":"pending"},
{"ContainerHierarchyTexts":["A"],"LeafNodeType":"It","LeafNodeText":"is left out","State":"skipped",
 "Failure":{"Message":"not here"}},
{"ContainerHierarchyTexts":["A"],"LeafNodeType":"It","LeafNodeText":"did not run","State":"skipped",
 "Failure":{"Message":"Spec skipped because an earlier spec in an ordered container failed"}},
{"LeafNodeType":"BeforeSuite","State":"passed"},
{"LeafNodeType":"AfterSuite","State":"failed"}]}]`))
	require.NoError(t, err)
	require.Equal(t, []result{{"A b does", false}, {"A panics", true}, {"A did not run", true}, {"AfterSuite", true}}, results)
}

func TestTally(t *testing.T) {
	known := map[string]string{"pkg A": "a reason", "pkg B": "a reason"}
	var one, total tally
	for _, c := range []result{{"A", true}, {"B", false}, {"C", true}, {"D", false}} {
		one.count("pkg", c, known)
	}
	total.add(&one)
	total.add(&one)
	require.Equal(t, tally{cases: 4, passed: 2, reasons: map[string]int{"a reason": 1}, unknown: []string{"C"}, mended: []string{"B"}}, one)
	require.Equal(t, "  8 cases:   4 pass,  2 fail for known reasons, 2 for others", total.String())
}

// What a makefile fetches is added to the project, from a file or from a module that the project requires.
func TestAdditions(t *testing.T) {
	project := t.TempDir()
	require.NoError(t, addition{text: []byte("a"), to: "in/a/file.yaml"}.add(t.Context(), project))
	text, err := os.ReadFile(filepath.Join(project, "in", "a", "file.yaml"))
	require.NoError(t, err)
	require.Equal(t, "a", string(text))

	own, err := os.ReadFile(filepath.Join("..", "go.mod"))
	require.NoError(t, err)
	sums, err := os.ReadFile(filepath.Join("..", "go.sum")) // so that no checksum database is asked
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(project, "go.sum"), sums, 0o600))
	required := regexp.MustCompile(`github.com/stretchr/testify v\S+`).Find(own)
	require.NotEmpty(t, required)
	module := "module a\n\ngo 1.26\n\nrequire " + string(required) + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(project, "go.mod"), []byte(module), 0o600))
	const testify = "github.com/stretchr/testify"
	require.NoError(t, addition{module: testify, from: "require", to: "copied"}.add(t.Context(), project))
	require.FileExists(t, filepath.Join(project, "copied", "doc.go"))
	require.Error(t, addition{module: testify, from: "missing", to: "other"}.add(t.Context(), project))
}
