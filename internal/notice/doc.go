// Package notice has the texts of errors that are about the request rather than about a value, for packages that create
// or recognize such errors.
package notice

// RulesSkipped is the detail of the error that a server adds if other errors kept it from evaluating rules (STR-013).
const RulesSkipped = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"
