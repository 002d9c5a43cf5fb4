// Package reference calls the Kubernetes packages that an API server consists of, with functions similar to those of
// this module. Arguments are copied first, because the packages modify them.
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

// A Schema is a schema in the types that the packages use.
type Schema struct {
	Props      *apiextensions.JSONSchemaProps
	Structural *structural.Structural
	Validator  validation.SchemaValidator
}

// Decode returns the schema in a JSON document, as a server has it after the definition was stored and read back.
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

// Compile compiles the schema in a JSON document. It fails for keywords that structural schemas do not support.
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

// Violations returns the reasons why the schema in a JSON document is not structural. at is its path. Unlike Decode, it
// has the schema as it is before the definition is stored.
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

// Prune returns v without unknown fields, and their paths. root means that v is a whole resource.
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

// DropNulls returns v without the nulls that are not nullable and have no default.
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

// Default does both: DropNulls and Fill.
func (s *Schema) Default(v any) any {
	v = Copy(v)
	s.DefaultInPlace(v)
	return v
}

// Value returns the violations of the schema.
func (s *Schema) Value(at *field.Path, v any) field.ErrorList {
	return validation.ValidateCustomResource(at, v, s.Validator)
}

// Embedded returns the errors of embedded resources.
func (s *Schema) Embedded(at *field.Path, v any) field.ErrorList {
	return objectmeta.Validate(context.Background(), at, v, s.Structural, false)
}

// Lists returns the duplicates in sets and maps.
func (s *Schema) Lists(at *field.Path, obj map[string]any) field.ErrorList {
	return listtype.ValidateListSetsAndMaps(at, s.Structural, obj)
}

// Coerce returns v with the metadata of embedded resources decoded and encoded again, and the paths of its unknown
// fields.
func (s *Schema) Coerce(v any, drop bool) (out any, unknown []string, failed *field.Error) {
	out = Copy(v)
	failed, unknown = objectmeta.CoerceWithOptions(nil, out, s.Structural, false, objectmeta.CoerceOptions{
		DropInvalidFields: drop, ReturnUnknownFieldPaths: true,
	})
	return out, unknown, failed
}

// ReadMetadata returns metadata after it was decoded and encoded again, and the paths of its unknown fields.
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

// Rewrite returns the schema in a JSON document as a server encodes it.
func Rewrite(document []byte) ([]byte, error) {
	var props v1.JSONSchemaProps
	if err := json.Unmarshal(document, &props); err != nil {
		return nil, err
	}
	return json.Marshal(&props)
}
