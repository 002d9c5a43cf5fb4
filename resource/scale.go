package resource

import (
	"fmt"
	"math"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
)

// validateScale checks the fields that the scale subresource shows (SCL-005). Their paths print as the definition has them, with the
// dot that they begin with.
func (v *Version) validateScale(obj map[string]any) (errs field.List) {
	if v.scale == nil {
		return nil
	}
	for _, path := range []*memberPath{&v.scale.specReplicas, &v.scale.statusReplicas} {
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

// A scale says where in an object the fields of its Scale are.
type scale struct {
	specReplicas, statusReplicas memberPath
	selector                     *memberPath // nil: none
}

// A memberPath is a path of keys with dots before them, the first of which may be missing (SCL-001).
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

// memberAt returns what is at a path. Where there is nothing, or a null on the way, it returns the zero value; a value of another
// type is an error (SCL-001).
func memberAt[T int64 | string](obj map[string]any, keys []string) (value T, err error) {
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
