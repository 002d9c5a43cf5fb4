package crd

import (
	"maps"
	"slices"
	"time"
)

// metadata returns the metadata of a document as a server would write them: the keys that ObjectMeta has, without those that
// are empty. Their values have to be of the right type, since a server reads them into a struct.
func (b *binder) metadata(m map[string]any) map[string]any {
	out := make(map[string]any, len(m))
	for _, key := range [...]string{"name", "generateName", "namespace", "selfLink", "uid", "resourceVersion"} {
		b.putText(out, m, key)
	}
	if n := b.int64(m, "generation"); n != 0 {
		out["generation"] = n
	}
	b.putTime(out, m, "creationTimestamp")
	b.putTime(out, m, "deletionTimestamp")
	if m["deletionGracePeriodSeconds"] != nil {
		out["deletionGracePeriodSeconds"] = b.int64(m, "deletionGracePeriodSeconds")
	}
	b.putTextMap(out, m, "labels")
	b.putTextMap(out, m, "annotations")
	b.putList(out, m, "ownerReferences", b.ownerReference)
	if finalizers := b.texts(m, "finalizers"); len(finalizers) > 0 {
		out["finalizers"] = texts(finalizers)
	}
	b.putList(out, m, "managedFields", b.managedFields)
	return out
}

func (b *binder) ownerReference(m map[string]any) any {
	out := map[string]any{}
	for _, key := range [...]string{"apiVersion", "kind", "name", "uid"} {
		out[key] = b.text(m, key)
	}
	for _, key := range [...]string{"controller", "blockOwnerDeletion"} {
		if f := b.flagPointer(m, key); f != nil {
			out[key] = *f
		}
	}
	return out
}

func (b *binder) managedFields(m map[string]any) any {
	out := map[string]any{}
	for _, key := range [...]string{"manager", "operation", "apiVersion", "fieldsType", "subresource"} {
		b.putText(out, m, key)
	}
	b.putTime(out, m, "time")
	if v := m["fieldsV1"]; v != nil {
		out["fieldsV1"] = v
	}
	return out
}

func (b *binder) putText(out, m map[string]any, key string) {
	if b.text(m, key) != "" {
		out[key] = m[key] // not the text: boxing it again would allocate
	}
}

func (b *binder) putTime(out, m map[string]any, key string) {
	if t := b.time(m, key); !t.IsZero() {
		out[key] = t.Format(time.RFC3339)
	}
}

func (b *binder) putTextMap(out, m map[string]any, key string) {
	b.value(m, key, func(v any) {
		m := b.object(v)
		texts := make(map[string]any, len(m))
		for _, k := range slices.Sorted(maps.Keys(m)) {
			texts[k] = b.text(m, k)
		}
		if len(texts) > 0 {
			out[key] = texts
		}
	})
}

func (b *binder) putList(out, m map[string]any, key string, f func(map[string]any) any) {
	if l := list(b, m, key, f); len(l) > 0 {
		out[key] = l
	}
}

func texts(l []string) []any {
	out := make([]any, len(l))
	for i, s := range l {
		out[i] = s
	}
	return out
}
