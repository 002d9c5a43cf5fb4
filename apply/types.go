package apply

import (
	"slices"

	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/schema"
	smd "sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// The names of the types that schemas refer to.
const (
	objectType  = "object"             // the objects of the version
	metaType    = "ObjectMeta"         // their metadata, and that of embedded resources
	atomicType  = "__untyped_atomic_"  // anything, as a whole
	deducedType = "__untyped_deduced_" // anything: objects field by field, lists as a whole
)

// typeOf returns the type of the objects that s describes, with the defaults of their fields. If s is nil, the type is
// deduced from the objects. preserves says that unknown fields are kept everywhere (spec.preserveUnknownFields).
//
// Clauses: SSA-020.
func typeOf(s *schema.Structural, preserves bool) typed.ParseableType {
	root := smd.Atom{Map: &smd.Map{ElementType: named(deducedType)}}
	if s != nil {
		root = (&typer{}).atom(plan.Root(s), preserves)
	}
	return parseable(root)
}

// builtInType returns the type of objects of a built-in kind.
func builtInType(of *plan.GoType) typed.ParseableType {
	t := &typer{named: of.Named}
	var types []smd.TypeDef
	for n, name := range of.Named {
		types = append(types, smd.TypeDef{Name: name, Atom: t.atom(n, false)})
	}
	return parseable(t.atom(of.Root, false), types...)
}

// parseable returns the type of the objects that an atom describes. It may refer to other types.
func parseable(root smd.Atom, others ...smd.TypeDef) typed.ParseableType {
	types := slices.Concat([]smd.TypeDef{{Name: objectType, Atom: root}}, commonTypes(), others)
	parser := typed.Parser{Schema: smd.Schema{Types: types}}
	return parser.Type(objectType)
}

// A typer makes types from nodes. It refers to those of some nodes by their names.
type typer struct {
	named map[*plan.Node]string
}

// atom returns the type of the values that n describes. A resource has apiVersion, kind and metadata, whatever it
// declares.
func (t *typer) atom(n *plan.Node, preserves bool) smd.Atom {
	preserves = preserves || n.Has&plan.PreserveFields != 0
	switch n.Type {
	case "object":
		return smd.Atom{Map: t.mapOf(n, preserves)}
	case "array":
		return smd.Atom{List: t.listOf(n, preserves)}
	case "integer", "number":
		return scalar(smd.Numeric)
	case "boolean":
		return scalar(smd.Boolean)
	case "string":
		if n.Format == "" && n.Has&plan.UncheckedFormat == 0 || n.Format == "byte" {
			return scalar(smd.String)
		}
		return scalar(smd.Untyped)
	}
	// Without a type, as for int-or-string, any value is valid.
	a := scalar(smd.Untyped)
	a.List, a.Map = t.listOf(n, preserves), t.mapOf(n, preserves)
	return a
}

func (t *typer) mapOf(n *plan.Node, preserves bool) *smd.Map {
	m := new(smd.Map)
	for i := range n.Props {
		p := &n.Props[i]
		if n.IsResource() && plan.ResourceField(p.Name) {
			continue
		}
		m.Fields = append(m.Fields, smd.StructField{Name: p.Name, Type: t.ref(p.Node, preserves), Default: p.Node.Default})
	}
	if n.IsResource() {
		m.Fields = append(m.Fields, fields("apiVersion", "string", "kind", "string", "metadata", metaType)...)
	}
	switch {
	case n.Additional != nil:
		m.ElementType = t.ref(n.Additional, preserves)
	case n.Has&plan.NoOthers != 0:
	case n.Has&plan.OtherKeys != 0, preserves, len(m.Fields) == 0:
		m.ElementType = named(deducedType)
	}
	switch n.MapType {
	case "atomic":
		m.ElementRelationship = smd.Atomic
	case "granular":
		m.ElementRelationship = smd.Separable
	}
	return m
}

func (t *typer) listOf(n *plan.Node, preserves bool) *smd.List {
	l := &smd.List{ElementType: named(atomicType), ElementRelationship: smd.Atomic}
	if n.Items != nil {
		l.ElementType = t.ref(n.Items, preserves)
	}
	switch n.List {
	case plan.ListSet:
		l.ElementRelationship = smd.Associative
	case plan.ListMap:
		l.ElementRelationship, l.Keys = smd.Associative, slices.Clone(n.ListMapKeys)
	}
	return l
}

func (t *typer) ref(n *plan.Node, preserves bool) smd.TypeRef {
	if name, ok := t.named[n]; ok {
		return named(name)
	}
	return smd.TypeRef{Inlined: t.atom(n, preserves)}
}

func scalar(s smd.Scalar) smd.Atom { return smd.Atom{Scalar: &s} }

func named(name string) smd.TypeRef { return smd.TypeRef{NamedType: &name} }

// fields returns fields from pairs of a name and a type: string, numeric, or a named type.
func fields(pairs ...string) []smd.StructField {
	list := make([]smd.StructField, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		f := smd.StructField{Name: pairs[i]}
		switch kind := smd.Scalar(pairs[i+1]); kind {
		case smd.String, smd.Numeric:
			f.Type.Inlined = scalar(kind)
		default:
			f.Type = named(pairs[i+1])
		}
		list = append(list, f)
	}
	return list
}

// commonTypes returns the types that all schemas refer to.
func commonTypes() []smd.TypeDef {
	untyped := func(object string, relationship smd.ElementRelationship) smd.Atom {
		a := scalar(smd.Untyped)
		a.List = &smd.List{ElementType: named(atomicType), ElementRelationship: smd.Atomic}
		a.Map = &smd.Map{ElementType: named(object), ElementRelationship: relationship}
		return a
	}
	return []smd.TypeDef{
		{Name: atomicType, Atom: untyped(atomicType, smd.Atomic)},
		{Name: deducedType, Atom: untyped(deducedType, smd.Separable)},
		{Name: metaType, Atom: (&typer{}).atom(metadataNode, false)},
	}
}

// metadataNode describes metadata.
var metadataNode = describe(objectmeta.Metadata)

// describe returns a schema of a type of object within metadata.
func describe(o *objectmeta.Object) *plan.Node {
	node := func(typ, format string) *plan.Node {
		n := plan.WithFlags(0)
		n.Type, n.RareKeywords = typ, &plan.RareKeywords{Format: format}
		return n
	}
	var props []plan.Prop
	for _, m := range o.ByName {
		n := node("string", "")
		switch m.Kind {
		case objectmeta.Integer, objectmeta.IntegerPointer:
			n.Type = "integer"
		case objectmeta.BoolPointer:
			n.Type = "boolean"
		case objectmeta.Time, objectmeta.TimePointer:
			n.Format = "date-time"
		case objectmeta.JSON:
			n.Type = ""
		case objectmeta.StringMap:
			n.Type, n.ObjectKeywords = "object", &plan.ObjectKeywords{Additional: node("string", "")}
		case objectmeta.StringList:
			n.Type, n.List, n.ArrayKeywords = "array", plan.ListSet, &plan.ArrayKeywords{Items: node("string", "")}
		case objectmeta.ObjectList:
			n.Type, n.ArrayKeywords = "array", &plan.ArrayKeywords{Items: describe(m.Items), ListMapKeys: []string{"uid"}}
			n.Items.MapType = "atomic"
			if !m.Server { // owner references
				n.List = plan.ListMap
			}
		}
		if m.Required {
			n.Default = ""
		}
		props = append(props, plan.Prop{Name: m.Name, Node: n})
	}
	n := node("object", "")
	n.ObjectKeywords = &plan.ObjectKeywords{Props: props}
	return n
}
