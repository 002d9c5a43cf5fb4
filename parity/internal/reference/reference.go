// Package reference calls the Kubernetes packages that an API server is made of, behind functions that have the shape
// of this module's. Arguments are copied first, since the packages modify them.
package reference

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A Schema is a schema in the forms that the packages work on.
type Schema struct {
	Props      *apiextensions.JSONSchemaProps
	Structural *structural.Structural
	Validator  validation.SchemaValidator
}

// Decode returns the schema that the JSON document is, as a server has it once the definition has been stored and read
// back.
func Decode(document []byte) (*apiextensions.JSONSchemaProps, error) {
	sent, err := decode(document)
	if err != nil {
		return nil, err
	}
	var stored v1.JSONSchemaProps
	if err := v1.Convert_apiextensions_JSONSchemaProps_To_v1_JSONSchemaProps(sent, &stored, nil); err != nil {
		return nil, err
	}
	text, err := json.Marshal(&stored)
	if err != nil {
		return nil, err
	}
	return decode(text)
}

func decode(document []byte) (*apiextensions.JSONSchemaProps, error) {
	var props v1.JSONSchemaProps
	if err := json.Unmarshal(document, &props); err != nil {
		return nil, err
	}
	internal := &apiextensions.JSONSchemaProps{}
	return internal, v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, internal, nil)
}

// Compile prepares the schema that the JSON document is. It fails for what no structural schema can say.
func Compile(document []byte) (*Schema, error) {
	props, err := Decode(document)
	if err != nil {
		return nil, err
	}
	s := &Schema{Props: props}
	if s.Structural, err = structural.NewStructural(props); err != nil {
		return nil, err
	}
	s.Validator, _, err = validation.NewSchemaValidator(props)
	return s, err
}

// Violations returns what keeps the schema that the JSON document is from being structural, at the place at. It is
// asked when a definition is sent, before it is stored.
func Violations(at *field.Path, document []byte) (field.ErrorList, error) {
	props, err := decode(document)
	if err != nil {
		return nil, err
	}
	s, err := structural.NewStructural(props)
	if err != nil {
		return field.ErrorList{field.Invalid(at, "", err.Error())}, nil
	}
	return structural.ValidateStructural(at, s), nil
}

// Copy returns a deep copy of v.
func Copy(v any) any { return runtime.DeepCopyJSONValue(v) }

// Prune returns v without unknown fields, and their paths. root says that v is the whole of a resource.
func (s *Schema) Prune(v any, root bool) (any, []string) {
	v = Copy(v)
	unknown := pruning.PruneWithOptions(v, s.Structural, root, structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	return v, unknown
}

// PruneInPlace removes the unknown fields of a whole resource.
func (s *Schema) PruneInPlace(obj any) { pruning.Prune(obj, s.Structural, true) }

// DefaultInPlace drops nulls and fills in defaults.
func (s *Schema) DefaultInPlace(v any) {
	defaulting.PruneNonNullableNullsWithoutDefaults(v, s.Structural)
	defaulting.Default(v, s.Structural)
}

// DropNulls returns v without the nulls that have neither a schema's permission nor a default.
func (s *Schema) DropNulls(v any) any {
	v = Copy(v)
	defaulting.PruneNonNullableNullsWithoutDefaults(v, s.Structural)
	return v
}

// Fill returns v with its defaults.
func (s *Schema) Fill(v any) any {
	v = Copy(v)
	defaulting.Default(v, s.Structural)
	return v
}

// Default does both.
func (s *Schema) Default(v any) any {
	v = Copy(v)
	s.DefaultInPlace(v)
	return v
}

// Value returns what breaks the schema.
func (s *Schema) Value(at *field.Path, v any) field.ErrorList {
	return validation.ValidateCustomResource(at, v, s.Validator)
}

// Embedded returns what is wrong with embedded resources.
func (s *Schema) Embedded(at *field.Path, v any) field.ErrorList {
	return objectmeta.Validate(context.Background(), at, v, s.Structural, false)
}

// Lists returns the duplicates in sets and maps.
func (s *Schema) Lists(at *field.Path, obj map[string]any) field.ErrorList {
	return listtype.ValidateListSetsAndMaps(at, s.Structural, obj)
}

// Coerce returns v with the metadata of embedded resources read and written back, and the paths of its unknown fields.
func (s *Schema) Coerce(v any, drop bool) (out any, unknown []string, failed *field.Error) {
	out = Copy(v)
	failed, unknown = objectmeta.CoerceWithOptions(nil, out, s.Structural, false, objectmeta.CoerceOptions{
		DropInvalidFields: drop, ReturnUnknownFieldPaths: true,
	})
	return out, unknown, failed
}

// ReadMetadata returns metadata as it is written back after it has been read, and the paths of its unknown fields.
func ReadMetadata(meta any, drop bool) (out any, unknown []string, err error) {
	obj := map[string]any{"metadata": Copy(meta)}
	typed, found, unknown, err := objectmeta.GetObjectMetaWithOptions(obj, objectmeta.ObjectMetaOptions{
		DropMalformedFields: drop, ReturnUnknownFieldPaths: true,
	})
	if err != nil || !found {
		return nil, nil, err
	}
	if err := objectmeta.SetObjectMeta(obj, typed); err != nil {
		return nil, nil, fmt.Errorf("set: %w", err)
	}
	return obj["metadata"], unknown, nil
}

// Rewrite returns the JSON document that is a schema as a server writes it.
func Rewrite(document []byte) ([]byte, error) {
	var props v1.JSONSchemaProps
	if err := json.Unmarshal(document, &props); err != nil {
		return nil, err
	}
	return json.Marshal(&props)
}
