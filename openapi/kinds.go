package openapi

import (
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/schema"
)

func schemaOf(v *crd.Version) *schema.JSONSchemaProps {
	if v.Schema == nil {
		return nil
	}
	return v.Schema.OpenAPIV3Schema
}

// kinds returns the member that names the kind of a definition: PV3-033.
func (f format) kinds(group, kind, version string) string {
	b := f.appendString([]byte(`"x-kubernetes-group-version-kind":[{"group":`), group)
	b = f.appendString(append(b, `,"kind":`...), kind)
	b = f.appendString(append(b, `,"version":`...), version)
	return string(append(b, "}]"...))
}

// selectable returns the member that lists the selectable fields, or "" if there are none: PV3-033.
func (f format) selectable(fields []crd.SelectableField) string {
	if len(fields) == 0 {
		return ""
	}
	b := []byte(`"x-kubernetes-selectable-fields":`)
	for i, field := range fields {
		b = append(b, "[,"[min(i, 1)])
		b = f.appendString(append(b, `{"fieldPath":`...), strings.TrimPrefix(field.JSONPath, "."))
		b = append(b, '}')
	}
	return string(append(b, ']'))
}

// appendList writes the definition of a list kind: PV3-021.
func (f format) appendList(b []byte, n *names, selectable string) []byte {
	const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
	shared := f.shared()
	b = f.appendString(append(b, `{"description":`...), n.ListKind+" is a list of "+n.Kind)
	b = appendAll(b, `,"type":"object","required":["items"],"properties":{"apiVersion":`, shared.apiVersion)
	b = f.appendString(append(b, `,"items":{"description":`...), "List of "+n.Plural+". More info: "+conventions)
	b = appendAll(b, `,"type":"array","items":`, f.ref(n.definition), `},"kind":`, shared.kind, `,"metadata":`, shared.listMeta, "},")
	b = append(b, f.kinds(n.group, n.ListKind, n.version)...)
	if selectable != "" {
		b = appendAll(b, ",", selectable)
	}
	return append(b, '}')
}
