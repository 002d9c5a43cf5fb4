package catalog

import "github.com/crdkit/crdkit/internal/jsonval"

// This file has what the admission of a server with its usual plugins sets in Pods, before webhooks see them. No
// field manager owns it.

// admitted has the functions of the plugins, by type. They modify an object that is complete.
var admitted = map[string]func(m document){"core.v1.Pod": admitPod}

// Admits reports whether plugins change objects of the kind.
func (k *Kind) Admits() bool { return admitted[k.Type] != nil }

// Admit returns a complete object as the plugins change it: obj itself if they do not. It does not modify obj.
func (k *Kind) Admit(obj map[string]any) map[string]any {
	out := jsonval.Clone(obj).(document)
	admitted[k.Type](out)
	if jsonval.Equal(out, obj) {
		return obj
	}
	return out
}

// admitPod lets a Pod stay on a node for five minutes that is not ready or cannot be reached.
func admitPod(m document) {
	spec := child(m, "spec")
	if spec == nil {
		return
	}
	for _, taint := range []string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
		if tolerates(spec, taint) {
			continue
		}
		list, ok := spec["tolerations"].([]any)
		if !ok && spec["tolerations"] != nil {
			return // the schema refuses it
		}
		spec["tolerations"] = append(list, document{"key": taint, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": int64(300)})
	}
}

// tolerates reports whether a Pod has a toleration of a taint with the effect NoExecute.
func tolerates(spec document, taint string) bool {
	for _, t := range children(spec, "tolerations") {
		key, effect := text(t, "key", ""), text(t, "effect", "")
		if (key == taint || key == "") && (effect == "NoExecute" || effect == "") {
			return true
		}
	}
	return false
}
