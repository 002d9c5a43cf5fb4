package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"maps"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/tool/finding"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// A validator validates objects.
type validator struct {
	registry  *registry.Registry
	namespace string // of objects that have none
	strict    fieldValidation
	old       map[objectID]*document // the objects before an update; nil: all objects are created
	as        updateKind             // of updates
	manager   string                 // who applies on the server's side; empty: who has done so
}

// flags defines the flags about updates.
func (v *validator) flags(flags *flag.FlagSet) {
	v.as = asReplace
	enumFlag(flags, &v.as, "as", "the `KIND` of updates: replace (default) or apply, as kubectl does, or put, without what only a server sets", asReplace, asApply, asPut)
	flags.StringVar(&v.manager, "manager", "", "with -as apply, the `NAME` of the field manager of a server-side apply (default: the one that has applied the object)")
}

// An objectID identifies an object in a cluster.
type objectID struct {
	groupKind
	namespace, name string
}

func (v *validator) id(d *document) objectID {
	namespace := cmp.Or(d.namespace, v.namespace, "default")
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
	v.strict.set(&r.List)
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
			return v.update(ctx, r, version, body, d, old)
		}
		return v.create(ctx, body)
	}
	body := d.json()
	var encryptedPaths [][]field.Segment
	if bytes.Contains(body, []byte(sopsValue)) {
		if obj, invalid := unstructured.DecodeJSON(body); invalid == nil {
			if rest, paths := encrypted(obj); rest != nil {
				body, _ = json.Marshal(rest) // Invariant: it has been decoded from JSON
				encryptedPaths = paths
			}
		}
	}
	response := answer(body)
	if encryptedPaths != nil {
		withoutEncrypted(r, &response, encryptedPaths)
	}
	if r.unconverted = response.Unconverted; r.unconverted && response.Failure != nil {
		return r
	}
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
		if rest := v.asNew(r, obj, failure, old != nil); rest != nil {
			body, _ := json.Marshal(rest)
			response = answer(body)
			r.Result(root, &response, old != nil)
			return r
		}
	}
	r.Result(root, &response, old != nil)
	if response.Err() == nil {
		if !r.unconverted {
			r.stored = response.Object
		}
		v.noteDroppedStatus(r, version.Name())
	}
	return r
}

func (v *validator) create(ctx context.Context, body []byte) resource.Result {
	options := resource.RequestOptions{Namespace: v.namespace, ContentType: "application/json"}
	return v.registry.With(options).CreateBody(ctx, body)
}

// asNew adds why a server refuses an object that has the state of another one: a resourceVersion, where there is no old
// object or one with another state. It returns the object without the resourceVersion, so that the rest can be checked,
// or nil if that is not the reason.
func (v *validator) asNew(r *result, obj map[string]any, refusal *field.Status, update bool) map[string]any {
	const member = "resourceVersion"
	meta, _ := obj["metadata"].(map[string]any)
	if text, _ := meta[member].(string); text == "" || v.as == asPut || update && refusal.Reason != "Conflict" {
		return nil
	}
	hint := "this is an object of a cluster: crdkit audit says what a definition does to objects that exist, and -old has them for updates"
	if update {
		hint = "the old object has another " + member + ": leave it out of manifests"
	}
	path := []field.Segment{{Key: "metadata"}, {Key: member}}
	at, _ := r.Key(path)
	r.Add(finding.Finding{
		Severity: finding.Error, Code: finding.Refused, Message: refusal.Message, Hints: []string{hint}, Path: "metadata." + member, Pointer: "/metadata/" + member,
	}, at)
	rest := unstructured.Clone(obj)
	meta, _ = rest["metadata"].(map[string]any)
	delete(meta, member)
	return rest
}

// update updates old with an object, that of d. It adds notes about an apply to r.
func (v *validator) update(ctx context.Context, r *result, version *resource.Version, body []byte, d, old *document) resource.Result {
	options := resource.RequestOptions{ContentType: "application/json"}
	if v.registry.Find(d.apiVersion, d.kind).Namespaced() {
		options.Namespace = cmp.Or(v.namespace, d.namespace, "default")
	}
	version = version.With(options)
	obj, warnings, refusal := version.Decode(body)
	if refusal != nil {
		return v.create(ctx, body) // is refused for the same reason
	}
	stored := v.stored(ctx, old, options.Namespace)
	switch {
	case v.as == asPut:
	case v.as == asApply:
		sent, err := unstructured.DecodeJSON(body)
		if err != nil {
			break // Invariant: it has been decoded
		}
		if manager, ok := v.serverSide(stored); ok {
			response := v.serverSideApply(ctx, r, version, sent, manager, stored)
			response.Warnings = append(warnings, response.Warnings...)
			return response
		}
		original, err := originalOf(stored)
		if err != nil {
			r.Say(finding.Warning, finding.LastApplied, err.Error())
		}
		a := clientSide(ctx, version, options.Namespace, sent, original, stored)
		a.result.Warnings = append(warnings, a.result.Warnings...)
		return v.applied(r, a)
	default:
		obj, stored = manifest.Replace(obj, stored)
	}
	response := version.Update(ctx, obj, stored)
	response.Warnings = append(warnings, response.Warnings...)
	return response
}

// applied adds the notes of an application to r, and returns its result.
func (v *validator) applied(r *result, a application) resource.Result {
	for _, f := range a.notes {
		r.Add(f, r.At(f.Path))
	}
	return a.result
}

// stored returns an old object as it is stored. One that has what only a server sets is from a cluster, and stays as it
// is. Another one is created, and keeps its status. One that is not valid stays as it is, with the namespace.
func (v *validator) stored(ctx context.Context, d *document, namespace string) map[string]any {
	obj, err := unstructured.DecodeJSON(d.json())
	if err != nil {
		return nil
	}
	meta, _ := obj["metadata"].(map[string]any)
	if !manifest.Stored(obj) {
		created := v.create(ctx, d.json())
		stored := created.Stored
		if created.Unconverted {
			stored = created.Object // in its own version
		}
		if created.Err() == nil {
			if stored["status"] == nil && obj["status"] != nil {
				stored = maps.Clone(stored)
				stored["status"] = obj["status"]
			}
			return stored
		}
	}
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
