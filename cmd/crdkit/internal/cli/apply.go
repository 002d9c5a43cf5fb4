package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/merge"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/finding"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// An updateKind is how an object replaces an old one.
type updateKind string

const (
	asReplace updateKind = "replace" // as kubectl replace: what a server owns comes from the old object
	asApply   updateKind = "apply"   // as kubectl apply, which merges the object into the old one
	asPut     updateKind = "put"     // a PUT of the object as it is
)

// lastApplied is the annotation in which kubectl apply keeps what it applied.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// An application is one apply of an object to a live one.
type application struct {
	result resource.Result
	notes  []finding.Finding // who else owns what, with paths
}

// clientSide applies obj to live as kubectl apply does: it sends a merge patch with what differs from the live object,
// and without what was applied last and is gone.
func clientSide(ctx context.Context, v *resource.Version, namespace string, obj, original, live map[string]any) (out application) {
	current := live
	if read := v.Read(live); read.Err() == nil {
		current = read.Object
	}
	applied := unstructured.Clone(obj)
	meta, _ := applied["metadata"].(map[string]any) // Invariant: the object has a name
	annotations, _ := meta["annotations"].(map[string]any)
	if annotations == nil {
		annotations = map[string]any{}
		meta["annotations"] = annotations
	}
	delete(annotations, lastApplied)
	if namespace != "" {
		meta["namespace"] = namespace
	}
	text, _ := json.Marshal(applied) // Invariant: it has been decoded from JSON
	annotations[lastApplied] = string(text) + "\n"
	patch := threeWay(original, applied, current)
	body, _ := json.Marshal(patch)
	out.result = v.Patch(ctx, "application/merge-patch+json", body, live)
	if meta, _ := patch["metadata"].(map[string]any); meta != nil { // it is always written
		if annotations, _ := meta["annotations"].(map[string]any); annotations != nil {
			delete(annotations, lastApplied)
		}
	}
	out.owners(ownersOf(live), patch, "")
	return out
}

// serverSide reports whether people apply to a live object with server-side apply, and as which manager: that of the
// flag, or else the only one that has done so, or else kubectl. What kubectl has applied by itself has an annotation.
func (v *validator) serverSide(live map[string]any) (manager string, ok bool) {
	var appliers []string
	managers := merge.Managers(live)
	for _, m := range managers {
		if m.Operation == "Apply" && m.Subresource == "" {
			appliers = append(appliers, m.Name)
		}
	}
	switch {
	case v.manager != "":
		manager = v.manager
	case len(appliers) == 1:
		manager = appliers[0]
	default:
		manager = "kubectl"
	}
	annotated, err := lastAppliedTo(live)
	return manager, slices.Contains(appliers, manager) || len(managers) > 0 && annotated == nil && err == nil
}

// serverSideApply applies obj to live as a manager, as kubectl apply --server-side does. What a server refuses, because it
// belongs to other managers, are errors; the rest of the answer is that of a forced apply.
func (v *validator) serverSideApply(ctx context.Context, r *result, version *resource.Version, obj map[string]any, manager string, live map[string]any) resource.Result {
	var root *plan.Node
	if s := version.Schema(); s != nil {
		root, obj = plan.Root(s), prune.Prune(s, obj)
	}
	sub, _ := v.registry.Find(r.d.apiVersion, r.d.kind).CRD.Lookup().Subresources(version.Name())
	var conflicts []*merge.Conflict
	response := version.PatchFunc(ctx, func(current map[string]any) (merged map[string]any, err error) {
		merged, conflicts = merge.Apply(root, current, obj, manager, sub != nil && sub.Status != nil)
		return merged, nil
	}, live)
	for _, c := range conflicts[:min(len(conflicts), maxOwned)] {
		path := c.In(obj)
		f := finding.Finding{
			Severity: finding.Error, Code: finding.Conflict, Path: field.PathOf(path...).String(), Pointer: (&field.Error{Path: field.PathOf(path...)}).Pointer(),
			Message: "conflict with " + c.Manager.Text() + ": " + c.Text,
			Hints:   []string{"leave it out of the manifest, or take it over: kubectl apply --server-side --force-conflicts --field-manager=" + manager},
		}
		r.Add(f, r.Nearest(path))
	}
	return response
}

// maxOwned is how many fields an application names the owners of.
const maxOwned = 100

// owners adds a note for each field of a merge patch that another manager owns.
func (a *application) owners(owners []owner, patch map[string]any, path string) {
	for _, name := range slices.Sorted(maps.Keys(patch)) {
		at := strings.TrimPrefix(path+"."+name, ".")
		var below []owner
		for _, o := range owners {
			if next, ok := o.fields["f:"+name].(map[string]any); ok {
				below = append(below, owner{o.text, next})
			} else if path != "" && len(o.fields) == 0 {
				below = append(below, o) // it owns the field around this one as a whole
			}
		}
		value, isMap := patch[name].(map[string]any)
		switch {
		case len(below) == 0 || len(a.notes) >= maxOwned:
		case isMap:
			a.owners(below, value, at)
		default:
			what := "changes"
			if patch[name] == nil {
				what = "is removed"
			}
			var names []string
			for _, o := range below {
				names = append(names, o.text)
			}
			a.notes = append(a.notes, finding.Finding{
				Severity: finding.Note, Code: finding.Owned, Path: at,
				Message: fmt.Sprintf("%s %s, and belongs to %s", at, what, strings.Join(names, " and ")),
				Hints:   []string{"whoever owns it may write it again: leave a field out of the manifest that something else sets"},
			})
		}
	}
}

// An owner is an entry of managedFields.
type owner struct {
	text   string         // the manager, and since when
	fields map[string]any // fieldsV1: the fields, or those below one; empty: all of it
}

// ownersOf returns who owns fields of a live object, without kubectl itself.
func ownersOf(live map[string]any) (all []owner) {
	meta, _ := live["metadata"].(map[string]any)
	entries, _ := meta["managedFields"].([]any)
	for _, v := range entries {
		entry, _ := v.(map[string]any)
		fields, _ := entry["fieldsV1"].(map[string]any)
		text, _ := entry["manager"].(string)
		if fields == nil || strings.HasPrefix(text, "kubectl") {
			continue
		}
		if since, _ := entry["time"].(string); since != "" {
			text += " since " + since
		}
		all = append(all, owner{text, fields})
	}
	return all
}

// lastAppliedTo returns what kubectl applied last to a live object, or nil if it does not say that.
func lastAppliedTo(live map[string]any) (map[string]any, error) {
	meta, _ := live["metadata"].(map[string]any)
	annotations, _ := meta["annotations"].(map[string]any)
	text, _ := annotations[lastApplied].(string)
	if text == "" {
		return nil, nil
	}
	original, err := unstructured.DecodeJSON([]byte(text))
	if err != nil {
		return nil, errors.New("the annotation " + lastApplied + " is not JSON")
	}
	return original, nil
}

// originalOf returns what was applied last: the annotation of a live object, or the old object if it is not from a
// cluster: then that was the manifest.
func originalOf(live map[string]any) (map[string]any, error) {
	original, err := lastAppliedTo(live)
	if original == nil && err == nil && !manifest.Stored(live) {
		original = live
	}
	return original, err
}

// threeWay returns the merge patch that makes current what modified says, and removes what original has and modified
// has not. Lists are values.
func threeWay(original, modified, current map[string]any) map[string]any {
	patch := map[string]any{}
	for name, want := range modified {
		was, had := original[name]
		is, there := current[name]
		wanted, isMap := want.(map[string]any)
		currently, wasMap := is.(map[string]any)
		switch {
		case want == nil:
			if had && was != nil {
				patch[name] = nil
			}
		case isMap && wasMap:
			before, _ := was.(map[string]any)
			if below := threeWay(before, wanted, currently); len(below) > 0 {
				patch[name] = below
			}
		case !there || !jsonval.Equal(want, is):
			patch[name] = want
		}
	}
	for name, was := range original {
		if _, ok := modified[name]; !ok && was != nil {
			patch[name] = nil
		}
	}
	return patch
}
