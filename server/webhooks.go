package server

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/follow"
	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/server/storage"
)

// This file keeps the webhooks of stored configurations, and the stored policies.

// A hook is a webhook with the way to call it.
type hook struct {
	*hooks.Hook
	stored bool
	call   func(ctx context.Context, review []byte) ([]byte, error)
	admit  func(ctx context.Context, r *AdmissionRequest) (map[string]any, error) // instead of call; or nil
	close  func()                                                                 // closes idle connections; or nil
}

// storedHooks are the webhooks of the configurations in a store, and the policies. It is safe for concurrent use.
type storedHooks struct {
	follower follow.Follower
	log      *slog.Logger
	resolve  serviceResolver

	byKey    map[string][]*hook // by the key of the configuration
	mu       sync.Mutex         // guards what follows
	sorted   []*hook            // replaced at each change
	policies storedPolicies
}

const hooksPrefix = "/" + hooks.Group + "/"

// newStoredHooks reads the stored configurations.
func newStoredHooks(ctx context.Context, store storage.Store, log *slog.Logger, resolve serviceResolver) (*storedHooks, error) {
	s := &storedHooks{log: log, resolve: resolve, byKey: map[string][]*hook{}, policies: newStoredPolicies()}
	s.follower = follow.Follower{
		Store: store, Log: log, Prefix: hooksPrefix, What: "webhook configurations", Put: s.put, Publish: s.publish,
	}
	return s, s.follower.Load(ctx)
}

// bound returns the policies that have bindings, sorted by their names. The result must not be modified.
func (s *storedHooks) bound() []*boundPolicy {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.policies.sorted
}

// all returns the webhooks, sorted by the names of their configurations. The result must not be modified.
func (s *storedHooks) all() []*hook {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sorted
}

// run follows the store until ctx is done, and then closes the connections to webhooks.
func (s *storedHooks) run(ctx context.Context) {
	s.follower.Run(ctx)
	closeAll(s.all())
}

// put replaces the webhooks of a configuration. Those of one that cannot be read are left out.
func (s *storedHooks) put(key string, value []byte, revision int64) {
	plural, _, _ := strings.Cut(strings.TrimPrefix(key, hooksPrefix), "/")
	switch plural {
	case hooks.Mutating, hooks.Validating:
	case hooks.Policies, hooks.PolicyBindings:
		s.putPolicy(plural, key, value, revision)
		return
	default:
		return
	}
	var of []*hook
	if value != nil {
		obj, err := catalog.Decode(value, revision)
		var compiled []*hooks.Hook
		if err == nil {
			compiled, err = hooks.Compile(obj, plural == hooks.Mutating)
		}
		if err != nil {
			s.log.Error("the webhooks of a configuration are not called", "key", key, "error", err)
		}
		for _, h := range compiled {
			of = append(of, newStoredHook(h, s.resolve))
		}
	}
	closeAll(s.byKey[key])
	if s.byKey[key] = of; of == nil {
		delete(s.byKey, key)
	}
}

func closeAll(of []*hook) {
	for _, h := range of {
		h.close()
	}
}

func (s *storedHooks) publish(int64) {
	var sorted []*hook
	for _, key := range slices.Sorted(maps.Keys(s.byKey)) {
		sorted = append(sorted, s.byKey[key]...)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sorted = sorted
	s.policies.sort()
}

// inProcess returns the webhooks of the options.
func inProcess(webhooks []Webhook) []*hook {
	out := make([]*hook, len(webhooks))
	for i := range webhooks {
		w := &webhooks[i]
		rule := hooks.Rule{
			Operations: w.Operations, Groups: []string{"*"}, Versions: []string{"*"}, Resources: []string{"*"},
		}
		if rule.Operations == nil {
			rule.Operations = []string{hooks.Create, hooks.Update}
		}
		rules := []hooks.Rule{rule}
		if w.Resources != nil {
			rules = nil
		}
		for _, name := range w.Resources {
			name, sub, _ := strings.Cut(name, "/")
			plural, group, _ := strings.Cut(name, ".")
			rule.Groups, rule.Resources = []string{group}, []string{plural + "/" + sub}
			rules = append(rules, rule)
		}
		out[i] = &hook{
			Hook: &hooks.Hook{
				Name: w.Name, Mutating: w.Mutating, Criteria: hooks.Criteria{Rules: rules, Exact: true}, Ignore: w.IgnoreFailures,
				Timeout: cmp.Or(max(w.Timeout, 0), defaultWebhookTimeout), DryRuns: true, Review: "v1",
			},
			call: w.call, admit: w.Admit,
		}
	}
	return out
}

// configures returns the plural name of a request for configurations of webhooks, or for policies or their bindings, and
// whether it is one.
func (q *request) configures() (plural string, ok bool) {
	plural = q.kind.Names.Plural
	switch plural {
	case hooks.Mutating, hooks.Validating, hooks.Policies, hooks.PolicyBindings:
		return plural, q.kind.BuiltIn && q.kind.Group == hooks.Group
	}
	return plural, false
}

// prepareConfiguration validates a decoded configuration of webhooks, a policy or a binding. For a create, stored is
// nil.
func (q *request) prepareConfiguration(r resource.Result, stored map[string]any, plural string) resource.Result {
	if len(r.Errors) > 0 || r.Object == nil || q.sub != "" {
		return r
	}
	var err error
	switch plural {
	case hooks.Policies:
		r.Errors, err = hooks.ValidatePolicy(r.Object, stored)
	case hooks.PolicyBindings:
		r.Errors, err = hooks.ValidateBinding(r.Object)
	default:
		r.Errors, err = hooks.Validate(r.Object, stored, plural == hooks.Mutating)
	}
	if err != nil {
		r.Failure = refusal.BadRequest(q.kind.Names.Kind + ` in version "v1" cannot be handled as a ` + q.kind.Names.Kind + ": " + err.Error())
		return r
	}
	r.Errors = refusal.DistinctErrors(r.Errors)
	r = q.staticName(r, stored == nil)
	if len(r.Errors) == 0 {
		r.Errors = q.mayUseParams(r.Object, stored, plural)
	}
	r.Stored = r.Object
	return r
}

// staticSuffix ends the names of configurations that a server reads from files.
const staticSuffix = ".static.k8s.io"

// staticName adds the error of a new configuration with a reserved name, or the warning about an old one.
func (q *request) staticName(r resource.Result, created bool) resource.Result {
	name := text(metadata(r.Object), "name")
	if !strings.HasSuffix(name, staticSuffix) {
		return r
	}
	const why = `names ending with "` + staticSuffix + `" are reserved for static manifest-based configurations and cannot be managed via the API`
	if created {
		r.Errors = append(r.Errors, field.Invalid(field.NewPath("metadata", "name"), name, why))
	} else {
		r.Warnings = append(r.Warnings, "metadata.name: "+why)
	}
	return r
}
