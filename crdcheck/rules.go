package crdcheck

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
)

// storedExpressions are the texts of the rules and messageExpressions of the stored definition (CWH-010).
type storedExpressions struct{ rules, messages map[string]bool }

// ruleErrors returns the errors of the rules of s. Rules of an invalid node, or of one with invalid nodes below it, are
// not compiled. stored has the expressions of the stored definition, or is nil on a create.
//
// The compiled rules stay in s.rules.
//
// Clauses: CWH-001 to CWH-011, CES-080 to CES-091, CCO-003 to CCO-005, SCH-042, SCH-043.
func ruleErrors(s *compiledSchema, invalid invalidSchema, stored *storedExpressions, limit field.Limit) field.List {
	root := s.root
	opts := ruleset.Options{Path: root.String(), Unchanged: s.same, Faulty: invalid.blocks(root), Minor: s.minor, Limit: limit}
	if stored != nil {
		opts.Stored = func(text string) bool { return stored.rules[text] }
		opts.StoredMessage = func(text string) bool { return stored.messages[text] }
	}
	return s.rules.Validate(&opts)
}
