package catalog

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/plan"
)

// This file describes built-in kinds to field managers.

// structOf returns the description of a type, whose schema says the rest.
func (t Types) structOf(of string) *plan.GoType { return &plan.GoType{Zero: t.zero(of)} }

// definitionStruct describes definitions, whose schemas contain schemas.
func definitionStruct(t Types) *plan.GoType {
	nodes := map[string]*plan.Node{}
	root := t.node(DefinitionType, nodes)
	root.Has |= plan.ResourceRoot
	for of, list := range definitionLists {
		n := nodes[of].Prop(list.name).Node
		n.List, n.ListMapKeys = plan.ListMap, []string{list.key}
	}
	zero := new(crd.CustomResourceDefinition).Value()
	delete(zero, "apiVersion")
	delete(zero, "kind")
	return &plan.GoType{
		Zero: zero, Root: root, Named: map[*plan.Node]string{nodes[SchemaType]: "JSONSchemaProps"}, Decode: decodedDefinition,
	}
}

// definitionLists are the list maps in definitions, with their keys, by the type that has them.
var definitionLists = map[string]struct{ name, key string }{
	apiextensions + "CustomResourceDefinitionStatus": {"conditions", "type"},
	SchemaType: {"x-kubernetes-validations", "rule"},
}

// decodedDefinition returns a definition with its defaults and without unknown fields, or obj if it cannot be decoded:
// then the request is refused.
func decodedDefinition(obj map[string]any) map[string]any {
	text, err := json.Marshal(obj)
	if err != nil {
		return obj
	}
	d, err := crd.Parse(text)
	if err != nil {
		return obj
	}
	out := d.Value()
	out["metadata"] = obj["metadata"]
	return out
}

// zero returns what the JSON of a type always has: structs, scalars, and lists and maps, which are null.
func (t Types) zero(of string) map[string]any {
	out := map[string]any{}
	s := t[of]
	if s == nil {
		return out
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		_, isStruct := f.Always.(map[string]any)
		switch {
		case f.Name == "":
			maps.Copy(out, t.zero(f.Type))
		case isStruct && t[f.Type] != nil:
			out[f.Name] = t.zero(f.Type)
		case f.Always != nil:
			out[f.Name] = normal(f.Always)
		case !f.Omit && (strings.HasPrefix(f.Type, "[]") || strings.HasPrefix(f.Type, "{}")):
			out[f.Name] = nil
		}
	}
	return out
}

// lists returns the fields of a type whose lists JSON never omits.
func (t Types) lists(of string) (names []string) {
	if s := t[of]; s != nil {
		for i := range s.Fields {
			if f := &s.Fields[i]; strings.HasPrefix(f.Type, "[]") && !f.Omit {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// node returns the schema of a type. It refers to itself where the type does: nodes has those of structs.
func (t Types) node(of string, nodes map[string]*plan.Node) *plan.Node {
	n := plan.WithFlags(0)
	if element, ok := strings.CutPrefix(of, "[]"); ok {
		n.Type, n.ArrayKeywords = "array", &plan.ArrayKeywords{Items: t.node(element, nodes)}
		return n
	}
	if element, ok := strings.CutPrefix(of, "{}"); ok {
		n.Type, n.ObjectKeywords = "object", &plan.ObjectKeywords{Additional: t.node(element, nodes)}
		return n
	}
	switch of {
	case "bool":
		n.Type = "boolean"
	case "int":
		n.Type = "integer"
	case "float":
		n.Type = "number"
	case "string", "duration":
		n.Type = "string"
	case "bytes":
		n.Type, n.RareKeywords = "string", &plan.RareKeywords{Format: "byte"}
	case "time":
		n.Type, n.RareKeywords = "string", &plan.RareKeywords{Format: "date-time"}
	}
	s := t[of]
	if s == nil { // the others may be any value
		return n
	}
	if known := nodes[of]; known != nil {
		return known
	}
	nodes[of] = n
	n.Type = "object"
	if s.Atomic {
		n.RareKeywords = &plan.RareKeywords{MapType: "atomic"}
	}
	var props []plan.Prop
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.Name == "" {
			props = append(props, t.node(f.Type, nodes).Props...)
			continue
		}
		p := t.node(f.Type, nodes)
		switch f.List {
		case "set":
			p.List = plan.ListSet
		case "map":
			p.List, p.ListMapKeys = plan.ListMap, f.Keys
		}
		if f.Atomic {
			p.RareKeywords = &plan.RareKeywords{MapType: "atomic"}
		}
		props = append(props, plan.Prop{Name: f.Name, Node: p})
	}
	slices.SortFunc(props, func(a, b plan.Prop) int { return strings.Compare(a.Name, b.Name) })
	n.ObjectKeywords = &plan.ObjectKeywords{Props: props}
	return n
}
