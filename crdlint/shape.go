package crdlint

import (
	"slices"
)

var statusWithoutSubresource = Lint{
	Name: "status-without-subresource", Severity: Note, Title: "a status that is not a subresource",
	Why: "Without the subresource, every client that writes the object also writes its status: kubectl apply and kubectl replace overwrite what " +
		"the controller has reported, and each report increments the generation.",
	check: checkStatusWithoutSubresource,
}

func checkStatusWithoutSubresource(l *linter) {
	lookup := l.d.Lookup()
	for _, v := range l.versions {
		s, err := lookup.Subresources(v.Name)
		status := v.props.Properties["status"]
		if err != nil || s.Status != nil || status == nil || status.Type != "object" || !l.more() {
			continue
		}
		for _, p := range v.places {
			if p.depth == 1 && p.step.Name == "status" {
				l.add(v.pathOf(p), nil, "set subresources: {status: {}} in the version, and write the status through /status",
					"%s declares a status without the subresource status", v.Name)
			}
		}
	}
}

var untypedConditions = Lint{
	Name: "atomic-conditions", Severity: Note, Title: "conditions that are not a map by type",
	Why: "Without list type map, a server treats the list as one value: with server-side apply, a controller that applies one condition " +
		"removes those of all others.",
	check: checkUntypedConditions,
}

func checkUntypedConditions(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, p := range v.places {
			if p.step.Name != "conditions" || p.Type != "array" || p.parent == nil || p.parent.step.Name != "status" || p.depth != 2 {
				continue
			}
			if p.Items == nil || p.Items.Schema == nil || p.Items.Schema.Properties["type"] == nil {
				continue
			}
			if p.XListType != nil && *p.XListType == "map" || !l.more() {
				continue
			}
			fix := "set x-kubernetes-list-type: map and x-kubernetes-list-map-keys: [type]"
			if !slices.Contains(p.Items.Schema.Required, "type") {
				fix += ", and require type"
			}
			l.add(v.pathOf(p), nil, fix, "status.conditions is one value for server-side apply")
		}
	}
}

var replicasWithoutScale = Lint{
	Name: "replicas-without-scale", Severity: Note, Title: "replicas that cannot be scaled",
	Why: "kubectl scale and autoscalers change the number of replicas through the subresource scale. Without it they cannot, whatever the fields " +
		"are called.",
	check: checkReplicasWithoutScale,
}

func checkReplicasWithoutScale(l *linter) {
	lookup := l.d.Lookup()
	for _, v := range l.versions {
		s, err := lookup.Subresources(v.Name)
		if err != nil || s.Scale != nil || !v.Served {
			continue
		}
		for _, p := range v.places {
			if p.depth == 2 && p.step.Name == "replicas" && p.parent.step.Name == "spec" && p.Type == "integer" && l.more() {
				l.add(v.pathOf(p), nil, "set subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}",
					"%s declares spec.replicas without the subresource scale", v.Name)
			}
		}
	}
}
