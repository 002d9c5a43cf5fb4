package server

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/condition"
	"github.com/crdkit/crdkit/server/internal/hooks"
	"github.com/crdkit/crdkit/server/internal/rbac"
	"github.com/crdkit/crdkit/server/storage"
)

// This file keeps the stored ValidatingAdmissionPolicies with their bindings, and asks them about writes.

// A boundPolicy is a policy with its bindings, sorted by their names.
type boundPolicy struct {
	*hooks.Policy
	bindings []*hooks.Binding
}

// storedPolicies are the policies and the bindings by their keys.
type storedPolicies struct {
	policies map[string]*hooks.Policy
	bindings map[string]*hooks.Binding
	sorted   []*boundPolicy // those with bindings; replaced at each change
}

func newStoredPolicies() storedPolicies {
	return storedPolicies{policies: map[string]*hooks.Policy{}, bindings: map[string]*hooks.Binding{}}
}

// sort sets sorted.
func (p *storedPolicies) sort() {
	bindings := map[string][]*hooks.Binding{}
	for _, key := range slices.Sorted(maps.Keys(p.bindings)) {
		b := p.bindings[key]
		bindings[b.Policy] = append(bindings[b.Policy], b)
	}
	p.sorted = nil
	for _, key := range slices.Sorted(maps.Keys(p.policies)) {
		policy := p.policies[key]
		if of := bindings[policy.Name]; of != nil {
			p.sorted = append(p.sorted, &boundPolicy{policy, of})
		}
	}
}

// putPolicy replaces a policy or a binding. One that cannot be read is left out.
func (s *storedHooks) putPolicy(plural, key string, value []byte, revision int64) {
	var policy *hooks.Policy
	var binding *hooks.Binding
	if value != nil {
		obj, err := catalog.Decode(value, revision)
		switch {
		case err != nil:
		case plural == hooks.Policies:
			policy, err = hooks.CompilePolicy(obj)
		default:
			binding, err = hooks.CompileBinding(obj)
		}
		if err != nil {
			s.log.Error("a policy or a binding has no effect", "key", key, "error", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	put(s.policies.policies, key, policy)
	put(s.policies.bindings, key, binding)
}

// put sets or, for nil, deletes an entry.
func put[T any](of map[string]*T, key string, v *T) {
	if of[key] = v; v == nil {
		delete(of, key)
	}
}

// policies returns the policies that may count for the resource, in order.
func (q *request) policies() (out []*boundPolicy) {
	plural, _ := q.resource()
	for _, p := range q.s.hooks.bound() {
		if p.Concerns(q.kind.Group, plural) {
			out = append(out, p)
		}
	}
	return out
}

// maxPolicyWarnings is the size of the warnings of policies that are kept for an answer. It shows less.
const maxPolicyWarnings = 64 << 10

// A decision is what the policies say about a write.
type decision struct {
	*admission
	request  *hooks.Request
	inputs   map[string]*inputs // by the version of the resource
	working  int                // the size for which the request has memory, without parameters
	denied   *field.Status      // the first denial
	warnings int                // bytes
}

// inputs have the values for the match conditions of policies, and for their other expressions.
type inputs struct{ match, rest condition.Input }

// decide asks the policies, in the order of their names. A server asks them in any order.
func (a *admission) decide(ctx context.Context) *field.Status {
	all := a.q.policies()
	if len(all) == 0 {
		return nil
	}
	d := &decision{admission: a, request: a.matched(), inputs: map[string]*inputs{}}
	if a.q.slot != nil {
		d.working = a.q.slot.working
	}
	if d.request.ExemptFromPolicies() {
		return nil
	}
	for _, p := range all {
		if refused := d.policy(ctx, p); refused != nil {
			return refused
		}
	}
	return d.denied
}

// policy asks a policy. A refusal is none of the policy.
func (d *decision) policy(ctx context.Context, p *boundPolicy) *field.Status {
	version, matches, refused := p.Match(d.request)
	if refused != nil {
		d.misconfigured(p, nil, refused.Message)
		return nil
	}
	if !matches {
		return nil
	}
	var params *catalog.Kind
	if p.Param != nil {
		group, version := p.Param.GroupVersion()
		if params = d.q.catalog.KindOf(group, version, p.Param.Kind); params == nil {
			d.misconfigured(p, nil, fmt.Sprintf("failed to find resource referenced by paramKind: '%s/%s, Kind=%s'", group, version, p.Param.Kind))
			return nil
		}
	}
	for _, b := range p.bindings {
		_, matches, refused := b.Match(d.request)
		if refused != nil {
			d.misconfigured(p, b, refused.Message)
		}
		if !matches {
			continue
		}
		if refused := d.binding(ctx, p, b, params, version); refused != nil {
			return refused
		}
	}
	return nil
}

// binding asks a policy about the objects in a version, with each of the parameters of a binding. params is their kind,
// or nil.
func (d *decision) binding(ctx context.Context, p *boundPolicy, b *hooks.Binding, params *catalog.Kind, version string) *field.Status {
	var in *inputs
	ask := func(param map[string]any) (refused *field.Status) {
		if in == nil {
			var failed *field.Status
			if in, failed, refused = d.input(ctx, version); refused != nil {
				return refused
			}
			if failed != nil {
				d.misconfigured(p, b, "failed to convert object version: "+failed.Message)
				return errStop
			}
		}
		match, rest := in.match, in.rest
		match.Params, rest.Params = valueOf(param), valueOf(param)
		denials := p.Decide(ctx, &match, &rest)
		if ctx.Err() != nil {
			return failed(ctx.Err())
		}
		for i := range denials {
			d.add(p, b, &denials[i])
		}
		return nil
	}
	if params == nil || b.Param == nil {
		return continued(ask(nil))
	}
	found := false
	wrong, refused := d.params(ctx, b.Param, params, func(param map[string]any) *field.Status {
		found = true
		return ask(param)
	})
	if refused = continued(refused); refused != nil {
		return refused
	}
	if wrong == "" && !found && b.Param.Required {
		wrong = "no params found for policy binding with `Deny` parameterNotFoundAction"
	}
	if wrong != "" {
		d.misconfigured(p, b, wrong)
	}
	return nil
}

// errStop ends the walk over parameters. It is not sent.
var errStop = new(field.Status)

func continued(refused *field.Status) *field.Status {
	if refused == errStop {
		return nil
	}
	return refused
}

// params calls each with the parameters of a binding, until it is refused. wrong says why the binding cannot be used.
// The memory for the last parameters stays reserved until the request ends or calls webhooks.
func (d *decision) params(
	ctx context.Context, ref *hooks.ParamRef, kind *catalog.Kind, each func(map[string]any) *field.Status,
) (wrong string, refused *field.Status) {
	q := d.q.s.ownRequest(ctx)
	if q.kind = kind; !d.q.definition() { // a write of a definition must not wait for memory
		q.slot = d.q.slot
	}
	switch q.namespace = ref.Namespace; {
	case !kind.Namespaced && ref.Namespace != "":
		return "paramRef.namespace must not be provided for a cluster-scoped `paramKind`", nil
	case kind.Namespaced && ref.Namespace == "":
		if q.namespace = d.namespace(); q.namespace == "" {
			return "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources", nil
		}
	}
	if ref.Name == "" {
		return d.selected(q, ref, each)
	}
	item, refused := q.item(ref.Name)
	switch {
	case equal(refused, kind.Resource().NotFound(ref.Name)):
		return "", nil
	case refused != nil:
		return refused.Message, nil
	}
	if refused := d.reserve(q, len(item.Value)); refused != nil {
		return "", refused
	}
	param, refused := q.shown(item.Value, item.Revision)
	if refused != nil {
		return refused.Message, nil
	}
	return "", each(param)
}

// reserve waits for the memory for parameters of that size, instead of the memory for earlier ones. The request has none
// while it waits.
func (d *decision) reserve(q *request, size int) *field.Status {
	refused := q.reserveInstead(d.working + size)
	if q.slot != nil {
		q.slot.working = d.working // a later decision has other parameters
	}
	return refused
}

// selected calls each with the objects of q's kind and namespace that are selected.
func (d *decision) selected(
	q *request, ref *hooks.ParamRef, each func(map[string]any) *field.Status,
) (wrong string, refused *field.Status) {
	if _, err := ref.Selects(nil); err != nil {
		return err.Error(), nil
	}
	r := storage.Range{Prefix: q.kind.Prefix(q.namespace), Limit: chunk, Bytes: chunkBytes}
	for {
		page, err := q.s.store.List(q.r.Context(), r)
		if err != nil {
			return "", failed(err)
		}
		size := 0
		for _, item := range page.Items {
			size += len(item.Value)
			r.After = item.Key
		}
		if refused := d.reserve(q, size); refused != nil { // the previous page may have been smaller
			return "", refused
		}
		r.Revision = page.Revision
		for _, item := range page.Items {
			obj, refused := q.shown(item.Value, item.Revision)
			if refused != nil {
				return refused.Message, nil
			}
			if ok, _ := ref.Selects(obj); !ok {
				continue
			}
			if refused := each(obj); refused != nil {
				return "", refused
			}
		}
		if page.Remaining == 0 {
			return "", nil
		}
	}
}

// input returns the values of variables, with the objects in a version. failed says why they cannot be converted.
func (d *decision) input(ctx context.Context, name string) (in *inputs, failed, refused *field.Status) {
	if in = d.inputs[name]; in != nil {
		return in, nil, nil
	}
	q := d.q
	version := q.catalog.Kind(q.kind.Group, name, q.kind.Names.Plural)
	if version == nil {
		return nil, q.kind.Resource().NotFound(name), nil
	}
	obj, failed := d.in(ctx, version, d.version, d.obj)
	if failed != nil {
		return nil, failed, nil
	}
	old, failed := d.in(ctx, version, q.kind, d.old)
	if failed != nil {
		return nil, failed, nil
	}
	namespace, refused := d.namespaceObject()
	if refused != nil {
		return nil, nil, refused
	}
	request := d.admission.request("", version)
	in = &inputs{rest: condition.Input{Object: valueOf(obj), OldObject: valueOf(old), Request: condition.Of(request), Namespace: namespace}}
	in.rest.Authorizer, in.rest.Resource = d.authorizer()
	in.match = in.rest
	before := maps.Clone(request) // match conditions see the resource of the request
	before["resource"] = request["requestResource"]
	in.match.Request, in.match.Namespace = condition.Of(before), nil
	d.inputs[name] = in
	return in, nil, nil
}

// namespaceObject returns the namespace of the object, without what expressions do not see; nil if it has none.
func (d *decision) namespaceObject() (*condition.Value, *field.Status) {
	if d.namespace() == "" || d.isNamespace() {
		return nil, nil
	}
	namespace, refused := d.getNamespace()
	if refused != nil {
		return nil, refused
	}
	meta := map[string]any{}
	for _, key := range []string{
		"name", "generateName", "namespace", "uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp",
		"deletionGracePeriodSeconds", "labels", "annotations", "finalizers",
	} {
		if v, ok := metadata(namespace)[key]; ok {
			meta[key] = v
		}
	}
	out := map[string]any{"metadata": meta, "spec": map[string]any{}, "status": map[string]any{}}
	for _, key := range []string{"spec", "status"} {
		if v, ok := namespace[key].(map[string]any); ok {
			out[key] = v
		}
	}
	return condition.Of(out), nil
}

// misconfigured denies the request because of a policy or, if b is not nil, a binding that cannot be used, unless the
// policy ignores errors.
func (d *decision) misconfigured(p *boundPolicy, b *hooks.Binding, why string) {
	what := "policy"
	if b != nil {
		what = "binding"
	}
	if !p.Ignore {
		d.add(p, b, &condition.Denial{Message: "failed to configure " + what + ": " + why, Certain: true})
	}
}

// add adds a denial of a policy, with the effect that the binding gives it. b is nil if there is none.
func (d *decision) add(p *boundPolicy, b *hooks.Binding, of *condition.Denial) {
	if b != nil && b.Warn && !of.Certain && d.warnings < maxPolicyWarnings {
		text := fmt.Sprintf("Validation failed for ValidatingAdmissionPolicy '%s' with binding '%s': %s", p.Name, b.Name, of.Message)
		d.warnings += len(text)
		d.q.warnings = append(d.q.warnings, text)
	}
	if d.denied != nil || !of.Certain && !b.Deny {
		return
	}
	by := fmt.Sprintf("ValidatingAdmissionPolicy '%s'", p.Name)
	if b != nil {
		by += fmt.Sprintf(" with binding '%s'", b.Name)
	}
	message := by + " denied request: " + refusal.Cut(of.Message)
	d.denied = d.q.kind.Resource().Forbidden(d.name(), message)
	d.denied.Causes = []field.StatusCause{{Message: message}}
	d.denied.Code, d.denied.Reason = http.StatusUnprocessableEntity, "Invalid"
	switch of.Reason {
	case "Forbidden":
		d.denied.Code, d.denied.Reason = http.StatusForbidden, of.Reason
	case "Unauthorized":
		d.denied.Code, d.denied.Reason = http.StatusUnauthorized, of.Reason
	case "RequestEntityTooLarge":
		d.denied.Code, d.denied.Reason = http.StatusRequestEntityTooLarge, of.Reason
	}
}

// mayUseParams returns the error of a policy or a binding whose user may not read the parameters. For a create, stored
// is nil.
func (q *request) mayUseParams(obj, stored map[string]any, plural string) field.List {
	spec := mapAt(obj, "spec")
	if slices.Contains(q.user.Groups, rbac.Superusers) {
		return nil
	}
	user := fmt.Sprintf("&{%s %s %v %v}", q.user.Name, q.user.UID, q.user.Groups, q.user.Extra) // as a server prints it
	info := RequestInfo{Verb: "get", Name: "*", Namespace: "*"}
	switch plural {
	case hooks.Policies:
		param := mapAt(spec, "paramKind")
		if param == nil || maps.Equal(param, mapAt(stored, "spec", "paramKind")) {
			return nil
		}
		kind := &hooks.ParamKind{APIVersion: text(param, "apiVersion"), Kind: text(param, "kind")}
		q.resolve(&info, kind)
		if allowed, _ := q.s.permits(q.r.Context(), q.user, info); allowed {
			return nil
		}
		return field.List{field.Forbidden(field.NewPath("spec", "paramKind"), fmt.Sprintf(
			`user %s must have "get" permission on all objects of the referenced paramKind (kind=%s, apiVersion=%s)`, user, kind.Kind, kind.APIVersion))}
	case hooks.PolicyBindings:
		ref := mapAt(spec, "paramRef")
		if ref == nil {
			return nil
		}
		if info.Name, info.Namespace = text(ref, "name"), text(ref, "namespace"); info.Name == "" {
			info.Verb = "list"
		}
		name := text(spec, "policyName")
		kind, known := q.s.hooks.paramKind(name)
		resolved := q.resolve(&info, kind)
		if allowed, _ := q.s.permits(q.r.Context(), q.user, info); allowed {
			return nil
		}
		why := fmt.Sprintf(`user %s does not have "%s" permission on the object referenced by paramRef`, user, info.Verb)
		switch all := fmt.Sprintf(`to determine minimum required permissions and user %s does not have "%s" permission for all groups, versions and resources`, user, info.Verb); {
		case !known:
			why = "unable to get policy " + name + " " + all
		case !resolved:
			why = fmt.Sprintf("unable to resolve paramKind &ParamKind{APIVersion:%s,Kind:%s,} %s", kind.APIVersion, kind.Kind, all)
		}
		return field.List{field.Forbidden(field.NewPath("spec", "paramRef"), why)}
	}
	return nil
}

// resolve sets the resource of a kind of parameters, as far as it is known. It returns false if there is no such kind.
func (q *request) resolve(info *RequestInfo, of *hooks.ParamKind) bool {
	info.Group, info.Version, info.Resource = "*", "*", "*"
	if of == nil {
		return true
	}
	info.Group, info.Version = of.GroupVersion()
	kind := q.catalog.KindOf(info.Group, info.Version, of.Kind)
	if kind != nil {
		info.Resource = kind.Names.Plural
	}
	return kind != nil
}

// paramKind returns the kind of the parameters of a policy, which may be nil, and whether the policy exists.
func (s *storedHooks) paramKind(policy string) (*hooks.ParamKind, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.policies.policies[hooksPrefix+hooks.Policies+"/"+policy]
	if p == nil {
		return nil, false
	}
	return p.Param, true
}
