package reference

import (
	"context"
	"maps"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	definitions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Rules are the validation rules of a schema.
type Rules struct {
	Props      *apiextensions.JSONSchemaProps
	Structural *structural.Structural
	inner      bool
	validator  *cel.Validator
}

// A RuleCost is the static estimate of a rule that compiles.
type RuleCost struct {
	Path        string
	Index       int
	Transition  bool
	Cost        uint64
	Cardinality *uint64 // nil: not bounded
	MessageCost uint64
}

// NewRules decodes the schema in a JSON document. It does not compile the rules.
func NewRules(document []byte) (*Rules, error) {
	props, err := decode(document)
	if err != nil {
		return nil, err
	}
	s, err := structural.NewStructural(props)
	return &Rules{Props: props, Structural: s}, err
}

// SchemaPath is the path of the schema in the definition that Check makes.
const SchemaPath = "spec.validation.openAPIV3Schema"

// Check returns a server's errors for a definition with the schema: for a create or, if stored is set, for an update
// that changes only a description. It reports false if the packages panic.
func (r *Rules) Check(stored bool) (errs field.ErrorList, ok bool) {
	defer func() { ok = recover() == nil }()
	if !stored {
		return definitions.ValidateCustomResourceDefinition(context.Background(), definitionOf(r.Props)), true
	}
	before := definitionOf(r.Props.DeepCopy())
	before.Spec.Validation.OpenAPIV3Schema.Description = "as it was"
	before.ResourceVersion = "1"
	after := definitionOf(r.Props)
	after.ResourceVersion = "1"
	return definitions.ValidateCustomResourceDefinitionUpdate(context.Background(), after, before), true
}

func definitionOf(props *apiextensions.JSONSchemaProps) *apiextensions.CustomResourceDefinition {
	no := false
	d := &apiextensions.CustomResourceDefinition{ObjectMeta: metav1.ObjectMeta{Name: "cases.stable.example.com"}}
	d.Spec = apiextensions.CustomResourceDefinitionSpec{
		Group: "stable.example.com", Version: "v1", Scope: apiextensions.NamespaceScoped, PreserveUnknownFields: &no,
		Names:      apiextensions.CustomResourceDefinitionNames{Plural: "cases", Singular: "case", Kind: "Case", ListKind: "CaseList"},
		Versions:   []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}},
		Validation: &apiextensions.CustomResourceValidation{OpenAPIV3Schema: props},
		Conversion: &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter},
	}
	d.Status.StoredVersions = []string{"v1"}
	return d
}

// Costs returns the estimates of the rules that compile, in no particular order.
func (r *Rules) Costs(stored bool) ([]RuleCost, error) {
	c := coster{base: environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()), loader: cel.NewExpressionsEnvLoader()}
	if stored {
		c.loader = cel.StoredExpressionsEnvLoader()
	}
	err := c.node(r.Props, definitions.RootCELContext(r.Props), nil)
	return c.costs, err
}

type coster struct {
	base   *environment.EnvSet
	loader cel.EnvLoader
	costs  []RuleCost
}

func (c *coster) node(p *apiextensions.JSONSchemaProps, at *definitions.CELSchemaContext, path []string) error {
	if a := p.AdditionalProperties; a != nil && a.Schema != nil {
		if err := c.node(a.Schema, at.ChildAdditionalPropertiesContext(a.Schema), append(slices.Clip(path), "additionalProperties")); err != nil {
			return err
		}
	}
	for _, k := range slices.Sorted(maps.Keys(p.Properties)) {
		child := p.Properties[k]
		if err := c.node(&child, at.ChildPropertyContext(&child, k), append(slices.Clip(path), "properties["+k+"]")); err != nil {
			return err
		}
	}
	if p.Items != nil && p.Items.Schema != nil {
		if err := c.node(p.Items.Schema, at.ChildItemsContext(p.Items.Schema), append(slices.Clip(path), "items")); err != nil {
			return err
		}
	}
	if len(p.XValidations) == 0 {
		return nil
	}
	info, err := at.TypeInfo()
	if err != nil || info == nil || info.DeclType == nil {
		return nil // an error of the definition says so
	}
	results, err := cel.Compile(info.Schema, info.DeclType, celconfig.PerCallLimit, c.base, c.loader)
	if err != nil {
		return err
	}
	for i, result := range results {
		if result.Error != nil {
			continue
		}
		cost := RuleCost{
			Path: strings.Join(path, "."), Index: i, Transition: result.UsesOldSelf, Cost: result.MaxCost, Cardinality: at.MaxCardinality,
		}
		if p.XValidations[i].MessageExpression != "" && result.MessageExpressionError == nil {
			cost.MessageCost = result.MessageExpressionMaxCost
		}
		c.costs = append(c.costs, cost)
	}
	return nil
}

// Prepare compiles the rules for Evaluate. It reports false if the packages panic.
func (r *Rules) Prepare() (ok bool) {
	defer func() { ok = recover() == nil }()
	r.validator = cel.NewValidator(r.Structural, !r.inner || r.Structural.XEmbeddedResource, celconfig.PerCallLimit)
	return true
}

// Below returns the rules of a part of the schema, for its values. steps is its path: names of properties, and the
// keywords items and additionalProperties in brackets. It returns nil if such values cannot have rules.
func (r *Rules) Below(steps []string) *Rules {
	s := r.Structural
	for _, step := range steps {
		switch step {
		case "[items]":
			s = s.Items
		case "[additionalProperties]":
			s = s.AdditionalProperties.Structural
		default:
			child := s.Properties[step]
			s = &child
		}
	}
	if model.SchemaDeclType(s, s.XEmbeddedResource) == nil {
		return nil
	}
	return &Rules{Structural: s, inner: true}
}

// Evaluate evaluates the rules of a value at the path at, which is nil for a whole object, and returns what is left of
// the budget. old may be nil.
func (r *Rules) Evaluate(ctx context.Context, at *field.Path, v, old any, budget int64, ratchet bool) (field.ErrorList, int64) {
	if r.validator == nil {
		return nil, budget
	}
	var options []cel.Option
	if old != nil && ratchet {
		options = append(options, cel.WithRatcheting(common.NewCorrelatedObject(v, old, &model.Structural{Structural: r.Structural})))
	}
	return r.validator.Validate(ctx, at, r.Structural, v, old, budget, options...)
}
