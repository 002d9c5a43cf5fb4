// Referencerules does what resource does, with the packages of Kubernetes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) < 3 {
		return
	}
	if err := run([]byte(os.Args[1]), []byte(os.Args[2])); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func run(document, object []byte) error {
	text, err := yaml.YAMLToJSON(document)
	if err != nil {
		return err
	}
	var d v1.CustomResourceDefinition
	if err := json.Unmarshal(text, &d); err != nil {
		return err
	}
	internal := &apiextensions.JSONSchemaProps{}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(d.Spec.Versions[0].Schema.OpenAPIV3Schema, internal, nil); err != nil {
		return err
	}
	s, err := structural.NewStructural(internal)
	if err != nil {
		return err
	}
	validator, _, err := validation.NewSchemaValidator(internal)
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
