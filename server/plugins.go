package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/storage"
	"github.com/crdkit/crdkit/unstructured"
)

// This file has what the usual admission plugins of a server set in objects of built-in kinds, before webhooks see
// them. No field manager owns it.

// A plugin returns a complete object as an admission plugin changes it. For a create, old is nil. A plugin modifies
// neither. What has a wrong type stays: the schema refuses it.
type plugin func(ctx context.Context, q *request, obj, old map[string]any) (map[string]any, *field.Status)

// plugins has those that change objects, by type, in the order of a server.
var plugins = map[string][]plugin{
	"core.v1.Pod":                   {setLimits, setPriority, setTolerations, setRuntimeClass, setTopology},
	"core.v1.Node":                  {setNotReady},
	"core.v1.PersistentVolumeClaim": {setStorageClass},
	"networking.v1.Ingress":         {setIngressClass},
}

// plugins returns those that take effect in the request.
func (q *request) plugins() []plugin {
	switch {
	case q.sub == "":
		return plugins[q.kind.Type]
	case q.sub == "resize" && q.kind.Type == podType:
		return []plugin{setLimits}
	}
	return nil
}

// plug returns an object as the plugins of its kind change it.
func (q *request) plug(ctx context.Context, obj, old map[string]any) (map[string]any, *field.Status) {
	if mapAt(obj, "spec") == nil && obj["spec"] != nil {
		return obj, nil
	}
	for _, change := range q.plugins() {
		var refused *field.Status
		if obj, refused = change(ctx, q, obj, old); refused != nil {
			return nil, refused
		}
	}
	return obj, nil
}

// forbid refuses an object.
func (q *request) forbid(obj map[string]any, format string, arguments ...any) *field.Status {
	return q.kind.Resource().Forbidden(q.nameOf(obj), fmt.Sprintf(format, arguments...))
}

// nameOf returns the name of an object in refusals of admission. It may not be generated yet.
func (q *request) nameOf(obj map[string]any) string {
	meta := metadata(obj)
	return cmp.Or(q.name, text(meta, "name"), text(meta, "generateName"), "Unknown")
}

const (
	notReadyTaint    = "node.kubernetes.io/not-ready"
	unreachableTaint = "node.kubernetes.io/unreachable"
)

// setTolerations lets a Pod stay for five minutes on a node that is not ready or cannot be reached.
func setTolerations(_ context.Context, _ *request, obj, _ map[string]any) (map[string]any, *field.Status) {
	sent, isList := mapAt(obj, "spec")["tolerations"].([]any)
	if !isList && mapAt(obj, "spec")["tolerations"] != nil {
		return obj, nil
	}
	list := slices.Clip(sent)
	for _, taint := range []string{notReadyTaint, unreachableTaint} {
		if !slices.ContainsFunc(sent, func(t any) bool { return tolerates(t, taint) }) {
			list = append(list, map[string]any{"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": int64(300)})
		}
	}
	if len(list) == len(sent) {
		return obj, nil
	}
	return withMember(obj, []string{"spec", "tolerations"}, list), nil
}

// tolerates reports whether a toleration is one of a taint with the effect NoExecute.
func tolerates(toleration any, taint string) bool {
	t, _ := toleration.(map[string]any)
	key, effect := text(t, "key"), text(t, "effect")
	return t != nil && (key == taint || key == "") && (effect == "NoExecute" || effect == "")
}

// setNotReady gives a new Node the taint that a controller removes once it is ready.
func setNotReady(_ context.Context, _ *request, obj, old map[string]any) (map[string]any, *field.Status) {
	taints, isList := mapAt(obj, "spec")["taints"].([]any)
	if old != nil || !isList && mapAt(obj, "spec")["taints"] != nil {
		return obj, nil
	}
	const effect = "NoSchedule"
	if slices.ContainsFunc(taints, func(taint any) bool {
		t, _ := taint.(map[string]any)
		return text(t, "key") == notReadyTaint && text(t, "effect") == effect
	}) {
		return obj, nil
	}
	return withMember(obj, []string{"spec", "taints"}, append(slices.Clip(taints), map[string]any{"key": notReadyTaint, "effect": effect})), nil
}

// setStorageClass gives a new claim the default StorageClass, unless it asks for a class, or for none.
func setStorageClass(ctx context.Context, q *request, obj, old map[string]any) (map[string]any, *field.Status) {
	if old != nil || mapAt(obj, "metadata", "annotations")["volume.beta.kubernetes.io/storage-class"] != nil {
		return obj, nil
	}
	return q.setDefaultClass(ctx, obj, "storageClassName", q.catalog.Kind("storage.k8s.io", "v1", "storageclasses"),
		"storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")
}

// setIngressClass gives a new Ingress the default IngressClass, unless it asks for a class.
func setIngressClass(ctx context.Context, q *request, obj, old map[string]any) (map[string]any, *field.Status) {
	if old != nil || mapAt(obj, "metadata", "annotations")["kubernetes.io/ingress.class"] != nil {
		return obj, nil
	}
	return q.setDefaultClass(ctx, obj, "ingressClassName", q.catalog.Kind("networking.k8s.io", "v1", "ingressclasses"),
		"ingressclass.kubernetes.io/is-default-class")
}

// setDefaultClass sets a field of the spec, if it is missing, to the name of the default class: the newest one that has
// an annotation with the value true, and of several the first by name.
func (q *request) setDefaultClass(ctx context.Context, obj map[string]any, name string, classes *catalog.Kind, annotations ...string) (map[string]any, *field.Status) {
	if mapAt(obj, "spec")[name] != nil {
		return obj, nil
	}
	var class, created string
	if refused := q.each(ctx, classes, "", func(c map[string]any) {
		meta := metadata(c)
		isDefault := slices.ContainsFunc(annotations, func(a string) bool { return mapAt(meta, "annotations")[a] == "true" })
		if at := text(meta, "creationTimestamp"); isDefault && (class == "" || at > created) {
			class, created = text(meta, "name"), at
		}
	}); refused != nil || class == "" {
		return obj, refused
	}
	return withMember(obj, []string{"spec", name}, class), nil
}

// each calls visit with all stored objects of a kind, by name: of all namespaces if that is empty.
func (q *request) each(ctx context.Context, k *catalog.Kind, namespace string, visit func(obj map[string]any)) *field.Status {
	for r := (storage.Range{Prefix: k.Prefix(namespace), Limit: chunk, Bytes: chunkBytes}); ; {
		page, err := q.s.store.List(ctx, r)
		if err != nil {
			return failed(err)
		}
		for _, item := range page.Items {
			r.After = item.Key
			if refused := q.reserve(len(item.Value)); refused != nil {
				return refused
			}
			if obj, err := unstructured.DecodeJSON(item.Value); err == nil {
				visit(obj)
			}
		}
		if r.Revision = page.Revision; page.Remaining == 0 || len(page.Items) == 0 {
			return nil
		}
	}
}

// named returns the stored object of a kind without namespaces that has the name. If there is none, both results are
// nil.
func (q *request) named(ctx context.Context, k *catalog.Kind, name string) (map[string]any, *field.Status) {
	item, err := q.s.store.Get(ctx, k.Key("", name))
	if errors.Is(err, storage.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, failed(err)
	}
	if refused := q.reserve(len(item.Value)); refused != nil {
		return nil, refused
	}
	obj, err := unstructured.DecodeJSON(item.Value)
	if err != nil {
		return nil, failed(err)
	}
	return obj, nil
}

// setRuntimeClass gives a new Pod what its RuntimeClass says: what it takes besides its containers, and the nodes on
// which it runs.
func setRuntimeClass(ctx context.Context, q *request, obj, old map[string]any) (map[string]any, *field.Status) {
	spec := mapAt(obj, "spec")
	if old != nil || spec == nil {
		return obj, nil
	}
	var class map[string]any
	if name, asks := spec["runtimeClassName"].(string); asks {
		var refused *field.Status
		if class, refused = q.named(ctx, q.catalog.Kind("node.k8s.io", "v1", "runtimeclasses"), name); refused != nil {
			return nil, refused
		}
		if class == nil {
			return nil, q.forbid(obj, "pod rejected: RuntimeClass %q not found", name)
		}
	}
	spec = maps.Clone(spec)
	overhead := mapAt(class, "overhead")
	if overhead != nil {
		fixed := overhead["podFixed"]
		if spec["overhead"] != nil && !jsonval.Equal(spec["overhead"], fixed) {
			return nil, q.forbid(obj, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
		}
		if fixed != nil {
			spec["overhead"] = fixed
		}
	}
	scheduling := mapAt(class, "scheduling")
	if selector := mapAt(scheduling, "nodeSelector"); selector != nil && isOrMissing[map[string]any](spec["nodeSelector"]) {
		merged := maps.Clone(selector)
		for _, k := range slices.Sorted(maps.Keys(mapAt(spec, "nodeSelector"))) {
			own := mapAt(spec, "nodeSelector")[k]
			if want, both := merged[k]; both && !jsonval.Equal(want, own) {
				return nil, q.forbid(obj, "conflict: runtimeClass.scheduling.nodeSelector[%s] = %v; pod.spec.nodeSelector[%s] = %v", k, want, k, own)
			}
			merged[k] = own
		}
		spec["nodeSelector"] = merged
	}
	if overhead == nil && spec["overhead"] != nil {
		return nil, q.forbid(obj, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead")
	}
	if scheduling != nil && isOrMissing[[]any](spec["tolerations"]) {
		if all := mergeTolerations(listAt(spec, "tolerations"), listAt(scheduling, "tolerations")); len(all) > 0 {
			spec["tolerations"] = all
		}
	}
	return withMember(obj, []string{"spec"}, spec), nil
}

// topologyLabels are the labels of a node that the Pods on it get.
var topologyLabels = []string{"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}

// setTopology gives a new Pod on a node the zone and the region of the node.
func setTopology(ctx context.Context, q *request, obj, old map[string]any) (map[string]any, *field.Status) {
	node := text(mapAt(obj, "spec"), "nodeName")
	if old != nil || node == "" {
		return obj, nil
	}
	return q.withTopology(ctx, obj, node)
}

// withTopology returns a Pod or a Binding with the zone and the region of a node as labels. The node need not exist.
func (q *request) withTopology(ctx context.Context, obj map[string]any, node string) (map[string]any, *field.Status) {
	nodes := q.catalog.Kind("", "v1", "nodes")
	found, refused := q.named(ctx, nodes, node)
	if refused != nil || !isOrMissing[map[string]any](metadata(obj)["labels"]) {
		return obj, refused
	}
	labels := mapAt(found, "metadata", "labels")
	for _, name := range topologyLabels {
		if v, has := labels[name]; has {
			obj = withMember(obj, []string{"metadata", "labels", name}, v)
		}
	}
	return obj, nil
}

// isOrMissing reports whether v is nil or a T.
func isOrMissing[T any](v any) bool {
	_, is := v.(T)
	return is || v == nil
}

// maxMerged is how many tolerations are compared with each other. A server compares any number.
const maxMerged = 1000

// mergeTolerations returns two lists without the tolerations that others include. Of equal ones it keeps the first. Of
// more than maxMerged it keeps all.
func mergeTolerations(lists ...[]any) (merged []any) {
	all := slices.Concat(lists...)
	if len(all) > maxMerged {
		return all
	}
	read := make([]toleration, len(all))
	for i := range all {
		read[i] = tolerationOf(all[i])
	}
	var kept []toleration
	for i, t := range read {
		if !t.known || !slices.ContainsFunc(kept, func(u toleration) bool { return u.includes(t) }) &&
			!slices.ContainsFunc(read[i+1:], func(u toleration) bool { return t != u && u.includes(t) }) {
			merged, kept = append(merged, all[i]), append(kept, t)
		}
	}
	return merged
}

// A toleration has the fields of a toleration. If limited, it is for some seconds.
type toleration struct {
	known                        bool
	key, operator, value, effect string
	seconds                      int64
	limited                      bool
}

// tolerationOf reads a toleration. One that is no object is not known: the schema refuses it.
func tolerationOf(v any) (t toleration) {
	m, known := v.(map[string]any)
	seconds, limited := m["tolerationSeconds"].(int64)
	return toleration{known, text(m, "key"), text(m, "operator"), text(m, "value"), text(m, "effect"), seconds, limited}
}

// includes reports whether the toleration t tolerates all that u does.
func (t toleration) includes(u toleration) bool {
	if t == u {
		return true
	}
	exists := t.operator == "Exists"
	switch {
	case !t.known || !u.known:
		return false
	case t.key != u.key && (t.key != "" || !exists):
		return false
	case t.effect != "" && t.effect != u.effect:
		return false
	case t.limited && t.effect == "NoExecute" && (!u.limited || u.seconds > t.seconds):
		return false
	}
	return exists || cmp.Or(t.operator, "Equal") == "Equal" && u.operator == "Equal" && t.value == u.value
}
