package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The lists are well-formed.
func TestKnown(t *testing.T) {
	for name, s := range suites {
		known, err := parseKnown(s.known)
		require.NoError(t, err, name)
		require.NotEmpty(t, known, name)
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
{"LeafNodeType":"BeforeSuite","State":"passed"},
{"LeafNodeType":"AfterSuite","State":"failed"}]}]`))
	require.NoError(t, err)
	require.Equal(t, []result{{"A b does", false}, {"A panics", true}, {"AfterSuite", true}}, results)
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
