package patch

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
)

// mergePatch returns old with the merge patch in body. Both are valid JSON, and old is an object.
//
// Clauses: PAT-002.
func mergePatch(old, body []byte) (*node, *field.Status) {
	patch := read(body, allLevels)
	switch {
	case !patch.open():
		return nil, refusal.BadRequest("Invalid JSON Patch")
	case patch.shape == list:
		patch.dropNulls()
		return patch, nil
	}
	doc := read(old, 1)
	doc.open()
	doc.merge(patch)
	return doc, nil
}

// merge merges the members of patch into n. Both are opened objects.
func (n *node) merge(patch *node) {
	for key, v := range patch.members {
		switch old := n.members[key]; {
		case v == nil:
			delete(n.members, key)
		case old == nil || old.shape != object:
			v.dropNulls()
			n.members[key] = v
		case v.shape != object:
			n.members[key] = v // a list keeps its nulls here, unlike above
		default:
			old.open()
			v.open()
			old.merge(v)
		}
	}
}

// dropNulls drops the null members of the objects in n, at any depth. Null items of lists stay.
func (n *node) dropNulls() {
	if !n.open() {
		return
	}
	for _, item := range n.items {
		item.dropNulls()
	}
	for key, v := range n.members {
		if v == nil {
			delete(n.members, key)
		}
		v.dropNulls()
	}
}
