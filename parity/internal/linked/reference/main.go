// Reference does what schema does, with the packages of Kubernetes.
package main

import (
	"encoding/json"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/parity/internal/linked"
	"github.com/crdkit/crdkit/parity/internal/linked/compiled"
)

func main() { linked.Main(run) }

func run(document, object []byte) error {
	var props v1.JSONSchemaProps
	if err := json.Unmarshal(document, &props); err != nil {
		return err
	}
	s, validator, err := compiled.Schema(&props)
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
