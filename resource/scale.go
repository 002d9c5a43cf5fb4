package resource

import (
	"fmt"
	"math"
	"strings"

	"github.com/crdkit/crdkit/field"
)

// validateScale checks the fields that the scale subresource shows (SCL-005). Their paths print as the definition has them, with the
// dot that they begin with.
func (v *Version) validateScale(obj map[string]any) (errs field.List) {
	if v.scale == nil {
		return nil
	}
	for _, path := range []string{v.scale.SpecReplicasPath, v.scale.StatusReplicasPath} {
		replicas, err := memberAt[int64](obj, path)
		switch {
		case err != nil:
			errs = append(errs, field.Invalid(field.NewPath(path), int64(0), err.Error()))
		case replicas < 0:
			errs = append(errs, field.Invalid(field.NewPath(path), replicas, "should be a non-negative integer"))
		case replicas > math.MaxInt32:
			errs = append(errs, field.Invalid(field.NewPath(path), replicas,
				fmt.Sprintf("should be less than or equal to %d", math.MaxInt32)))
		}
	}
	if path := v.scale.LabelSelectorPath; path != nil {
		if _, err := memberAt[string](obj, *path); err != nil {
			errs = append(errs, field.Invalid(field.NewPath(*path), "", err.Error()))
		}
	}
	return errs
}

// memberAt returns what is at a path of keys with dots before them, the first of which may be missing. Where there is nothing, or
// a null on the way, it returns the zero value; a value of another type is an error (SCL-001).
func memberAt[T int64 | string](obj map[string]any, path string) (value T, err error) {
	keys := strings.Split(strings.TrimPrefix(path, "."), ".")
	var v any = obj
	for i, key := range keys {
		if v == nil {
			return value, nil
		}
		m, ok := v.(map[string]any)
		if !ok {
			return value, fmt.Errorf(".%s accessor error: %v is of the type %T, expected map[string]interface{}",
				strings.Join(keys[:i+1], "."), v, v)
		}
		if v, ok = m[key]; !ok {
			return value, nil
		}
	}
	value, ok := v.(T)
	if !ok {
		return value, fmt.Errorf(".%s accessor error: %v is of the type %T, expected %T", strings.Join(keys, "."), v, v, value)
	}
	return value, nil
}
