package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/server/storage"
)

// A priorityClass is what a Pod gets from its PriorityClass.
type priorityClass struct {
	Metadata         struct{ Name string }
	Value            int64
	PreemptionPolicy string
	GlobalDefault    bool
}

const preemptsLower = "PreemptLowerPriority"

// The priorities of the classes that every server has.
var systemPriorities = map[string]int64{"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}

// admitPod returns a Pod with the priority of its class, as a server does before webhooks see the Pod. An update keeps
// what the stored Pod has. Neither obj nor old is modified.
func (q *request) admitPod(ctx context.Context, obj, old map[string]any) (map[string]any, *field.Status) {
	spec := mapAt(obj, "spec")
	if spec == nil {
		return obj, nil // the schema refuses it
	}
	if old != nil {
		for _, name := range []string{"priority", "preemptionPolicy"} {
			if before, has := mapAt(old, "spec")[name]; has && spec[name] == nil {
				obj = withMember(obj, []string{"spec", name}, before)
			}
		}
		return obj, nil
	}
	spec = maps.Clone(spec)
	class, refused := q.priorityClass(ctx, obj, text(spec, "priorityClassName"))
	if refused != nil {
		return nil, refused
	}
	if class.Metadata.Name != "" {
		spec["priorityClassName"] = class.Metadata.Name
	}
	const computed = " must not be provided in pod spec; priority admission controller computed %v from the given PriorityClass name"
	if sent := spec["priority"]; sent != nil && sent != any(class.Value) {
		return nil, q.forbidPod(obj, fmt.Sprintf("the integer value of priority (%v)"+computed, sent, class.Value))
	}
	spec["priority"] = class.Value
	if policy := class.PreemptionPolicy; policy != "" {
		if sent := spec["preemptionPolicy"]; sent != nil && sent != any(policy) {
			return nil, q.forbidPod(obj, fmt.Sprintf("the string value of PreemptionPolicy (%v)"+computed, sent, policy))
		}
		spec["preemptionPolicy"] = policy
	}
	return withMember(obj, []string{"spec"}, spec), nil
}

// priorityClass returns the PriorityClass with that name. An empty name is that of the default class: the one with the
// least priority, if there are several. Without one, Pods have the priority 0.
func (q *request) priorityClass(ctx context.Context, pod map[string]any, name string) (class priorityClass, refused *field.Status) {
	if value, ok := systemPriorities[name]; ok {
		class.Metadata.Name, class.Value, class.PreemptionPolicy = name, value, preemptsLower
		return class, nil
	}
	kind := q.catalog.Kind("scheduling.k8s.io", "v1", "priorityclasses")
	if name != "" {
		item, err := q.s.store.Get(ctx, kind.Key("", name))
		if err == nil {
			err = json.Unmarshal(item.Value, &class)
		}
		switch {
		case errors.Is(err, storage.ErrNotFound):
			return class, q.forbidPod(pod, fmt.Sprintf("no PriorityClass with name %v was found", name))
		case err != nil:
			return class, failed(err)
		}
		return class, nil
	}
	class.PreemptionPolicy = preemptsLower
	for r := (storage.Range{Prefix: kind.Prefix(""), Limit: chunk, Bytes: chunkBytes}); ; {
		page, err := q.s.store.List(ctx, r)
		if err != nil {
			return class, failed(err)
		}
		for _, item := range page.Items {
			r.After = item.Key
			var other priorityClass
			if json.Unmarshal(item.Value, &other) == nil && other.GlobalDefault && (!class.GlobalDefault || other.Value < class.Value) {
				class = other
			}
		}
		if r.Revision = page.Revision; page.Remaining == 0 || len(page.Items) == 0 {
			return class, nil
		}
	}
}

// forbidPod refuses a Pod. Its name may not be generated yet.
func (q *request) forbidPod(pod map[string]any, why string) *field.Status {
	meta := metadata(pod)
	return q.kind.Resource().Forbidden(cmp.Or(q.name, text(meta, "name"), text(meta, "generateName"), "Unknown"), why)
}
