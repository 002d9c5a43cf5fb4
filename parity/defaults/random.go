package main

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A random makes random objects, of which most fields are missing.
type random struct{ *rand.Rand }

func newRandom(seed uint64) random { return random{rand.New(rand.NewPCG(seed, 0))} }

// A completed is an object as it was sent, and as a server answers, without metadata.
type completed struct {
	Type string         `json:"type"`
	Sent map[string]any `json:"sent"`
	Want map[string]any `json:"want"`
}

// complete returns a random object of a kind, as it is and as Kubernetes completes it: it sets defaults, and converts it
// to its internal version and back.
func (r random) complete(k kind) (c completed, err error) {
	c.Type = k.Type
	for {
		obj, err := k.newObject()
		if err != nil {
			return c, err
		}
		r.object(obj)
		reflect.ValueOf(obj).Elem().FieldByName("ObjectMeta").SetZero()
		if c.Sent, err = objectOf(obj); err != nil {
			return c, err
		}
		r.explicit(c.Sent)
		text, err := json.Marshal(c.Sent)
		if err != nil {
			return c, err
		}
		decoded, err := k.newObject()
		if err != nil {
			return c, err
		}
		if err := json.Unmarshal(text, decoded); err != nil {
			return c, err
		}
		scheme.Default(decoded)
		back, err := roundTrip(decoded, k)
		if err != nil {
			continue // it has no internal form
		}
		c.Want, err = objectOf(back)
		withoutTimes(c.Want)
		return c, err
	}
}

// roundTrip converts an object to its internal version and back.
func roundTrip(obj runtime.Object, k kind) (runtime.Object, error) {
	internal, err := scheme.ConvertToVersion(obj, schema.GroupVersion{Group: k.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		return nil, err
	}
	return scheme.ConvertToVersion(internal, schema.GroupVersion{Group: k.Group, Version: k.Version})
}

// objectOf returns the JSON of an object without its type and metadata.
func objectOf(obj runtime.Object) (map[string]any, error) {
	text, err := json.Marshal(obj)
	if err != nil {
		return nil, err
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, err
	}
	delete(out, "apiVersion")
	delete(out, "kind")
	delete(out, "metadata")
	return withoutNulls(out).(map[string]any), nil
}

// withoutTimes removes what is set to the time of the write: when a device was tainted.
func withoutTimes(v any) {
	switch x := v.(type) {
	case map[string]any:
		delete(x, "timeAdded")
		for _, e := range x {
			withoutTimes(e)
		}
	case []any:
		for _, e := range x {
			withoutTimes(e)
		}
	}
}

func withoutNulls(v any) any {
	switch x := v.(type) {
	case map[string]any:
		for k, e := range x {
			if e == nil {
				delete(x, k)
			} else {
				x[k] = withoutNulls(e)
			}
		}
	case []any:
		for i := range x {
			x[i] = withoutNulls(x[i])
		}
	}
	return v
}

// texts are values of strings on which defaults depend, among others.
var texts = []string{"a", "a", "", "RollingUpdate", "Recreate", "OnDelete", "ClusterIP", "NodePort", "LoadBalancer", "ExternalName", "ClientIP", "None",
	"Always", "Container", "Pod", "User", "Group", "ServiceAccount", "ExactCount", "All", "Indexed", "TCP", "UDP", "Limited", "Queue", "nginx", "nginx:latest",
	"nginx:1.2", "localhost/a", "registry.example.com:5000/a/b", "a@sha256:0123456789012345678901234567890123456789012345678901234567890123", "UPPER/a"}

var quantities = []string{"1", "500m", "0.5", "1Gi", "1024Mi", "1000", "1e3", "100n", "1.5Gi", "0", "0.0001", "2k", "12e6", "-1", "1023Ki"}

// object sets some fields of an object.
func (r random) object(obj runtime.Object) { r.fields(reflect.ValueOf(obj).Elem(), 0) }

// fields sets some fields of a struct.
func (r random) fields(v reflect.Value, depth int) {
	for i := range v.NumField() {
		f := v.Field(i)
		name := v.Type().Field(i).Name
		if name == "TypeMeta" || name == "ObjectMeta" && depth > 0 && r.IntN(2) == 0 || name == "ManagedFields" ||
			name == "Schema" { // that of a definition would be large
			continue
		}
		if f.Kind() == reflect.Struct && f.Type() != scalars[0] || r.IntN(3+depth) < 2 {
			r.value(f, depth)
		}
	}
}

// value sets a value.
func (r random) value(v reflect.Value, depth int) {
	switch v.Type() {
	case reflect.TypeFor[resource.Quantity]():
		v.Set(reflect.ValueOf(resource.MustParse(quantities[r.IntN(len(quantities))])))
		return
	case reflect.TypeFor[intstr.IntOrString]():
		v.Set(reflect.ValueOf([]intstr.IntOrString{intstr.FromInt32(0), intstr.FromInt32(80), intstr.FromString(""), intstr.FromString("web")}[r.IntN(4)]))
		return
	}
	if slices.Contains(scalars, v.Type()) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[r.IntN(len(texts))])
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int32, reflect.Int64:
		v.SetInt(int64(r.IntN(3)))
	case reflect.Pointer:
		if slices.Contains(scalars[1:4], v.Type().Elem()) || slices.Contains(scalars[5:], v.Type().Elem()) {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		r.value(v.Elem(), depth)
	case reflect.Struct:
		r.fields(v, depth+1)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte("a"))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(2), 2))
		for i := range v.Len() {
			r.value(v.Index(i), depth+1)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		e := reflect.New(v.Type().Elem()).Elem()
		r.value(e, depth+1)
		v.SetMapIndex(reflect.ValueOf([]string{"cpu", "memory", "k"}[r.IntN(3)]).Convert(v.Type().Key()), e)
	}
}

// explicit writes quantities in other forms, since those that Go has made are canonical, and empties some lists.
func (r random) explicit(v any) {
	switch x := v.(type) {
	case map[string]any:
		for _, k := range keys(x) {
			switch e := x[k].(type) {
			case string:
				if e == "1" && r.IntN(2) == 0 {
					x[k] = []any{"1000m", "1.0", "1000000u"}[r.IntN(3)]
				}
			case []any:
				if r.IntN(20) == 0 {
					x[k] = []any{}
				}
			}
			r.explicit(x[k])
		}
	case []any:
		for _, e := range x {
			r.explicit(e)
		}
	}
}

func keys(m map[string]any) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
