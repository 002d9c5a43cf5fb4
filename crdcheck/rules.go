package crdcheck

import (
	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/field"
)

// ruleErrors returns what is wrong with the rules of c, whose schema stands at that path. blocked reports whether an error was found at
// the node at a path or beneath it: its rules are not compiled then. stored has what the stored definition has already, nil on a create.
// sameSchema says that this is its schema: then single expressions may cost what they like.
//
// What is compiled here stays in c.rules.
//
// Clauses: CWH-001 to CWH-011, CES-080 to CES-091, CCO-003 to CCO-005, SCH-042, SCH-043.
func ruleErrors(c *compiledSchema, at *field.Path, blocked func(*field.Path) bool, stored *storedExpressions, sameSchema bool) field.List {
	opts := cel.Options{Path: at.String(), Unchanged: sameSchema, Faulty: blocked}
	if stored != nil {
		opts.Stored = func(text string) bool { return stored.rules[text] }
		opts.StoredMessage = func(text string) bool { return stored.messages[text] }
	}
	return c.rules.Check(&opts)
}
