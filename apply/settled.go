package apply

import (
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// settled reports whether an update that changes nothing leaves these entries as they are: they are written and sorted
// as by encode, there are not too many, and no set has parts of what the schema makes atomic (SSA-032). It may be a
// false negative, never a false positive.
func (t *tracker) settled(list []any) bool {
	const most = 32 // all pairs are compared
	if len(list) == 0 || len(list) > most {
		return false
	}
	updates := 0
	var before [5]string // the sort key of the previous entry
	for i, item := range list {
		e, _ := item.(map[string]any)
		fields, _ := e["fieldsV1"].(map[string]any)
		when := text(e, "time")
		keys := [5]string{text(e, "operation"), when, text(e, "manager"), text(e, "apiVersion"), text(e, "subresource")}
		of := t.versions[keys[3]]
		if of == nil || len(fields) == 0 || !objectmeta.CanonicalTime(when) || text(e, "fieldsType") != "FieldsV1" ||
			slices.Compare(before[:], keys[:]) >= 0 || !settledFields(of.node, fields) {
			return false
		}
		size := 5 // the keys that are always written
		for _, optional := range [2]string{keys[2], keys[4]} {
			if optional != "" {
				size++
			}
		}
		if len(e) != size {
			return false
		}
		for _, earlier := range list[:i] {
			if sameManager(earlier.(map[string]any), e) {
				return false
			}
		}
		switch keys[0] {
		case operationUpdate:
			updates++
		case operationApply:
		default:
			return false
		}
		before = keys
	}
	return updates <= maxUpdaters
}

// sameManager reports whether two entries have the same identity.
func sameManager(a, b map[string]any) bool {
	return a["manager"] == b["manager"] && a["operation"] == b["operation"] && a["subresource"] == b["subresource"] &&
		(a["operation"] == operationApply || a["apiVersion"] == b["apiVersion"])
}

// settledFields reports whether a fieldsV1 is written as by fieldsOf, and has nothing below an atomic value. n is nil
// for values without a schema, which are never atomic.
func settledFields(n *plan.Node, fields map[string]any) bool {
	for key, v := range fields {
		below, ok := v.(map[string]any)
		if !ok {
			return false
		}
		if key == "." {
			if len(below) > 0 {
				return false
			}
			continue
		}
		_, itself := below["."]
		if itself && len(below) == 1 {
			return false
		}
		var child *plan.Node
		name, isField := strings.CutPrefix(key, "f:")
		switch {
		case !isField && !canonical(key):
			return false
		case n == nil:
		case isField && name == "metadata" && n.IsResource():
			child = metadataNode
		case isField:
			child, _ = n.Child(name)
		default:
			child = n.Items
			if child == nil && len(below) > 0 {
				return false
			}
		}
		if child != nil && deduced(child) {
			child = nil
		}
		if len(below) > 0 && child != nil && !granular(child) || !settledFields(child, below) {
			return false
		}
	}
	return true
}

// deduced reports whether the type of n is deduced from its value, because n declares no fields.
func deduced(n *plan.Node) bool {
	return (n.Type == "object" || n.Type == "") && len(n.Props) == 0 && n.Additional == nil && n.Has&plan.NoOthers == 0 && !n.IsResource()
}

// granular reports whether the parts of a value at n are owned separately.
func granular(n *plan.Node) bool {
	switch {
	case n.Type == "object":
		return n.MapType != "atomic"
	case n.Type == "array":
		return n.List == plan.ListSet || n.List == plan.ListMap
	}
	return false
}

// canonical reports whether a key is written as it was read.
func canonical(key string) bool {
	if strings.HasPrefix(key, "f:") || plainKey(key) {
		return true
	}
	element, err := fieldpath.DeserializePathElement(key)
	return err == nil && asWritten(key, element)
}
