package resource

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
)

// This file has the forms of an answer other than objects and tables.

// appendObjects appends obj to out, or its items if it is a list, at any depth. A list that no body can have, because
// it is too deep or contains itself, is appended as an object.
func appendObjects(out []map[string]any, obj map[string]any) ([]map[string]any, error) {
	if jsonval.IsList(obj) && jsonval.TooDeep(obj) {
		return append(out, obj), nil
	}
	return appendItems(out, obj)
}

func appendItems(out []map[string]any, obj map[string]any) ([]map[string]any, error) {
	if !jsonval.IsList(obj) {
		return append(out, obj), nil
	}
	for _, item := range obj["items"].([]any) {
		child, ok := item.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("items member is not an object: %T", child) // the type of the item
		}
		var err error
		if out, err = appendItems(out, child); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// List returns the list of a version's objects, which are as [Version.Read] returns them. It is a server's answer to a
// list request. It shares the objects. Without objects its items are an empty list.
func (v *Version) List(objects []map[string]any, meta ListMeta) map[string]any {
	if v == nil {
		return nil
	}
	about := meta.object()
	about["continue"] = meta.Continue // also if empty
	about["resourceVersion"] = meta.ResourceVersion
	items := make([]any, len(objects))
	for i, obj := range objects {
		items[i] = obj
	}
	return map[string]any{
		"apiVersion": v.groupText, "kind": v.resource.definition.AcceptedNames().ListKind, "metadata": about, "items": items,
	}
}

// The apiVersions that clients ask for when they request another form of an object: a Table, or only the metadata.
const (
	metaV1      = refusal.MetaGroup + "/v1"
	metaV1beta1 = refusal.MetaGroup + "/v1beta1"
)

// partialKind is the kind of an object's metadata alone.
const partialKind = "PartialObjectMetadata"

// PartialMetadata returns obj for a client that asks for metadata only. The result shares the metadata with obj.
// apiVersion is the one that the client asked for: "" or meta.k8s.io/v1, or meta.k8s.io/v1beta1.
func PartialMetadata(obj map[string]any, apiVersion string) map[string]any {
	meta := metadata(obj)
	if meta == nil {
		meta = map[string]any{}
	}
	return map[string]any{"kind": partialKind, "apiVersion": cmp.Or(apiVersion, metaV1), "metadata": meta}
}

// PartialMetadataList is [PartialMetadata] of a list of objects.
func PartialMetadataList(objects []map[string]any, meta ListMeta, apiVersion string) map[string]any {
	partials := make([]any, len(objects))
	for i, obj := range objects {
		partials[i] = PartialMetadata(obj, apiVersion)
	}
	return map[string]any{
		"kind": partialKind + "List", "apiVersion": cmp.Or(apiVersion, metaV1), "metadata": meta.object(), "items": partials,
	}
}

// object returns m as JSON values.
func (m ListMeta) object() map[string]any {
	out := map[string]any{"resourceVersion": m.ResourceVersion, "continue": m.Continue}
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == "" })
	if m.RemainingItemCount != nil {
		out["remainingItemCount"] = *m.RemainingItemCount
	}
	return out
}
