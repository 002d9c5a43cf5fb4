// Package notice has texts of errors that are about the request rather than about a value, for the packages that make them and those that
// recognize them.
package notice

// RulesSkipped is the detail of the error that a server adds where other errors kept it from evaluating rules (STR-013).
const RulesSkipped = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"
