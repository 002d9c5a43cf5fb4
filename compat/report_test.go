package compat_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/compat"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
)

// The texts of reports.
func TestTexts(t *testing.T) {
	given.Cases(t, "testdata/*.txtar", func(t *testing.T, c *given.Case) {
		side := func(name string) *crd.CustomResourceDefinition {
			text, ok := c.Text(name)
			require.True(t, ok, name)
			return definition(t, strings.TrimSpace(text))
		}
		r := compared(t, side("old"), side("new"), nil)
		c.WantText("want.text", r.String())
		c.WantText("want.json", string(r.JSON()))
	})
}

// A cut text ends after a whole finding, with the number of the omitted ones. Clauses: CMP-007.
func TestBoundedText(t *testing.T) {
	r := compat.Report{}
	for i := range 5000 {
		r.Findings = append(r.Findings, compat.Finding{Verdict: compat.Unknown, Version: "v1", Path: fmt.Sprint("spec.f", i), Check: "type", Detail: "Long enough."})
	}
	r.Findings = append(r.Findings, compat.Finding{Verdict: compat.Breaks, Check: "scope", Request: "definition", Detail: "The worst is first."})
	text := r.String()
	require.LessOrEqual(t, len(text), 33<<10)
	require.True(t, strings.HasPrefix(text, "breaks: scope definition: The worst is first.\n"))
	require.Regexp(t, `\nand \d+ more\n$`, text)
	var doc struct{ Findings []any }
	require.NoError(t, json.Unmarshal(r.JSON(), &doc))
	require.Len(t, doc.Findings, 5001)
}

func TestWorst(t *testing.T) {
	of := func(verdicts ...compat.Verdict) compat.Verdict {
		r := compat.Report{}
		for _, v := range verdicts {
			r.Findings = append(r.Findings, compat.Finding{Verdict: v})
		}
		return r.Worst()
	}
	require.Equal(t, compat.Harmless, of())
	require.Empty(t, (&compat.Report{}).String())
	require.Equal(t, compat.Loosens, of(compat.Harmless, compat.Loosens))
	require.Equal(t, compat.Unknown, of(compat.Loosens, compat.Unknown))
	require.Equal(t, compat.Changes, of(compat.Unknown, compat.Changes))
	require.Equal(t, compat.LosesData, of(compat.LosesData, compat.Changes))
	require.Equal(t, compat.Breaks, of(compat.LosesData, compat.Breaks, compat.Unknown))
}
