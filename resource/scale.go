package resource

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/origin"
)

// validateScale checks the fields that the scale subresource shows (SCL-005), without the spec for an update of the
// status. Their paths print as in the definition, with the leading dot.
func (v *Version) validateScale(obj map[string]any, status bool) (errs field.List) {
	if v.scale == nil || v.native() != nil {
		return nil
	}
	// add adds an error that comes from a field of the subresource.
	add := func(path *memberPath, name string, value any, detail string) {
		e := field.Invalid(field.NewPath(path.text), value, detail)
		origin.Set(e, origin.Place{}, "spec.versions.subresources.scale."+name)
		errs = append(errs, e)
	}
	replicas := func(path *memberPath, name string) {
		n, err := memberAt[int64](obj, path.keys)
		switch {
		case err != nil:
			add(path, name, int64(0), err.Error())
		case n < 0:
			add(path, name, n, "should be a non-negative integer")
		case n > math.MaxInt32:
			add(path, name, n, fmt.Sprintf("should be less than or equal to %d", math.MaxInt32))
		}
	}
	if !status {
		replicas(&v.scale.specReplicas, "specReplicasPath")
	}
	replicas(&v.scale.statusReplicas, "statusReplicasPath")
	if path := v.scale.selector; path != nil {
		if _, err := memberAt[string](obj, path.keys); err != nil {
			add(path, "labelSelectorPath", "", err.Error())
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

// setMember returns obj, the object at keys[:depth], with value at the path keys. It creates objects that are missing
// on the way. Any other value on the way is an error (SCL-004).
func setMember(obj map[string]any, keys []string, depth int, value any) (map[string]any, error) {
	key := keys[depth]
	if depth == len(keys)-1 {
		return with(obj, key, value), nil
	}
	child, ok := obj[key].(map[string]any)
	if _, has := obj[key]; has && !ok {
		return nil, errors.New("value cannot be set because ." + strings.Join(keys[:depth+1], ".") + " is not a map[string]interface{}")
	}
	child, err := setMember(child, keys, depth+1, value)
	if err != nil {
		return nil, err
	}
	return with(obj, key, child), nil
}
