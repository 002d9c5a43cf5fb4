package condition

import (
	"fmt"
	"sync"

	"github.com/crdkit/crdkit/internal/cel/check"
	"github.com/crdkit/crdkit/internal/cel/eval"
	"github.com/crdkit/crdkit/internal/cel/types"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
)

// The limits of a server: of one evaluation, and of the expressions of one webhook or policy together.
const (
	expressionLimit = 1_000_000
	matchBudget     = 2_500_000  // match conditions
	validateBudget  = 10_000_000 // validations with their messages, or audit annotations
)

// An Environment has what the expressions of a webhook or of a policy may refer to. It is safe for concurrent use once
// its variables are declared.
type Environment struct {
	params   bool
	composed map[string]*types.Type // of the fields of variables; nil: there is no such variable
	fields   map[string]eval.Composed
	total    *check.Total // of all expressions
}

// NewEnvironment returns the environment of a webhook or, if policy is set, that of a policy, in which variables can be
// declared. params says that there is a variable of that name.
func NewEnvironment(policy, params bool) *Environment {
	e := &Environment{params: params, total: new(check.Total)}
	if policy {
		e.composed, e.fields = map[string]*types.Type{}, map[string]eval.Composed{}
	}
	return e
}

// A Kind says what an expression is for.
type Kind uint8

// The kinds of expressions.
const (
	Match      Kind = iota // a match condition or a validation, whose value is a bool
	Message                // a text; it cannot ask the authorizer
	Annotation             // a text or null
	Definition             // of a variable, of any type
)

// results has the types of the values of expressions.
var results = [...][]*types.Type{
	Match: {types.BoolType}, Message: {types.StringType}, Annotation: {types.StringType, types.NullType}, Definition: nil,
}

// A Condition is a compiled expression.
type Condition struct {
	expression string
	program    *eval.Program
	err        error // why there is no program
}

// names has the variables in the order of their values.
var names = []string{"object", "oldObject", "request", "namespaceObject", "authorizer", "authorizer.requestResource", "params", "variables"}

// Check returns the error of a new expression, or nil. A stored one may call all functions.
func (e *Environment) Check(kind Kind, expression string, stored bool) error {
	_, _, err := e.compile(kind, expression, stored)
	return err
}

// Compile compiles an expression of a stored configuration. An error is that of each evaluation.
func (e *Environment) Compile(kind Kind, expression string) *Condition {
	_, program, err := e.compile(kind, expression, true)
	return &Condition{expression, program, err}
}

// Declare declares variables.NAME, for the expressions that are compiled later. It returns the error of its expression;
// the type of the variable is then dyn. Of several with one name, the last one counts.
func (e *Environment) Declare(name, expression string, stored bool) error {
	t, program, err := e.compile(Definition, expression, stored)
	e.composed[name], e.fields[name] = simplified(t), eval.Composed{Program: program}
	if err != nil {
		e.fields[name] = eval.Composed{Fault: err.Error()}
	}
	return err
}

func (e *Environment) compile(kind Kind, expression string, stored bool) (*types.Type, *eval.Program, error) {
	root := types.Scope(requestSchema()) // not nil: the schema is always the same
	variables := []check.Variable{
		{Name: names[0], Type: types.DynType}, {Name: names[1], Type: types.DynType},
		{Name: names[2], Type: root.Field(names[2]).CEL()},
		{Name: names[3], Type: root.Field(names[3]).CEL()},
	}
	if kind != Message {
		variables = append(variables, check.Variable{Name: names[4], Type: eval.AuthorizerType()},
			check.Variable{Name: names[5], Type: eval.ResourceCheckType()})
	}
	if e.params {
		variables = append(variables, check.Variable{Name: names[6], Type: types.DynType})
	}
	if e.composed != nil {
		variables = append(variables, check.Variable{Name: names[7], Type: composedType, Fields: e.composed})
	}
	var checker check.Checker
	checker.CountTo(e.total)
	x, err := checker.Condition(expression, variables, root, stored, results[kind]...)
	if err != nil {
		return nil, nil, err
	}
	program, err := eval.PlanCondition(x.AST, names)
	if err != nil {
		return nil, nil, fmt.Errorf("program instantiation failed: %w", err)
	}
	return x.ResultType(), program, nil
}

// composedType is the type of the variable with the variables of a policy.
var composedType = types.NewObjectType("kubernetes.variables")

// simplified returns the type of a variable as a server has it: lists and maps of scalars, others are dyn. So is a large
// one: the type of a variable may double with each variable that it is made of.
func simplified(t *types.Type) *types.Type {
	if t.Larger(maxType) {
		return types.DynType
	}
	return simple(t)
}

const maxType = 100

func simple(t *types.Type) *types.Type {
	switch {
	case t.IsWrapper():
		return types.DynType
	case t.Kind() == types.ListKind:
		return types.NewListType(simple(t.Parameters()[0]))
	case t.Kind() == types.MapKind:
		return types.NewMapType(simple(t.Parameters()[0]), simple(t.Parameters()[1]))
	}
	switch t.Kind() {
	case types.AnyKind, types.BoolKind, types.BytesKind, types.DoubleKind, types.DurationKind, types.IntKind, types.NullTypeKind,
		types.StringKind, types.TimestampKind, types.UintKind:
		return t
	}
	return types.DynType
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
