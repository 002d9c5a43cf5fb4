package cli

import (
	"bytes"
	"context"
	"maps"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/report"
	"github.com/crdkit/crdkit/internal/hint"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"

	"github.com/crdkit/crdkit/field"
)

// A judge says what a server would say of objects.
type judge struct {
	registry  *registry.Registry
	namespace string // of objects that have none
	strict    bool
	old       map[objectKey]*document // the objects that are there; nil if nothing is known of these
}

// An objectKey is what an object is found by: its group, kind, namespace and name.
type objectKey struct{ group, kind, namespace, name string }

func (j *judge) key(d *document) objectKey {
	namespace := d.namespace
	if namespace == "" {
		namespace = j.namespace
	}
	if def := j.registry.Find(d.apiVersion, d.kind); def != nil && !def.Namespaced() {
		namespace = ""
	}
	return objectKey{d.group(), d.kind, namespace, d.name}
}

// with returns the registry for requests with a body of JSON.
func (j *judge) with() *registry.Registry {
	return j.registry.With(resource.RequestOptions{Namespace: j.namespace, ContentType: "application/json"})
}

// object says what a server would say of an object: of a new one, or of one in the place of an old one.
func (j *judge) object(ctx context.Context, d *document) *verdict {
	v := &verdict{d: d}
	v.duplicateKeys(j.strict)
	body := d.json()
	var root *plan.Node
	version, err := j.registry.Version(d.apiVersion, d.kind)
	if err == nil && version.Schema() != nil {
		root = plan.Root(version.Schema())
	}
	old := j.old[j.key(d)]
	var result resource.Result
	if old != nil && d.name != "" && err == nil {
		result = j.update(ctx, version, d, old)
	} else {
		old = nil
		result = j.with().CreateBody(ctx, body)
	}
	for _, text := range result.Warnings {
		v.warning(text, j.strict, func(path []field.Segment) []string { return hint.UnknownField(root, path) })
	}
	for _, e := range result.Errors {
		if e.RulesSkipped() {
			v.add(report.Finding{Severity: report.Note, Code: report.CodeHint, Message: e.Detail}, d.begin())
			continue
		}
		v.error(e, e.Path.Segments(), hint.Object(root, e, d.plain, old != nil)...)
	}
	if result.Errors == nil && result.Failure != nil {
		v.refusal(result.Failure)
	}
	if result.Err() == nil {
		v.stored = result.Object
		j.statusNote(v, body)
	}
	return v
}

// update says what a server would say of an object in the place of old.
func (j *judge) update(ctx context.Context, version *resource.Version, d, old *document) resource.Result {
	options := resource.RequestOptions{ContentType: "application/json"}
	if j.registry.Find(d.apiVersion, d.kind).Namespaced() {
		if options.Namespace = j.namespace; options.Namespace == "" {
			options.Namespace = d.namespace
		}
		if options.Namespace == "" {
			options.Namespace = "default"
		}
	}
	obj, warnings, err := version.With(options).Decode(d.json())
	if err != nil {
		return j.with().CreateBody(ctx, d.json()) // which says so
	}
	stored := j.stored(ctx, old, options.Namespace)
	result := version.With(options).Update(ctx, obj, stored)
	result.Warnings = append(warnings, result.Warnings...)
	return result
}

// stored returns an object as it is stored: as a create stores it or, if it is not valid, as it is.
func (j *judge) stored(ctx context.Context, d *document, namespace string) map[string]any {
	if created := j.with().CreateBody(ctx, d.json()); created.Err() == nil {
		return created.Stored
	}
	obj, err := unstructured.DecodeJSON(d.json())
	if err != nil {
		return nil
	}
	meta, _ := obj["metadata"].(map[string]any)
	if namespace != "" && meta["namespace"] == nil {
		obj, meta = maps.Clone(obj), maps.Clone(meta)
		if meta == nil {
			meta = map[string]any{}
		}
		meta["namespace"] = namespace
		obj["metadata"] = meta
	}
	return obj
}

// statusNote says that a status is left out, if the object has one and its version a status subresource.
func (j *judge) statusNote(v *verdict, body []byte) {
	if !bytes.Contains(body, []byte(`"status"`)) {
		return
	}
	obj, err := unstructured.DecodeJSON(body)
	if status, ok := obj["status"].(map[string]any); err != nil || !ok || len(status) == 0 {
		return
	}
	def := j.registry.Find(v.d.apiVersion, v.d.kind)
	sub, err := def.CRD.Lookup().Subresources(versionOf(v.d.apiVersion))
	if err != nil || sub == nil || sub.Status == nil {
		return
	}
	at, ok := v.d.locate().Key(v.d.whole([]field.Segment{{Key: "status"}}))
	if !ok {
		return
	}
	v.add(report.Finding{
		Severity: report.Note, Code: report.CodeStatusDropped, Message: "the status is left out: creates and updates do not write it",
		Hints: []string{"use the status subresource: kubectl apply --subresource=status"}, Path: "status", Pointer: "/status",
	}, at)
}
