package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// A fill is a default in the file.
type fill struct {
	Value json.RawMessage `json:"value"`
	Zero  bool            `json:"zero,omitempty"` // it replaces a zero value
}

// conditional are the fields whose defaults depend on other fields, on the kind of the object or on the time, by type.
// Package server sets them in code, except for the time of a taint.
var conditional = map[string]bool{
	"apps.v1.DaemonSetUpdateStrategy.rollingUpdate":              true,
	"apps.v1.DeploymentStrategy.rollingUpdate":                   true,
	"apps.v1.RollingUpdateDaemonSet.maxSurge":                    true,
	"apps.v1.RollingUpdateDaemonSet.maxUnavailable":              true,
	"apps.v1.RollingUpdateDeployment.maxSurge":                   true,
	"apps.v1.RollingUpdateDeployment.maxUnavailable":             true,
	"apps.v1.RollingUpdateStatefulSetStrategy.maxUnavailable":    true,
	"apps.v1.RollingUpdateStatefulSetStrategy.partition":         true,
	"apps.v1.StatefulSetUpdateStrategy.rollingUpdate":            true,
	"autoscaling.v2.HPAScalingRules.policies":                    true,
	"autoscaling.v2.HPAScalingRules.selectPolicy":                true,
	"autoscaling.v2.HPAScalingRules.stabilizationWindowSeconds":  true,
	"autoscaling.v2.HorizontalPodAutoscalerBehavior.scaleDown":   true,
	"autoscaling.v2.HorizontalPodAutoscalerBehavior.scaleUp":     true,
	"batch.v1.JobSpec.backoffLimit":                              true,
	"batch.v1.JobSpec.completionMode":                            true,
	"batch.v1.JobSpec.completions":                               true,
	"batch.v1.JobSpec.manualSelector":                            true,
	"batch.v1.JobSpec.parallelism":                               true,
	"batch.v1.JobSpec.podReplacementPolicy":                      true,
	"batch.v1.JobSpec.suspend":                                   true,
	"core.v1.Container.imagePullPolicy":                          true,
	"core.v1.EphemeralContainerCommon.imagePullPolicy":           true,
	"core.v1.ImageVolumeSource.pullPolicy":                       true,
	"core.v1.PersistentVolumeSpec.persistentVolumeReclaimPolicy": true,
	"core.v1.PersistentVolumeSpec.volumeMode":                    true,
	"core.v1.PodSpec.enableServiceLinks":                         true,
	"core.v1.PodSpec.serviceAccount":                             true,
	"core.v1.PodSpec.serviceAccountName":                         true,
	"core.v1.PodStatus.podIPs":                                   true,
	"core.v1.ServicePort.targetPort":                             true,
	"core.v1.ServiceSpec.externalTrafficPolicy":                  true,
	"core.v1.ServiceSpec.internalTrafficPolicy":                  true,
	"core.v1.VolumeSource.emptyDir":                              true,
	"networking.v1.NetworkPolicySpec.policyTypes":                true,
	"resource.v1.DeviceSubRequest.count":                         true,
	"resource.v1.DeviceTaint.timeAdded":                          true,
	"resource.v1.ExactDeviceRequest.count":                       true,
}

// A step goes from a value to a part of it: to a field, or, for -1, to the element of a pointer or a list.
type step = int

const element step = -1

// A place is where a struct occurs in objects of a kind.
type place struct {
	kind kind
	path []step
}

type learner struct {
	kinds  []kind
	types  map[string]reflect.Type
	places map[string][]place // of structs, by type
}

func newLearner(kinds []kind) *learner {
	return &learner{kinds: kinds, types: map[string]reflect.Type{}, places: map[string][]place{}}
}

// newObject returns an empty object of a kind.
func (k kind) newObject() (runtime.Object, error) {
	return scheme.New(schema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind})
}

// scalars are the structs that are scalars in JSON.
var scalars = []reflect.Type{reflect.TypeFor[resource.Quantity](), reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime](),
	reflect.TypeFor[metav1.Duration](), reflect.TypeFor[intstr.IntOrString](), reflect.TypeFor[runtime.RawExtension](), reflect.TypeFor[metav1.FieldsV1]()}

// find records where structs occur in a type.
func (l *learner) find(k kind, of reflect.Type, path []step, within []reflect.Type) {
	switch of.Kind() {
	case reflect.Pointer, reflect.Slice: // no struct in a map has defaults
		l.find(k, of.Elem(), append(slices.Clone(path), element), within)
	case reflect.Struct:
		if slices.Contains(scalars, of) || slices.Contains(within, of) {
			return
		}
		name := typeName(of.PkgPath(), of.Name())
		l.types[name] = of
		l.places[name] = append(l.places[name], place{k, path})
		for i := range of.NumField() {
			f := of.Field(i)
			if f.Name == "TypeMeta" || len(path) == 0 && f.Name == "ObjectMeta" {
				continue
			}
			l.find(k, f.Type, append(slices.Clone(path), i), append(slices.Clone(within), of))
		}
	}
}

// build returns the part of v at a path. It makes what is missing on the way.
func build(v reflect.Value, path []step) reflect.Value {
	for _, s := range path {
		switch {
		case s != element:
			v = v.Field(s)
		case v.Kind() == reflect.Pointer:
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		default:
			if v.Len() == 0 {
				v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			}
			v = v.Index(0)
		}
	}
	return v
}

// after returns a field of the struct at a place after defaulting. set sets other fields before.
func (p place) after(field int, set func(v reflect.Value)) (reflect.Value, error) {
	obj, err := p.kind.newObject()
	if err != nil {
		return reflect.Value{}, err
	}
	root := reflect.ValueOf(obj).Elem()
	set(build(root, p.path))
	scheme.Default(obj)
	return build(root, p.path).Field(field), nil
}

func nothing(reflect.Value) {}

// defaults returns the defaults by type and field.
func (l *learner) defaults() (map[string]map[string]fill, error) {
	for _, k := range l.kinds {
		obj, err := k.newObject()
		if err != nil {
			return nil, err
		}
		l.find(k, reflect.TypeOf(obj).Elem(), nil, nil)
	}
	out, unknown, met := map[string]map[string]fill{}, []string{}, map[string]bool{}
	for name, of := range l.types {
		for i := range of.NumField() {
			f := of.Field(i)
			json, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous || f.Type.Kind() == reflect.Struct && !slices.Contains(scalars, f.Type) {
				continue
			}
			d, depends, err := l.field(name, of, i)
			switch {
			case err != nil:
				return nil, err
			case conditional[name+"."+json]:
				met[name+"."+json] = depends || d != nil
			case depends:
				unknown = append(unknown, name+"."+json)
			case d != nil:
				if out[name] == nil {
					out[name] = map[string]fill{}
				}
				out[name][json] = *d
			}
		}
	}
	for field := range conditional {
		if !met[field] {
			unknown = append(unknown, field+" (has no default)")
		}
	}
	if len(unknown) > 0 {
		slices.Sort(unknown)
		return nil, fmt.Errorf("defaults that depend on other fields or on the kind:\n%s", strings.Join(unknown, "\n"))
	}
	return out, nil
}

// field returns the default of a field, or nil. depends says that it is not the same everywhere, or depends on other
// fields of the struct.
func (l *learner) field(name string, of reflect.Type, i int) (d *fill, depends bool, err error) {
	var first string
	for at, p := range l.places[name] {
		v, err := p.after(i, nothing)
		if err != nil {
			return nil, false, err
		}
		text, err := textOf(v)
		if err != nil {
			return nil, false, err
		}
		if at == 0 {
			first = text
		} else if text != first {
			return nil, true, nil
		}
	}
	places := l.places[name]
	p := places[0]
	for j := range of.NumField() {
		if j == i {
			continue
		}
		for variant := range 2 {
			v, err := p.after(i, func(v reflect.Value) { sample(v.Field(j), variant) })
			if err != nil {
				return nil, false, err
			}
			if text, err := textOf(v); err != nil || text != first {
				return nil, true, err
			}
		}
	}
	if first == "" {
		return nil, false, nil
	}
	zero, err := p.after(i, func(v reflect.Value) { setZero(v.Field(i)) })
	if err != nil {
		return nil, false, err
	}
	text, err := textOf(zero)
	return &fill{json.RawMessage(first), text == first}, false, err
}

// textOf returns the JSON of a value, or "" for a zero value.
func textOf(v reflect.Value) (string, error) {
	if v.IsZero() || v.Kind() == reflect.Map && v.Len() == 0 {
		return "", nil
	}
	text, err := json.Marshal(v.Interface())
	if err != nil {
		return "", err
	}
	var obj any
	if err := json.Unmarshal(text, &obj); err != nil {
		return "", err
	}
	text, err = json.Marshal(withoutNulls(obj))
	return string(text), err
}

// sample sets a value that is not zero.
func sample(v reflect.Value, variant int) {
	switch v.Kind() {
	case reflect.String:
		v.SetString([]string{"other", "All"}[variant])
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		if !slices.Contains(scalars, v.Type().Elem()) {
			sample(v.Elem(), variant)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	}
}

// setZero sets a value that is not missing, but zero.
func setZero(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	}
}
