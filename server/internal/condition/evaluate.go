package condition

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
)

// What expressions ask an authorizer.
type (
	Authorizer = eval.Authorizer
	Inquiry    = eval.Inquiry
)

// An Input has the values of the variables. It is not modified, but must not be used concurrently.
type Input struct {
	Object, OldObject *Value
	Request           *Value // other fields than those of the type are not visible
	Namespace         *Value // namespaceObject
	Params            *Value
	// Authorizer answers what expressions ask it, and Resource is the resource of the request. Nil: it is an error to use
	// the variables.
	Authorizer Authorizer
	Resource   Inquiry
}

// A Value is the value of a variable. Nil is null.
type Value struct {
	data  any
	ready *eval.Variable
}

// Of returns data, as package unstructured decodes it, as a value. The data is converted when it is first used.
func Of(data any) *Value { return &Value{data: data} }

func (v *Value) variable() eval.Variable {
	if v == nil {
		return eval.Dynamic(nil)
	}
	if v.ready == nil {
		ready := eval.Dynamic(v.data)
		v.ready = &ready
	}
	return *v.ready
}

// variables returns the values of the variables in their order.
func (in *Input) variables(composition *eval.Composition) []eval.Variable {
	authorizer, resource := eval.Unresolved("authorizer"), eval.Unresolved("authorizer.requestResource")
	if in.Authorizer != nil {
		authorizer, resource = in.Authorizer.Variable(), in.Authorizer.Resource(in.Resource)
	}
	return []eval.Variable{
		in.Object.variable(), in.OldObject.variable(), in.Request.variable(), in.Namespace.variable(), authorizer, resource,
		in.Params.variable(), composition.Variable(),
	}
}

// An Outcome says what match conditions decide.
type Outcome uint8

// The outcomes.
const (
	Matches Outcome = iota
	Differs         // one condition is false
	Fails           // none is false, and one has an error
)

// Evaluate evaluates match conditions in their order. The error, of outcome Fails, has a server's text.
func (e *Environment) Evaluate(ctx context.Context, conditions []*Condition, in *Input) (Outcome, error) {
	if len(conditions) == 0 {
		return Matches, nil
	}
	all, _, err := e.run(ctx, conditions, in, matchBudget)
	if err != nil {
		return Fails, err
	}
	var errs []error
	for _, r := range all {
		switch {
		case r.err != nil:
			errs = append(errs, r.err)
		case !r.holds:
			return Differs, nil
		}
	}
	if len(errs) == 0 {
		return Matches, nil
	}
	return Fails, errors.New(refusal.Aggregate(errs))
}

// A result is the value of an expression, or its error.
type result struct {
	err    error
	holds  bool // true
	text   string
	isText bool
}

var errBudget = errors.New("validation failed due to running out of cost budget, no further validation rules will be run")

// maxTexts is the size of the texts that are kept. Later ones are left out.
const maxTexts = 1 << 20

// run evaluates expressions in their order; nil ones have no result. It returns what is left of the budget, or an error
// if they cost more.
func (e *Environment) run(ctx context.Context, expressions []*Condition, in *Input, budget int64) ([]result, int64, error) {
	var m eval.Machine
	m.Reset(ctx, expressionLimit, since.Profile{})
	composition := eval.NewComposition(e.fields)
	m.LoadVariables(in.variables(composition)...)
	out, kept := make([]result, len(expressions)), 0
	for i, c := range expressions {
		switch {
		case c == nil:
			continue
		case c.err != nil:
			out[i].err = fmt.Errorf("compilation error: %w", c.err)
			continue
		}
		r := m.Eval(c.program, eval.OldUnbound)
		for _, cost := range []int64{composition.TakeCost(), r.Cost} {
			if cost > budget || cost == math.MaxInt64 {
				return nil, 0, errBudget
			}
			budget -= cost
		}
		switch r.Outcome {
		case eval.True:
			out[i].holds = true
		case eval.False:
		case eval.Text:
			if kept += len(r.Text); kept <= maxTexts {
				out[i].text, out[i].isText = r.Text, true
			}
		case eval.OverLimit:
			out[i].err = resulted(c, "operation cancelled: actual cost limit exceeded")
		default:
			out[i].err = resulted(c, r.Text)
		}
	}
	return out, budget, nil
}

func resulted(c *Condition, text string) error {
	return fmt.Errorf("expression '%s' resulted in error: %s", c.expression, text)
}
