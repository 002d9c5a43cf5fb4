package gen

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// An Object generates values that are partly valid for a schema.
type Object struct {
	*Source
	// About one in Odd values does not follow the schema.
	Odd int
}

// byFormat has texts of the formats, right and nearly right ones.
var byFormat = map[string][]string{
	"date-time": {"2020-01-02T03:04:05Z", "2020-01-02t03:04:05.5+01:00", "2020-01-02 03:04:05Z"},
	"date":      {"2020-02-29", "2021-02-29"}, "byte": {"Zm9v", "Zm9", ""}, "uri": {"https://a/b", "a", "/x"},
	"ipv4": {"1.2.3.4", "01.2.3.4", "1.2.3"}, "ipv6": {"::1", "::ffff:1.2.3.4", ":"}, "cidr": {"10.0.0.0/8", "10.0.0.1/33"},
	"duration": {"1h", "1 day", "P1D", "x"}, "uuid": {"123e4567-e89b-12d3-a456-426614174000", "123e4567"},
	"email": {"a@b.c", "A <a@b>", "a"}, "hostname": {"a.com", "a.b", "-a"},
	"k8s-short-name": {"a-b", "a.b"}, "k8s-long-name": {"a.b-c", "A"}, "mac": {"00:00:5e:00:53:01", "00"}, "hexcolor": {"#fff", "#ffff"},
}

// Value returns a value for the schema p. Where the schema does not describe it, it has at most depth levels.
func (o Object) Value(p map[string]any, depth int) any {
	if o.OneIn(o.Odd * 2) {
		return nil
	}
	if o.OneIn(o.Odd * 2) {
		return Any(o.Source, 2)
	}
	if enum, ok := p["enum"].([]any); ok && len(enum) > 0 && !o.OneIn(4) {
		return decoded(Pick(o.Source, enum))
	}
	typ, _ := p["type"].(string)
	embedded, _ := p["x-kubernetes-embedded-resource"].(bool)
	_, props := p["properties"]
	_, additional := p["additionalProperties"]
	switch {
	case typ == "object" || typ == "" && (props || additional || embedded):
		return o.object(p, depth)
	case typ == "array":
		return o.list(p, depth)
	case typ == "string":
		return o.text(p)
	case p["x-kubernetes-int-or-string"] == true:
		if o.OneIn(2) {
			return o.text(p)
		}
		return Integer(o.Source)
	case typ != "":
		return fitting(o.Source, typ)
	}
	return Any(o.Source, depth)
}

// fitting returns a value of a type, or any.
func fitting(s *Source, typ any) any {
	switch typ {
	case "string":
		return Text(s)
	case "integer":
		if s.OneIn(4) {
			return Float(s)
		}
		return Integer(s)
	case "number":
		if s.OneIn(2) {
			return Float(s)
		}
		return Integer(s)
	case "boolean":
		return s.Intn(2) == 1
	case "object":
		return map[string]any{}
	case "array":
		return []any{}
	}
	return Any(s, 1)
}

func (o Object) text(p map[string]any) string {
	format, _ := p["format"].(string)
	if known := byFormat[format]; known != nil && !o.OneIn(4) {
		return Pick(o.Source, known)
	}
	return Text(o.Source)
}

func (o Object) object(p map[string]any, depth int) map[string]any {
	m := map[string]any{}
	props, _ := p["properties"].(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(props)) {
		if !o.OneIn(4) {
			child, _ := props[k].(map[string]any)
			m[k] = o.Value(child, depth-1)
		}
	}
	switch a := p["additionalProperties"].(type) {
	case map[string]any:
		for range o.Intn(3) {
			m[Key(o.Source)] = o.Value(a, depth-1)
		}
	case bool:
		for range o.Intn(3) {
			m[Key(o.Source)] = Any(o.Source, 2)
		}
	}
	if p["x-kubernetes-preserve-unknown-fields"] == true {
		for range o.Intn(3) {
			m[Key(o.Source)] = Any(o.Source, depth)
		}
	}
	if p["x-kubernetes-embedded-resource"] == true {
		o.resource(m)
	}
	for o.OneIn(o.Odd) {
		m[Key(o.Source)] = Any(o.Source, 2)
	}
	return m
}

func (o Object) list(p map[string]any, depth int) []any {
	items, _ := p["items"].(map[string]any)
	l := make([]any, 0, 4)
	if o.OneIn(16) { // more than are compared one by one
		for i := range 16 + o.Intn(4) {
			l = append(l, numbered(o.Value(items, min(depth-1, 1)), i))
		}
	}
	for range o.Intn(4) {
		if len(l) > 0 && o.OneIn(3) {
			l = append(l, copied(l[o.Intn(len(l))]))
			continue
		}
		l = append(l, o.Value(items, depth-1))
	}
	return l
}

// numbered returns a v that differs from others, if it is a text, or an object with a name.
func numbered(v any, i int) any {
	switch x := v.(type) {
	case string:
		return x + strconv.Itoa(i)
	case map[string]any:
		if name, ok := x["name"].(string); ok {
			x["name"] = name + strconv.Itoa(i)
		}
	}
	return v
}

// resource adds the fields that every resource has to m.
func (o Object) resource(m map[string]any) {
	if !o.OneIn(o.Odd) {
		m["apiVersion"] = Pick(o.Source, []string{"v1", "g.io/v1"})
	}
	if !o.OneIn(o.Odd) {
		m["kind"] = "Kind"
	}
	for _, k := range []string{"apiVersion", "kind"} {
		if o.OneIn(o.Odd * 2) {
			m[k] = Scalar(o.Source)
		}
	}
	if !o.OneIn(3) {
		m["metadata"] = o.Metadata()
	}
}

// Whole returns a whole object, with an apiVersion, a kind and metadata.
func (o Object) Whole(p map[string]any) map[string]any {
	m := o.object(p, 3)
	o.resource(m)
	return m
}

// leaves returns a deep copy of v in which f has replaced everything but lists and objects.
func leaves(v any, f func(v any) any) any {
	switch x := v.(type) {
	case []any:
		l := make([]any, len(x))
		for i, c := range x {
			l[i] = leaves(c, f)
		}
		return l
	case map[string]any:
		m := make(map[string]any, len(x))
		for k, c := range x {
			m[k] = leaves(c, f)
		}
		return m
	}
	return f(v)
}

// copied returns a deep copy of v.
func copied(v any) any { return leaves(v, func(v any) any { return v }) }

// decoded returns v, the data of a document, as a decoder does.
func decoded(v any) any {
	return leaves(v, func(v any) any {
		x, ok := v.(json.Number)
		if !ok {
			return v
		}
		if n, err := x.Int64(); err == nil {
			return n
		}
		f, _ := x.Float64()
		return f
	})
}
