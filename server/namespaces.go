package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/storage"
)

// finalizeSubresource is a subresource that only namespaces have.
const finalizeSubresource = "finalize"

// immortalNamespaces cannot be deleted.
var immortalNamespaces = []string{defaultNamespace, "kube-system", "kube-public"}

// initialNamespaces are the namespaces of a new store.
var initialNamespaces = append([]string{"kube-node-lease"}, immortalNamespaces...)

const (
	defaultNamespace = "default"
	namespaceLabel   = "kubernetes.io/metadata.name"
	active           = "Active"
	terminating      = "Terminating"
)

// namespaceLabels returns the labels of a namespace, including the one with its name.
func namespaceLabels(meta map[string]any, name string) map[string]any {
	labels, _ := meta["labels"].(map[string]any)
	if labels = maps.Clone(labels); labels == nil {
		labels = map[string]any{}
	}
	labels[namespaceLabel] = name
	return labels
}

// prepareNamespace completes a decoded namespace, for a write to a subresource or, if sub is empty, to the namespace. For
// a create, stored is nil.
func prepareNamespace(sub string, r resource.Result, stored map[string]any) resource.Result {
	if stored == nil && r.Object != nil {
		r.Errors = nameErrors(r.Errors, metadata(r.Object), format.DNS1123Label, format.DNS1123LabelPrefix)
	}
	meta := maps.Clone(metadata(r.Object))
	delete(meta, "generation") // a server does not count those of namespaces
	if name := text(meta, "name"); name != "" {
		meta["labels"] = namespaceLabels(meta, name)
	}
	r.Object = with(r.Object, meta)
	switch {
	case stored == nil:
		r.Object["spec"] = map[string]any{"finalizers": []any{"kubernetes"}}
		r.Object["status"] = map[string]any{"phase": active}
	case sub == "status":
		r.Object["spec"] = stored["spec"]
		if text(mapAt(r.Object, "status"), "phase") == "" {
			r.Object = withMember(r.Object, []string{"status", "phase"}, active) // the default
		}
		r.Errors = append(r.Errors, checkPhase(r.Object)...)
	default:
		r.Object["spec"], r.Object["status"] = stored["spec"], stored["status"]
	}
	r.Deleted = r.Deleted && finalized(r.Object) // otherwise the sweeper deletes it
	return r
}

// checkPhase returns the error of a namespace whose phase is not that of its life.
func checkPhase(namespace map[string]any) field.List {
	want, deletion := active, "empty"
	if text(metadata(namespace), "deletionTimestamp") != "" {
		want, deletion = terminating, "not empty"
	}
	phase := text(mapAt(namespace, "status"), "phase")
	if phase == want {
		return nil
	}
	why := fmt.Sprintf("may only be '%s' if `deletionTimestamp` is %s", want, deletion)
	return field.List{field.Invalid(field.NewPath("status", "Phase"), phase, why)}
}

// finalized reports whether a namespace has no finalizers in its spec.
func finalized(namespace map[string]any) bool {
	spec, _ := namespace["spec"].(map[string]any)
	finalizers, _ := spec["finalizers"].([]any)
	return len(finalizers) == 0
}

// finalize answers PUT of namespaces/NAME/finalize, with which controllers remove finalizers from a namespace's spec. It
// changes nothing if the only such finalizer is the server's own, which the sweeper handles.
func (q *request) finalize() *field.Status {
	o, refused := q.writing("UpdateOptions")
	if refused != nil {
		return refused
	}
	body, refused := q.bodyAsJSON(o)
	if refused != nil {
		return refused
	}
	sent, _, err := q.kind.Version().With(q.options(o)).Decode(body)
	if err != nil {
		return failed(err)
	}
	if refused := refusal.OtherName(text(metadata(sent), "name"), q.name); refused != nil {
		return refused
	}
	if !q.s.options.KeepNamespaces {
		return q.answerStored()
	}
	spec, _ := sent["spec"].(map[string]any)
	if spec == nil {
		spec = map[string]any{}
	}
	var result resource.Result
	refused = q.attempt(q.name, func(item storage.Item, stored map[string]any) error {
		of, now := text(metadata(sent), "resourceVersion"), metadata(stored)
		if of != "" && of != text(now, "resourceVersion") {
			return q.kind.Resource().Modified(q.name)
		}
		result.Object = with(stored, now)
		result.Object["spec"] = spec
		others, _ := now["finalizers"].([]any)
		result.Deleted = finalized(result.Object) && len(others) == 0 && text(now, "deletionTimestamp") != ""
		revision, err := q.replace(q.r.Context(), o, item, result)
		result.Object = withRevision(result.Object, revision)
		return err
	})
	if refused == nil {
		q.answer(http.StatusOK, result.Object)
	}
	return refused
}

// markNamespaceDeleted marks a namespace as Terminating. The sweeper deletes it when it is empty.
func (q *request) markNamespaceDeleted(r resource.Result) (resource.Result, *field.Status) {
	meta := metadata(r.Object)
	if name := text(meta, "name"); slices.Contains(immortalNamespaces, name) {
		return r, q.kind.Resource().Forbidden(name, "this namespace may not be deleted")
	}
	if text(meta, "deletionTimestamp") == "" {
		meta = maps.Clone(meta)
		meta["deletionTimestamp"] = q.s.timestamp()
	}
	r.Object = with(r.Object, meta)
	r.Object["status"] = map[string]any{"phase": terminating}
	r.Deleted = r.Deleted && finalized(r.Object)
	return r, nil
}

// namespaceFor returns the namespace of a new object, or refuses the object if the namespace is missing or terminating.
func (q *request) namespaceFor(name string) (storage.Item, *field.Status) {
	item, namespace, refused := q.s.ownNamespace(q.r.Context()).get(q.namespace)
	if refused != nil {
		return item, refused
	}
	if text(metadata(namespace), "deletionTimestamp") != "" {
		resource := q.kind.Resource()
		resource.Resource, _ = q.resource()
		refused := resource.Forbidden(name, fmt.Sprintf("unable to create new content in namespace %s because it is being terminated", q.namespace))
		refused.Causes = []field.StatusCause{{
			Reason: "NamespaceTerminating", Message: fmt.Sprintf("namespace %s is being terminated", q.namespace), Field: "metadata.namespace",
		}}
		return item, refused
	}
	return item, nil
}

// makeNamespaces creates the initial namespaces that do not exist.
func (s *Server) makeNamespaces(ctx context.Context) error {
	k := s.keeper.Catalog().Kind("", "v1", catalog.Namespaces)
	for _, name := range initialNamespaces {
		made := prepareNamespace("", resource.Result{Object: map[string]any{
			"apiVersion": "v1", "kind": "Namespace",
			"metadata": map[string]any{"name": name, "uid": catalog.UID(), "creationTimestamp": s.timestamp()},
		}}, nil)
		value, err := encode(made.Object)
		if err != nil {
			return err
		}
		if _, err = s.store.Create(ctx, k.Key("", name), value); err != nil && !errors.Is(err, storage.ErrExists) {
			return err
		}
	}
	return nil
}
