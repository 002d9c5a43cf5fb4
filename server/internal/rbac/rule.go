package rbac

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Rule allows verbs: on resources, or on URLs that are not for resources.
type Rule struct {
	Verbs           []string `json:"verbs"`
	APIGroups       []string `json:"apiGroups"`
	Resources       []string `json:"resources"` // with a subresource, "pods/log"
	ResourceNames   []string `json:"resourceNames"`
	NonResourceURLs []string `json:"nonResourceURLs"`
}

// Size returns the length of the texts of the rule, and three bytes for each.
func (r *Rule) Size() int {
	n := 0
	for _, list := range [][]string{r.Verbs, r.APIGroups, r.Resources, r.ResourceNames, r.NonResourceURLs} {
		for _, s := range list {
			n += len(s) + 3
		}
	}
	return n
}

// A Request is what a user asks for. Resource is empty if it is for a URL that is not for resources.
type Request struct {
	Verb                                                string
	Group, Resource, Subresource, Namespace, Name, Path string
}

const all = "*"

// has reports whether a list has an element, or a star.
func has(list []string, s string) bool {
	return slices.Contains(list, s) || slices.Contains(list, all)
}

// allows reports whether the rule allows a request.
func (r *Rule) allows(q *Request) bool {
	if !has(r.Verbs, q.Verb) {
		return false
	}
	if q.Resource == "" {
		return slices.ContainsFunc(r.NonResourceURLs, func(pattern string) bool { return matchesURL(pattern, q.Path) })
	}
	resource := q.Resource
	if q.Subresource != "" {
		resource += "/" + q.Subresource
	}
	return has(r.APIGroups, q.Group) && hasResource(r.Resources, resource) &&
		(len(r.ResourceNames) == 0 || slices.Contains(r.ResourceNames, q.Name))
}

// hasResource reports whether a list has a resource, a star, or for a subresource "*/" and its name.
func hasResource(list []string, resource string) bool {
	if has(list, resource) {
		return true
	}
	_, sub, is := strings.Cut(resource, "/")
	return is && slices.Contains(list, "*/"+sub)
}

// matchesURL reports whether a path is the pattern, or begins with a pattern that ends with stars.
func matchesURL(pattern, path string) bool {
	return pattern == path || strings.HasSuffix(pattern, all) && strings.HasPrefix(path, strings.TrimRight(pattern, all))
}

// A permission is what a rule allows with one of each of its elements.
type permission struct {
	verb, group, resource, name string
	named                       bool   // only for the object with the name
	url                         string // instead of a group, a resource and a name
	isURL                       bool
}

// permissions returns what the rules allow.
func permissions(rules []Rule) (out []permission) {
	for i := range rules {
		r := &rules[i]
		for _, group := range r.APIGroups {
			for _, resource := range r.Resources {
				for _, verb := range r.Verbs {
					if len(r.ResourceNames) == 0 {
						out = append(out, permission{verb: verb, group: group, resource: resource})
					}
					for _, name := range r.ResourceNames {
						out = append(out, permission{verb: verb, group: group, resource: resource, name: name, named: true})
					}
				}
			}
		}
		for _, url := range r.NonResourceURLs {
			for _, verb := range r.Verbs {
				out = append(out, permission{verb: verb, url: url, isURL: true})
			}
		}
	}
	return out
}

// size returns how many permissions the rules have, or most if there are more.
func size(rules []Rule, most int) int {
	n := 0
	for i := range rules {
		r := &rules[i]
		product := 1
		for _, factor := range []int{len(r.APIGroups), len(r.Resources), len(r.Verbs), max(1, len(r.ResourceNames))} {
			if product = min(product*factor, most); product == 0 {
				break
			}
		}
		n += product + min(len(r.NonResourceURLs)*len(r.Verbs), most)
		if n >= most {
			return most
		}
	}
	return n
}

// includes reports whether the rule has a permission.
func (r *Rule) includes(p permission) bool {
	if !has(r.Verbs, p.verb) {
		return false
	}
	if p.isURL {
		// The rule must be for all objects, since the permission has no name.
		return len(r.ResourceNames) == 0 && slices.ContainsFunc(r.NonResourceURLs, func(pattern string) bool { return matchesURL(pattern, p.url) })
	}
	return has(r.APIGroups, p.group) && hasResource(r.Resources, p.resource) &&
		(len(r.ResourceNames) == 0 || p.named && slices.Contains(r.ResourceNames, p.name))
}

// These limit the work to compare rules, and the length of the texts. A server has no limits.
const (
	maxPermissions = 10_000
	maxComparisons = 20_000_000 // of texts
	maxText        = 1 << 20
)

// Missing returns what the rules wanted allow and the rules held do not, as a server prints it, sorted. Rules for which
// that would take too much time or memory are an error.
func Missing(held, wanted []Rule) ([]string, error) {
	elements := 0
	for i := range held {
		r := &held[i]
		elements += 1 + len(r.Verbs) + len(r.APIGroups) + len(r.Resources) + len(r.ResourceNames) + len(r.NonResourceURLs)
	}
	if n := size(wanted, maxPermissions); n == maxPermissions || n*elements > maxComparisons {
		return nil, errors.New("the rules have too many combinations of their elements to be compared with what the user may do")
	}
	var missing []permission
	length := 0
	for _, p := range permissions(wanted) {
		if !slices.ContainsFunc(held, func(r Rule) bool { return r.includes(p) }) {
			missing = append(missing, p)
			length += len(p.verb) + len(p.group) + len(p.resource) + len(p.name) + len(p.url)
		}
	}
	if length > maxText {
		return nil, errors.New("the rules have too much that the user may not do to list it")
	}
	return texts(missing), nil
}

// texts prints permissions. Those that differ by the verb only are together.
func texts(of []permission) []string {
	var order []permission
	verbs := map[permission][]string{}
	for _, p := range of {
		verb := p.verb
		if !p.isURL { // those of URLs stay apart
			p.verb = ""
		}
		if verbs[p] == nil {
			order = append(order, p)
		} else if p.isURL {
			continue // twice the same
		}
		verbs[p] = append(verbs[p], verb)
	}
	var out []string
	for _, p := range order {
		text := fmt.Sprintf("{APIGroups:%q, Resources:%q, ", []string{p.group}, []string{p.resource})
		if p.isURL {
			text = fmt.Sprintf("{NonResourceURLs:%q, ", []string{p.url})
		}
		if p.named {
			text += fmt.Sprintf("ResourceNames:%q, ", []string{p.name})
		}
		out = append(out, text+fmt.Sprintf("Verbs:%q}", verbs[p]))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
