package apply

import (
	"context"
	"errors"
	"fmt"

	"github.com/crdkit/crdkit/resource"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// A converter converts typed objects between versions, for one request.
type converter struct {
	ctx      context.Context //nolint:containedctx // structured-merge-diff's converters get none
	types    types
	versions map[string]*resource.Version
}

// Convert returns the object in another version, with the type that it has there. It is the object itself if it is of that version.
func (c *converter) Convert(object *typed.TypedValue, version fieldpath.APIVersion) (*typed.TypedValue, error) {
	obj, ok := object.AsValue().Unstructured().(map[string]any)
	if !ok {
		return object, errors.New("the value to be converted is no object")
	}
	if obj["apiVersion"] == string(version) {
		return object, nil
	}
	to, ok := c.versions[string(version)]
	if !ok {
		return object, fmt.Errorf("request to convert CR to an invalid group/version: %s", version)
	}
	converted, err := to.Convert(c.ctx, obj)
	if err != nil {
		return object, err
	}
	return c.types.typed(converted)
}

// IsMissingVersionError reports whether err says that there is no type for a version.
func (c *converter) IsMissingVersionError(err error) bool {
	var none *noTypeError
	return errors.As(err, &none)
}
