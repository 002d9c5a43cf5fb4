package gen

import "math"

// The values that metadata is made of.
var (
	names = []string{
		"a", "a-b", "a.b", "A", "a_b", "-a", "a/b", "", "a.", "a%b", "..", "x y", "1", "äö", "bad\xffname",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	}
	labelKeys = []string{"a", "app.kubernetes.io/name", "a/b/c", "", "A/b", "a.b/c_d", "/a", "a/", "-a", "a b", "kubernetes.io/x", "Ä"}
	moments   = []string{
		"2020-01-02T03:04:05Z", "2020-01-02T03:04:05.678+02:00", "0001-01-01T00:00:00Z", "2020-01-02", "2020-13-02T03:04:05Z", "", "9999-12-31T23:59:59Z",
		"2020-01-02T03:04:60Z", "2020-01-02t03:04:05z",
	}
	uids = []string{"u1", "u2", "", "123e4567-e89b-12d3-a456-426614174000"}
)

// Metadata returns the metadata of an object. Most of it is valid.
func (o Object) Metadata() any {
	if o.OneIn(o.Odd * 3) {
		return Any(o.Source, 1)
	}
	m := map[string]any{}
	for k, value := range o.metadataFields() {
		m[k] = value()
	}
	for o.OneIn(o.Odd) {
		m[Pick(o.Source, []string{"unknown", "Name", "LABELS", "clusterName", "ownerReference", "a.b", ""})] = Any(o.Source, 1)
	}
	return m
}

// metadataFields yields keys with what makes their values.
func (o Object) metadataFields() func(func(string, func() any) bool) {
	text := func(pool []string) func() any { return func() any { return Pick(o.Source, pool) } }
	number := func() any {
		if o.OneIn(4) {
			return Float(o.Source)
		}
		return Pick(o.Source, []int64{1, 0, -1, 7, 30, math.MaxInt64, math.MinInt64})
	}
	fields := []struct {
		key   string
		rare  int // one in so many objects has it; 1: nearly all
		value func() any
	}{
		{"name", 1, func() any {
			if o.OneIn(3) {
				return Pick(o.Source, names)
			}
			return "name"
		}},
		{"namespace", 2, func() any {
			if o.OneIn(3) {
				return Pick(o.Source, names)
			}
			return "ns"
		}},
		{"labels", 3, func() any { return o.texts(labelKeys, append([]string{"v", "a b", ""}, names...)) }},
		{"annotations", 3, func() any { return o.texts(labelKeys, texts) }},
		{"finalizers", 4, func() any { return o.several(func() any { return Pick(o.Source, labelKeys) }) }},
		{"ownerReferences", 4, func() any { return o.several(o.owner) }},
		{"generateName", 6, text(append([]string{"a-", "a--", "_-"}, names...))},
		{"generation", 6, number},
		{"creationTimestamp", 6, text(moments)},
		{"deletionTimestamp", 8, text(moments)},
		{"deletionGracePeriodSeconds", 8, number},
		{"resourceVersion", 6, text([]string{"1", "0", "", "abc", "01"})},
		{"uid", 6, text(uids)},
		{"selfLink", 12, text(texts)},
		{"managedFields", 6, func() any { return o.several(o.managed) }},
	}
	return func(yield func(string, func() any) bool) {
		for _, f := range fields {
			if f.rare > 1 && !o.OneIn(f.rare) || f.rare == 1 && o.OneIn(o.Odd) {
				continue
			}
			value := f.value
			if o.OneIn(o.Odd * 3) {
				value = func() any { return Any(o.Source, 2) }
			}
			if !yield(f.key, value) {
				return
			}
		}
	}
}

func (o Object) texts(keys, values []string) map[string]any {
	m := map[string]any{}
	for range o.Intn(4) {
		m[Pick(o.Source, keys)] = Pick(o.Source, values)
	}
	if o.OneIn(o.Odd * 3) {
		m["odd"] = Scalar(o.Source)
	}
	return m
}

func (o Object) several(item func() any) []any {
	l := make([]any, 0, 3)
	for range o.Intn(4) {
		if len(l) > 0 && o.OneIn(3) {
			l = append(l, copied(l[0]))
			continue
		}
		if o.OneIn(o.Odd * 3) {
			l = append(l, Any(o.Source, 1))
			continue
		}
		l = append(l, item())
	}
	return l
}

func (o Object) owner() any {
	m := map[string]any{
		"apiVersion": Pick(o.Source, []string{"v1", "g.io/v1", "", "a/b/c"}), "kind": Pick(o.Source, []string{"K", "Event", ""}),
		"name": Pick(o.Source, names), "uid": Pick(o.Source, uids),
	}
	for _, k := range []string{"controller", "blockOwnerDeletion"} {
		if o.OneIn(2) {
			m[k] = o.Intn(2) == 0
		}
	}
	if o.OneIn(o.Odd) {
		delete(m, Pick(o.Source, []string{"apiVersion", "kind", "name", "uid"}))
	}
	if o.OneIn(o.Odd * 2) {
		m[Pick(o.Source, []string{"extra", "Name", "uid", "controller"})] = Scalar(o.Source)
	}
	return m
}

func (o Object) managed() any {
	m := map[string]any{
		"manager": Pick(o.Source, []string{"m", "kubectl", "", "a\nb"}), "operation": Pick(o.Source, []string{"Update", "Apply", "", "Other"}),
		"apiVersion": Pick(o.Source, []string{"g.io/v1", "v1", ""}), "time": Pick(o.Source, moments),
		"fieldsType": Pick(o.Source, []string{"FieldsV1", "", "FieldsV2"}), "fieldsV1": map[string]any{"f:a": map[string]any{}},
	}
	if o.OneIn(4) {
		m["subresource"] = Pick(o.Source, []string{"status", ""})
	}
	if o.OneIn(4) {
		m["fieldsV1"] = Any(o.Source, 1)
	}
	if o.OneIn(o.Odd) {
		delete(m, Pick(o.Source, []string{"manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1"}))
	}
	return m
}
