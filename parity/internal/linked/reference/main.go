// Reference does what schema does, with the packages of Kubernetes.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
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
	var props v1.JSONSchemaProps
	if err := json.Unmarshal(document, &props); err != nil {
		return err
	}
	internal := &apiextensions.JSONSchemaProps{}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, internal, nil); err != nil {
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
	defaulting.Default(obj, s)
	errs := validation.ValidateCustomResource(nil, obj, validator)
	return append(errs, listtype.ValidateListSetsAndMaps(nil, s, obj)...).ToAggregate()
}
