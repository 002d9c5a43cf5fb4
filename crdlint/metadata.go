package crdlint

import (
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
)

var prunedMetadata = Lint{
	Name: "pruned-metadata", Severity: Warning, Title: "an object without declared fields, which is always empty",
	Why: "A server drops every field that the schema does not declare, without an error. Below the root it knows " +
		"no metadata, so that labels and annotations of a template are lost.",
	check: checkPrunedMetadata,
}

// mapNames are names of fields that hold a map, or the metadata of something. Other objects without fields may be meant
// as markers, such as emptyDir.
var mapNames = map[string]bool{"metadata": true, "labels": true, "annotations": true, "matchLabels": true, "nodeSelector": true}

func checkPrunedMetadata(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, p := range v.places {
			if !mapNames[p.step.Name] || !isEmptyObject(p) || p.depth == 1 || p.parent.XEmbeddedResource && p.step.Name == "metadata" || !l.more() {
				continue
			}
			steps := p.steps()
			key, fix := "a", "declare its values with additionalProperties: {type: string}"
			if p.step.Name == "metadata" {
				key = "labels"
				fix = "declare labels and annotations below it, with additionalProperties: {type: string} " +
					"(controller-gen crd:generateEmbeddedObjectMeta=true), or set " +
					"x-kubernetes-preserve-unknown-fields: true"
			}
			l.add(v.pathOf(p), l.prunedWitness(v, p, steps, key), fix, "%s: every field in it is dropped", named(steps))
		}
	}
}

// isEmptyObject reports whether p allows objects and declares nothing in them.
func isEmptyObject(p *place) bool {
	return p.Type == "object" && len(p.Properties) == 0 && p.AdditionalProperties == nil && !schemadoc.Preserves(p.JSONSchemaProps) && !p.XEmbeddedResource
}

// prunedWitness returns a request with a field in p, and its answer without it, or nil.
func (l *linter) prunedWitness(v *version, p *place, steps constraint.Steps, key string) *Witness {
	obj, path := l.objectWith(v, p)
	if obj == nil {
		return nil
	}
	var value any = "b"
	if key == "labels" {
		value = map[string]any{"a": "b"}
	}
	sent, _ := sample.Replaced(obj, path, map[string]any{key: value}).(map[string]any)
	r := l.handler(v.Name).Create(l.ctx, sent)
	if r.Err() != nil {
		return nil
	}
	if got, ok := valueAt(r.Object, path); ok {
		if left, isObject := got.(map[string]any); isObject && len(left) > 0 {
			return nil
		}
	}
	return &Witness{[]Step{{"create", v.Name, sent, r.Object, ""}}}
}
