package field

import "github.com/crdkit/crdkit/internal/origin"

// RulesSkipped reports whether e is not about a value, but says that rules were not evaluated because of the other
// errors: `<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; ...`. A
// server adds it to a refusal as its last error. Programs that show errors to people may omit or rephrase it.
// RulesSkipped is false for a nil e.
func (e *Error) RulesSkipped() bool {
	return e != nil && origin.RulesSkipped(e)
}
