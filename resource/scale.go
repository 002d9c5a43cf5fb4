package resource

import (
	"fmt"
	"math"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
)

// validateScale checks the fields that the scale subresource shows (SCL-005). Their paths print as in the definition,
// with the leading dot.
func (v *Version) validateScale(obj map[string]any) field.List { return v.validateScaleOf(obj, false) }

// validateScaleOf is validateScale, but leaves out the spec if status is set, for an update of the status.
func (v *Version) validateScaleOf(obj map[string]any, status bool) (errs field.List) {
	if v.scale == nil {
		return nil
	}
	paths := [...]*memberPath{&v.scale.specReplicas, &v.scale.statusReplicas}
	for i, path := range paths {
		if status && i == 0 {
			continue
		}
		replicas, err := memberAt[int64](obj, path.keys)
		switch {
		case err != nil:
			errs = append(errs, field.Invalid(field.NewPath(path.text), int64(0), err.Error()))
		case replicas < 0:
			errs = append(errs, field.Invalid(field.NewPath(path.text), replicas, "should be a non-negative integer"))
		case replicas > math.MaxInt32:
			errs = append(errs, field.Invalid(field.NewPath(path.text), replicas,
				fmt.Sprintf("should be less than or equal to %d", math.MaxInt32)))
		}
	}
	if path := v.scale.selector; path != nil {
		if _, err := memberAt[string](obj, path.keys); err != nil {
			errs = append(errs, field.Invalid(field.NewPath(path.text), "", err.Error()))
		}
	}
	return errs
}

// A scale has the paths of the fields that a Scale shows.
type scale struct {
	specReplicas, statusReplicas memberPath
	selector                     *memberPath // nil: none
}

// A memberPath is a path of keys, each after a dot. The first dot may be missing (SCL-001).
type memberPath struct {
	text string
	keys []string
}

func newMemberPath(text string) memberPath {
	return memberPath{text, strings.Split(strings.TrimPrefix(text, "."), ".")}
}

func newScale(s *crd.SubresourceScale) *scale {
	if s == nil {
		return nil
	}
	out := &scale{specReplicas: newMemberPath(s.SpecReplicasPath), statusReplicas: newMemberPath(s.StatusReplicasPath)}
	if s.LabelSelectorPath != nil {
		path := newMemberPath(*s.LabelSelectorPath)
		out.selector = &path
	}
	return out
}

// memberAt returns the value at a path. If there is none, or a null on the way, it returns the zero value. A value of
// another type is an error (SCL-001).
func memberAt[T int64 | string](obj map[string]any, keys []string) (value T, err error) {
	value, _, err = findMember[T](obj, keys)
	return value, err
}

// findMember is memberAt, and also reports whether there is a value.
func findMember[T int64 | string](obj map[string]any, keys []string) (value T, found bool, err error) {
	var v any = obj
	for i, key := range keys {
		if v == nil {
			return value, false, nil
		}
		m, ok := v.(map[string]any)
		if !ok {
			return value, false, fmt.Errorf(".%s accessor error: %v is of the type %T, expected map[string]interface{}",
				strings.Join(keys[:i+1], "."), v, v)
		}
		if v, ok = m[key]; !ok {
			return value, false, nil
		}
	}
	value, ok := v.(T)
	if !ok {
		return value, false, fmt.Errorf(".%s accessor error: %v is of the type %T, expected %T", strings.Join(keys, "."), v, v, value)
	}
	return value, true, nil
}

// setMember returns obj with value at a path. It creates objects that are missing on the way. Any other value on the
// way is an error (SCL-004).
func setMember(obj map[string]any, keys []string, value any) (map[string]any, error) {
	if len(keys) == 1 {
		return with(obj, keys[0], value), nil
	}
	child := map[string]any{}
	if v, has := obj[keys[0]]; has {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, &notAMapError{[]string{keys[0]}}
		}
		child = m
	}
	child, err := setMember(child, keys[1:], value)
	if err != nil {
		if deeper, ok := err.(*notAMapError); ok {
			deeper.keys = append([]string{keys[0]}, deeper.keys...)
		}
		return nil, err
	}
	return with(obj, keys[0], child), nil
}

// A notAMapError says that a value on the way to a path is not a map.
type notAMapError struct{ keys []string }

func (e *notAMapError) Error() string {
	return "value cannot be set because ." + strings.Join(e.keys, ".") + " is not a map[string]interface{}"
}
