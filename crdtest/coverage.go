package crdtest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

// A Report says which parts of a set's definitions its tests have exercised.
type Report struct {
	Rows []Row `json:"rows"` // by definition, version, and the order of the schema; rules after constraints
	// NotLooked is the number of schemas whose constraints are not among the rows, because they are more than 500 levels
	// deep, or because the paths of those before take 32 MiB. The rules of such schemas are not among the rows either.
	NotLooked int `json:"notLooked,omitempty"`
}

// A Row is a constraint or a rule of a schema.
type Row struct {
	Definition string `json:"definition"` // widgets.example.com
	Object     string `json:"object"`     // the kind of objects: Widget
	Version    string `json:"version"`
	Path       string `json:"path"` // spec.ports[*].name: [*] is any index or key; empty: the whole object
	// Kind is the keyword: required, enum, pattern, format, minimum, listType ..., or rule.
	Kind     string `json:"kind"`
	Text     string `json:"text"`           // maximum 10, or the text of the rule
	Passes   int    `json:"passes"`         // values for which the rule was true; 0 for a constraint
	Failures int    `json:"failures"`       // errors about it
	Cost     int64  `json:"cost,omitempty"` // of the budget for rules: the maximum that this rule took for one object
}

// Covered reports whether the tests have seen both results of a rule, or a violation of a constraint.
func (r Row) Covered() bool { return r.Failures > 0 && (r.Kind != kindRule || r.Passes > 0) }

const kindRule = "rule"

// name describes a row in one line.
func (r Row) name() string {
	if r.Kind == kindRule {
		return constraint.RuleTitle(r.Path, r.Text)
	}
	return constraint.Title(r.Path, r.Text)
}

func constraintRow(c constraint.Constraint) Row {
	return Row{Path: c.Path, Kind: string(c.Kind), Text: c.Text}
}

func ruleRow(r *constraint.Rule) Row {
	return Row{Path: r.Path, Kind: kindRule, Text: r.ValidationRule.Rule}
}

// Coverage returns what the tests that ran so far have exercised: those of [Set.Run], [RunFiles] and
// [RunOpenShiftSuite] with this set. The constraints are those outside of combinators: required fields without a
// default, enums, patterns, string formats, bounds on numbers, lengths and sizes, and lists with unique items. What is
// very deep is only counted: see [Report.NotLooked].
func (s *Set) Coverage() Report {
	var report Report
	for _, d := range s.definitions {
		done := map[string]bool{}
		for _, v := range d.Spec.Versions {
			if !done[v.Name] {
				done[v.Name] = true
				rows, notLooked := s.coverageOf(d, v.Name)
				report.Rows, report.NotLooked = append(report.Rows, rows...), report.NotLooked+notLooked
			}
		}
	}
	return report
}

// coverageOf returns the rows of a version, and the number of its schemas that have none.
func (s *Set) coverageOf(d *definition, name string) (rows []Row, notLooked int) {
	v, ver, err := d.version(name)
	if err != nil {
		return nil, 0
	}
	seen := s.notes.of(ver)
	failures := map[constraint.ID]int{}
	for _, n := range seen {
		for _, e := range n.errs {
			if id, ok := constraint.Of(e); ok {
				failures[id]++
			}
		}
	}
	add := func(r Row) {
		r.Definition, r.Object, r.Version = d.Name(), d.Spec.Names.Kind, name
		rows = append(rows, r)
	}
	constraints, notLooked := constraint.List(v.Schema())
	for _, c := range constraints {
		r := constraintRow(c)
		r.Failures = failures[c.ID]
		add(r)
	}
	for _, rule := range ver.rules() {
		r := ruleRow(rule)
		for _, n := range seen {
			if !n.ruled {
				continue
			}
			verdict := rule.Evaluate(context.Background(), n.obj, n.old)
			r.Passes += verdict.True
			r.Failures += len(verdict.False)
			r.Cost = max(r.Cost, verdict.Cost)
		}
		add(r)
	}
	return rows, notLooked
}

// Share returns the fraction of rows that are covered: 1 if there are none.
func (r Report) Share() float64 {
	if len(r.Rows) == 0 {
		return 1
	}
	return float64(len(r.Rows)-len(r.Uncovered())) / float64(len(r.Rows))
}

// Uncovered returns the rows that are not covered.
func (r Report) Uncovered() []Row { return slices.DeleteFunc(slices.Clone(r.Rows), Row.Covered) }

// Limits on the output.
const (
	maxRows     = 40 // listed one by one
	maxVersions = 20 // of definitions
	maxGroups   = 60 // of rows, over all versions
)

// String returns the share that is covered, and the rows that are not: a line for each row, or, if there are more than
// forty, a line for each part of the schema. The text has a few hundred lines at most. The flag -crdtest.coverprofile
// writes everything.
func (r Report) String() string {
	left := r.Uncovered()
	var b strings.Builder
	fmt.Fprintf(&b, "crdtest: %.1f%% covered, %d of %d constraints and rules\n", 100*r.Share(), len(r.Rows)-len(left), len(r.Rows))
	var versions [][]Row
	for i, row := range left {
		if i == 0 || row.Definition != left[i-1].Definition || row.Version != left[i-1].Version {
			versions = append(versions, nil)
		}
		versions[len(versions)-1] = append(versions[len(versions)-1], row)
	}
	rest := len(versions) - maxVersions
	versions = versions[:min(len(versions), maxVersions)]
	groups := make([][]group, len(versions))
	if len(left) > maxRows {
		groups = grouped(versions)
	}
	for i, rows := range versions {
		fmt.Fprintf(&b, "  %s %s\n", rows[0].Definition, rows[0].Version)
		if groups[i] == nil {
			for _, row := range rows {
				b.WriteString("    " + row.name() + ": " + row.lacks() + "\n")
			}
		}
		for _, g := range groups[i] {
			b.WriteString("    " + g.String() + "\n")
		}
	}
	if rest > 0 {
		fmt.Fprintf(&b, "  and %d more versions of definitions\n", rest)
	}
	if r.NotLooked > 0 {
		fmt.Fprintf(&b, "  %d schemas are too deep, and were not looked at\n", r.NotLooked)
	}
	return b.String()
}

// A group is the rows of one part of a schema.
type group struct {
	path               string
	constraints, rules int
}

func (g group) size() int { return g.constraints + g.rules }

func (g group) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{g.constraints, "constraint"}, {g.rules, "rule"}} {
		switch {
		case p.n == 1:
			parts = append(parts, "1 "+p.what)
		case p.n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", p.n, p.what))
		}
	}
	return g.path + ": " + strings.Join(parts, " and ")
}

// grouped returns the rows of each version, grouped by parts of its schema. Large versions may use the lines of output
// that small ones do not need.
func grouped(versions [][]Row) [][]group {
	order := make([]int, len(versions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(versions[a]) - len(versions[b]) })
	out := make([][]group, len(versions))
	lines := maxGroups
	for n, i := range order {
		out[i] = parts(versions[i], max(2, lines/(len(order)-n)))
		lines -= len(out[i])
	}
	return out
}

// maxDepth limits how deep a schema is split.
const maxDepth = 8

// parts groups rows by parts of a schema that are as small as possible: all of them in their order, or, if one part
// would have more than half of the rows and there are too many parts, the largest ones.
func parts(rows []Row, most int) []group {
	best := groupsAt(rows, 1)
	for depth := 2; depth <= maxDepth; depth++ {
		finer := groupsAt(rows, depth)
		if len(finer) > most {
			if slices.ContainsFunc(best, func(g group) bool { return 2*g.size() > len(rows) }) {
				best = finer
			}
			break
		}
		best = finer
	}
	return cut(best, most)
}

// groupsAt groups rows by the first depth steps of their paths, in their order.
func groupsAt(rows []Row, depth int) (found []group) {
	index := map[string]int{}
	for _, row := range rows {
		path := "the object"
		if steps := strings.Split(row.Path, "."); row.Path != "" {
			path = strings.Join(steps[:min(depth, len(steps))], ".")
		}
		i, ok := index[path]
		if !ok {
			i = len(found)
			index[path] = i
			found = append(found, group{path: path})
		}
		if row.Kind == kindRule {
			found[i].rules++
		} else {
			found[i].constraints++
		}
	}
	return found
}

// cut returns groups; if there are too many, it returns the largest ones and merges the others into one.
func cut(groups []group, most int) []group {
	if len(groups) <= most {
		return groups
	}
	slices.SortStableFunc(groups, func(a, b group) int { return b.size() - a.size() })
	rest := group{path: fmt.Sprintf("%d more fields", len(groups)-most+1)}
	for _, g := range groups[most-1:] {
		rest.constraints += g.constraints
		rest.rules += g.rules
	}
	return append(groups[:most-1:most-1], rest)
}

// lacks says what the tests have not exercised of a row.
func (r Row) lacks() string {
	switch {
	case r.Kind != kindRule:
		return "no test violates this"
	case r.Failures > 0:
		return "no test has seen it true"
	case r.Passes > 0:
		return "no test breaks this rule"
	}
	return "no test meets this rule"
}

// RequireCoverage fails the test if the tests that ran before cover less than that share of constraints and rules (1.0
// is all). With scopes, it counts only the rows that at least one of them selects. It lists what is not covered, and
// shows an object that violates the first of these rows for which it finds one.
//
// If the flags -run or -skip select some of the tests, it logs all that and does not fail. A share below 0 or above 1,
// and a scope that names something that does not exist, always fail.
func (s *Set) RequireCoverage(t testing.TB, share float64, scopes ...Scope) {
	t.Helper()
	s.requireCoverage(t, share, scopes, partialRun(flag.CommandLine))
}

func (s *Set) requireCoverage(t testing.TB, share float64, scopes []Scope, partial bool) {
	t.Helper()
	if !(share >= 0 && share <= 1) {
		t.Errorf("crdtest: the share to cover must be from 0 to 1, not %v", share)
		return
	}
	report := s.Coverage()
	if err := report.check(scopes); err != nil {
		t.Errorf("crdtest: %v", err)
		return
	}
	report = report.Only(scopes...)
	if report.Share() >= share {
		return
	}
	text := fmt.Sprintf("%scoverage is below %.1f%%", report, 100*share)
	if partial {
		t.Log(text + ", which fails in a run of all tests only")
		return
	}
	t.Error(text + s.suggestion(t.Context(), report))
}

// maxTried limits the rows for which an object is searched.
const maxTried = 10

// suggestion returns an object that violates an uncovered row: the first row for which one is found.
func (s *Set) suggestion(ctx context.Context, report Report) string {
	makers := map[string]*maker{}
	tried := 0
	for _, row := range report.Uncovered() {
		if row.Failures > 0 {
			continue
		}
		if tried++; tried > maxTried {
			break
		}
		key := row.Definition + "/" + row.Version
		if _, ok := makers[key]; !ok {
			makers[key], _ = s.named(row.Definition).samples(ctx, row.Version)
		}
		if m := makers[key]; m != nil {
			if text := m.suggestion(ctx, row); text != "" {
				return fmt.Sprintf("\n\nfor %s %s:\n%s", row.Version, row.name(), text)
			}
		}
	}
	return ""
}

// suggestion returns an object that violates a row, with a mark at the violation, or "" if none is found.
func (m *maker) suggestion(ctx context.Context, row Row) string {
	for _, b := range m.breakables() {
		if b.row.Path != row.Path || b.row.Kind != row.Kind || b.row.Text != row.Text {
			continue
		}
		broken, err := b.broken(ctx)
		if err != nil {
			continue
		}
		text := yamltext.Print(broken.Object, "  ", errorMarks(broken.Errors))
		if broken.Old != nil {
			text += "in the place of\n" + yamltext.Print(broken.Old, "  ", nil)
		}
		return text
	}
	return ""
}

var coverProfile = flag.String("crdtest.coverprofile", "", "the file to which crdtest.Main writes the coverage, as JSON")

// Main runs the tests of a package, then prints the coverage of sets. Call it from TestMain:
//
//	func TestMain(m *testing.M) { crdtest.Main(m, crds) }
//
// The flag -crdtest.coverprofile=FILE also writes it as JSON.
func Main(m *testing.M, sets ...*Set) {
	code := m.Run()
	if err := summarize(os.Stdout, *coverProfile, sets); err != nil {
		fmt.Fprintf(os.Stderr, "crdtest: %v\n", err)
		code = max(code, 1)
	}
	if code != 0 {
		os.Exit(code)
	}
}

// summarize prints the coverage of sets, and writes it to the file profile unless that is empty.
func summarize(w io.Writer, profile string, sets []*Set) error {
	var all Report
	for _, s := range sets {
		all.Rows = append(all.Rows, s.Coverage().Rows...)
	}
	fmt.Fprint(w, all)
	if profile == "" {
		return nil
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(profile, append(data, '\n'), 0o644)
}
