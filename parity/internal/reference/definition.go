package reference

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// A Definitions decodes CustomResourceDefinitions.
type Definitions struct {
	scheme         *runtime.Scheme
	codecs, strict serializer.CodecFactory
}

// NewDefinitions returns a decoder for the versions that a server supports.
func NewDefinitions() *Definitions {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	return &Definitions{scheme, serializer.NewCodecFactory(scheme), serializer.NewCodecFactory(scheme, serializer.EnableStrict)}
}

// Internal returns the definition in a document, with its defaults, as the internal version, which a server validates.
func (d *Definitions) Internal(document []byte) (*apiextensions.CustomResourceDefinition, error) {
	v, _, err := d.codecs.UniversalDecoder(apiextensions.SchemeGroupVersion).Decode(document, nil, nil)
	if err != nil {
		return nil, err
	}
	definition, ok := v.(*apiextensions.CustomResourceDefinition)
	if !ok {
		return nil, fmt.Errorf("a %T is not a definition", v)
	}
	return definition, nil
}

// Parse returns the definition in a document, with its defaults, as v1.
func (d *Definitions) Parse(document []byte) (*v1.CustomResourceDefinition, error) {
	internal, err := d.Internal(document)
	if err != nil {
		return nil, err
	}
	v, err := d.scheme.ConvertToVersion(internal, v1.SchemeGroupVersion)
	if err != nil {
		return nil, err
	}
	definition, ok := v.(*v1.CustomResourceDefinition)
	if !ok {
		return nil, fmt.Errorf("a %T is not a definition", v)
	}
	return definition, nil
}

// Findings returns the errors of strict decoding.
func (d *Definitions) Findings(document []byte) []string {
	_, _, err := d.strict.UniversalDeserializer().Decode(document, nil, nil)
	var texts []string
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		for _, e := range strict.Errors() {
			texts = append(texts, e.Error())
		}
	}
	return texts
}

// Write returns a definition as a server writes it.
func Write(definition *v1.CustomResourceDefinition) ([]byte, error) { return json.Marshal(definition) }

// Validate returns a server's errors for a new definition.
func Validate(definition *apiextensions.CustomResourceDefinition) []string {
	var texts []string
	for _, e := range validation.ValidateCustomResourceDefinition(context.Background(), definition) {
		texts = append(texts, e.Error())
	}
	return texts
}
