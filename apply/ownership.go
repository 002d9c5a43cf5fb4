package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Paths of fields are written as people read them: spec.steps[name="a"].image. An item of a set is spec.set[="a"], one of a list spec.list[0].

// An Owner is a manager of a field.
type Owner struct {
	Manager     string
	Operation   string    // Apply or Update
	Subresource string    // empty: the object itself
	APIVersion  string    // in whose terms the manager set the field
	Since       time.Time // when the manager's set of fields last changed; zero if that is not known
}

// Owners returns the managers of the field at path, in the order of managedFields. Who owns a list or a map as a whole owns what is in it. It
// returns nil if nobody owns the field. The error says that managedFields cannot be read.
//
// Clauses: SSA-051.
func Owners(obj map[string]any, path string) ([]Owner, error) {
	path = "." + strings.TrimPrefix(path, ".")
	var owners []Owner
	err := eachEntry(obj, func(o Owner, set *fieldpath.Set) {
		leaves := set.Leaves()
		for p := range set.All() {
			text := p.String()
			within := strings.HasPrefix(path, text) && (path[len(text):] == "" || strings.ContainsAny(path[len(text):len(text)+1], ".["))
			if text == path || within && leaves.Has(p) {
				owners = append(owners, o)
				return
			}
		}
	})
	return owners, err
}

// Fields returns the paths of the fields that a manager owns, by any operation and in any subresource, each once and sorted. Of a field that
// has others below, only those are named. The error says that managedFields cannot be read.
//
// Clauses: SSA-051.
func Fields(obj map[string]any, manager string) ([]string, error) {
	var paths []string
	err := eachEntry(obj, func(o Owner, set *fieldpath.Set) {
		if o.Manager != manager {
			return
		}
		for p := range set.Leaves().All() {
			paths = append(paths, strings.TrimPrefix(p.String(), "."))
		}
	})
	slices.Sort(paths)
	return slices.Compact(paths), err
}

// eachEntry calls f for each entry of obj's managedFields, in their order.
func eachEntry(obj map[string]any, f func(Owner, *fieldpath.Set)) error {
	for _, item := range managedFields(obj) {
		m, err := decode([]any{item})
		if err != nil {
			return fmt.Errorf("apply: managedFields: %w", err)
		}
		for key, e := range m.entries {
			set := m.sets[key]
			f(Owner{e.Manager, e.Operation, e.Subresource, string(set.APIVersion()), e.time}, set.Set())
		}
	}
	return nil
}

// Extract returns the part of obj that a manager applied, as a configuration that it can change and apply again: apiVersion, kind, name,
// namespace and the manager's fields, with the keys of items in lists. obj may be of any version of the definition; the result is of the version
// that the manager applied in. It returns nil if the manager did not apply to the object itself.
//
// Clauses: SSA-050.
func (v *Version) Extract(ctx context.Context, obj map[string]any, manager string) (map[string]any, error) {
	return v.extract(ctx, obj, manager, "")
}

// ExtractStatus is [Version.Extract] for what a manager applied to the status subresource.
func (v *Version) ExtractStatus(ctx context.Context, obj map[string]any, manager string) (map[string]any, error) {
	return v.extract(ctx, obj, manager, subresourceStatus)
}

func (v *Version) extract(ctx context.Context, obj map[string]any, manager, subresource string) (map[string]any, error) {
	m, err := decode(managedFields(obj))
	if err != nil {
		return nil, fmt.Errorf("apply: managedFields: %w", err)
	}
	set, ok := m.sets[identity{Manager: manager, Operation: operationApply, Subresource: subresource}.key()]
	if !ok {
		return nil, nil
	}
	to, ok := v.resource.all[string(set.APIVersion())]
	if !ok {
		return nil, fmt.Errorf("apply: %s applied in %s, which is no version of the definition", manager, set.APIVersion())
	}
	if obj, err = to.Convert(ctx, obj); err != nil {
		return nil, err
	}
	whole, err := v.resource.types.typed(obj, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	part, _ := whole.ExtractItems(set.Set().Leaves(), typed.WithAppendKeyFields()).AsValue().Unstructured().(map[string]any)
	out := map[string]any{"apiVersion": string(set.APIVersion()), "kind": v.resource.types.kind}
	for k, x := range part {
		out[k] = x
	}
	meta, _ := obj["metadata"].(map[string]any)
	for _, key := range []string{"name", "namespace"} {
		if text, _ := meta[key].(string); text != "" {
			out = withMeta(out, key, text)
		}
	}
	return out, nil
}

// A Conflict is a field that an apply would change and that another manager owns.
type Conflict struct {
	Path    string
	Live    any   // the value that the object has; nil where it has none
	Applied any   // the value that was applied; nil where the apply would remove the field
	Owner   Owner // of the live value
}

// Conflicts returns why [Version.Apply] would refuse to apply body to live with those options, sorted by manager and path: nil where nothing is
// in the way, or where the apply fails for another reason. Force is ignored.
func (v *Version) Conflicts(ctx context.Context, body []byte, live map[string]any, o Options) ([]Conflict, error) {
	opts := o.now()
	opts.Force = false
	applied, _, err := v.read(body)
	if err != nil {
		return nil, err
	}
	read := v.base().Read(live)
	if err := read.Err(); err != nil {
		return nil, err
	}
	live = read.Object
	m, err := decode(managedFields(live))
	if err != nil {
		return nil, fmt.Errorf("apply: managedFields: %w", err)
	}
	t := v.tracker(ctx, "")
	_, _, err = t.applyAs(m, applied, live, opts)
	var found merge.Conflicts
	if !errors.As(err, &found) {
		return nil, nil
	}
	out := make([]Conflict, len(found))
	for i, c := range found {
		e, set := m.entries[c.Manager], m.sets[c.Manager]
		out[i] = Conflict{Path: strings.TrimPrefix(c.Path.String(), "."), Live: at(live, c.Path), Applied: at(applied, c.Path)}
		if e != nil {
			out[i].Owner = Owner{e.Manager, e.Operation, e.Subresource, string(set.APIVersion()), e.time}
		}
	}
	slices.SortStableFunc(out, func(a, b Conflict) int {
		return strings.Compare(a.Owner.Manager+"\x00"+a.Path, b.Owner.Manager+"\x00"+b.Path)
	})
	return out, nil
}

// at returns the value at path in v, or nil if there is none.
func at(v any, path fieldpath.Path) any {
	for _, element := range path {
		switch x := v.(type) {
		case map[string]any:
			if element.FieldName == nil {
				return nil
			}
			v = x[*element.FieldName]
		case []any:
			i := indexOf(x, element)
			if i < 0 {
				return nil
			}
			v = x[i]
		default:
			return nil
		}
	}
	return v
}

// indexOf returns the index of the item that element names, or -1.
func indexOf(items []any, element fieldpath.PathElement) int {
	switch {
	case element.Index != nil:
		if *element.Index < len(items) {
			return *element.Index
		}
	case element.Value != nil:
		return slices.IndexFunc(items, func(item any) bool { return value.Equals(value.NewValueInterface(item), *element.Value) })
	case element.Key != nil:
		return slices.IndexFunc(items, func(item any) bool {
			m, ok := item.(map[string]any)
			for _, key := range *element.Key {
				ok = ok && value.Equals(value.NewValueInterface(m[key.Name]), key.Value)
			}
			return ok
		})
	}
	return -1
}
