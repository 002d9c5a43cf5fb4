package crdlint

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

var statusWithoutSubresource = Lint{
	Name: "status-without-subresource", Severity: Note, Title: "a status that is not a subresource",
	Why: "Without the subresource, every client that writes the object also writes its status: kubectl apply and " +
		"kubectl replace overwrite what the controller has reported, and each report increments the generation.",
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
	Why: "Without list type map, a server treats the list as one value: with server-side apply, a controller " +
		"that applies one condition removes those of all others.",
	check: checkUntypedConditions,
}

func checkUntypedConditions(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, p := range v.places {
			if !isConditions(p) || p.Items == nil || p.Items.Schema == nil || p.Items.Schema.Properties["type"] == nil ||
				p.Items.Schema.Properties["status"] == nil {
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

// isConditions reports whether p is status.conditions.
func isConditions(p *place) bool {
	return p.depth == 2 && p.step.Name == "conditions" && p.parent.step.Name == "status" && p.Type == "array"
}

var replicasWithoutScale = Lint{
	Name: "replicas-without-scale", Severity: Note, Title: "replicas that cannot be scaled",
	Why: "kubectl scale and autoscalers change the number of replicas through the subresource scale. Without it " +
		"they cannot, whatever the fields are called.",
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

var preservedRoot = Lint{
	Name: "preserved-root", Severity: Note, Title: "the whole object keeps unknown fields",
	Why: "Nothing that the schema does not declare is dropped or reported: a misspelt field is stored, and does " +
		"nothing. Fields that are declared later meet stored values of any type.",
	check: checkPreservedRoots,
}

func checkPreservedRoots(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, p := range v.places {
			if p.depth > 1 || p.depth == 1 && p.step.Name != "spec" || !schemadoc.Preserves(p.JSONSchemaProps) || !l.more() {
				continue
			}
			l.add(v.pathOf(p)+".x-kubernetes-preserve-unknown-fields", l.misspelt(v, p),
				"declare the fields, and preserve only where any field is meant",
				"%s keeps fields that its schema does not declare", named(p.steps()))
		}
	}
}

// misspelt returns the creation of an object with an undeclared field in p.
func (l *linter) misspelt(v *version, p *place) *Witness {
	obj, path := l.objectWith(v, p)
	if obj == nil {
		return nil
	}
	sent, _ := sample.Replaced(obj, append(slices.Clip(path), field.Segment{Key: "misspelt"}), "a").(map[string]any)
	return l.accepted(v, sent)
}

var emptyEnumValue = Lint{
	Name: "empty-enum-value", Severity: Note, Title: "an enum with an empty text or null",
	Why: "An empty text in an enum is a value beside an absent field: defaults do not replace it, and a client " +
		"in Go with omitempty cannot send it. null in an enum is not allowed without nullable: true.",
	check: checkEmptyEnumValues,
}

func checkEmptyEnumValues(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		var empty []*place
		for _, p := range v.places {
			if p.inStatus() {
				continue // which no manifest has
			}
			if slices.Contains(p.Enum, any("")) && len(p.Enum) > 1 {
				empty = append(empty, p)
			}
			if !p.Nullable && slices.Contains(p.Enum, nil) && l.more() {
				l.add(v.pathOf(p)+".enum", nil, "set nullable: true, or leave null out",
					"%s: the enum has null, which is not allowed all the same", named(p.steps()))
			}
		}
		if len(empty) > 0 && l.more() {
			l.add(v.pathOf(empty[0])+".enum", l.emptyWitness(v, empty[0]), "for a new API, leave out the empty text: "+
				"a field that is left out says the same, or gets its default",
				"these fields of %s may be empty, or absent: %s", v.Name, listed(empty))
		}
	}
}

// emptyWitness returns the creation of an object with an empty text at p.
func (l *linter) emptyWitness(v *version, p *place) *Witness {
	obj, path := l.objectWith(v, p)
	if obj == nil {
		return nil
	}
	sent, _ := sample.Replaced(obj, path, "").(map[string]any)
	return l.accepted(v, sent)
}

var droppedStatus = Lint{
	Name: "dropped-status", Severity: Warning, Title: "a status that is always empty",
	Why: "A server drops every field that the schema does not declare, without an error. With the subresource " +
		"status and no schema for the status, all that a controller reports is lost.",
	check: checkDroppedStatus,
}

func checkDroppedStatus(l *linter) {
	lookup := l.d.Lookup()
	for _, v := range l.versions {
		s, err := lookup.Subresources(v.Name)
		if err != nil || s.Status == nil || schemadoc.Preserves(v.props) || l.d.Spec.PreserveUnknownFields != nil &&
			*l.d.Spec.PreserveUnknownFields {
			continue
		}
		status := v.props.Properties["status"]
		if status == nil && v.props.AdditionalProperties == nil && l.more() {
			l.add(v.at.String(), l.statusWitness(v, v.places[0]), "declare the status in the schema, or leave out the "+
				"subresource",
				"%s has the subresource status, and no schema for it", v.Name)
		}
		if status == nil {
			continue
		}
		for _, p := range v.places {
			if p.depth == 1 && p.step.Name == "status" && isEmptyObject(p) && l.more() {
				l.add(v.pathOf(p), l.statusWitness(v, v.places[0]), "declare the fields of the status",
					"the status of %s has no fields", v.Name)
				l.findings[len(l.findings)-1].Severity = Note // somebody declared it, and may have no use for it yet
			}
		}
	}
}

// statusWitness returns the creation of an object, and an update of its status that has no effect.
func (l *linter) statusWitness(v *version, root *place) *Witness {
	obj, _ := l.objectWith(v, root)
	if obj == nil {
		return nil
	}
	created := l.handler(v.Name).Create(l.ctx, obj)
	if created.Err() != nil {
		return nil
	}
	sent := maps.Clone(created.Object)
	sent["status"] = map[string]any{"phase": "Ready"}
	updated := l.handler(v.Name).UpdateStatus(l.ctx, sent, created.Object)
	if updated.Err() != nil {
		return nil
	}
	if status, ok := updated.Object["status"].(map[string]any); ok && len(status) > 0 {
		return nil
	}
	return &Witness{[]Step{{"create", v.Name, obj, created.Object, ""}, {"update status", v.Name, sent, updated.Object,
		""}}}
}

var requiredDefault = Lint{
	Name: "required-default", Severity: Note, Title: "a required field with a default",
	Why: "A server sets the default before it looks for required fields, so that leaving out the field is no " +
		"error. Tools that check manifests by the schema do not set defaults, and refuse what a server accepts; " +
		"generated clients always send the field.",
	check: checkRequiredDefaults,
}

func checkRequiredDefaults(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		var found []*place
		for _, p := range v.places {
			if p.isRequired() && p.Default != nil && !p.inStatus() && !isMapKey(p) {
				found = append(found, p)
			}
		}
		if len(found) > 0 && l.more() {
			l.add(v.pathOf(found[0]), l.leftOut(v, found[0]), "leave them out of required",
				"these fields of %s are required and have a default: %s", v.Name, listed(found))
		}
	}
}

// isMapKey reports whether p identifies the items of a list.
func isMapKey(p *place) bool {
	return p.parent.parent != nil && p.parent.step.Item && slices.Contains(p.parent.parent.XListMapKeys, p.step.Name)
}

// leftOut returns the creation of an object without p.
func (l *linter) leftOut(v *version, p *place) *Witness {
	obj, path := l.objectWith(v, p)
	if obj == nil || len(path) == 0 {
		return nil
	}
	sent, _ := sample.Removed(obj, path).(map[string]any)
	return l.accepted(v, sent)
}

var noDescription = Lint{
	Name: "no-description", Severity: Note, Title: "fields without a description", Off: true,
	Why: "kubectl explain, editors and generated documentation show the descriptions of the schema, and nothing " +
		"without them.",
	check: checkDescriptions,
}

func checkDescriptions(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		var found []*place
		for _, p := range v.places {
			if p.step.Name != "" && p.Description == "" && (p.depth > 1 || p.step.Name != "metadata") {
				found = append(found, p)
			}
		}
		if len(found) > 0 && l.more() {
			l.add(v.pathOf(found[0]), nil, "say what they are for", "these fields of %s have no description: %s", v.Name,
				listed(found))
		}
	}
}

var unmetRequired = Lint{
	Name: "unmet-required", Severity: Warning, Title: "a required field that no object can have",
	Why: "A server drops every field that the schema does not declare, and then refuses the object because the " +
		"field is missing: whoever sends it is told that it is required.",
	check: checkUnmetRequired,
}

func checkUnmetRequired(l *linter) {
	if l.d.Spec.PreserveUnknownFields != nil && *l.d.Spec.PreserveUnknownFields {
		return
	}
	for _, v := range l.versions {
		for _, p := range v.places {
			if schemadoc.Preserves(p.JSONSchemaProps) || p.AdditionalProperties != nil {
				continue
			}
			for _, name := range p.Required {
				own := (p.parent == nil || p.XEmbeddedResource) && (name == "apiVersion" || name == "kind" || name == "metadata")
				if p.Properties[name] == nil && !own && l.more() {
					l.add(v.pathOf(p)+".required", nil, "declare the field in properties, or do not require it",
						"%s of %s requires %s, which it does not declare", named(p.steps()), v.Name, name)
					break
				}
			}
		}
	}
}
