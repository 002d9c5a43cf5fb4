// Package compiled compiles a schema with the packages of Kubernetes.
package compiled

import (
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
)

// Schema returns the two forms in which a server keeps a schema.
func Schema(props *v1.JSONSchemaProps) (*structural.Structural, validation.SchemaValidator, error) {
	internal := &apiextensions.JSONSchemaProps{}
	if err := v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, internal, nil); err != nil {
		return nil, nil, err
	}
	s, err := structural.NewStructural(internal)
	if err != nil {
		return nil, nil, err
	}
	validator, _, err := validation.NewSchemaValidator(internal)
	return s, validator, err
}
