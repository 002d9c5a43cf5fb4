package validate_test

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/schema"
)

type props = *schema.JSONSchemaProps

// slowLists does what LST-001 to LST-006 say, word for word. It returns the errors as they print, in no order.
func slowLists(p props, path string, v any) (errs []string) {
	if p == nil {
		return nil
	}
	switch x := v.(type) {
	case map[string]any:
		for k, c := range x {
			if p.AdditionalProperties != nil {
				errs = append(errs, slowLists(p.AdditionalProperties.Schema, path+"["+k+"]", c)...)
			}
			at := path + "." + k
			switch {
			case k == "":
				at = path + "[]"
			case path == "":
				at = k
			}
			errs = append(errs, slowLists(p.Properties[k], at, c)...)
		}
	case []any:
		if p.XListType != nil {
			errs = slowList(p, path, x)
		}
		if p.Items != nil {
			for i, c := range x {
				errs = append(errs, slowLists(p.Items.Schema, fmt.Sprintf("%s[%d]", path, i), c)...)
			}
		}
	}
	return errs
}

func slowList(p props, path string, items []any) (errs []string) {
	if *p.XListType != "set" && *p.XListType != "map" {
		return nil
	}
	var ids []string
	for i, v := range items {
		if *p.XListType == "set" {
			ids = append(ids, scalarOrText(v)) // LST-002
			continue
		}
		item, ok := v.(map[string]any)
		if !ok && v != nil {
			return []string{fmt.Sprintf("%s[%d]: Invalid value: %s: must be an object for an array of list-type map", path, i, printed(v))}
		}
		keys := map[string]any{}
		for _, k := range p.XListMapKeys {
			if w, ok := item[k]; ok {
				keys[k] = w
			}
		}
		id := text(keys) // LST-006
		if len(p.XListMapKeys) == 1 && len(keys) == 1 {
			id = "value " + scalarOrText(keys[p.XListMapKeys[0]]) // LST-005
		}
		ids = append(ids, id)
		if len(keys) == 0 {
			items = slices.Clone(items)
			items[i] = map[string]any{}
			continue
		}
		items = slices.Clone(items)
		items[i] = keys
	}
	for i, id := range ids {
		before := 0
		for _, other := range ids[:i] {
			if other == id {
				before++
			}
		}
		if before == 1 { // LST-003
			errs = append(errs, fmt.Sprintf("%s[%d]: Duplicate value: %s", path, i, printed(items[i])))
		}
	}
	return errs
}

func scalarOrText(v any) string {
	switch v.(type) {
	case nil, bool, int64, float64, string:
		if v == 0.0 {
			v = 0.0 // not -0
		}
		return fmt.Sprintf("%T %v", v, v)
	}
	return text(v)
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// printed is GEN-003.
func printed(v any) string {
	switch v.(type) {
	case bool, int64, float64:
		return fmt.Sprint(v)
	case string:
		return fmt.Sprintf("%q", v)
	}
	return text(v)
}
