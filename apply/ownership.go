package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/refusal"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Paths of fields are written in a readable form: spec.steps[name="a"].image. An item of a set is spec.set[="a"], one
// of a list spec.list[0].

// An Owner is a manager of a field.
type Owner struct {
	Manager     string
	Operation   string    // Apply or Update
	Subresource string    // empty: the object itself
	APIVersion  string    // the version in which the manager set the field
	Since       time.Time // when the manager's set of fields last changed; zero if unknown
}

// Owners returns the managers of the field at path, in the order of managedFields. The owner of a list or a map as a
// whole owns everything in it. Owners returns nil if the field has no owner. The error says that managedFields cannot
// be read. A path is written as in [Fields], and may have a leading dot, as in the refusal of an apply.
func Owners(obj map[string]any, path string) ([]Owner, error) {
	path = "." + strings.TrimPrefix(path, ".")
	var owners []Owner
	err := eachEntry(obj, func(o Owner, set *fieldpath.Set) error {
		if owns(set, path, obj) {
			owners = append(owners, o)
		}
		return nil
	})
	return owners, err
}

// owns reports whether a set contains the rest of a path, or contains a value along it as a whole. v is the value that
// the set describes.
func owns(set *fieldpath.Set, rest string, v any) bool {
	for e := range set.Members.All() {
		left, ok := strings.CutPrefix(rest, e.String())
		if !ok || left != "" && left[0] != '.' && left[0] != '[' {
			continue
		}
		if left == "" {
			return true
		}
		if _, more := set.Children.Get(e); more {
			continue
		}
		switch at(v, fieldpath.Path{e}).(type) { // keys may have dots: b of a.b is a field only if a can have fields
		case map[string]any, []any:
			return true
		}
	}
	for e, below := range children(set) {
		if left, ok := strings.CutPrefix(rest, e.String()); ok && left != "" && owns(below, left, at(v, fieldpath.Path{e})) {
			return true
		}
	}
	return false
}

// maxPaths is the maximum total length of the paths that [Fields] returns, in bytes.
const maxPaths = 16 << 20

// Fields returns the paths of the fields that a manager owns, by any operation and in any subresource, sorted and
// without repetition. If it owns fields below a field, only those are listed. The error says that managedFields cannot
// be read, or that the paths together are longer than 16 MiB.
func Fields(obj map[string]any, manager string) ([]string, error) {
	var paths []string
	left := maxPaths
	err := eachEntry(obj, func(o Owner, set *fieldpath.Set) error {
		if o.Manager == manager && !leaves(set, nil, &paths, &left) {
			return errors.New("the paths of all fields are too long")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	return slices.Compact(paths), nil
}

// leaves appends the paths of the members of a set that have nothing below them. It reports false if they are longer
// than what is left.
func leaves(set *fieldpath.Set, prefix []byte, paths *[]string, left *int) bool {
	for e := range set.Members.All() {
		if _, more := set.Children.Get(e); more {
			continue
		}
		path := strings.TrimPrefix(string(prefix)+e.String(), ".")
		if *left -= len(path); *left < 0 {
			return false
		}
		*paths = append(*paths, path)
	}
	for e, below := range children(set) {
		if !leaves(below, append(prefix, e.String()...), paths, left) {
			return false
		}
	}
	return true
}

// eachEntry calls f for each entry of obj's managedFields, in their order, until it returns an error.
func eachEntry(obj map[string]any, f func(Owner, *fieldpath.Set) error) error {
	list, invalid := jsonval.Normalize(field.NewPath("metadata", "managedFields"), any(managedFields(obj)))
	if invalid != nil {
		return fmt.Errorf("apply: %w", invalid)
	}
	for _, item := range list.([]any) {
		m, err := decode([]any{item})
		if err != nil {
			return fmt.Errorf("apply: managedFields: %w", err)
		}
		for key := range m.entries {
			if err := f(m.owner(key), m.sets[key].Set()); err != nil {
				return fmt.Errorf("apply: %w", err)
			}
		}
	}
	return nil
}

// owner returns the manager of that key, or the zero Owner.
func (m *managers) owner(key string) Owner {
	e, ok := m.entries[key]
	if !ok {
		return Owner{}
	}
	return Owner{e.Manager, e.Operation, e.Subresource, string(m.sets[key].APIVersion()), e.time}
}

// Extract returns the part of obj that a manager applied, as a configuration that it can change and apply again:
// apiVersion, kind, name, namespace and the manager's fields. Items of lists have all their keys, even those that the
// manager left to their defaults. obj may be in any version of the definition. The result is in the version in which
// the manager applied, and shares values with obj. It is nil if the manager did not apply to the object itself.
func (v *Version) Extract(ctx context.Context, obj map[string]any, manager string) (map[string]any, error) {
	return v.extract(ctx, obj, manager, "")
}

// ExtractStatus is [Version.Extract] for what a manager applied to the status subresource.
func (v *Version) ExtractStatus(ctx context.Context, obj map[string]any, manager string) (map[string]any, error) {
	return v.extract(ctx, obj, manager, subresourceStatus)
}

func (v *Version) extract(ctx context.Context, obj map[string]any, manager, subresource string) (map[string]any, error) {
	if v == nil {
		return nil, refusal.NoVersion()
	}
	normal, invalid := jsonval.Normalize(nil, obj)
	if invalid != nil {
		return nil, fmt.Errorf("apply: %w", invalid)
	}
	obj, _ = normal.(map[string]any)
	m, err := decode(managedFields(obj))
	if err != nil {
		return nil, fmt.Errorf("apply: managedFields: %w", err)
	}
	set, ok := m.sets[identity{Manager: manager, Operation: operationApply, Subresource: subresource}.key()]
	if !ok {
		return nil, nil
	}
	to, ok := v.resource.versions[string(set.APIVersion())]
	if !ok {
		return nil, fmt.Errorf("apply: %s applied in %s, which is no version of the definition", manager, set.APIVersion())
	}
	if obj, err = to.of.Convert(ctx, obj); err != nil {
		return nil, err
	}
	whole, err := v.resource.types.typed(obj, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("apply: %w", err)
	}
	part, _ := whole.ExtractItems(set.Set().Leaves(), typed.WithAppendKeyFields()).AsValue().Unstructured().(map[string]any)
	out := map[string]any{"apiVersion": string(set.APIVersion()), "kind": v.resource.types.kind}
	maps.Copy(out, part)
	for _, key := range []string{"name", "namespace"} {
		if own := text(metadata(obj), key); own != "" {
			out = withMeta(out, key, own)
		}
	}
	return out, nil
}

// A Conflict is a field that an apply would change and that another manager owns.
type Conflict struct {
	Path    string // such as spec.steps[name="a"].image
	Live    any    // the value in the object; nil if there is none
	Applied any    // the value that was applied; nil if the apply would remove the field
	Owner   Owner  // of the live value
}

// Conflicts returns the conflicts for which [Version.Apply] refuses to apply body to live with those options, sorted by
// manager and path. It returns nil if there are none, or if the apply fails for another reason, which Apply returns.
// Force is ignored. The values are shared with live. The error says that body or live cannot be read.
func (v *Version) Conflicts(ctx context.Context, body []byte, live map[string]any, o Options) ([]Conflict, error) {
	base := v.base()
	if base == nil {
		return nil, refusal.NoVersion()
	}
	opts := o.now()
	opts.Force = false
	applied, _, err := v.read(body)
	if err != nil {
		return nil, err
	}
	if live == nil {
		return nil, nil
	}
	read := base.Read(live)
	if err := read.Err(); err != nil {
		return nil, err
	}
	live = read.Object
	m, err := decode(managedFields(live))
	if err != nil {
		return nil, fmt.Errorf("apply: managedFields: %w", err)
	}
	_, _, err = v.tracker(ctx, "").applyAs(m, applied, live, opts)
	var found merge.Conflicts
	if !errors.As(err, &found) {
		return nil, nil
	}
	out := make([]Conflict, len(found))
	for i, c := range found {
		out[i] = Conflict{strings.TrimPrefix(c.Path.String(), "."), at(live, c.Path), at(applied, c.Path), m.owner(c.Manager)}
	}
	slices.SortStableFunc(out, func(a, b Conflict) int {
		return cmp.Or(cmp.Compare(a.Owner.Manager, b.Owner.Manager), cmp.Compare(a.Path, b.Path))
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

// indexOf returns the index of the item that element identifies, or -1.
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
