package storage

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"
	"sync"
)

// MemoryOptions limit the history of a store in memory. The zero value has the defaults.
type MemoryOptions struct {
	Events int // maximum number of changes; 0 is 10,000
	Bytes  int // maximum bytes of values in the changes; 0 is 64 MiB. The latest change is always kept.
}

// A memory is the store of [NewMemory].
type memory struct {
	options MemoryOptions

	mu       sync.RWMutex
	items    map[string]Item
	keys     []string // of items, sorted
	revision int64
	history  []change // one for each revision, in order; the last one is for the current revision
	size     int      // bytes of values in history
	changed  chan struct{}
	closed   bool
}

// A change is an event with the revision of its previous value.
type change struct {
	Event
	previousRevision int64
}

// NewMemory returns an empty store in memory. Lists and watches share its values. A create takes linear time in the
// number of keys, since it inserts into a sorted slice.
//
// A watch is a position in the history, so a slow reader costs no memory. When the history no longer has that position,
// the reader gets [ErrCompacted].
func NewMemory(o MemoryOptions) Store {
	o.Events = cmp.Or(max(o.Events, 0), 10_000)
	o.Bytes = cmp.Or(max(o.Bytes, 0), 64<<20)
	// Revisions start at 1, because 0 means "not set" to clients.
	return &memory{options: o, items: map[string]Item{}, revision: 1, changed: make(chan struct{})}
}

func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.closed {
		m.closed = true
		close(m.changed)
	}
	return nil
}

// err returns the error of a closed store or a context that is done. The caller holds the lock.
func (m *memory) err(ctx context.Context) error {
	if m.closed {
		return ErrClosed
	}
	return ctx.Err()
}

func (m *memory) Get(ctx context.Context, key string) (Item, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if err := m.err(ctx); err != nil {
		return Item{}, err
	}
	item, ok := m.items[key]
	if !ok {
		return Item{}, ErrNotFound
	}
	return item, nil
}

func (m *memory) Revision(ctx context.Context) (int64, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.revision, m.err(ctx)
}

// oldestRevision returns the oldest revision since which the history has all changes.
func (m *memory) oldestRevision() int64 { return m.revision - int64(len(m.history)) }

// changesSince returns the changes after a revision, which share memory with the history.
func (m *memory) changesSince(revision int64) []change {
	return m.history[len(m.history)-int(m.revision-revision):]
}

// keysWithPrefix returns the keys with a prefix that come after another key. They share memory with m.
func (m *memory) keysWithPrefix(prefix, after string) []string {
	first := sort.SearchStrings(m.keys, prefix)
	if after >= prefix {
		first = sort.Search(len(m.keys), func(i int) bool { return m.keys[i] > after })
	}
	rest := m.keys[first:]
	return rest[:sort.Search(len(rest), func(i int) bool { return !strings.HasPrefix(rest[i], prefix) })]
}

func (m *memory) List(ctx context.Context, r Range) (Page, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if err := m.err(ctx); err != nil {
		return Page{}, err
	}
	page := Page{Revision: m.revision}
	var then map[string]Item
	switch {
	case r.Revision > m.revision:
		return Page{}, ErrFuture
	case r.Revision > 0 && r.Revision < m.oldestRevision():
		return Page{}, ErrCompacted
	case r.Revision > 0:
		page.Revision = r.Revision
		then = m.changedSince(r)
	}
	keys := m.keysWithPrefix(r.Prefix, r.After)
	var old []string // the keys of then that were there
	total := len(keys)
	for key, item := range then {
		if _, now := m.items[key]; now {
			total--
		}
		if item.Value != nil {
			total++
			old = append(old, key)
		}
	}
	slices.Sort(old)
	n := total
	if r.Limit > 0 {
		n = min(n, r.Limit)
	}
	size := 0
	add := func(item Item) {
		page.Items = append(page.Items, item)
		size += len(item.Value)
	}
	for len(page.Items) < n && (r.Bytes == 0 || size <= r.Bytes) {
		if len(old) > 0 && (len(keys) == 0 || old[0] <= keys[0]) {
			add(then[old[0]])
			old = old[1:]
			continue
		}
		if _, changed := then[keys[0]]; !changed {
			add(m.items[keys[0]])
		}
		keys = keys[1:]
	}
	page.Remaining = int64(total - len(page.Items))
	return page, nil
}

// changedSince returns the items that the changed keys of a range had at its revision. An item without a value is a key
// that did not exist.
func (m *memory) changedSince(r Range) map[string]Item {
	then := map[string]Item{}
	for _, c := range m.changesSince(r.Revision) {
		// The first change of a key has the old value.
		if _, known := then[c.Key]; !known && strings.HasPrefix(c.Key, r.Prefix) && c.Key > r.After {
			then[c.Key] = Item{Key: c.Key, Value: c.Previous, Revision: c.previousRevision}
		}
	}
	return then
}

func (m *memory) Create(ctx context.Context, key string, value []byte, conditions ...Condition) (int64, error) {
	return m.change(ctx, true, key, value, 0, conditions)
}

func (m *memory) Update(ctx context.Context, key string, value []byte, revision int64, conditions ...Condition) (int64, error) {
	return m.change(ctx, false, key, value, revision, conditions)
}

func (m *memory) Delete(ctx context.Context, key string, revision int64) (int64, error) {
	return m.change(ctx, false, key, nil, revision, nil)
}

// change creates a key, or updates a key that has the given revision. It removes the key if the value is nil.
func (m *memory) change(ctx context.Context, create bool, key string, value []byte, revision int64, conditions []Condition) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.err(ctx); err != nil {
		return 0, err
	}
	old, ok := m.items[key]
	switch {
	case ok && create:
		return 0, ErrExists
	case !ok && !create:
		return 0, ErrNotFound
	case old.Revision != revision:
		return 0, ErrConflict
	case !m.conditionsHold(conditions):
		return 0, ErrCondition
	}
	old.Key = key
	switch i, _ := slices.BinarySearch(m.keys, key); {
	case !ok:
		m.keys = slices.Insert(m.keys, i, key)
	case value == nil:
		m.keys = slices.Delete(m.keys, i, i+1)
	}
	return m.write(old, value), nil
}

// conditionsHold reports whether all conditions of a write hold.
func (m *memory) conditionsHold(conditions []Condition) bool {
	for _, c := range conditions {
		if c.Key != "" {
			if m.items[c.Key].Revision != c.Revision {
				return false
			}
			continue
		}
		for _, key := range m.keysWithPrefix(c.Prefix, "") {
			if m.items[key].Revision > c.Revision {
				return false
			}
		}
	}
	return true
}

// write replaces the value of an item, or removes the item if the value is nil. It returns the new revision and wakes
// the watches.
func (m *memory) write(old Item, value []byte) int64 {
	m.revision++
	c := change{Event{Key: old.Key, Revision: m.revision, Value: value, Previous: old.Value}, old.Revision}
	if value == nil {
		delete(m.items, old.Key)
	} else {
		m.items[old.Key] = Item{Key: old.Key, Value: value, Revision: m.revision}
	}
	m.history = append(m.history, c)
	m.size += c.size()
	drop := 0
	for n := len(m.history); n-drop > m.options.Events || m.size > m.options.Bytes && n-drop > 1; drop++ {
		m.size -= m.history[drop].size()
		m.history[drop] = change{} // release the values; the array stays
	}
	m.history = m.history[drop:]
	close(m.changed)
	m.changed = make(chan struct{})
	return m.revision
}

func (c *change) size() int { return len(c.Value) + len(c.Previous) }

func (m *memory) Watch(ctx context.Context, prefix string, after int64) (Watch, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	switch err := m.err(ctx); {
	case err != nil:
		return nil, err
	case after > m.revision:
		return nil, ErrFuture
	case after < m.oldestRevision():
		return nil, ErrCompacted
	}
	return &memoryWatch{m: m, prefix: prefix, at: after}, nil
}

type memoryWatch struct {
	m      *memory
	prefix string
	at     int64 // the last revision that was returned
}

// maxEvents is the maximum number of changes that one call of Next reads, and maxBytes the size of their values from
// which it reads no more.
const (
	maxEvents = 1000
	maxBytes  = 256 << 10
)

func (w *memoryWatch) Next(ctx context.Context) (Changes, error) {
	for {
		changes, wait, err := w.read(ctx)
		if wait == nil {
			return changes, err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return Changes{}, ctx.Err()
		}
	}
}

// read returns the next changes, or a channel to wait for if there are none.
func (w *memoryWatch) read(ctx context.Context) (out Changes, wait <-chan struct{}, err error) {
	w.m.mu.RLock()
	defer w.m.mu.RUnlock()
	switch err := w.m.err(ctx); {
	case err != nil:
		return out, nil, err
	case w.at < w.m.oldestRevision():
		return out, nil, ErrCompacted
	case w.at == w.m.revision:
		return out, w.m.changed, nil
	}
	changes, size := w.m.changesSince(w.at), 0
	for _, c := range changes[:min(len(changes), maxEvents)] {
		if strings.HasPrefix(c.Key, w.prefix) {
			out.Events = append(out.Events, c.Event)
			size += c.size()
		}
		if w.at++; size > maxBytes {
			break
		}
	}
	out.Revision = w.at
	return out, nil, nil
}

func (w *memoryWatch) Close() {}
