package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/finding"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// A validator validates objects.
type validator struct {
	registry  *registry.Registry
	namespace string // of objects that have none
	strict    bool
	old       map[objectID]*document // the objects before an update; nil: all objects are created
}

// An objectID identifies an object in a cluster.
type objectID struct {
	groupKind
	namespace, name string
}

func (v *validator) id(d *document) objectID {
	namespace := cmp.Or(d.namespace, v.namespace)
	if def := v.registry.Find(d.apiVersion, d.kind); def != nil && !def.Namespaced() {
		namespace = ""
	}
	return objectID{groupKind{d.group(), d.kind}, namespace, d.name}
}

// setOld sets the objects that exist before the update.
func (v *validator) setOld(documents []*document) {
	v.old = map[objectID]*document{}
	for _, d := range documents {
		if !d.isDefinition() {
			v.old[v.id(d)] = d
		}
	}
}

// check validates an object: as an update if there is an old object, and as a create otherwise.
func (v *validator) check(ctx context.Context, d *document) *result {
	r := newResult(d)
	r.Strict = v.strict
	r.DuplicateKeys(d.duplicates)
	r.Keys(d.json())
	var root *plan.Node
	version, err := v.registry.Version(d.apiVersion, d.kind)
	if err == nil && version.Schema() != nil {
		root = plan.Root(version.Schema())
	}
	old := v.old[v.id(d)]
	if d.name == "" || err != nil {
		old = nil
	}
	answer := func(body []byte) resource.Result {
		if old != nil {
			return v.update(ctx, version, body, d, old)
		}
		return v.create(ctx, body)
	}
	response := answer(d.json())
	if failure := response.Failure; failure != nil && response.Errors == nil && err == nil {
		obj, invalid := unstructured.DecodeJSON(d.json())
		if invalid != nil && r.Number(failure.Message) {
			return r
		}
		if rest, about := r.Metadata(obj, failure.Message); rest != nil {
			// A server stops here. The author wants to know the rest.
			body, _ := json.Marshal(rest) // Invariant: it has been decoded from JSON
			response = answer(body)
			response.Errors = slices.DeleteFunc(response.Errors, func(e *field.Error) bool { return about(e.Path.Segments()) })
			r.Result(root, &response, old != nil)
			return r
		}
	}
	r.Result(root, &response, old != nil)
	if response.Err() == nil {
		r.stored = response.Object
		v.noteDroppedStatus(r, version.Name())
	}
	return r
}

func (v *validator) create(ctx context.Context, body []byte) resource.Result {
	options := resource.RequestOptions{Namespace: v.namespace, ContentType: "application/json"}
	return v.registry.With(options).CreateBody(ctx, body)
}

// update updates old with an object, that of d.
func (v *validator) update(ctx context.Context, version *resource.Version, body []byte, d, old *document) resource.Result {
	options := resource.RequestOptions{ContentType: "application/json"}
	if v.registry.Find(d.apiVersion, d.kind).Namespaced() {
		options.Namespace = cmp.Or(v.namespace, d.namespace, "default")
	}
	obj, warnings, refusal := version.With(options).Decode(body)
	if refusal != nil {
		return v.create(ctx, body) // is refused for the same reason
	}
	response := version.With(options).Update(ctx, obj, v.stored(ctx, old, options.Namespace))
	response.Warnings = append(warnings, response.Warnings...)
	return response
}

// stored returns an old object as a create stores it. An object that is not valid is returned as it is, with the
// namespace.
func (v *validator) stored(ctx context.Context, d *document, namespace string) map[string]any {
	if created := v.create(ctx, d.json()); created.Err() == nil {
		return created.Stored
	}
	obj, err := unstructured.DecodeJSON(d.json())
	if err != nil {
		return nil
	}
	meta, _ := obj["metadata"].(map[string]any)
	if namespace != "" && meta["namespace"] == nil {
		if meta == nil {
			meta = map[string]any{}
		}
		meta["namespace"] = namespace
		obj["metadata"] = meta
	}
	return obj
}

// noteDroppedStatus adds a note if the object has a status that creates and updates drop, because its version has a
// status subresource.
func (v *validator) noteDroppedStatus(r *result, version string) {
	body := r.d.json()
	if !bytes.Contains(body, []byte(`"status"`)) {
		return
	}
	obj, _ := unstructured.DecodeJSON(body) // Invariant: a server accepted it
	if status, ok := obj["status"].(map[string]any); !ok || len(status) == 0 {
		return
	}
	def := v.registry.Find(r.d.apiVersion, r.d.kind)
	sub, err := def.CRD.Lookup().Subresources(version)
	if err != nil || sub.Status == nil {
		return
	}
	at, ok := r.Key([]field.Segment{{Key: "status"}})
	if !ok {
		return
	}
	r.Add(finding.Finding{
		Severity: finding.Note, Code: finding.StatusDropped, Message: "the status is left out: creates and updates do not write it",
		Hints: []string{"use the status subresource: kubectl apply --subresource=status"}, Path: "status", Pointer: "/status",
	}, at)
}
