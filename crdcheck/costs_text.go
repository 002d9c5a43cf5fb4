package crdcheck

import (
	"fmt"
	"math"
	"strings"
)

// String returns the report as lines of text, for people and for golden files, which change when a rule becomes more
// expensive. The layout may change in any version.
func (r *CostReport) String() string {
	var b strings.Builder
	for _, s := range r.Schemas {
		fmt.Fprintf(&b, "%s: total %d, %s of the limit\n", s.Path, s.Total, percent(s.Share))
		for _, rule := range s.Rules {
			fmt.Fprintf(&b, "  %s: %d, %s of the limit\n", strings.TrimPrefix(strings.TrimPrefix(rule.Path, s.Path), "."), rule.Estimate, percent(rule.Share))
			if rule.Fixes == nil && rule.Hints == nil {
				continue
			}
			fmt.Fprintf(&b, "    rule: %s\n    most expensive part: %s, %d\n", rule.Rule, rule.Part, rule.PartCost)
			for _, n := range rule.Multiplies {
				if n.Value == math.MaxInt64 {
					fmt.Fprintf(&b, "    multiplied by %s, which has no %s\n", n.Path, n.Keyword)
				}
			}
			for _, f := range rule.Fixes {
				fmt.Fprintf(&b, "    fix: %s: %d\n", f.String(), f.Estimate)
			}
			for _, h := range rule.Hints {
				fmt.Fprintf(&b, "    hint: %s: %s: %s\n", h.Name, h.Path, h.Text)
			}
		}
		if s.Fix != nil {
			fmt.Fprintf(&b, "  fix for all rules: %s: %d\n", s.Fix.String(), s.Fix.Total)
		}
		if s.Omitted > 0 {
			fmt.Fprintf(&b, "  %d more rules are not listed\n", s.Omitted)
		}
		if s.Unsearched {
			b.WriteString("  there are more rules to find bounds for than this looks at\n")
		}
	}
	return b.String()
}

// String returns the bounds in one line: maxItems: 64 at spec.versions[0].schema.openAPIV3Schema.properties[hosts], and
// so on.
func (f *Fix) String() string {
	parts := make([]string, len(f.Bounds))
	for i, at := range f.Bounds {
		parts[i] = fmt.Sprintf("%s: %d at %s", at.Keyword, at.Value, at.Path)
	}
	return strings.Join(parts, ", ")
}

func percent(share float64) string {
	if share > 100 {
		return "more than 10000%"
	}
	return fmt.Sprintf("%.1f%%", 100*share)
}
