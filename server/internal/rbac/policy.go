package rbac

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Group is the group of roles and bindings.
const Group = "rbac.authorization.k8s.io"

// Superusers are the members of this group. They may do everything.
const Superusers = "system:masters"

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

	RoleRef  Ref       `json:"roleRef"`
	Subjects []subject `json:"subjects"`
}

// A Policy has stored roles and bindings. It is safe for concurrent use.
type Policy struct {
	mu       sync.RWMutex
	roles    map[[2]string]func() []Rule  // by namespace and name; a ClusterRole has no namespace
	bindings map[string]map[string][]byte // by namespace and name; in JSON
	decoded  map[string][]*binding        // the bindings of a namespace by name, once they are needed
}

// NewPolicy returns a policy that allows superusers everything, and others nothing.
func NewPolicy() *Policy {
	p := &Policy{}
	p.Reset()
	return p
}

// Reset forgets all roles and bindings.
func (p *Policy) Reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.roles, p.bindings, p.decoded = map[[2]string]func() []Rule{}, map[string]map[string][]byte{}, map[string][]*binding{}
}

// Put stores an object of a resource of the group, in JSON, or forgets it if value is nil. The value must not be modified
// later. It is decoded when it is needed; one that is no role or binding allows nothing.
func (p *Policy) Put(resource, namespace, name string, value []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch resource {
	case "roles", "clusterroles":
		key := [2]string{namespace, name}
		if value == nil {
			delete(p.roles, key)
			return
		}
		p.roles[key] = sync.OnceValue(func() []Rule {
			var role struct {
				Rules []Rule `json:"rules"`
			}
			if json.Unmarshal(value, &role) != nil {
				return nil
			}
			return role.Rules
		})
	case "rolebindings", "clusterrolebindings":
		delete(p.decoded, namespace)
		of := p.bindings[namespace]
		switch {
		case value == nil:
			if delete(of, name); len(of) == 0 {
				delete(p.bindings, namespace)
			}
		case of == nil:
			p.bindings[namespace] = map[string][]byte{name: value}
		default:
			of[name] = value
		}
	}
}

// in returns the bindings of a namespace, or those of the cluster, by name.
func (p *Policy) in(namespace string) []*binding {
	p.mu.RLock()
	all, known := p.decoded[namespace]
	p.mu.RUnlock()
	if known {
		return all
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for name, value := range p.bindings[namespace] {
		b := &binding{namespace: namespace, name: name}
		if json.Unmarshal(value, b) == nil {
			all = append(all, b)
		}
	}
	slices.SortFunc(all, func(a, b *binding) int { return cmp.Compare(a.name, b.name) })
	if len(all) > 0 {
		p.decoded[namespace] = all
	}
	return all
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
	switch ref.Kind {
	case "Role":
	case "ClusterRole":
		namespace = ""
	default:
		return nil, fmt.Errorf("unsupported role reference kind: %q", ref.Kind)
	}
	p.mu.RLock()
	rules := p.roles[[2]string{namespace, ref.Name}]
	p.mu.RUnlock()
	if rules == nil {
		return nil, &NotFoundError{ref}
	}
	return rules(), nil
}

// visit calls yield with the rules of each binding of a user, first those of the cluster, then those of a namespace, until
// it returns false. It returns the errors of bindings without a role.
func (p *Policy) visit(user User, namespace string, yield func(b *binding, to *subject, rules []Rule) bool) (errs []error) {
	places := []string{""}
	if namespace != "" {
		places = append(places, namespace)
	}
	for _, place := range places {
		for _, b := range p.in(place) {
			i := slices.IndexFunc(b.Subjects, func(s subject) bool { return s.is(user, place) })
			if i < 0 {
				continue
			}
			rules, err := p.Rules(b.RoleRef, place)
			if err != nil {
				errs = append(errs, err)
			} else if !yield(b, &b.Subjects[i], rules) {
				return errs
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
		return namespace != "" && user.Name == "system:serviceaccount:"+namespace+":"+s.Name
	}
	return false
}

// Held returns the rules of a user, also those that are for a namespace only, and the errors of bindings without a role.
// The rules must not be modified.
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
		text += "; resolution errors: [" + Aggregate(errs) + "]"
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
		reason = "rbac: RBAC: " + Aggregate(errs) // after the name of the authorizer
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
	return fmt.Sprintf("%s %q of %s %q to %s %q", kind, name, b.RoleRef.Kind, b.RoleRef.Name, to.Kind, subject)
}

// Aggregate prints errors as a server prints several: each text once.
func Aggregate(errs []error) string {
	var texts []string
	for _, err := range errs {
		if text := err.Error(); !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	if len(texts) == 1 {
		return texts[0]
	}
	return "[" + strings.Join(texts, ", ") + "]"
}
