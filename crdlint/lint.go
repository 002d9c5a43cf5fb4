package crdlint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
)

// A Severity says how sure a lint is that its findings matter.
type Severity string

// The severities.
const (
	Warning Severity = "warning" // it will go wrong for somebody
	Note    Severity = "note"    // it may be meant that way
)

// A Lint is one of the checks of this package.
type Lint struct {
	Name     string
	Severity Severity // of its findings
	Title    string   // what it finds, in a few words
	Why      string   // why that hurts, in a sentence or two
	Off      bool     // it is looked for only if Options.Also has its name

	check func(*linter)
}

// Lints returns all lints, sorted by name.
func Lints() []Lint { return slices.Clone(lints) }

var lints = []Lint{
	ambiguousName, untypedConditions, atomicList, boundOutOfRange, boundsBetweenVersions, bypassedImmutability,
	conflictingDefaults, conflictingNames,
	constantRule, deadColumn, deadScale, droppedDefault, droppedStatus, durationFormat, emptyEnumValue, ineffectiveFormat,
	lostBetweenVersions,
	misleadingMessage, nextKubernetes, noColumns, noDescription, nullableDefault, preservedRoot, prunedMetadata, replicasWithoutScale,
	requiredDefault, ruleAsKeyword,
	rulesNearLimit, rulesOverBudget, setOfObjects, boundsOfSize, statusWithoutSubresource, textComparison, unboundedRules,
	unguardedField, unmetRequired,
	unreachableDefault, wideColumns, yamlKey,
}

// A Finding is one thing in a definition that a server accepts and that will be regretted.
type Finding struct {
	Lint     string // the name of the lint
	Severity Severity
	// Path is the place in the document: spec.versions[0].schema.openAPIV3Schema.properties[spec]. It is empty for the
	// whole document.
	Path    string
	Message string // what is found
	Why     string // that of the lint
	Fix     string // how to change the definition
	Witness *Witness
}

// String returns the finding as a line, without its reason and its witness.
func (f *Finding) String() string {
	return fmt.Sprintf("%s: %s: %s (fix: %s)", f.Severity, f.Lint, f.Message, f.Fix)
}

// A Witness shows a finding: requests, and what a server answers.
type Witness struct {
	Steps []Step
}

// A Step is one request of a witness. An update replaces what the step before it has stored, and a read reads that.
type Step struct {
	Request string         // create, update, update status or read
	Version string         // of the request
	Object  map[string]any // what is sent; nil for a read
	Answer  map[string]any // what the server answers
	Refusal string         // the error, if the server refuses the request; there is no Answer then
}

// Options are options for [Find]. Nil is the zero value.
type Options struct {
	// Ignore has the names of lints to leave out.
	Ignore []string
	// Also has the names of lints that are off by default: see Lint.Off.
	Also []string
	// Others are other definitions of the same cluster, which the lints conflicting-names and ambiguous-name compare names
	// with. One without a status has the names in its spec. The definition itself may be among them. It takes time
	// linear in them.
	Others []*crd.CustomResourceDefinition
	// NoWitnesses leaves out the witnesses of findings that can be proved without one. Lints whose only proof is a
	// witness find nothing.
	NoWitnesses bool
}

// IgnoreAnnotation is the annotation of a definition with the names of lints to leave out, separated by commas.
const IgnoreAnnotation = "crdkit.github.io/lint-ignore"

// The limits of what is looked at in a definition, and of the findings of a lint.
const (
	maxFindings = 50
	maxPlaces   = 200_000
)

// Find returns the findings about a definition that crdcheck.Compile or crdcheck.CompileUpdate has checked, in the
// order of the lints' names. It returns nil for a definition that a server refuses: package crdcheck has the errors of
// that. The findings share values with the definition, which must not be modified while they are in use.
func Find(ctx context.Context, c *crdcheck.Checked, opts *Options) []Finding {
	if opts == nil {
		opts = &Options{}
	}
	if c == nil || len(c.Errors()) > 0 {
		return nil
	}
	l := newLinter(ctx, c, opts)
	ignored := slices.Clone(opts.Ignore)
	if names, ok := l.d.Annotation(IgnoreAnnotation); ok {
		for name := range strings.SplitSeq(names, ",") {
			ignored = append(ignored, strings.TrimSpace(name))
		}
	}
	for i := range lints {
		name := lints[i].Name
		if slices.Contains(ignored, name) || lints[i].Off && !slices.Contains(opts.Also, name) || ctx.Err() != nil {
			continue
		}
		l.lint, l.found, l.omitted = &lints[i], 0, 0
		lints[i].check(l)
		if l.omitted > 0 {
			l.findings = append(l.findings, Finding{
				Lint: lints[i].Name, Severity: Note, Why: lints[i].Why,
				Message: fmt.Sprintf("%d more findings of this lint are left out", l.omitted), Fix: "see the others",
			})
		}
	}
	return l.findings
}
