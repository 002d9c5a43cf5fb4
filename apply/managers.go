package apply

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// The operations with which a manager acquires fields.
const (
	operationApply  = "Apply"
	operationUpdate = "Update"
)

// An identity identifies an entry of managedFields (SSA-001). Its JSON is the key in structured-merge-diff's maps, and
// so determines the order in which a refusal names managers.
type identity struct {
	Manager     string `json:"manager,omitempty"`
	Operation   string `json:"operation,omitempty"`
	APIVersion  string `json:"apiVersion,omitempty"` // of an update; empty for an apply, which is in one version only
	Subresource string `json:"subresource,omitempty"`
}

func (i identity) key() string {
	text, _ := json.Marshal(i) // cannot fail for strings
	return string(text)
}

// An entry has the data of a manager, except its set.
type entry struct {
	identity
	time  time.Time // zero: none
	added time.Time // of an entry without a time: the time to write

	set  *fieldpath.Set // as it was read
	text map[string]any // the fieldsV1 that it was read from, if fieldsOf would write the same; otherwise nil
}

// Managers are the entries of managedFields, by the keys of their identities.
type managers struct {
	sets    fieldpath.ManagedFields
	entries map[string]*entry
}

func newManagers() *managers {
	return &managers{sets: fieldpath.ManagedFields{}, entries: map[string]*entry{}}
}

// copy returns managers that can be changed without changing m.
func (m *managers) copy() *managers {
	c := &managers{sets: maps.Clone(m.sets), entries: make(map[string]*entry, len(m.entries))}
	for key, e := range m.entries {
		renewed := *e
		c.entries[key] = &renewed
	}
	return c
}

// decode parses managedFields, which may be nil.
func decode(list []any) (*managers, error) {
	m := newManagers()
	for i, item := range list {
		fields, _ := item.(map[string]any)
		id := identity{Manager: text(fields, "manager"), Operation: text(fields, "operation"), Subresource: text(fields, "subresource")}
		version, fieldsType := text(fields, "apiVersion"), text(fields, "fieldsType")
		switch {
		case id.Operation != operationApply && id.Operation != operationUpdate:
			return nil, errors.New("operation must be `Apply` or `Update`")
		case version == "":
			return nil, errors.New("apiVersion must not be empty")
		case fieldsType == "":
			return nil, fmt.Errorf("missing fieldsType in managed fields entry %d", i)
		case fieldsType != "FieldsV1":
			return nil, fmt.Errorf("invalid fieldsType %q in managed fields entry %d", fieldsType, i)
		}
		if id.Operation == operationUpdate {
			id.APIVersion = version
		}
		e := &entry{identity: id}
		if when, err := time.Parse(time.RFC3339, text(fields, "time")); err == nil {
			e.time = when
		}
		fieldsV1, _ := fields["fieldsV1"].(map[string]any)
		set, exact, err := setOf(fieldsV1)
		if err != nil {
			return nil, fmt.Errorf("error decoding set: %w", err)
		}
		if e.set = set; exact {
			e.text = fieldsV1
		}
		key := id.key()
		m.entries[key] = e
		m.sets[key] = fieldpath.NewVersionedSet(set, fieldpath.APIVersion(version), id.Operation == operationApply)
	}
	return m, nil
}

// encode returns the entries as managedFields, sorted: applies, then updates, by time, then by identity (SSA-033). It
// is nil if there are none. For plain, see keyOf.
func (m *managers) encode(plain bool) ([]any, error) {
	type row struct {
		identity
		version string
		seconds int64
		fields  map[string]any
	}
	rows := make([]row, 0, len(m.sets))
	for key, set := range m.sets {
		e := m.entries[key]
		text := e.text
		if text == nil || set.Set() != e.set {
			var err error
			if text, err = fieldsOf(set.Set(), plain); err != nil {
				return nil, fmt.Errorf("error encoding set: %w", err)
			}
		}
		r := row{identity: e.identity, version: string(set.APIVersion())}
		r.fields = map[string]any{"apiVersion": r.version, "fieldsType": "FieldsV1", "fieldsV1": text, "operation": r.Operation}
		if r.Manager != "" {
			r.fields["manager"] = r.Manager
		}
		if r.Subresource != "" {
			r.fields["subresource"] = r.Subresource
		}
		when := e.time
		if when.IsZero() {
			when = e.added
		} else {
			r.seconds = when.Unix()
		}
		if !when.IsZero() {
			r.fields["time"] = when.UTC().Format(time.RFC3339)
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.seconds, b.seconds), cmp.Compare(a.Manager, b.Manager),
			cmp.Compare(a.version, b.version), cmp.Compare(a.Subresource, b.Subresource))
	})
	if len(rows) == 0 {
		return nil, nil
	}
	list := make([]any, len(rows))
	for i := range rows {
		list[i] = rows[i].fields
	}
	return list, nil
}

// put sets the fields of a manager, and the time of its entry.
func (m *managers) put(id identity, set fieldpath.VersionedSet, when time.Time) {
	key := id.key()
	m.sets[key] = set
	m.entries[key] = &entry{identity: id, time: when}
}

// drop removes a manager.
func (m *managers) drop(key string) {
	delete(m.sets, key)
	delete(m.entries, key)
}

// unowned has the fields that belong to no manager (SSA-023).
var unowned = fieldpath.NewSet(
	fieldpath.MakePathOrDie("apiVersion"), fieldpath.MakePathOrDie("kind"), fieldpath.MakePathOrDie("metadata"),
	fieldpath.MakePathOrDie("metadata", "name"), fieldpath.MakePathOrDie("metadata", "namespace"),
	fieldpath.MakePathOrDie("metadata", "creationTimestamp"), fieldpath.MakePathOrDie("metadata", "selfLink"),
	fieldpath.MakePathOrDie("metadata", "uid"), fieldpath.MakePathOrDie("metadata", "clusterName"),
	fieldpath.MakePathOrDie("metadata", "generation"), fieldpath.MakePathOrDie("metadata", "managedFields"),
	fieldpath.MakePathOrDie("metadata", "resourceVersion"),
)

// strip removes the unowned fields from the manager of that key, and the manager itself if nothing is left.
func (m *managers) strip(key string) {
	if m.sets[key] != nil {
		m.remove(key, unowned)
	}
}

// remove removes fields from the manager of that key, and the manager itself if nothing is left.
func (m *managers) remove(key string, fields *fieldpath.Set) {
	set := m.sets[key]
	if left := set.Set().Difference(fields); left.Empty() {
		m.drop(key)
	} else {
		m.sets[key] = fieldpath.NewVersionedSet(left, set.APIVersion(), set.Applied())
	}
}

// maxUpdaters is the maximum number of entries of updates (SSA-034).
const maxUpdaters = 10

// ancient is the manager of the merged entries of older updates.
const ancient = "ancient-changes"

// mergeOldest merges the oldest entries of updates of the same version until there are no more than allowed.
func (m *managers) mergeOldest() {
	var updaters []string
	for key, set := range m.sets {
		if !set.Applied() {
			updaters = append(updaters, key)
		}
	}
	if len(updaters) <= maxUpdaters {
		return
	}
	seconds := func(key string) int64 {
		if t := m.entries[key].time; !t.IsZero() {
			return t.Unix()
		}
		return 0
	}
	slices.SortFunc(updaters, func(a, b string) int {
		return cmp.Or(cmp.Compare(seconds(a), seconds(b)), cmp.Compare(a, b))
	})
	left := len(updaters)
	buckets := map[fieldpath.APIVersion]*bucket{}
	for _, key := range updaters {
		if left <= maxUpdaters {
			break
		}
		set, when := m.sets[key], m.entries[key].time
		b, seen := buckets[set.APIVersion()]
		if !seen {
			buckets[set.APIVersion()] = &bucket{oldest: key}
			continue
		}
		id := identity{Manager: ancient, Operation: operationUpdate, APIVersion: string(set.APIVersion())}
		if len(b.sets) == 0 {
			if earlier, ok := m.sets[id.key()]; ok {
				b.sets = append(b.sets, earlier.Set())
			} else {
				b.sets = append(b.sets, m.sets[b.oldest].Set())
				m.drop(b.oldest)
			}
		}
		if key == id.key() { // a server drops it, with the entries merged so far
			b.sets = nil
		} else {
			b.sets, b.when = append(b.sets, set.Set()), when
		}
		m.drop(key)
		left--
	}
	for version, b := range buckets {
		if len(b.sets) > 0 {
			id := identity{Manager: ancient, Operation: operationUpdate, APIVersion: string(version)}
			m.put(id, fieldpath.NewVersionedSet(union(b.sets), version, false), b.when)
		}
	}
}

// A bucket collects the sets of a version that are merged.
type bucket struct {
	oldest string // the key of the first one found
	sets   []*fieldpath.Set
	when   time.Time // of the last
}

// union returns the union of all sets, in n log n time.
func union(sets []*fieldpath.Set) *fieldpath.Set {
	if len(sets) == 1 {
		return sets[0]
	}
	half := len(sets) / 2
	return union(sets[:half]).Union(union(sets[half:]))
}
