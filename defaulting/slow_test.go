package defaulting_test

import (
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/schema"
)

type props = *schema.JSONSchemaProps

// slowDropNulls does what DEF-001 says, word for word: it looks things up in the document, and changes v in place.
func slowDropNulls(p props, v any) {
	switch x := v.(type) {
	case map[string]any:
		for k, c := range x {
			q := known(p, k)
			if c == nil && q != nil && !q.Nullable && q.Default == nil {
				delete(x, k)
				continue
			}
			slowDropNulls(q, c)
		}
	case []any:
		for _, c := range x {
			slowDropNulls(items(p), c)
		}
	}
}

// slowFill does what DEF-003 says.
func slowFill(p props, v any) {
	if p == nil {
		return
	}
	switch x := v.(type) {
	case map[string]any:
		for k, q := range p.Properties {
			c, ok := x[k]
			if q.Default != nil && (!ok || c == nil && !q.Nullable) {
				x[k] = fresh(q)
			}
		}
		for k, c := range x {
			q := known(p, k)
			if p.Properties[k] == nil && c == nil && q != nil && !q.Nullable {
				x[k] = fresh(q)
			}
			slowFill(q, x[k])
		}
	case []any:
		q := items(p)
		for i, c := range x {
			if c == nil && q != nil && !q.Nullable {
				x[i] = fresh(q)
			}
			slowFill(q, x[i])
		}
	}
}

// fresh returns a copy of the default as it comes back from storage (DEF-009, DEF-010).
func fresh(p props) any {
	v, _ := jsonval.Stored(jsonval.Clone(p.Default))
	return v
}

// known returns the schema of key k, if there is one.
func known(p props, k string) props {
	switch {
	case p == nil:
	case p.Properties[k] != nil:
		return p.Properties[k]
	case p.AdditionalProperties != nil:
		return p.AdditionalProperties.Schema
	}
	return nil
}

func items(p props) props {
	if p == nil || p.Items == nil {
		return nil
	}
	return p.Items.Schema
}
