package apply

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// A converter converts typed objects between versions, for one request.
type converter struct {
	ctx      context.Context //nolint:containedctx // structured-merge-diff passes no context to converters
	types    types
	versions map[string]*version
	done     map[conversion]converted // structured-merge-diff asks again for each manager
}

// A conversion identifies the conversion of an object to a version.
type conversion struct {
	object  *typed.TypedValue
	version fieldpath.APIVersion
}

type converted struct {
	object *typed.TypedValue
	err    error
}

// Convert returns the object in another version, with its type there. If it is already in that version, it is returned
// itself.
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
	key := conversion{object, version}
	done, ok := c.done[key]
	if !ok {
		if obj, done.err = to.of.Convert(c.ctx, obj); done.err != nil {
			done.object = object
		} else {
			done.object, done.err = c.types.typed(obj)
		}
		if c.done == nil {
			c.done = map[conversion]converted{}
		}
		c.done[key] = done
	}
	return done.object, done.err
}

// IsMissingVersionError reports whether err says that a version has no type.
func (c *converter) IsMissingVersionError(err error) bool {
	var none *noTypeError
	return errors.As(err, &none)
}
