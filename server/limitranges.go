package server

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/lib/quantity"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/server/internal/catalog"
	"github.com/crdkit/crdkit/server/internal/hooks"
)

// This file has what LimitRanges do: they set the resources of the containers of new Pods, and limit those of Pods and
// of PersistentVolumeClaims.

const (
	claimType  = "core.v1.PersistentVolumeClaim"
	claimLimit = "PersistentVolumeClaim" // the type of limits

	// limitAnnotation says which resources a LimitRange has set.
	limitAnnotation = "kubernetes.io/limit-ranger"
)

// A server has no limits for the defaults that are set in a Pod, and the comparisons that are made for it.
const (
	maxDefaults    = 100_000
	maxComparisons = 1_000_000
	maxLimitText   = 256 << 10 // bytes of errors; the rest is left out
)

// limitRanges returns the items of the LimitRanges in the namespace of the request, by their names.
func (q *request) limitRanges(ctx context.Context) (ranges [][]any, refused *field.Status) {
	refused = q.each(ctx, q.catalog.Kind("", "v1", "limitranges"), q.namespace, func(obj map[string]any) {
		ranges = append(ranges, listAt(mapAt(obj, "spec"), "limits"))
	})
	return ranges, refused
}

// setLimits gives the containers of a new Pod, or of one that is resized, the default requests and limits. Of two
// LimitRanges, the first one that has a default sets it.
func setLimits(ctx context.Context, q *request, obj, old map[string]any) (map[string]any, *field.Status) {
	if old != nil && q.sub != "resize" || metadata(old)["deletionTimestamp"] != nil || mapAt(obj, "spec") == nil {
		return obj, nil
	}
	ranges, refused := q.limitRanges(ctx)
	if refused != nil || len(ranges) == 0 {
		return obj, refused
	}
	lists := map[string][]any{}
	var containers []*defaulted
	for _, list := range [][2]string{{"containers", "container"}, {"initContainers", "init container"}} {
		before := listAt(mapAt(obj, "spec"), list[0])
		if before == nil {
			continue
		}
		lists[list[0]] = slices.Clone(before)
		for i, v := range before {
			if container, ok := v.(map[string]any); ok {
				containers = append(containers, &defaulted{container: container, in: &lists[list[0]][i], what: list[1]})
			}
		}
	}
	left, annotation := maxDefaults, ""
	for _, items := range ranges {
		defaults := map[string]map[string]any{"requests": {}, "limits": {}}
		for _, item := range items {
			if limit, _ := item.(map[string]any); limit["type"] == "Container" {
				maps.Copy(defaults["requests"], mapAt(limit, "defaultRequest"))
				maps.Copy(defaults["limits"], mapAt(limit, "default"))
			}
		}
		if left -= len(containers) * (work(defaults["requests"]) + work(defaults["limits"])); left < 0 {
			return nil, refusal.TooLarge("the LimitRanges have too many defaults for the containers of the Pod")
		}
		requests, limits := slices.Sorted(maps.Keys(defaults["requests"])), slices.Sorted(maps.Keys(defaults["limits"]))
		var set []string
		for _, c := range containers {
			set = append(set, c.set("requests", "request", requests, defaults["requests"])...)
			set = append(set, c.set("limits", "limit", limits, defaults["limits"])...)
		}
		if len(set) > 0 {
			annotation = "LimitRanger plugin set: " + strings.Join(set, "; ")
		}
	}
	if annotation == "" {
		return obj, nil
	}
	obj = withIn(obj, func(spec map[string]any) {
		for name, list := range lists {
			spec[name] = list
		}
	}, "spec")
	if isOrMissing[map[string]any](metadata(obj)["annotations"]) {
		obj = withMember(obj, []string{"metadata", "annotations", limitAnnotation}, annotation)
	}
	return obj, nil
}

// work returns the work for the resources of one container: their number, and more if they have long names.
func work(m map[string]any) (n int) {
	for name := range m {
		n += 1 + len(name)/64
	}
	return n
}

// A defaulted container gets default resources, in a copy that is made once.
type defaulted struct {
	container map[string]any
	in        *any // where the copy is
	what      string
	copied    map[string]map[string]any // the copies of its requests and limits
}

// set sets the defaults with those names that the container does not have, and returns a text about them, or none.
func (d *defaulted) set(sort, one string, names []string, defaults map[string]any) []string {
	has := d.copied[sort]
	if has == nil {
		has = mapAt(d.container, "resources", sort)
	}
	var added []string
	for _, name := range names {
		if has[name] != nil {
			continue
		}
		if d.copied[sort] == nil {
			has = d.copy(sort)
		}
		has[name] = defaults[name]
		added = append(added, name)
	}
	if len(added) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s %s for %s %s", strings.Join(added, ", "), one, d.what, text(d.container, "name"))}
}

// copy copies the requests or the limits, and what they are in.
func (d *defaulted) copy(sort string) map[string]any {
	if d.copied == nil {
		d.copied = map[string]map[string]any{}
	}
	own := maps.Clone(mapAt(d.container, "resources", sort))
	if own == nil {
		own = map[string]any{}
	}
	d.copied[sort] = own
	d.container = withMember(d.container, []string{"resources", sort}, own)
	*d.in = d.container
	return own
}

// withinLimits refuses a Pod or a claim that exceeds a limit of the namespace.
func (q *request) withinLimits(operation string, obj, stored map[string]any) *field.Status {
	resized := q.kind.Type == podType && q.sub == "resize"
	switch {
	case operation == hooks.Delete, metadata(stored)["deletionTimestamp"] != nil:
		return nil
	case q.kind.Type == podType && q.sub == "" && operation == hooks.Create, resized, q.kind.Type == claimType && q.sub == "":
	default:
		return nil
	}
	ranges, refused := q.limitRanges(q.r.Context())
	if refused != nil {
		return refused
	}
	if len(ranges) == 0 {
		return nil
	}
	used, left := usages(obj, q.kind.Type == claimType), maxComparisons
	for _, items := range ranges {
		var c limitCheck
		for _, v := range items {
			item, _ := v.(map[string]any)
			left -= (1 + len(used["Container"])) * (work(mapAt(item, "min")) + work(mapAt(item, "max")) + work(mapAt(item, "maxLimitRequestRatio")))
			if left < 0 {
				return refusal.TooLarge("the LimitRanges have too many limits for the containers of the Pod")
			}
			c.item(item, used[text(item, "type")])
		}
		switch len(c.errs) {
		case 0:
		case 1:
			return q.forbid(obj, "%s", c.errs[0])
		default:
			return q.forbid(obj, "[%s]", strings.Join(c.errs, ", "))
		}
	}
	return nil
}

// A limitCheck collects the errors of an object, each once.
type limitCheck struct {
	errs  []string
	seen  map[string]bool
	bytes int
}

func (c *limitCheck) add(format string, arguments ...any) {
	if c.bytes > maxLimitText {
		return
	}
	why := fmt.Sprintf(format, arguments...)
	// An error that is there already counts, too: this also bounds the work.
	if c.bytes += len(why); c.seen[why] || c.bytes > maxLimitText && len(c.errs) > 0 {
		return
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[why] = true
	c.errs = append(c.errs, why)
}

// A usage is what is limited: of what, and its resources.
type usage struct {
	of               string
	requests, limits resources
}

type resources map[string]catalog.Quantity

// usages returns what an object uses, by the type of limits.
func usages(obj map[string]any, claim bool) map[string][]usage {
	spec := mapAt(obj, "spec")
	own := func(of string, m map[string]any) usage {
		return usage{of, quantities(mapAt(m, "resources", "requests")), quantities(mapAt(m, "resources", "limits"))}
	}
	if claim { // only requests count
		return map[string][]usage{claimLimit: {{claimLimit, quantities(mapAt(spec, "resources", "requests")), nil}}}
	}
	var p podUsage
	var all []usage
	for _, list := range []string{"containers", "initContainers"} {
		for _, v := range listAt(spec, list) {
			container, _ := v.(map[string]any)
			u := own("Container", container)
			p.add(u, list == "initContainers", container["restartPolicy"] == "Always")
			all = append(all, u)
		}
	}
	return map[string][]usage{"Container": all, "Pod": {p.total(own("Pod", spec))}}
}

// quantities converts the quantities of a list of resources. What is not valid counts as 0.
func quantities(m map[string]any) resources {
	out := make(resources, len(m))
	for name := range m {
		if s := text(m, name); s != "" {
			out[name], _ = catalog.ParseQuantity(s)
		}
	}
	return out
}

// A limit is one of an item of a LimitRange.
type limit struct {
	name string
	catalog.Quantity
}

// item checks what is used against an item of a LimitRange.
func (c *limitCheck) item(item map[string]any, used []usage) {
	if len(used) == 0 {
		return
	}
	var limits [3][]limit
	for i, sort := range []string{"min", "max", "maxLimitRequestRatio"} {
		all := quantities(mapAt(item, sort))
		for _, name := range slices.Sorted(maps.Keys(all)) {
			limits[i] = append(limits[i], limit{name, all[name]})
		}
	}
	for _, u := range used {
		for _, l := range limits[0] {
			c.least(l, u)
		}
		for _, l := range limits[1] {
			c.most(l, u)
		}
		if u.of == claimLimit {
			continue
		}
		for _, l := range limits[2] {
			c.ratio(l, u)
		}
	}
}

func (c *limitCheck) least(l limit, used usage) {
	request, requested := used.requests[l.name]
	limited, has := used.limits[l.name]
	switch {
	case !requested:
		c.add("minimum %s usage per %s is %s.  No request is specified", l.name, used.of, l)
	case request.Compare(l.Quantity) < 0:
		c.add("minimum %s usage per %s is %s, but request is %s", l.name, used.of, l, request)
	case has && limited.Compare(l.Quantity) < 0:
		c.add("minimum %s usage per %s is %s, but limit is %s", l.name, used.of, l, limited)
	}
}

func (c *limitCheck) most(l limit, used usage) {
	request, requested := used.requests[l.name]
	limited, has := used.limits[l.name]
	switch {
	case used.of == claimLimit && !requested:
		c.add("maximum %s usage per %s is %s.  No request is specified", l.name, used.of, l)
	case used.of != claimLimit && !has:
		c.add("maximum %s usage per %s is %s.  No limit is specified", l.name, used.of, l)
	case has && l.exceededBy(limited):
		c.add("maximum %s usage per %s is %s, but limit is %s", l.name, used.of, l, limited)
	case requested && l.exceededBy(request):
		c.add("maximum %s usage per %s is %s, but request is %s", l.name, used.of, l, request)
	}
}

// exceededBy reports whether a quantity is larger, or may be.
func (l limit) exceededBy(q catalog.Quantity) bool { return q.Huge() || q.Compare(l.Quantity) > 0 }

func (c *limitCheck) ratio(l limit, used usage) {
	request, limited := used.requests[l.name].Thousandths(), used.limits[l.name].Thousandths()
	switch ratio := limited / request; {
	case request == 0:
		c.add("%s max limit to request ratio per %s is %s, but no request is specified or request is 0", l.name, used.of, l)
	case limited == 0:
		c.add("%s max limit to request ratio per %s is %s, but no limit is specified or limit is 0", l.name, used.of, l)
	case ratio*1000 > l.Thousandths():
		c.add("%s max limit to request ratio per %s is %s, but provided ratio is %f", l.name, used.of, l, ratio)
	}
}

// compareQuantities compares two quantities. What is not valid counts as 0.
func compareQuantities(a, b string) int {
	p, _ := quantity.Parse(a)
	q, _ := quantity.Parse(b)
	return p.Compare(q)
}

// A podUsage is what a Pod uses: its containers together, or an init container with those that keep running if that is
// more.
type podUsage struct{ requests, limits podResources }

// add adds a container. Init containers come last, in order.
func (p *podUsage) add(u usage, initial, restarts bool) {
	p.requests.add(u.requests, initial, restarts)
	p.limits.add(u.limits, initial, restarts)
}

// total returns what the Pod uses. Its own resources take precedence.
func (p *podUsage) total(own usage) usage {
	return usage{own.of, p.requests.total(own.requests), p.limits.total(own.limits)}
}

type podResources struct{ all, restarted, initial resources }

func (p *podResources) add(own resources, initial, restarts bool) {
	if p.all == nil {
		*p = podResources{resources{}, resources{}, resources{}}
	}
	for name, q := range own {
		if !initial || restarts {
			p.all.add(name, q)
		}
		switch {
		case initial && restarts:
			p.restarted.add(name, q)
			p.initial.raise(name, p.restarted[name])
		case initial:
			// Of other names, initial has what is restarted already.
			p.initial.raise(name, q.Add(p.restarted[name]))
		}
	}
}

func (p *podResources) total(own resources) resources {
	out := p.all
	if out == nil {
		out = resources{}
	}
	for name, q := range p.initial {
		out.raise(name, q)
	}
	for _, name := range []string{"cpu", "memory"} {
		if q, has := own[name]; has {
			out[name] = q
		}
	}
	return out
}

// add adds to a quantity.
func (r resources) add(name string, q catalog.Quantity) {
	if was, has := r[name]; has {
		q = was.Add(q)
	}
	r[name] = q
}

// raise sets a quantity that is missing or less.
func (r resources) raise(name string, q catalog.Quantity) {
	if was, has := r[name]; !has || q.Compare(was) > 0 {
		r[name] = q
	}
}

// checkLimitRange checks the limits of each type, which is there once.
func checkLimitRange(c *checks, obj, _ map[string]any) {
	types := map[string]bool{}
	for i, v := range listAt(mapAt(obj, "spec"), "limits") {
		item, _ := v.(map[string]any)
		at, typ := specPath.Child("limits").Index(i), text(item, "type")
		if types[typ] {
			c.add(field.Duplicate(at.Child("type"), typ))
		}
		types[typ] = true
		if typ == "Pod" {
			for _, name := range []string{"default", "defaultRequest"} {
				if len(mapAt(item, name)) > 0 {
					c.add(field.Forbidden(at.Child(name), "may not be specified when `type` is 'Pod'"))
				}
			}
		}
		if typ == claimLimit && mapAt(item, "min")["storage"] == nil && mapAt(item, "max")["storage"] == nil {
			c.add(field.Required(at.Child("limits"), "either minimum or maximum storage value is required, but neither was provided"))
		}
		c.limits(at, item, typ == "Pod")
	}
}

// limits compares the quantities of one item with each other.
func (c *checks) limits(at *field.Path, item map[string]any, ofPod bool) {
	names := map[string]bool{}
	for _, sort := range []string{"min", "max", "default", "defaultRequest", "maxLimitRequestRatio"} {
		for name := range mapAt(item, sort) {
			names[name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		of := func(sort string) string { return text(mapAt(item, sort), name) }
		for _, rule := range []struct{ low, lowName, high, highName, at, bad string }{
			{"min", "min value", "max", "max value", "min", "min"},
			{"min", "min value", "defaultRequest", "default request value", "defaultRequest", "defaultRequest"},
			{"defaultRequest", "default request value", "max", "max value", "defaultRequest", "defaultRequest"},
			{"defaultRequest", "default request value", "default", "default limit value", "defaultRequest", "defaultRequest"},
			{"min", "min value", "default", "default value", "default", "min"},
			{"default", "default value", "max", "max value", "default", "max"},
		} {
			isDefault := strings.HasPrefix(rule.low, "default") || strings.HasPrefix(rule.high, "default")
			low, high := of(rule.low), of(rule.high)
			if low == "" || high == "" || ofPod && isDefault || compareQuantities(low, high) <= 0 {
				continue
			}
			c.add(field.Invalid(at.Child(rule.at).Key(name), of(rule.bad), fmt.Sprintf("%s %s is greater than %s %s", rule.lowName, low, rule.highName, high)))
		}
		if ratio := of("maxLimitRequestRatio"); ratio != "" && compareQuantities(ratio, "1") < 0 {
			c.add(field.Invalid(at.Child("maxLimitRequestRatio").Key(name), ratio, fmt.Sprintf("ratio %s is less than 1", ratio)))
		}
	}
}
