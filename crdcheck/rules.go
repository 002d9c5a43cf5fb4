package crdcheck

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
)

// storedExpressions are the texts of the rules, and of the messageExpressions, of the definition that is stored (CWH-010).
type storedExpressions struct{ rules, messages map[string]bool }

// ruleErrors returns what is wrong with the rules of s. Those of a node that is wrong, or has such nodes beneath it, are not compiled.
// stored has what the stored definition has already, nil on a create.
//
// What is compiled here stays in s.rules.
//
// Clauses: CWH-001 to CWH-011, CES-080 to CES-091, CCO-003 to CCO-005, SCH-042, SCH-043.
func ruleErrors(s *compiledSchema, wrong *wrong, stored *storedExpressions, limit field.Limit) field.List {
	root := s.root
	opts := ruleset.Options{Path: root.String(), Unchanged: s.same, Faulty: wrong.blocks(root), Minor: s.minor, Limit: limit}
	if stored != nil {
		opts.Stored = func(text string) bool { return stored.rules[text] }
		opts.StoredMessage = func(text string) bool { return stored.messages[text] }
	}
	return s.rules.Validate(&opts)
}
