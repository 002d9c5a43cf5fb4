package apply

import (
	"errors"
	"fmt"
	"maps"

	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/unstructured"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
)

// This file handles the migration from kubectl's client-side to its server-side apply (SSA-039). A client-side apply
// records its configuration in an annotation. A server-side apply by kubectl may take over those of its fields that
// have not changed since.

const (
	kubectl     = "kubectl"
	lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
)

// annotations returns the annotations of obj.
func annotations(obj map[string]any) map[string]any {
	a, _ := metadata(obj)["annotations"].(map[string]any)
	return a
}

// explained returns the fields in the annotation of live that still have the same values.
func (t *tracker) explained(live map[string]any) (*fieldpath.Set, error) {
	last := text(annotations(live), lastApplied)
	if last == "" {
		return nil, errors.New("no last applied annotation")
	}
	now, err := t.types.typed(live)
	if err != nil {
		return nil, err
	}
	noted, err := unstructured.DecodeJSON([]byte(last))
	if err != nil {
		return nil, err
	}
	if noted["apiVersion"] != t.apiVersion {
		return nil, fmt.Errorf("the last applied configuration is of %v", noted["apiVersion"])
	}
	then, err := t.types.typed(noted)
	if err != nil {
		return nil, err
	}
	set, err := then.ToFieldSet()
	if err != nil {
		return nil, err
	}
	changes, err := then.Compare(now)
	if err != nil {
		return nil, err
	}
	return set.Difference(changes.Modified).Difference(changes.Added).Difference(changes.Removed), nil
}

// applyAs is apply for a manager that may be kubectl: for kubectl, conflicts that the annotation explains are ignored.
func (t *tracker) applyAs(m *managers, applied, live map[string]any, o *Options) (map[string]any, *managers, error) {
	obj, next, err := t.apply(m, applied, live, o)
	var conflicts merge.Conflicts
	if o.Manager != kubectl || !errors.As(err, &conflicts) {
		return obj, next, err
	}
	allowed, failed := t.explained(live)
	if failed != nil {
		return nil, nil, err
	}
	var rest merge.Conflicts
	for _, c := range conflicts {
		if !allowed.Has(c.Path) {
			rest = append(rest, c)
		}
	}
	if len(rest) > 0 {
		return nil, nil, rest
	}
	forced := *o
	forced.Force = true
	return t.apply(m, applied, live, &forced)
}

// noteApplied returns obj with its annotation, if it has one, updated to what was applied, as kubectl does. An
// annotation that is too large is dropped.
func noteApplied(obj, applied map[string]any) (map[string]any, error) {
	if text(annotations(obj), lastApplied) == "" {
		return obj, nil
	}
	last, err := lastAppliedText(applied)
	if err != nil {
		return nil, fmt.Errorf("failed to build last-applied annotation: %w", err)
	}
	renewed := maps.Clone(annotations(obj))
	renewed[lastApplied] = last
	if !objectmeta.AnnotationsFit(renewed) {
		delete(renewed, lastApplied)
	}
	return withMeta(obj, "annotations", renewed), nil
}

// lastAppliedText returns the annotation for a configuration: its JSON, without that annotation, and a newline.
func lastAppliedText(applied map[string]any) (string, error) {
	if has := annotations(applied); has[lastApplied] != nil {
		rest := maps.Clone(has)
		delete(rest, lastApplied)
		applied = maps.Clone(applied)
		meta := maps.Clone(metadata(applied))
		meta["annotations"] = rest // an empty map stays
		applied["metadata"] = meta
	}
	text, err := patch.Encode(applied)
	return string(text) + "\n", err
}
