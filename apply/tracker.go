package apply

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
	"sigs.k8s.io/structured-merge-diff/v6/typed"
)

// A tracker computes the owners of fields after a request to one endpoint of a version.
type tracker struct {
	types       types
	versions    map[string]*version // by apiVersion; nil for Scales
	apiVersion  string
	kind        string
	subresource string // empty: the object itself
	updater     *merge.Updater
	builtIn     *plan.GoType // nil: custom
	plain       bool         // see keyOf
}

// node returns the root of the schema of a version, nil if there is none.
func (t *tracker) node(apiVersion string) *plan.Node {
	if v := t.versions[apiVersion]; v != nil {
		return v.node
	}
	return nil
}

// types has the types of objects, by apiVersion, all of one kind.
type types struct {
	kind     string
	versions map[string]typed.ParseableType
}

// typed returns obj, with noEntries if it has managedFields, with its type. The error is a server's error for an object
// of another kind or version, or for one that does not match its type.
func (t types) typed(obj map[string]any, o ...typed.ValidationOptions) (*typed.TypedValue, error) {
	typ, ok := t.versions[text(obj, "apiVersion")]
	if !ok || text(obj, "kind") != t.kind {
		return nil, &noTypeError{kindText(obj)}
	}
	if len(managedFields(obj)) > 0 {
		obj = withManaged(obj, noEntries)
	}
	return typ.FromUnstructured(obj, o...)
}

// noEntries replace the managedFields of objects that are merged and compared, because these make no difference, and
// may be large.
var noEntries = []any{map[string]any{}}

// A noTypeError says that a kind and version have no type.
type noTypeError struct{ kind string }

func (e *noTypeError) Error() string { return "no corresponding type for " + e.kind }

// kindText returns the kind of obj in a server's form: group/version, Kind=kind.
func kindText(obj map[string]any) string {
	version := text(obj, "apiVersion")
	if !strings.Contains(version, "/") { // the core group has no name
		version = "/" + version
	}
	return version + ", Kind=" + text(obj, "kind")
}

// objectText returns the name of obj as in errors about types.
func objectText(obj map[string]any) string {
	meta := metadata(obj)
	return text(meta, "namespace") + "/" + text(meta, "name") + "; " + kindText(obj)
}

// The name of a request's manager while it is compared with the others. No identity is equal to it.
const current = "current-operation"

// The manager of a write that does not name one.
const unnamed = "unknown"

// update returns the managers of obj after a manager's request has changed live to obj (SSA-003). m is not changed.
func (t *tracker) update(m *managers, obj, live map[string]any, manager string, now time.Time) (*managers, error) {
	size, err := t.measure(obj, live)
	if err == nil {
		err = t.fits(m, size)
	}
	if err != nil {
		return nil, err
	}
	next, err := t.types.typed(obj, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("failed to convert new object (%s) to smd typed: %w", objectText(obj), err)
	}
	before, err := t.types.typed(live, typed.AllowDuplicates)
	if err != nil {
		return nil, fmt.Errorf("failed to convert live object (%s) to smd typed: %w", objectText(live), err)
	}
	m = m.copy()
	_, m.sets, err = t.updater.Update(before, next, fieldpath.APIVersion(t.apiVersion), m.sets, current)
	if err != nil {
		return nil, fmt.Errorf("failed to update ManagedFields (%s): %w", objectText(obj), err)
	}
	m.strip(current)
	if set, ok := m.sets[current]; ok {
		delete(m.sets, current)
		id := identity{Manager: cmp.Or(manager, unnamed), Operation: operationUpdate, APIVersion: t.apiVersion, Subresource: t.subresource}
		if earlier, ok := m.sets[id.key()]; ok {
			set = fieldpath.NewVersionedSet(set.Set().Union(earlier.Set()), set.APIVersion(), set.Applied())
		}
		m.put(id, set, now)
	}
	m.mergeOldest()
	return m, nil
}

// beforeFirstApply is the manager of the fields of an object that had no managedFields when it was first applied
// (SSA-035).
const beforeFirstApply = "before-first-apply"

// apply merges applied into live. To create an object, live is an object without fields. It returns the merged object,
// or live itself if nothing changed, and its managers. m is not changed. The error is merge.Conflicts if other managers
// own what would change.
//
// Clauses: SSA-020 to SSA-026, SSA-030 to SSA-033.
func (t *tracker) apply(m *managers, applied, live map[string]any, o *Options) (map[string]any, *managers, error) {
	if len(m.sets) == 0 {
		var err error
		if m, err = t.update(m, live, t.zero(), beforeFirstApply, o.Now); err != nil {
			return nil, nil, fmt.Errorf("failed to create manager for existing fields: %w", err)
		}
	}
	if hasManagedFields(applied) {
		return nil, nil, refusal.BadRequest("metadata.managedFields must be nil")
	}
	self := identity{Manager: o.Manager, Operation: operationApply, Subresource: t.subresource}
	if err := t.checkLimits(m, applied, live, self.key(), o.Force); err != nil {
		return nil, nil, err
	}
	patch, err := t.types.typed(applied)
	if err != nil {
		return nil, nil, fmt.Errorf("failed to create typed patch object (%s): %w", objectText(applied), err)
	}
	before, err := t.types.typed(live, typed.AllowDuplicates)
	if err != nil {
		return nil, nil, fmt.Errorf("failed to create typed live object (%s): %w", objectText(live), err)
	}
	m = m.copy()
	key := self.key()
	merged, sets, err := t.updater.Apply(before, patch, fieldpath.APIVersion(t.apiVersion), m.sets, key, o.Force)
	if err != nil {
		return nil, nil, err
	}
	m.sets = sets
	m.strip(key)
	e := m.entries[key]
	if e == nil {
		e = &entry{identity: self}
		m.entries[key] = e
	}
	if merged == nil {
		// The time of a set changes only if the object does. A new entry is sorted as if it had none.
		if !o.Untimed {
			e.added = o.Now
		}
		return live, m, nil
	}
	e.time = o.Now
	obj, ok := merged.AsValue().Unstructured().(map[string]any)
	if !ok {
		return nil, nil, errors.New("the merged object is no object")
	}
	return obj, m, nil
}

// empty returns an object of the kind without any fields of its own.
func (t *tracker) empty() map[string]any {
	return map[string]any{"apiVersion": t.apiVersion, "kind": t.kind}
}

// zero returns the object with which a new one is compared: of a built-in kind, it has what the JSON of its Go type always
// has, so that nobody owns the structs in it.
func (t *tracker) zero() map[string]any {
	out := t.empty()
	if t.builtIn != nil {
		maps.Copy(out, t.builtIn.Zero)
	}
	return out
}

// hasManagedFields reports whether an object that is applied has managedFields. A server sees none if it cannot decode
// all of them.
func hasManagedFields(applied map[string]any) bool {
	sent, is := metadata(applied)["managedFields"].([]any)
	for _, e := range sent {
		if _, is := e.(map[string]any); !is {
			return false
		}
	}
	_, _, err := objectmeta.Read(map[string]any{"managedFields": sent}, false)
	return is && err == nil
}
