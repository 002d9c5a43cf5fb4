package kubeversion

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/schema"
)

// A place is the position of a schema in a document.
type place struct {
	path  *field.Path
	depth int
	// lenient: a strict decoder does not check this place. A server's types for items, additionalProperties,
	// additionalItems and dependencies decode themselves, and not strictly.
	lenient bool
}

func (p *place) below(key string) *place { return &place{p.path.Child(key), p.depth + 1, p.lenient} }

func (p *place) item(i int) *place { return &place{p.path.Index(i), p.depth + 1, p.lenient} }

// child returns the place of a schema below the one at p.
func (p *place) child(loc schema.Location) *place {
	at := p.below(loc.Keyword)
	switch loc.Keyword {
	case "items":
		at.lenient = true
		if loc != (schema.Location{Keyword: "items"}) { // in a list
			return at.item(loc.Index)
		}
	case "additionalProperties", "additionalItems":
		at.lenient = true
	case "dependencies":
		at.lenient = true
		return at.below(loc.Name)
	case "properties", "patternProperties", "definitions":
		return at.below(loc.Name)
	case "allOf", "anyOf", "oneOf":
		return at.item(loc.Index)
	}
	return at
}

// schema applies node to p and to every schema below it, under any keyword, and returns the result. Unchanged parts are
// shared. Schemas beyond [jsonval.MaxDepth], which no server accepts, stay unchanged.
func (r *reader) schema(p *schema.JSONSchemaProps, at *place) *schema.JSONSchemaProps {
	if p == nil || at.depth > 3*jsonval.MaxDepth {
		return p
	}
	return r.node(schemadoc.MapChildren(p, func(loc schema.Location, q *schema.JSONSchemaProps) *schema.JSONSchemaProps {
		return r.schema(q, at.child(loc))
	}), at)
}
