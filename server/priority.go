package server

import (
	"context"
	"maps"

	"github.com/crdkit/crdkit/field"
)

// A priorityClass is what a Pod gets from its PriorityClass.
type priorityClass struct {
	name       string
	value      int64
	preemption string
}

func priorityClassOf(obj map[string]any) priorityClass {
	value, _ := obj["value"].(int64)
	return priorityClass{text(metadata(obj), "name"), value, text(obj, "preemptionPolicy")}
}

const preemptsLower = "PreemptLowerPriority"

// The priorities of the classes that every server has.
var systemPriorities = map[string]int64{"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}

// setPriority gives a new Pod the priority of its class. An update keeps what the stored Pod has.
func setPriority(ctx context.Context, q *request, obj, old map[string]any) (map[string]any, *field.Status) {
	spec := mapAt(obj, "spec")
	if spec == nil {
		return obj, nil
	}
	if old != nil {
		for _, name := range []string{"priority", "preemptionPolicy"} {
			if before, has := mapAt(old, "spec")[name]; has && spec[name] == nil {
				obj = withMember(obj, []string{"spec", name}, before)
			}
		}
		return obj, nil
	}
	if !isOrMissing[string](spec["priorityClassName"]) {
		return obj, nil
	}
	spec = maps.Clone(spec)
	class, refused := q.priorityClass(ctx, obj, text(spec, "priorityClassName"))
	if refused != nil {
		return nil, refused
	}
	if class.name != "" {
		spec["priorityClassName"] = class.name
	}
	const computed = " must not be provided in pod spec; priority admission controller computed %v from the given PriorityClass name"
	if sent := spec["priority"]; sent != nil && sent != any(class.value) {
		return nil, q.forbid(obj, "the integer value of priority (%v)"+computed, sent, class.value)
	}
	spec["priority"] = class.value
	if policy := class.preemption; policy != "" {
		if sent := spec["preemptionPolicy"]; sent != nil && sent != any(policy) {
			return nil, q.forbid(obj, "the string value of PreemptionPolicy (%v)"+computed, sent, policy)
		}
		spec["preemptionPolicy"] = policy
	}
	return withMember(obj, []string{"spec"}, spec), nil
}

// priorityClass returns the PriorityClass with that name. An empty name is that of the default class: the one with the
// least priority, if there are several. Without one, Pods have the priority 0.
func (q *request) priorityClass(ctx context.Context, pod map[string]any, name string) (priorityClass, *field.Status) {
	if value, ok := systemPriorities[name]; ok {
		return priorityClass{name, value, preemptsLower}, nil
	}
	classes := q.catalog.Kind("scheduling.k8s.io", "v1", "priorityclasses")
	if name != "" {
		class, refused := q.named(ctx, classes, name)
		if class == nil && refused == nil {
			refused = q.forbid(pod, "no PriorityClass with name %v was found", name)
		}
		return priorityClassOf(class), refused
	}
	least := priorityClass{preemption: preemptsLower}
	refused := q.each(ctx, classes, "", func(obj map[string]any) {
		if class := priorityClassOf(obj); obj["globalDefault"] == true && (least.name == "" || class.value < least.value) {
			least = class
		}
	})
	return least, refused
}
