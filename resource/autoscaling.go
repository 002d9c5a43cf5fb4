package resource

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource/internal/autoscaling/v1"
)

// This file answers requests to the scale subresource, whose objects are autoscaling/v1 Scales.

const (
	scaleKind       = "Scale"
	scaleAPIVersion = "autoscaling/v1"
	// noReplicas is how a server represents unset replicas.
	noReplicas = math.MinInt32
)

// Scale answers a request to get the scale subresource of old, an object as it is stored. This is what autoscalers and
// kubectl scale use. A version without that subresource is refused (404). So is an object without replicas in its spec,
// or with a value of the wrong type in a field that the Scale shows (500). The error is a [*field.Status].
func (v *Version) Scale(old map[string]any) (scale map[string]any, err error) {
	if v == nil {
		return nil, refusal.NoVersion()
	}
	obj, refused := v.scalable(context.Background(), old)
	if refused != nil {
		return nil, refused
	}
	n, found, scale, err := v.scaleOf(obj)
	switch {
	case err != nil:
		return nil, refusal.Plain(err.Error())
	case !found:
		return nil, refusal.Internal(fmt.Errorf("the spec replicas field %q does not exist", v.scale.specReplicas.text))
	}
	scale["spec"] = scaleSpec(n)
	return scale, nil
}

// WrittenScale returns the Scale with which a server answers a write of the scale subresource. written is the Object of
// the [Result]. Unlike in [Version.Scale], missing replicas are 0: the schema of written's version may prune them. A
// value of the wrong type is a bad request (400). The error is a [*field.Status].
func (v *Version) WrittenScale(written map[string]any) (scale map[string]any, err error) {
	if v == nil {
		return nil, refusal.NoVersion()
	}
	obj, refused := v.scalable(context.Background(), written)
	if refused != nil {
		return nil, refused
	}
	n, _, scale, err := v.scaleOf(obj)
	if err != nil {
		return nil, refusal.BadRequest(err.Error())
	}
	scale["spec"] = scaleSpec(n)
	return scale, nil
}

// scalable reads the object that a scale request refers to.
func (v *Version) scalable(ctx context.Context, old map[string]any) (map[string]any, *field.Status) {
	if v.scale == nil || old == nil {
		return nil, v.notFound(old)
	}
	obj, err := v.readStored(ctx, old)
	if err != nil {
		return nil, v.corrupt(ctx, old, err)
	}
	return obj, nil
}

// scaleOf returns the replicas in obj's spec, whether there are any, and the object's Scale without its spec.
func (v *Version) scaleOf(obj map[string]any) (n int32, found bool, scale map[string]any, err error) {
	replicas, found, err := findMember[int64](obj, v.scale.specReplicas.keys)
	if err != nil {
		return 0, false, nil, err
	}
	current, err := memberAt[int64](obj, v.scale.statusReplicas.keys)
	if err != nil {
		return 0, false, nil, err
	}
	status := map[string]any{"replicas": int64(int32(current))}
	if v.scale.selector != nil {
		selector, err := memberAt[string](obj, v.scale.selector.keys)
		if err != nil {
			return 0, false, nil, err
		}
		if selector != "" {
			status["selector"] = selector
		}
	}
	if kind := v.native(); kind != nil {
		if selector := kind.ScaleSelector(obj); selector != "" {
			status["selector"] = selector
		}
	}
	meta := metadata(obj)
	shown := make(map[string]any, 5)
	for _, key := range shownMetadata {
		if x, has := meta[key]; has && x != nil && x != "" {
			shown[key] = x
		}
	}
	return int32(replicas), found, map[string]any{"kind": scaleKind, "apiVersion": scaleAPIVersion, "metadata": shown, "status": status}, nil
}

// shownMetadata lists the metadata that a Scale takes from the object, in the order of its JSON.
var shownMetadata = []string{"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}

func scaleSpec(replicas int32) map[string]any {
	if replicas == 0 {
		return map[string]any{}
	}
	return map[string]any{"replicas": int64(replicas)}
}

// UpdateScale answers a request to replace the scale subresource of old with scale. It sets the replicas in old's spec
// and continues like [Version.Update]. Of the rest of the Scale, only the name, the namespace, the uid and the
// resourceVersion are read; the last two are optional. The result's Object is the custom resource;
// [Version.WrittenScale] converts it to the server's answer.
func (v *Version) UpdateScale(ctx context.Context, scale, old map[string]any) Result {
	r, ok := v.begin(ctx)
	if !ok {
		return r
	}
	if v.scale == nil || old == nil && v.options.Name == "" {
		return r.refuse(v.notFound(old))
	}
	if errs := v.options.invalid(); len(errs) > 0 {
		r.Errors, r.about = errs, refusal.AboutOptions(updateOptions)
		return r
	}
	if !jsonval.Encodable(scale) {
		return r.refuse(refusal.NoScaleKind())
	}
	text, err := json.Marshal(scale)
	if err != nil {
		return r.refuse(refusal.NoScaleKind())
	}
	s, err := readScale(text)
	found := v.texts(s.findings)
	warnings, strict := v.fieldWarnings(&found)
	if err != nil || strict != nil {
		return r.refuse(refusal.NoScaleKind())
	}
	r.Warnings = append(r.Warnings, warnings...)
	if old == nil { // as in updateMissing
		if refused := v.sameObject(v.options.Namespace, s.meta, nil); refused != nil {
			return r.refuse(refused)
		}
		return r.refuse(v.notFound(nil))
	}
	return v.replaceScale(ctx, r, s, old, true)
}

// A sentScale is the part of a Scale that a request uses.
type sentScale struct {
	meta     map[string]any
	replicas int32
	findings []string // unknown and duplicate fields
}

// replaceScale continues a request with a decoded Scale.
func (v *Version) replaceScale(ctx context.Context, r Result, s sentScale, stored map[string]any, put bool) Result {
	namespace := cmp.Or(v.options.Namespace, textOf(metadata(stored), "namespace"))
	if refused := v.sameObject(namespace, s.meta, metadata(stored)); refused != nil {
		return r.refuse(refused)
	}
	old := v.readOld(ctx, &r, stored)
	if r.Failure != nil {
		return r
	}
	oldMeta, meta := metadata(old), s.meta
	if textOf(meta, "resourceVersion") == "" {
		meta = withValue(meta, "resourceVersion", textOf(oldMeta, "resourceVersion"))
	}
	if !v.preconditions(&r, meta, oldMeta, put) {
		return r
	}
	if _, _, _, err := v.scaleOf(old); err != nil {
		return r.refuse(refusal.Plain(err.Error()))
	}
	if s.replicas == noReplicas {
		return r.refuse(refusal.BadRequest(fmt.Sprintf("the spec replicas field %q cannot be empty", v.scale.specReplicas.text)))
	}
	obj, err := setMember(old, v.scale.specReplicas.keys, 0, int64(s.replicas))
	if err != nil {
		return r.refuse(refusal.Plain(err.Error()))
	}
	v.replace(ctx, &r, &change{obj: obj, put: put, scale: true}, stored)
	return r
}

// readScale decodes the JSON of a Scale, and finds its unknown and duplicate fields.
func readScale(text []byte) (s sentScale, err error) {
	var decoded *v1.Scale
	if decoded, s.findings, err = v1.Decode(text); err != nil {
		return s, err
	}
	kind, version := cmp.Or(decoded.Kind, scaleKind), cmp.Or(decoded.APIVersion, scaleAPIVersion)
	if kind != scaleKind || version != scaleAPIVersion {
		return s, errors.New(refusal.NotRegistered(kind, version))
	}
	s.replicas = decoded.Spec.Replicas
	if decoded.Metadata == nil {
		return s, nil
	}
	s.meta, _, err = objectmeta.Read(decoded.Metadata, false)
	return s, err
}

// scaleText returns the JSON of old's Scale, to which a patch is applied (SCL-007), or a refusal. Missing replicas are
// noReplicas.
func (v *Version) scaleText(old map[string]any) ([]byte, error) {
	n, found, scale, err := v.scaleOf(old)
	if err != nil {
		return nil, refusal.Plain(err.Error())
	}
	if !found {
		n = noReplicas
	}
	scale["spec"] = scaleSpec(n)
	if scale["metadata"], err = orderedJSON(metadata(scale), shownMetadata...); err != nil {
		return nil, err
	}
	return orderedJSON(scale, "apiVersion", "kind", "metadata", "spec", "status")
}

// orderedJSON returns the JSON of the members of obj whose names are in keys, in the order of keys. Error texts depend
// on the order, because they quote the document.
func orderedJSON(obj map[string]any, keys ...string) (json.RawMessage, error) {
	text := []byte{'{'}
	for _, key := range keys {
		if obj[key] == nil {
			continue
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		member, err := json.Marshal(obj[key])
		if err != nil {
			return nil, err
		}
		text = append(text, `"`+key+`":`...)
		text = append(text, member...)
	}
	return append(text, '}'), nil
}
