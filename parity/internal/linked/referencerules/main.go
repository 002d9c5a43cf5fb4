// Referencerules does what resource does, with the packages of Kubernetes.
package main

import (
	"context"
	"encoding/json"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/parity/internal/linked"
	"github.com/crdkit/crdkit/parity/internal/linked/compiled"
)

func main() { linked.Main(run) }

func run(document, object []byte) error {
	text, err := yaml.YAMLToJSON(document)
	if err != nil {
		return err
	}
	var d v1.CustomResourceDefinition
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	s, validator, err := compiled.Schema(d.Spec.Versions[0].Schema.OpenAPIV3Schema)
	if err != nil {
		return err
	}
	var obj map[string]any
	if err := yaml.Unmarshal(object, &obj); err != nil {
		return err
	}
	pruning.Prune(obj, s, true)
	if err := objectmeta.Coerce(nil, obj, s, false, false); err != nil {
		return err
	}
	defaulting.Default(obj, s)
	ctx := context.Background()
	var errs field.ErrorList
	errs = append(errs, validation.ValidateCustomResource(nil, obj, validator)...)
	errs = append(errs, objectmeta.Validate(ctx, nil, obj, s, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s, obj)...)
	found, _ := cel.NewValidator(s, true, celconfig.PerCallLimit).Validate(ctx, nil, s, obj, nil, celconfig.RuntimeCELCostBudget)
	return append(errs, found...).ToAggregate()
}
