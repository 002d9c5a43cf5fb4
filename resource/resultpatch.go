package resource

import (
	"encoding/json"
	"maps"

	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/patch"
)

// Patch returns the JSON patch (RFC 6902) that turns the object that was sent into the one that would be stored. An
// admission webhook responds with it. Patch returns nil if nothing would change or the request was refused. It leaves
// out what only a server may set: the metadata that a server keeps itself (generation, uid, resourceVersion,
// timestamps, managed fields), and the status where it belongs to the subresource. For requests to that subresource it
// patches only the status.
//
// After [Version.CreateBody], Patch reads the body again, so it must not have changed.
//
// Operations are add, remove and replace, in the order of the paths. The time is linear in the two objects.
func (r Result) Patch() []byte {
	if r.body != nil {
		r.sent = jsonscan.DecodeObject(r.body)
	}
	if r.sent == nil || r.Object == nil || r.Failure != nil || len(r.Errors) > 0 {
		return nil
	}
	operations := patch.Diff(r.sent, r.desired())
	if len(operations) == 0 {
		return nil
	}
	text, err := json.Marshal(operations)
	if err != nil { // A key or a string is not UTF-8, so no patch can contain it.
		return nil
	}
	return text
}

// desired returns the object that was sent, with the changes that a webhook may make.
func (r Result) desired() map[string]any {
	if r.onStatus {
		desired, _ := withStatus(r.sent, r.Object)
		return desired
	}
	to := maps.Clone(r.Object)
	if r.keepsStatus {
		to, _ = withStatus(to, r.sent)
	}
	sent, kept := metadata(r.sent), map[string]any{}
	maps.Copy(kept, metadata(r.Object))
	for _, m := range objectmeta.Metadata.Members {
		if v, has := sent[m.Name]; m.Server && has { // also a null
			kept[m.Name] = v
		} else if m.Server {
			delete(kept, m.Name)
		}
	}
	if len(kept) > 0 || sent != nil {
		to["metadata"] = kept
	}
	return to
}
