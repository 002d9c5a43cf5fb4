package openapi

import (
	"cmp"
	"strings"
	"sync"
)

// A prepared holds the bytes that all documents of a format share.
type prepared struct {
	common, scale []member
	// The properties of objects and lists.
	apiVersion, kind, objectMeta, listMeta string
	parameters                             preparedParameters
	// References to definitions.
	statusRef, deleteOptionsRef, patchRef, scaleRef string
}

// shared returns the prepared parts of a format. They are built once and never change.
func (f format) shared() *prepared { return sharedParts()[f] }

var sharedParts = sync.OnceValue(func() (all [formats]*prepared) {
	for f := range formats {
		all[f] = &prepared{
			common:     f.definitions(commonDefinitions),
			scale:      f.definitions(scaleDefinitions),
			apiVersion: f.field(&definedField{kind: "string", text: apiVersionText}),
			kind:       f.field(&definedField{kind: "string", text: kindText}),
			objectMeta: f.field(&definedField{kind: metaV1 + "ObjectMeta", text: objectMetaText}),
			listMeta:   f.field(&definedField{kind: metaV1 + "ListMeta", text: listMetaText}),
			parameters: f.prepareParameters(),

			statusRef:        f.ref(metaV1 + "Status"),
			deleteOptionsRef: f.ref(metaV1 + "DeleteOptions"),
			patchRef:         f.ref(metaV1 + "Patch"),
			scaleRef:         f.ref(autoscaling + "Scale"),
		}
	}
	return all
})

func (f format) definitions(table []definition) []member {
	members := make([]member, len(table))
	for i := range table {
		members[i] = member{table[i].name, f.appendDefinition(nil, &table[i])}
	}
	return members
}

// appendDefinition writes a definition, its members in the order of PV3-050.
func (f format) appendDefinition(b []byte, d *definition) []byte {
	b = f.appendString(append(b, `{"description":`...), d.text)
	b = appendAll(b, `,"type":"`, cmp.Or(d.typ, "object"), `"`)
	if d.format != "" {
		b = appendAll(b, `,"format":"`, d.format, `"`)
	}
	if d.required != "" {
		b = appendAll(b, `,"required":`, d.required)
	}
	separator := `,"properties":{`
	for i := range d.fields {
		b = appendAll(b, separator, `"`, d.fields[i].name, `":`, f.field(&d.fields[i]))
		separator = ","
	}
	if len(d.fields) > 0 {
		b = append(b, '}')
	}
	if len(d.served) > 0 {
		kind := d.name[strings.LastIndexByte(d.name, '.')+1:]
		separator = `,"x-kubernetes-group-version-kind":[`
		for _, g := range d.served {
			for _, version := range g.versions {
				b = appendAll(b, separator, `{"group":"`, g.group, `","kind":"`, kind, `","version":"`, version, `"}`)
				separator = ","
			}
		}
		b = append(b, ']')
	}
	if d.extensions != "" {
		b = appendAll(b, ",", d.extensions)
	}
	return append(b, '}')
}

// field returns the schema of a field of a definition.
func (f format) field(p *definedField) string {
	b := f.appendString([]byte(`{"description":`), p.text)
	if typ, ok := typesOfGo[p.kind]; ok {
		b = appendAll(b, ",", typ)
	}
	if p.fallback != "" && f == formatV3 { // PV2-006
		b = appendAll(b, `,"default":`, p.fallback)
	}
	switch items, isList := strings.CutPrefix(p.kind, "[]"); {
	case items == "string" && isList:
		b = append(b, `,"type":"array","items":{"type":"string"}`...)
	case isList:
		b = appendAll(b, `,"type":"array","items":`, f.ref(items))
	case strings.HasPrefix(p.kind, "io.") && f == formatV2: // PV2-005
		b = appendAll(b, ",", strings.Trim(f.ref(p.kind), "{}"))
	case strings.HasPrefix(p.kind, "io."): // PV3-035: a reference is alone in its object
		b = appendAll(b, `,"allOf":[`, f.ref(p.kind), "]")
	}
	if p.extensions != "" {
		b = appendAll(b, ",", p.extensions)
	}
	return string(append(b, '}'))
}

// typesOfGo has the members of a schema for each Go type.
var typesOfGo = map[string]string{
	"string":            `"type":"string"`,
	"bool":              `"type":"boolean"`,
	"int32":             `"type":"integer","format":"int32"`,
	"int64":             `"type":"integer","format":"int64"`,
	"map[string]string": `"type":"object","additionalProperties":{"type":"string"}`,
}

func appendAll(b []byte, texts ...string) []byte {
	for _, text := range texts {
		b = append(b, text...)
	}
	return b
}
