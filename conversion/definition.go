package conversion

import (
	"fmt"
	"maps"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
)

// A Definition has the data of a CustomResourceDefinition that conversion needs. [Compile] makes it.
type Definition struct {
	group    string
	versions map[string]bool // by name, served or not
	strategy string
	// reviewVersion is the version of ConversionReviews, empty if none of the definition's versions is supported.
	reviewVersion string
}

// Compile returns the conversion settings of d. It does not retain d. A definition without a conversion has the
// strategy None. A nil definition and one with an unknown strategy are errors.
func Compile(d *crd.CustomResourceDefinition) (*Definition, error) {
	if d == nil {
		return nil, fmt.Errorf("conversion: no definition")
	}
	c := &Definition{
		group:    d.Spec.Group,
		versions: make(map[string]bool, len(d.Spec.Versions)),
		strategy: crd.ConversionNone,
	}
	for i := range d.Spec.Versions {
		c.versions[d.Spec.Versions[i].Name] = true
	}
	if d.Spec.Conversion == nil {
		return c, nil
	}
	c.strategy = d.Spec.Conversion.Strategy
	if c.strategy != crd.ConversionNone && c.strategy != crd.ConversionWebhook {
		return nil, fmt.Errorf("unknown conversion strategy %q for CRD %s", c.strategy, d.Name())
	}
	c.reviewVersion = reviewVersion(d.Spec.Conversion.ConversionReviewVersions)
	return c, nil
}

// has reports whether t's version is one of the definition's.
func (d *Definition) has(t objectType) bool { return t.group == d.group && d.versions[t.version] }

// An objectType is the type of an object: its apiVersion, split, and its kind.
type objectType struct{ group, version, kind string }

// typeOf returns the type of obj. As in a server, an object whose apiVersion cannot be split has no kind either, and
// values that are not strings count as empty.
func typeOf(obj map[string]any) objectType {
	return parseType(text(obj["apiVersion"]), text(obj["kind"]))
}

func parseType(apiVersion, kind string) objectType {
	group, version, err := objectmeta.GroupVersion(apiVersion)
	if err != nil {
		return objectType{}
	}
	return objectType{group, version, kind}
}

// String returns the type as a server prints it: example.com/v1, Kind=Widget.
func (t objectType) String() string { return t.group + "/" + t.version + ", Kind=" + t.kind }

// apiVersion returns the group and the version as a server prints them: without a slash if the group is empty.
func (t objectType) apiVersion() string { return objectmeta.APIVersion(t.group, t.version) }

func text(v any) string {
	s, _ := v.(string)
	return s
}

// A task is one conversion of an object or a list.
type task struct {
	in     map[string]any
	isList bool
	from   objectType // of in
	to     objectType // the target version, without a kind
	target string     // to as text
	items  []any      // of a list

	// objects are the objects to convert, which have other versions: the object itself, or the items of the list at the
	// indexes in at (CNV-021).
	objects []map[string]any
	at      []int
}

// task checks the versions of in, and finds the objects to convert.
//
// Clauses: CNV-005, CNV-021.
func (d *Definition) task(in map[string]any, isList bool, apiVersion string) (*task, error) {
	t := &task{in: in, isList: isList, from: typeOf(in), to: parseType(apiVersion, ""), target: apiVersion}
	switch {
	case t.from.group != t.to.group:
		return nil, refuse("%s is unstructured and is not suitable for converting to %q", t.from, t.to.apiVersion())
	case !d.has(t.to):
		return nil, refuse("request to convert CR to an invalid group/version: %s", t.to.apiVersion())
	case !d.has(t.from):
		return nil, refuse("request to convert CR from an invalid group/version: %s", t.from.apiVersion())
	}
	if !isList {
		if t.from.version != t.to.version {
			t.objects = []map[string]any{in}
		}
		return t, nil
	}
	t.items, _ = in["items"].([]any)
	for i, v := range t.items {
		item, _ := v.(map[string]any)
		is := typeOf(item)
		if !d.has(is) {
			return nil, refuse("request to convert CR list failed, list index %d has invalid group/version: %s", i, is.apiVersion())
		}
		if is.version != t.to.version {
			t.objects, t.at = append(t.objects, item), append(t.at, i)
		}
	}
	return t, nil
}

// typeOnly reports whether the object has only an apiVersion and a kind. A server converts such objects for its cache
// (CNV-004).
func (t *task) typeOnly() bool {
	if t.isList || len(t.in) != 2 {
		return false
	}
	_, kind := t.in["kind"]
	_, apiVersion := t.in["apiVersion"]
	return kind && apiVersion
}

// none converts by the strategy None: CNV-010.
func (t *task) none() map[string]any {
	converted := make([]map[string]any, len(t.objects))
	for i, obj := range t.objects {
		converted[i] = None(obj, t.target)
	}
	return t.with(converted)
}

// with returns in with the converted objects in place of the original ones. A list also gets the new version, but keeps
// its kind (CNV-032).
func (t *task) with(converted []map[string]any) map[string]any {
	switch {
	case len(converted) == 0 && t.isList:
		return None(t.in, t.target)
	case len(converted) == 0:
		return t.in
	case !t.isList:
		return converted[0]
	}
	items := append([]any(nil), t.items...)
	for i, obj := range converted {
		items[t.at[i]] = obj
	}
	out := maps.Clone(t.in)
	out["apiVersion"], out["items"] = t.target, items
	return out
}

// normalize makes sure that the objects to convert are JSON values.
func (t *task) normalize() error {
	for i, obj := range t.objects {
		normal, err := jsonval.Normalize(nil, obj)
		if err != nil {
			return t.failed(err)
		}
		t.objects[i] = normal.(map[string]any)
	}
	return nil
}

// refuse returns a refusal without a more specific error: CNV-033.
func refuse(format string, args ...any) *field.Status {
	return &field.Status{Code: 500, Message: refusal.Cut(fmt.Sprintf(format, args...))}
}

// refuse returns a refusal whose text begins with the webhook and the target version.
func (t *task) refuse(format string, args ...any) *field.Status {
	return refuse("conversion webhook for %s %s", t.from, fmt.Sprintf(format, args...))
}

func (t *task) failed(err error) *field.Status { return t.refuse("failed: %s", err) }
