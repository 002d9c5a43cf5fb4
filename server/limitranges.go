package server

import (
	"context"
	"fmt"
	"maps"
	"math"
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
	claimType = "core.v1.PersistentVolumeClaim"

	// limitAnnotation says which resources a LimitRange has set.
	limitAnnotation = "kubernetes.io/limit-ranger"
)

// A server has no limits for the defaults that are set in a Pod, and the comparisons that are made for it.
const (
	maxDefaults     = 100_000
	maxComparisons  = 1_000_000
	maxLimitReports = 1000 // the rest is left out
)

// limitRanges returns the items of the LimitRanges in the namespace of the request, by their names.
func (q *request) limitRanges(ctx context.Context) (ranges [][]any, refused *field.Status) {
	refused = q.each(ctx, q.catalog.Kind("", "v1", "limitranges"), q.namespace, func(obj map[string]any) {
		ranges = append(ranges, listAt(mapAt(obj, "spec"), "limits"))
	})
	return ranges, refused
}

// setLimits gives the containers of a new Pod the default requests and limits. Of two LimitRanges, the first one that
// has a default sets it.
func setLimits(ctx context.Context, q *request, obj, old map[string]any) (map[string]any, *field.Status) {
	if old != nil || mapAt(obj, "spec") == nil {
		return obj, nil
	}
	ranges, refused := q.limitRanges(ctx)
	if refused != nil {
		return nil, refused
	}
	for _, items := range ranges {
		defaults := map[string]map[string]any{"requests": {}, "limits": {}}
		for _, item := range items {
			if limit, _ := item.(map[string]any); limit["type"] == "Container" {
				maps.Copy(defaults["requests"], mapAt(limit, "defaultRequest"))
				maps.Copy(defaults["limits"], mapAt(limit, "default"))
			}
		}
		if count(obj, "containers", "initContainers")*(len(defaults["requests"])+len(defaults["limits"])) > maxDefaults {
			return nil, refusal.TooLarge("the LimitRanges have too many defaults for the containers of the Pod")
		}
		var set []string
		for _, list := range [][2]string{{"containers", "container"}, {"initContainers", "init container"}} {
			before := listAt(mapAt(obj, "spec"), list[0])
			after := slices.Clone(before)
			for i, v := range before {
				if container, ok := v.(map[string]any); ok {
					var texts []string
					after[i], texts = withDefaults(container, defaults, list[1])
					set = append(set, texts...)
				}
			}
			if before != nil {
				obj = withMember(obj, []string{"spec", list[0]}, after)
			}
		}
		if len(set) > 0 && isOrMissing[map[string]any](metadata(obj)["annotations"]) {
			obj = withMember(obj, []string{"metadata", "annotations", limitAnnotation}, "LimitRanger plugin set: "+strings.Join(set, "; "))
		}
	}
	return obj, nil
}

// count returns the number of items in lists of the spec.
func count(obj map[string]any, lists ...string) (n int) {
	for _, name := range lists {
		n += len(listAt(mapAt(obj, "spec"), name))
	}
	return n
}

// withDefaults returns a container with default resources, and texts about them. It does not modify the container.
func withDefaults(container map[string]any, defaults map[string]map[string]any, what string) (out map[string]any, texts []string) {
	for _, of := range [][2]string{{"requests", "request"}, {"limits", "limit"}} {
		var names []string
		has := mapAt(container, "resources", of[0])
		for _, name := range slices.Sorted(maps.Keys(defaults[of[0]])) {
			if has[name] == nil {
				container = withMember(container, []string{"resources", of[0], name}, defaults[of[0]][name])
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			texts = append(texts, fmt.Sprintf("%s %s for %s %s", strings.Join(names, ", "), of[1], what, text(container, "name")))
		}
	}
	return container, texts
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
	left := maxComparisons
	for _, items := range ranges {
		var c limitCheck
		for _, v := range items {
			item, _ := v.(map[string]any)
			left -= (1 + count(obj, "containers", "initContainers")) * (len(mapAt(item, "min")) + len(mapAt(item, "max")) + len(mapAt(item, "maxLimitRequestRatio")))
			if left < 0 {
				return refusal.TooLarge("the LimitRanges have too many limits for the containers of the Pod")
			}
			c.item(item, obj, q.kind.Type == claimType)
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
	errs []string
	seen map[string]bool
}

func (c *limitCheck) add(format string, arguments ...any) {
	why := fmt.Sprintf(format, arguments...)
	if c.seen[why] || len(c.errs) == maxLimitReports {
		return
	}
	if c.seen == nil {
		c.seen = map[string]bool{}
	}
	c.seen[why] = true
	c.errs = append(c.errs, why)
}

// item checks an object against an item of a LimitRange.
func (c *limitCheck) item(item, obj map[string]any, claim bool) {
	spec := mapAt(obj, "spec")
	switch typ := text(item, "type"); {
	case claim && typ == "PersistentVolumeClaim":
		used := usage{typ, mapAt(spec, "resources", "requests"), nil}
		c.each(item, "min", used, c.least)
		c.each(item, "max", used, c.mostRequest)
	case !claim && typ == "Container":
		for _, list := range []string{"containers", "initContainers"} {
			for _, v := range listAt(spec, list) {
				container, _ := v.(map[string]any)
				c.all(item, usage{typ, mapAt(container, "resources", "requests"), mapAt(container, "resources", "limits")})
			}
		}
	case !claim && typ == "Pod":
		c.all(item, usage{typ, podResources(spec, "requests"), podResources(spec, "limits")})
	}
}

// A usage is what is limited: of what, and its resources.
type usage struct {
	of               string
	requests, limits map[string]any
}

func (c *limitCheck) all(item map[string]any, used usage) {
	c.each(item, "min", used, c.least)
	c.each(item, "max", used, c.most)
	c.each(item, "maxLimitRequestRatio", used, c.ratio)
}

// each calls check with each limit of one sort, by the names of the resources.
func (c *limitCheck) each(item map[string]any, sort string, used usage, check func(name, limit string, used usage)) {
	limits := mapAt(item, sort)
	for _, name := range slices.Sorted(maps.Keys(limits)) {
		check(name, text(limits, name), used)
	}
}

func (c *limitCheck) least(name, limit string, used usage) {
	request, limited := text(used.requests, name), text(used.limits, name)
	switch {
	case request == "":
		c.add("minimum %s usage per %s is %s.  No request is specified", name, used.of, limit)
	case compareQuantities(request, limit) < 0:
		c.add("minimum %s usage per %s is %s, but request is %s", name, used.of, limit, request)
	case limited != "" && compareQuantities(limited, limit) < 0:
		c.add("minimum %s usage per %s is %s, but limit is %s", name, used.of, limit, limited)
	}
}

func (c *limitCheck) most(name, limit string, used usage) {
	request, limited := text(used.requests, name), text(used.limits, name)
	switch {
	case limited == "":
		c.add("maximum %s usage per %s is %s.  No limit is specified", name, used.of, limit)
	case compareQuantities(limited, limit) > 0:
		c.add("maximum %s usage per %s is %s, but limit is %s", name, used.of, limit, limited)
	case request != "" && compareQuantities(request, limit) > 0:
		c.add("maximum %s usage per %s is %s, but request is %s", name, used.of, limit, request)
	}
}

func (c *limitCheck) mostRequest(name, limit string, used usage) {
	switch request := text(used.requests, name); {
	case request == "":
		c.add("maximum %s usage per %s is %s.  No request is specified", name, used.of, limit)
	case compareQuantities(request, limit) > 0:
		c.add("maximum %s usage per %s is %s, but request is %s", name, used.of, limit, request)
	}
}

func (c *limitCheck) ratio(name, limit string, used usage) {
	request, limited := thousandths(text(used.requests, name)), thousandths(text(used.limits, name))
	switch ratio := limited / request; {
	case request == 0:
		c.add("%s max limit to request ratio per %s is %s, but no request is specified or request is 0", name, used.of, limit)
	case limited == 0:
		c.add("%s max limit to request ratio per %s is %s, but no limit is specified or limit is 0", name, used.of, limit)
	case ratio*1000 > thousandths(limit):
		c.add("%s max limit to request ratio per %s is %s, but provided ratio is %f", name, used.of, limit, ratio)
	}
}

// compareQuantities compares two quantities. What is not valid counts as 0.
func compareQuantities(a, b string) int {
	p, _ := quantity.Parse(a)
	q, _ := quantity.Parse(b)
	return p.Compare(q)
}

// thousandths returns a quantity times 1000, rounded up. What is not valid counts as 0.
func thousandths(s string) float64 {
	q, err := quantity.Parse(s)
	if err != nil {
		return 0
	}
	return math.Ceil(q.Float() * 1000)
}

// podResources returns the requests or the limits of a Pod: those of its containers together, or of an init container
// with those that keep running if that is more. The Pod's own take precedence.
func podResources(spec map[string]any, sort string) map[string]any {
	all, restarted, initial := map[string]any{}, map[string]any{}, map[string]any{}
	for _, v := range listAt(spec, "containers") {
		container, _ := v.(map[string]any)
		addQuantities(all, mapAt(container, "resources", sort))
	}
	for _, v := range listAt(spec, "initContainers") {
		container, _ := v.(map[string]any)
		own := mapAt(container, "resources", sort)
		needed := map[string]any{}
		if container["restartPolicy"] == "Always" {
			addQuantities(all, own)
			addQuantities(restarted, own)
		} else {
			addQuantities(needed, own)
		}
		addQuantities(needed, restarted)
		raiseQuantities(initial, needed)
	}
	raiseQuantities(all, initial)
	own := mapAt(spec, "resources", sort)
	for _, name := range []string{"cpu", "memory"} {
		if v, has := own[name]; has {
			all[name] = v
		}
	}
	return all
}

// addQuantities adds more to the quantities in sum.
func addQuantities(sum, more map[string]any) {
	for name := range more {
		if sum[name] == nil {
			sum[name] = more[name]
			continue
		}
		sum[name] = catalog.AddQuantities(text(sum, name), text(more, name))
	}
}

// raiseQuantities sets the quantities in most to those in other that are greater.
func raiseQuantities(most, other map[string]any) {
	for name := range other {
		if most[name] == nil || compareQuantities(text(other, name), text(most, name)) > 0 {
			most[name] = other[name]
		}
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
		if typ == "PersistentVolumeClaim" && mapAt(item, "min")["storage"] == nil && mapAt(item, "max")["storage"] == nil {
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
