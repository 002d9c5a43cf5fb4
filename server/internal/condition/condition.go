package condition

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/schema"
)

// The limits of a server: of one evaluation, and of the conditions of one webhook.
const (
	expressionLimit = 1_000_000
	budget          = 2_500_000
)

// A Condition is a compiled condition.
type Condition struct {
	expression string
	program    *eval.Program
	err        error // why there is no program
}

// names has the variables in the order of their values. The namespaceObject of a webhook is always null.
var names = []string{"object", "oldObject", "request", "namespaceObject", "authorizer"}

// Check returns the error of a new expression, or nil.
func Check(expression string) error {
	_, err := compile(expression, false)
	return err
}

// Compile compiles an expression of a stored configuration. An error is that of each evaluation.
func Compile(expression string) *Condition {
	program, err := compile(expression, true)
	return &Condition{expression, program, err}
}

func compile(expression string, stored bool) (*eval.Program, error) {
	root := types.Scope(requestSchema()) // not nil: the schema is always the same
	variables := []check.Variable{
		{Name: names[0], Type: types.DynType}, {Name: names[1], Type: types.DynType},
		{Name: names[2], Type: root.Field(names[2]).CEL()},
		{Name: names[3], Type: root.Field(names[3]).CEL()},
		{Name: names[4], Type: eval.AuthorizerType()},
	}
	e, err := new(check.Checker).Condition(expression, variables, root, stored)
	if err != nil {
		return nil, err
	}
	return eval.PlanCondition(e.AST, names)
}

// requestSchema returns a schema with the variables request and namespaceObject as properties.
var requestSchema = sync.OnceValue(func() *plan.Node {
	text, flag := &schema.JSONSchemaProps{Type: "string"}, &schema.JSONSchemaProps{Type: "boolean"}
	texts := &schema.JSONSchemaProps{Type: "array", Items: &schema.SchemaOrArray{Schema: text}}
	object := func(properties map[string]*schema.JSONSchemaProps) *schema.JSONSchemaProps {
		return &schema.JSONSchemaProps{Type: "object", Properties: properties}
	}
	type properties = map[string]*schema.JSONSchemaProps
	kind := object(properties{"group": text, "version": text, "kind": text})
	resource := object(properties{"group": text, "version": text, "resource": text})
	timestamp, whole := &schema.JSONSchemaProps{Type: "string", Format: "date-time"}, &schema.JSONSchemaProps{Type: "integer"}
	labels := &schema.JSONSchemaProps{Type: "object", AdditionalProperties: &schema.SchemaOrBool{Schema: text}}
	conditions := &schema.JSONSchemaProps{Type: "array", Items: &schema.SchemaOrArray{Schema: object(properties{
		"status": text, "type": text, "lastTransitionTime": timestamp, "message": text, "reason": text,
	})}}
	namespace := object(properties{
		"metadata": object(properties{
			"name": text, "generateName": text, "namespace": text, "labels": labels, "annotations": labels, "UID": text,
			"creationTimestamp": timestamp, "deletionTimestamp": timestamp, "deletionGracePeriodSeconds": whole, "generation": whole,
			"resourceVersion": text, "finalizers": texts,
		}),
		"spec":   object(properties{"finalizers": texts}),
		"status": object(properties{"conditions": conditions, "phase": text}),
	})
	s, _ := schema.Compile(object(properties{"request": object(properties{
		"kind": kind, "resource": resource, "subResource": text, "requestKind": kind, "requestResource": resource, "requestSubResource": text,
		"name": text, "namespace": text, "operation": text, "dryRun": flag,
		"userInfo": object(properties{"username": text, "uid": text, "groups": texts, "extra": {Type: "object",
			AdditionalProperties: &schema.SchemaOrBool{Schema: texts}}}),
		"options": {XIntOrString: true}, // its CEL type is dyn
	}), "namespaceObject": namespace}))
	return plan.Root(s)
})

// Input is what conditions are evaluated on, as package unstructured decodes it. It is not modified.
type Input struct {
	Object, OldObject any            // nil: null
	Request           map[string]any // other fields than those of the type are not visible
}

// An Outcome says what the conditions of a webhook decide.
type Outcome uint8

// The outcomes.
const (
	Matches Outcome = iota
	Differs         // one condition is false
	Fails           // none is false, and one has an error
)

// Evaluate evaluates the conditions in their order. The error, of outcome Fails, has a server's text.
func Evaluate(ctx context.Context, conditions []*Condition, in Input) (Outcome, error) {
	var m eval.Machine
	m.Reset(ctx, expressionLimit, since.Profile{})
	m.LoadVariables(eval.Dynamic(in.Object), eval.Dynamic(in.OldObject), eval.Dynamic(in.Request), eval.Dynamic(nil), eval.Dynamic(nil))
	left := int64(budget)
	var errs []error
	for _, c := range conditions {
		if c.err != nil {
			errs = append(errs, fmt.Errorf("compilation error: %w", c.err))
			continue
		}
		r := m.Eval(c.program, eval.OldUnbound)
		if r.Cost > left || r.Cost == math.MaxInt64 {
			return Fails, errors.New("validation failed due to running out of cost budget, no further validation rules will be run")
		}
		left -= r.Cost
		switch r.Outcome {
		case eval.True:
		case eval.False:
			return Differs, nil
		case eval.OverLimit:
			errs = append(errs, resulted(c, "operation cancelled: actual cost limit exceeded"))
		default:
			errs = append(errs, resulted(c, r.Text))
		}
	}
	if len(errs) == 0 {
		return Matches, nil
	}
	return Fails, aggregate(errs)
}

func resulted(c *Condition, text string) error {
	return fmt.Errorf("expression '%s' resulted in error: %s", c.expression, text)
}

// aggregate returns one error for several, with each text once.
func aggregate(errs []error) error {
	var text string
	seen := map[string]bool{}
	for _, err := range errs {
		if seen[err.Error()] {
			continue
		}
		if len(seen) > 0 {
			text += ", "
		}
		seen[err.Error()] = true
		text += err.Error()
	}
	if len(seen) > 1 {
		text = "[" + text + "]"
	}
	return errors.New(text)
}
