package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/kubeversion"
	"github.com/crdkit/crdkit/server/internal/follow"
	"github.com/crdkit/crdkit/server/storage"
	"github.com/crdkit/crdkit/unstructured"
)

// A Keeper keeps the catalog up to date with the definitions in a store, including those that other servers write, or
// has fixed ones. It is safe for concurrent use.
type Keeper struct {
	options  Options
	builtIn  []*Kind
	stored   map[string]storedDefinition // the definitions in the catalog, by key; fixed ones by name
	follower follow.Follower             // unused if the definitions are fixed
	current  atomic.Pointer[Catalog]
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
	k := &Keeper{options: o, stored: map[string]storedDefinition{}}
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
	k.follower = follow.Follower{
		Store: store, Log: o.Log, Prefix: definitionsPrefix, What: "definitions", Put: k.put, Publish: k.publish,
	}
	return k, k.follower.Load(ctx)
}

// useFixed makes a catalog of the definitions in the options: those of a file, whatever a server has written into them.
func (k *Keeper) useFixed() error {
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
func (k *Keeper) Catalog() *Catalog { return k.current.Load() }

// Wait waits until the catalog has all changes up to a revision, for example that of a definition just written.
func (k *Keeper) Wait(ctx context.Context, revision int64) error {
	return k.follower.Wait(ctx, revision)
}

// Changed returns a channel that is closed when c is no longer the latest catalog.
func (k *Keeper) Changed(c *Catalog) <-chan struct{} {
	changed := k.follower.Changed() // first, so that it is closed by any change after the comparison
	if k.Catalog() == c {
		return changed
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
	k.follower.Run(ctx)
}

// definitionsPrefix is the prefix of the keys of definitions.
const definitionsPrefix = "/" + crd.Group + "/" + Definitions + "/"

// put compiles a definition, unless only its status has changed, or forgets it if value is nil. A definition that cannot
// be read is ignored: the server continues with the one it had before, so that the objects stay reachable.
func (k *Keeper) put(key string, value []byte, revision int64) {
	before := k.stored[key]
	if value == nil {
		before.closeWebhook()
		delete(k.stored, key)
		return
	}
	obj, err := Decode(value, revision)
	var d *crd.CustomResourceDefinition
	if err == nil {
		d, err = crd.Parse(value)
	}
	switch {
	case err != nil && before.definition != nil:
		k.options.Log.Error("a changed definition cannot be read: the one before is kept", "key", key, "error", err)
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

// publish makes a catalog of the definitions.
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
	k.current.Store(newCatalog(revision, definitions, kinds))
}
