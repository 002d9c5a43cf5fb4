package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/kubeversion"
	"github.com/crdkit/crdkit/server/storage"
	"github.com/crdkit/crdkit/unstructured"
)

// A Keeper keeps the catalog up to date with the definitions in a store, including those that other servers write, or
// has fixed ones. It is safe for concurrent use.
type Keeper struct {
	store   storage.Store
	options Options
	builtIn []*Kind
	stored  map[string]storedDefinition // the definitions in the catalog, by key; fixed ones by name
	mu      sync.Mutex
	current *Catalog
	changed chan struct{} // closed when there is a new catalog
}

// Options of a Keeper.
type Options struct {
	Log *slog.Logger
	// CustomOnly leaves out all built-in kinds except definitions and namespaces.
	CustomOnly bool
	// Definitions are those that are served, instead of the stored ones. Nil means the stored ones.
	Definitions []*crd.CustomResourceDefinition
	// Converters replace the conversion strategies of definitions. The keys are the names of the definitions.
	Converters map[string]conversion.Converter
	// Kubernetes is the minor version whose answers custom objects get, empty for the newest release.
	Kubernetes string
}

// A storedDefinition is a definition with its compiled form, which is nil if it does not compile.
type storedDefinition struct {
	definition *crd.CustomResourceDefinition
	compiled   *Compiled
}

// NewKeeper returns a keeper, whose catalog has the stored definitions or those of the options. The catalog does not
// change before Run is called.
func NewKeeper(ctx context.Context, store storage.Store, o Options) (*Keeper, error) {
	k := &Keeper{store: store, options: o, changed: make(chan struct{})}
	var err error
	if k.builtIn, err = serverKinds(); err != nil {
		return nil, err
	}
	if !o.CustomOnly {
		stock, err := kubernetesKinds()
		if err != nil {
			return nil, err
		}
		k.builtIn = slices.Concat(k.builtIn, stock)
	}
	if o.Definitions != nil {
		k.builtIn = slices.DeleteFunc(slices.Clone(k.builtIn), func(of *Kind) bool { return of.Type == DefinitionType })
		return k, k.useFixed()
	}
	return k, k.load(ctx)
}

// useFixed makes a catalog of the definitions in the options: those of a file, whatever a server has written into them.
func (k *Keeper) useFixed() error {
	k.stored = map[string]storedDefinition{}
	var all []*crd.CustomResourceDefinition
	for i, given := range k.options.Definitions {
		if given == nil {
			return fmt.Errorf("definition %d is nil", i)
		}
		fresh := crd.CustomResourceDefinition{APIVersion: given.APIVersion, Metadata: map[string]any{"name": given.Name()}, Spec: given.Spec}
		if annotations, has := given.Metadata["annotations"]; has { // one of them approves of a group of Kubernetes
			fresh.Metadata["annotations"] = annotations
		}
		d := fresh.WithDefaults()
		if errs := k.errorsOf(d); len(errs) > 0 {
			return fmt.Errorf("definition %s: %w", d.Name(), errs.Err())
		}
		if k.stored[d.Name()].definition != nil {
			return fmt.Errorf("two definitions %s", d.Name())
		}
		d.Status = d.Settle(all, time.Time{})
		if c := d.Condition(crd.NamesAccepted); c.Status != "True" {
			return fmt.Errorf("definition %s: %s", d.Name(), c.Message)
		}
		compiled, err := compile(d, k.options.Converters[d.Name()], k.options.Kubernetes)
		if err != nil {
			return fmt.Errorf("definition %s: %w", d.Name(), err)
		}
		k.stored[d.Name()] = storedDefinition{d, compiled}
		all = append(all, d)
	}
	k.publish(0)
	return nil
}

// errorsOf returns the errors of a definition for a server of the version in the options.
func (k *Keeper) errorsOf(d *crd.CustomResourceDefinition) field.List {
	if k.options.Kubernetes == "" {
		return crdcheck.Validate(d)
	}
	v, err := kubeversion.Check(d, k.options.Kubernetes)
	if err != nil {
		return field.List{field.InternalError(nil, err)}
	}
	return v.Errors
}

// Catalog returns the latest catalog.
func (k *Keeper) Catalog() *Catalog {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.current
}

// Wait waits until the catalog has all changes up to a revision, for example that of a definition just written.
func (k *Keeper) Wait(ctx context.Context, revision int64) error {
	for c := k.Catalog(); c.Revision < revision; c = k.Catalog() {
		select {
		case <-k.Changed(c):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Changed returns a channel that is closed when c is no longer the latest catalog.
func (k *Keeper) Changed(c *Catalog) <-chan struct{} {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.current == c {
		return k.changed
	}
	closed := make(chan struct{})
	close(closed)
	return closed
}

// Run follows the store, unless the definitions are fixed, until ctx is done. Then it closes the connections to
// webhooks.
func (k *Keeper) Run(ctx context.Context) {
	defer func() {
		for _, s := range k.stored {
			s.closeWebhook()
		}
	}()
	if k.options.Definitions != nil {
		<-ctx.Done()
		return
	}
	for ctx.Err() == nil {
		err := k.follow(ctx)
		if errors.Is(err, storage.ErrClosed) || ctx.Err() != nil {
			return
		}
		k.options.Log.Warn("reading all definitions again", "error", err)
		if err = k.load(ctx); err != nil {
			k.options.Log.Error("cannot read definitions", "error", err)
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
	}
}

// definitionsPrefix is the prefix of the keys of definitions.
const definitionsPrefix = "/" + crd.Group + "/" + Definitions + "/"

// load reads all definitions.
func (k *Keeper) load(ctx context.Context) error {
	page, err := k.store.List(ctx, storage.Range{Prefix: definitionsPrefix})
	if err != nil {
		return err
	}
	before := k.stored
	k.stored = map[string]storedDefinition{}
	for _, item := range page.Items {
		k.put(item.Key, item.Value, item.Revision, before[item.Key])
	}
	for key, s := range before {
		if _, still := k.stored[key]; !still {
			s.closeWebhook()
		}
	}
	k.publish(page.Revision)
	return nil
}

// follow applies changes until there is an error.
func (k *Keeper) follow(ctx context.Context) error {
	w, err := k.store.Watch(ctx, definitionsPrefix, k.Catalog().Revision)
	if err != nil {
		return err
	}
	defer w.Close()
	for {
		changes, err := w.Next(ctx)
		if err != nil {
			return err
		}
		for _, e := range changes.Events {
			if e.Value == nil {
				k.stored[e.Key].closeWebhook()
				delete(k.stored, e.Key)
			} else {
				k.put(e.Key, e.Value, e.Revision, k.stored[e.Key])
			}
		}
		if len(changes.Events) > 0 {
			k.publish(changes.Revision)
		}
	}
}

// put compiles a definition, unless only its status has changed. A definition that cannot be read is ignored: the
// server continues with the one it had before, so that the objects stay reachable.
func (k *Keeper) put(key string, value []byte, revision int64, before storedDefinition) {
	obj, err := Decode(value, revision)
	var d *crd.CustomResourceDefinition
	if err == nil {
		d, err = crd.Parse(value)
	}
	switch {
	case err != nil && before.definition != nil:
		k.options.Log.Error("a changed definition cannot be read: the one before is kept", "key", key, "error", err)
		k.stored[key] = before
		return
	case err != nil:
		k.options.Log.Error("a definition that cannot be read is left out", "key", key, "error", err)
		return
	}
	d.Metadata = obj["metadata"].(map[string]any)
	s := storedDefinition{d, before.compiled}
	if old := before.definition; s.compiled == nil || !jsonval.EqualTyped(&d.Spec, &old.Spec) || !jsonval.EqualTyped(d.AcceptedNames(), old.AcceptedNames()) {
		before.closeWebhook()
		if s.compiled, err = compile(d, k.options.Converters[d.Name()], k.options.Kubernetes); err != nil {
			k.options.Log.Error("a definition that cannot be compiled is not served", "name", d.Name(), "error", err)
		}
	}
	k.stored[key] = s
}

// closeWebhook closes the connections to the webhook, if there is one.
func (s storedDefinition) closeWebhook() {
	if s.compiled != nil && s.compiled.closeWebhook != nil {
		s.compiled.closeWebhook()
	}
}

// Decode returns a stored object with its resourceVersion.
func Decode(value []byte, revision int64) (map[string]any, error) {
	obj, err := unstructured.DecodeJSON(value)
	if err != nil {
		return nil, err
	}
	meta, ok := obj["metadata"].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("no metadata in revision %d", revision)
	}
	meta["resourceVersion"] = strconv.FormatInt(revision, 10)
	return obj, nil
}

func (k *Keeper) publish(revision int64) {
	kinds := slices.Clone(k.builtIn)
	var definitions []*crd.CustomResourceDefinition
	for _, key := range slices.Sorted(maps.Keys(k.stored)) {
		s := k.stored[key]
		definitions = append(definitions, s.definition)
		if s.compiled != nil {
			kinds = append(kinds, kindsOf(s.definition, func() *Compiled { return s.compiled }, false)...)
		}
	}
	slices.SortFunc(definitions, func(a, b *crd.CustomResourceDefinition) int { return strings.Compare(a.Name(), b.Name()) })
	c := newCatalog(revision, definitions, kinds)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.current = c
	close(k.changed)
	k.changed = make(chan struct{})
}
