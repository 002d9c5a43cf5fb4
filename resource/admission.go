package resource

import (
	"encoding/json"
	"maps"

	"github.com/crdkit/crdkit/internal/patch"
)

// Patch returns the JSON patch (RFC 6902) from the object that was sent to the one that would be stored, as an admission webhook answers
// with it; nil if nothing would change, or if the request was refused. Left out is what only a server may set: all of the metadata
// that it keeps itself (generation, uid, resourceVersion, timestamps, managed fields), and the status where it belongs to the
// subresource. On that subresource nothing but the status is patched.
//
// Operations are add, remove and replace, in the order of the paths. The time is linear in the two objects.
func (r Result) Patch() []byte {
	if r.sent == nil || r.Object == nil || r.Failure != nil || len(r.Errors) > 0 {
		return nil
	}
	operations := patch.Diff(r.sent, r.desired())
	if len(operations) == 0 {
		return nil
	}
	text, err := json.Marshal(operations)
	if err != nil { // A key or a string is no text, so that there is no patch that could say so.
		return nil
	}
	return text
}

// desired returns what was sent with the changes that a webhook may make.
func (r Result) desired() map[string]any {
	if r.onStatus {
		return withMember(r.sent, "status", r.Object)
	}
	to := maps.Clone(r.Object)
	if r.keepsStatus {
		to = withMember(to, "status", r.sent)
	}
	sent, kept := metadata(r.sent), maps.Clone(metadata(r.Object))
	for _, key := range []string{
		"creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields", "resourceVersion", "selfLink", "uid",
	} {
		if v, has := sent[key]; has {
			if kept == nil {
				kept = map[string]any{}
			}
			kept[key] = v
		} else {
			delete(kept, key)
		}
	}
	if len(kept) > 0 || sent != nil {
		to["metadata"] = kept
	}
	return to
}

// withMember returns a copy of obj with the member that from has, or without it if from has none.
func withMember(obj map[string]any, key string, from map[string]any) map[string]any {
	out := maps.Clone(obj)
	if v, has := from[key]; has {
		out[key] = v
	} else {
		delete(out, key)
	}
	return out
}
