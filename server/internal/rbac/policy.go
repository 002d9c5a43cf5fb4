package rbac

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/internal/refusal"
)

// Group is the group of roles and bindings.
const Group = "rbac.authorization.k8s.io"

// Superusers are the members of this group. They may do everything.
const Superusers = "system:masters"

// AccountPrefix begins the names of the users of ServiceAccounts. The namespace follows, a colon and the name.
const AccountPrefix = "system:serviceaccount:"

// A User is whom bindings name.
type User struct {
	Name   string
	Groups []string
}

// A Ref names a role, from a binding.
type Ref struct {
	APIGroup string `json:"apiGroup"`
	Kind     string `json:"kind"`
	Name     string `json:"name"`
}

type subject struct {
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
}

// A binding is a RoleBinding or a ClusterRoleBinding, which has no namespace.
type binding struct {
	namespace, name string
	bound           func() *bound // nil if it cannot be decoded
}

type bound struct {
	Ref      Ref       `json:"roleRef"`
	Subjects []subject `json:"subjects"`
}

// A Policy has stored roles and bindings. It is safe for concurrent use, except that only one goroutine may change it.
// It decodes objects when they are needed; one that is no role or binding allows nothing.
type Policy struct {
	mu       sync.RWMutex
	roles    map[key]func() []Rule // a ClusterRole has no namespace
	bindings map[string][]*binding // of a namespace, or of the cluster, by name

	next changes // those that Publish makes visible
}

type key struct{ namespace, name string }

type changes struct {
	roles    map[key]func() []Rule          // nil: deleted
	bindings map[string]map[string]*binding // by namespace and name; nil: deleted
}

func noChanges() changes {
	return changes{roles: map[key]func() []Rule{}, bindings: map[string]map[string]*binding{}}
}

// NewPolicy returns a policy that allows superusers everything, and others nothing.
func NewPolicy() *Policy {
	return &Policy{roles: map[key]func() []Rule{}, bindings: map[string][]*binding{}, next: noChanges()}
}

// Put stores an object of a resource of the group, in JSON, at the next [Policy.Publish], or forgets it if value is nil.
// The value must not be modified later.
func (p *Policy) Put(resource, namespace, name string, value []byte) {
	switch resource {
	case "roles", "clusterroles":
		var rules func() []Rule
		if value != nil {
			rules = sync.OnceValue(func() []Rule {
				var role struct {
					Rules []Rule `json:"rules"`
				}
				if json.Unmarshal(value, &role) != nil {
					return nil
				}
				return role.Rules
			})
		}
		p.next.roles[key{namespace, name}] = rules
	case "rolebindings", "clusterrolebindings":
		var b *binding
		if value != nil {
			b = &binding{namespace, name, sync.OnceValue(func() *bound {
				out := &bound{}
				if json.Unmarshal(value, out) != nil {
					return nil
				}
				return out
			})}
		}
		if p.next.bindings[namespace] == nil {
			p.next.bindings[namespace] = map[string]*binding{}
		}
		p.next.bindings[namespace][name] = b
	}
}

// Publish makes visible what was stored and forgotten. The cost is linear in the bindings of the namespaces with changes.
func (p *Policy) Publish() {
	next := p.next
	p.next = noChanges()
	merged := map[string][]*binding{}
	for namespace, changed := range next.bindings {
		merged[namespace] = mergeBindings(p.bindings[namespace], changed) // only this goroutine changes p.bindings
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, rules := range next.roles {
		if p.roles[k] = rules; rules == nil {
			delete(p.roles, k)
		}
	}
	for namespace, all := range merged {
		if p.bindings[namespace] = all; len(all) == 0 {
			delete(p.bindings, namespace)
		}
	}
}

// mergeBindings returns a new list of bindings by name: the changed ones, and the others of before.
func mergeBindings(before []*binding, changed map[string]*binding) []*binding {
	out := make([]*binding, 0, len(before)+len(changed))
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		for ; len(before) > 0 && before[0].name <= name; before = before[1:] {
			if before[0].name < name {
				out = append(out, before[0])
			}
		}
		if b := changed[name]; b != nil {
			out = append(out, b)
		}
	}
	return append(out, before...)
}

// in returns the bindings of a namespace, or those of the cluster, by name.
func (p *Policy) in(namespace string) []*binding {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.bindings[namespace]
}

// A NotFoundError says that there is no such role. Its text is that of a server's authorizer.
type NotFoundError struct{ Ref Ref }

func (e *NotFoundError) Error() string { return e.text(strings.ToLower(e.Ref.Kind)) }

func (e *NotFoundError) text(resource string) string {
	return fmt.Sprintf("%s.%s %q not found", resource, Group, e.Ref.Name)
}

// Rules returns the rules of a role to which a binding in a namespace refers, or one of the cluster. The result must not
// be modified. If there is no such role, the error is a [NotFoundError].
func (p *Policy) Rules(ref Ref, namespace string) ([]Rule, error) {
	switch {
	case ref.Kind == "ClusterRole":
		namespace = ""
	case ref.Kind != "Role":
		return nil, fmt.Errorf("unsupported role reference kind: %q", ref.Kind)
	case namespace == "":
		return nil, &NotFoundError{ref}
	}
	p.mu.RLock()
	rules := p.roles[key{namespace, ref.Name}]
	p.mu.RUnlock()
	if rules == nil {
		return nil, &NotFoundError{ref}
	}
	return rules(), nil
}

// maxErrors limits the errors of bindings without a role. A server has no limit.
const maxErrors = 100

// visit calls yield with the rules of each role of a user, first those that are bound in the cluster, then those in a
// namespace, until it returns false. It returns the errors of bindings without a role.
func (p *Policy) visit(user User, namespace string, yield func(b *binding, to *subject, rules []Rule) bool) (errs []error) {
	places := []string{""}
	if namespace != "" {
		places = append(places, namespace)
	}
	for _, place := range places {
		seen := map[Ref]bool{}
		for _, b := range p.in(place) {
			of := b.bound()
			if of == nil || seen[of.Ref] {
				continue
			}
			i := slices.IndexFunc(of.Subjects, func(s subject) bool { return s.is(user, place) })
			if i < 0 {
				continue
			}
			seen[of.Ref] = true
			rules, err := p.Rules(of.Ref, place)
			switch {
			case err == nil:
				if !yield(b, &of.Subjects[i], rules) {
					return errs
				}
			case len(errs) < maxErrors:
				errs = append(errs, err)
			}
		}
	}
	return errs
}

// is reports whether a user is the subject of a binding in a namespace.
func (s *subject) is(user User, namespace string) bool {
	switch s.Kind {
	case "User":
		return s.Name == user.Name
	case "Group":
		return slices.Contains(user.Groups, s.Name)
	case "ServiceAccount":
		namespace = cmp.Or(s.Namespace, namespace)
		return namespace != "" && user.Name == AccountPrefix+namespace+":"+s.Name
	}
	return false
}

// Held returns the rules of a user, also those that are for a namespace only, and the errors of bindings without a role,
// a hundred in the cluster and the namespace at most. The rules must not be modified.
func (p *Policy) Held(user User, namespace string) (rules []Rule, errs []error) {
	errs = p.visit(user, namespace, func(_ *binding, _ *subject, of []Rule) bool {
		rules = append(rules, of...)
		return true
	})
	return rules, errs
}

// MayGrant returns an error unless a user has all that the rules allow, in a namespace or in the cluster. The resource is
// that of the request: a server's text names it for roles that do not exist, whatever their kind.
func (p *Policy) MayGrant(user User, resource, namespace string, rules []Rule) error {
	held, errs := p.Held(user, namespace)
	missing, err := Missing(held, rules)
	if err != nil || len(missing) == 0 {
		return err
	}
	text := fmt.Sprintf("user %q (groups=%q) is attempting to grant RBAC permissions not currently held:\n%s",
		user.Name, user.Groups, strings.Join(missing, "\n"))
	if len(errs) > 0 {
		for i, err := range errs {
			if none, is := err.(*NotFoundError); is {
				errs[i] = errors.New(none.text(resource))
			}
		}
		text += "; resolution errors: [" + refusal.Aggregate(errs) + "]"
	}
	return errors.New(text)
}

// Allows reports whether a user may send a request, and the reason, as a server says it. A refusal has a reason only if
// there are bindings without a role.
func (p *Policy) Allows(user User, q *Request) (allowed bool, reason string) {
	if slices.Contains(user.Groups, Superusers) {
		return true, ""
	}
	errs := p.visit(user, q.Namespace, func(b *binding, to *subject, rules []Rule) bool {
		if allowed = slices.ContainsFunc(rules, func(r Rule) bool { return r.allows(q) }); allowed {
			reason = "RBAC: allowed by " + b.describe(to)
		}
		return !allowed
	})
	if !allowed && len(errs) > 0 {
		reason = "rbac: RBAC: " + refusal.Aggregate(errs) // after the name of the authorizer
	}
	return allowed, reason
}

// describe says what binds a role to a subject.
func (b *binding) describe(to *subject) string {
	kind, name := "ClusterRoleBinding", b.name
	if b.namespace != "" {
		kind, name = "RoleBinding", b.name+"/"+b.namespace
	}
	subject := to.Name
	if to.Kind == "ServiceAccount" {
		subject += "/" + cmp.Or(to.Namespace, b.namespace)
	}
	return fmt.Sprintf("%s %q of %s %q to %s %q", kind, name, b.bound().Ref.Kind, b.bound().Ref.Name, to.Kind, subject)
}
