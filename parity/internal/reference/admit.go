package reference

import (
	"context"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	definitions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	k8sschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// Compiled is a resource with its rules: all that a server compiles before it sees the first object.
type Compiled struct {
	*Resource
	validator *cel.Validator
}

// WithRules compiles the rules of a resource.
func (r *Resource) WithRules() *Compiled {
	return &Compiled{r, cel.NewValidator(r.Schema.Structural, true, celconfig.PerCallLimit)}
}

// HasRules reports whether the schema has any.
func (c *Compiled) HasRules() bool { return c.validator != nil }

// Admit handles a decoded object as a server does: metadata, pruning, nulls, embedded resources, defaults; then it
// checks metadata, schema, embedded resources and list types, and rules if there are no errors. It modifies obj. With
// old, it is an update, with ratcheting.
//
// It leaves out what costs a server comparatively little: the comparison of uid and resourceVersion, generation,
// finalizers.
func (c *Compiled) Admit(ctx context.Context, obj, old map[string]any) field.ErrorList {
	if _, err := c.coerce(obj, false); err != nil {
		return field.ErrorList{field.Invalid(nil, obj, err.Error())}
	}
	defaulting.Default(obj, c.Schema.Structural)

	u := &unstructured.Unstructured{Object: obj}
	errs := metavalidation.ValidateObjectMetaAccessor(u, c.Namespaced, metavalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
	var correlated *common.CorrelatedObject
	if old == nil {
		errs = append(errs, c.Schema.Value(nil, obj)...)
	} else {
		correlated = common.NewCorrelatedObject(obj, old, &model.Structural{Structural: c.Schema.Structural})
		errs = append(errs, validation.ValidateCustomResourceUpdate(nil, obj, old, c.Schema.Validator, validation.WithRatcheting(correlated))...)
	}
	errs = append(errs, c.Schema.Embedded(nil, obj)...)
	errs = append(errs, c.Schema.Lists(nil, obj)...)
	if len(errs) > 0 {
		return errs
	}
	found, _ := c.rules(ctx, obj, old, correlated)
	return found
}

// Rules evaluates the rules of a complete object, and returns what they cost.
func (c *Compiled) Rules(ctx context.Context, obj map[string]any) (field.ErrorList, int64) {
	return c.rules(ctx, obj, nil, nil)
}

func (c *Compiled) rules(ctx context.Context, obj, old map[string]any, correlated *common.CorrelatedObject) (field.ErrorList, int64) {
	if c.validator == nil {
		return nil, 0
	}
	var before any
	var options []cel.Option
	if old != nil {
		before, options = old, []cel.Option{cel.WithRatcheting(correlated)}
	}
	errs, left := c.validator.Validate(ctx, nil, c.Schema.Structural, obj, before, celconfig.RuntimeCELCostBudget, options...)
	return errs, celconfig.RuntimeCELCostBudget - left
}

// CheckDefinition returns a server's errors for a definition, from its JSON.
func (d *Definitions) CheckDefinition(ctx context.Context, document []byte) (field.ErrorList, error) {
	internal, err := d.Internal(document)
	if err != nil {
		return nil, err
	}
	return definitions.ValidateCustomResourceDefinition(ctx, internal), nil
}

// DecodeObject decodes an object's JSON as a server does.
func DecodeObject(body []byte) (map[string]any, error) {
	var obj map[string]any
	err := json.Unmarshal(body, &obj)
	return obj, err
}

// CompileDefinition compiles the first version of a v1 definition in JSON, with its rules, without checking the
// definition.
func CompileDefinition(document []byte) (*Compiled, error) {
	var d v1.CustomResourceDefinition
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, err
	}
	version := d.Spec.Versions[0]
	props := &apiextensions.JSONSchemaProps{}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(version.Schema.OpenAPIV3Schema, props, nil); err != nil {
		return nil, err
	}
	s := &Schema{Props: props}
	var err error
	if s.Structural, err = structural.NewStructural(props); err != nil {
		return nil, err
	}
	if s.Validator, _, err = validation.NewSchemaValidator(props); err != nil {
		return nil, err
	}
	r := &Resource{
		Schema: s, Kind: k8sschema.GroupVersionKind{Group: d.Spec.Group, Version: version.Name, Kind: d.Spec.Names.Kind},
		Namespaced: d.Spec.Scope == v1.NamespaceScoped, Status: version.Subresources != nil && version.Subresources.Status != nil,
	}
	return r.WithRules(), nil
}
