package prune_test

import (
	"slices"
	"strconv"

	"github.com/crdkit/crdkit/schema"
)

// A slowPruner does what PRU-001 to PRU-011 say, word for word: it looks things up in the document, changes the value
// in place, and builds every path.
type slowPruner struct {
	unknown []string
}

type props = *schema.JSONSchemaProps

// slowPrune returns what is left of v, which it modifies, and the paths of what is not.
func slowPrune(p props, v any, root bool) (any, []string) {
	if root && p == nil {
		p = &schema.JSONSchemaProps{}
	}
	if root {
		resource := *p
		resource.XEmbeddedResource = true
		p = &resource
	}
	var s slowPruner
	s.walk(v, p, "", "", p != nil && preserves(p))
	if !root && p != nil && !p.XEmbeddedResource { // PRU-011
		s.unknown = slices.DeleteFunc(s.unknown, func(path string) bool { return path == "apiVersion" || path == "kind" || path == "metadata" })
	}
	if len(s.unknown) == 0 {
		return v, nil
	}
	slices.Sort(s.unknown)
	return v, s.unknown
}

func (s *slowPruner) prune(v any, p props, path string) {
	s.walk(v, p, path, ".", p != nil && preserves(p))
}

func preserves(p props) bool { return p.XPreserveUnknownFields != nil && *p.XPreserveUnknownFields }

// walk prunes v, or goes through it in skip mode (PRU-004). separator stands between path and a key.
func (s *slowPruner) walk(v any, p props, path, separator string, skip bool) {
	switch x := v.(type) {
	case map[string]any:
		for k, c := range x {
			below := path + separator + k
			switch {
			case p == nil && !skip:
				s.remove(x, k, below)
			case p == nil:
			case p.XEmbeddedResource && (k == "apiVersion" || k == "kind" || k == "metadata"):
			case p.Properties[k] != nil:
				s.prune(c, p.Properties[k], below)
			case p.AdditionalProperties != nil:
				s.prune(c, p.AdditionalProperties.Schema, below)
			case !skip:
				s.remove(x, k, below)
			}
		}
	case []any:
		var items props
		if p != nil && p.Items != nil {
			items = p.Items.Schema
		}
		for i, c := range x {
			s.walk(c, items, path+"["+strconv.Itoa(i)+"]", ".", skip || items != nil && preserves(items))
		}
	}
}

func (s *slowPruner) remove(m map[string]any, k, path string) {
	delete(m, k)
	s.unknown = append(s.unknown, path)
}
