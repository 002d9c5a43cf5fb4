package resource

import (
	"maps"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// This file takes objects to storage and back: converted with the strategy None, encoded as JSON, decoded, and converted again.

// storedAndRead returns obj, which is of version v, as a server answers with it after a write: as it is read from what was
// stored.
//
// Clauses: ORD-001 (W, S, S2), ORD-002, DEC-009.
func (v *Version) storedAndRead(obj map[string]any) (map[string]any, *field.Status) {
	storage := v.resource.storage
	if v.version == storage {
		// Mostly just defaults are missing, if anything: then the rest of the way changes nothing.
		if filled := defaulting.Fill(v.schema, obj); v.isClean(filled) {
			return filled, nil
		}
	} else {
		var err error
		if obj, err = storage.convert(obj); err != nil {
			return nil, plainError(err.Error())
		}
	}
	normal, _ := jsonval.Stored(obj)
	obj, err := storage.fromStorage(normal.(map[string]any))
	if err == nil {
		obj, err = v.convert(obj)
	}
	if err != nil {
		return nil, plainError(err.Error())
	}
	return obj, nil
}

// fromStorage decodes what was stored in version v: like a request, but what cannot be read is dropped (ORD-001 S). What has been
// through a create has a generation.
func (v *version) fromStorage(obj map[string]any) (map[string]any, error) {
	kind, _ := obj["kind"].(string)
	c := coercer{drop: true}
	out, err := c.coerce(v.resource, obj, v.resource.group, v.name, kind)
	if err != nil {
		return nil, err
	}
	return defaulting.Fill(v.schema, out), nil
}

// convert makes obj an object of version v, which fills in no defaults (ORD-001 S2, ORD-004).
func (v *version) convert(obj map[string]any) (map[string]any, error) {
	if obj["apiVersion"] != v.groupText {
		obj = maps.Clone(obj)
		obj["apiVersion"] = v.groupText
	}
	kind, _ := obj["kind"].(string)
	var c coercer
	return c.coerce(v.resource, obj, v.resource.group, v.name, kind)
}
