package crdlint

import (
	"fmt"
	"slices"
	"strings"
)

var atomicList = Lint{
	Name: "atomic-list", Severity: Note, Title: "a list of named objects that has no list type",
	Why: "A list without a type is atomic: whoever applies one item on the server side replaces the list, and " +
		"removes the items of everybody else.",
	check: checkAtomicLists,
}

func checkAtomicLists(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		var lists []*place
		for _, p := range v.places {
			if p.Type == "array" && p.XListType == nil && hasNames(p) && !p.inStatus() && !belowAtomic(p) {
				lists = append(lists, p)
			}
		}
		if len(lists) > 0 && l.more() {
			l.add(v.pathOf(lists[0]), nil, "where names are unique, set x-kubernetes-list-type: map and "+
				"x-kubernetes-list-map-keys: [name]; where they are not, "+
				"x-kubernetes-list-type: atomic says so", "these lists of %s have items with a name, and no list type: %s", v.Name,
				listed(lists))
		}
	}
}

// belowAtomic reports whether p is in a value that is replaced as a whole, so that its own list type has no effect.
func belowAtomic(p *place) bool {
	for q := p.parent; q != nil; q = q.parent {
		if q.Type == "array" && (q.XListType == nil || *q.XListType != "map") || q.XMapType != nil && *q.XMapType == "atomic" {
			return true
		}
	}
	return false
}

// references are the texts in items that refer to something by its name, which need not be unique.
var references = []string{"kind", "namespace", "apiVersion", "apiGroup", "group", "key"}

// hasNames reports whether the items of a list have a name, and are no references.
func hasNames(p *place) bool {
	if p.Items == nil || p.Items.Schema == nil || !slices.Contains(p.Items.Schema.Required, "name") {
		return false
	}
	name := p.Items.Schema.Properties["name"]
	return name != nil && name.Type == "string" && !name.Nullable &&
		!slices.ContainsFunc(references, func(key string) bool {
			field := p.Items.Schema.Properties[key]
			return field != nil && field.Type == "string"
		})
}

// listed returns the paths of the first places, and how many others there are.
func listed(places []*place) string {
	var names []string
	for _, p := range places[:min(len(places), maxListed)] {
		names = append(names, named(p.steps()))
	}
	text := strings.Join(names, ", ")
	if more := len(places) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

var setOfObjects = Lint{
	Name: "set-of-objects", Severity: Note, Title: "a set whose items are objects or lists",
	Why: "A set compares whole items. Two that differ in any field are different items: an update of one field " +
		"is a second item for server-side apply, and rules cannot use the set.",
	check: checkSetsOfObjects,
}

func checkSetsOfObjects(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, p := range v.places {
			if p.XListType == nil || *p.XListType != "set" || p.Items == nil || p.Items.Schema == nil {
				continue
			}
			if typ := p.Items.Schema.Type; (typ == "object" || typ == "array") && l.more() {
				fix := "use x-kubernetes-list-type: atomic"
				if typ == "object" {
					fix = "use x-kubernetes-list-type: map with the fields that identify an item, or atomic"
				}
				l.add(v.pathOf(p)+".x-kubernetes-list-type", nil, fix, "%s is a set whose items are of type %s", named(p.steps()),
					typ)
			}
		}
	}
}

var unboundedRules = Lint{
	Name: "unbounded-rules", Severity: Note, Title: "rules for the items of a list or map without a maximum",
	Why: "Without maxItems or maxProperties, a server estimates the cost of a rule for as many items as fit into " +
		"a request. A slightly more expensive rule, or one more list around it, is refused then; and maxItems " +
		"that is added later refuses objects.",
	check: checkUnboundedRules,
}

func checkUnboundedRules(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		seen, looped := map[*place]bool{}, map[*place]bool{}
		for _, p := range v.places {
			if len(p.XValidations) == 0 {
				continue
			}
			for q := p; q.parent != nil && !seen[q]; q = q.parent {
				looped[q] = looped[q] || q != p
				seen[q] = q != p
			}
		}
		for _, r := range v.ruleTrees() {
			for _, path := range loopsIn(r.expr) {
				if q := v.below(r.p, path); q != nil {
					looped[q] = true
				}
			}
		}
		var found []*place
		for _, p := range v.places {
			if looped[p] && unbounded(p) {
				found = append(found, p)
			}
		}
		if len(found) > 0 && l.more() {
			l.add(v.pathOf(found[0]), nil, "set maxItems on lists and maxProperties on maps: what is allowed can be raised "+
				"later, but not lowered",
				"these have no maximum, and rules of %s read their items, or are evaluated for each: %s", v.Name, listed(found))
		}
	}
}

// unbounded reports whether p is a list or a map that may have any number of items.
func unbounded(p *place) bool {
	switch p.Type {
	case "array":
		return p.MaxItems == nil
	case "object":
		return p.AdditionalProperties != nil && p.MaxProperties == nil
	}
	return false
}
