package objectmeta

import (
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/names"
)

// Names are the members of metadata that name an object. Each is empty if it is missing.
type Names struct{ Name, GenerateName, Namespace string }

func namesOf(meta map[string]any) Names {
	return Names{text(meta["name"]), text(meta["generateName"]), text(meta["namespace"])}
}

// ValidCreate is [ValidCreate] for metadata with these names whose other members are valid. It allocates nothing if they are valid and a
// name is among them.
func (n *Names) ValidCreate(namespaced bool) bool {
	// A subdomain is a path segment. The prefix of one may not be: /- is accepted.
	return n.valid(Subdomain, true, namespaced) && (n.GenerateName == "" || n.valid(PathSegment, true, namespaced))
}

// ValidUpdate is [ValidUpdate] for such metadata, and an old one that is the same.
func (n *Names) ValidUpdate(namespaced bool) bool { return n.valid(PathSegment, true, namespaced) }

func (n *Names) valid(rule NameRule, required, namespaced bool) bool {
	var c checker
	c.names(n, rule, required, namespaced)
	return c.errs.Len() == 0
}

// GeneratedName returns a name as a server generates it from a generateName before it validates an object: its first 58 bytes and five
// letters, which are always xxxxx here. It returns an empty string if meta has a name or no generateName.
//
// Clauses: STR-001.
func GeneratedName(meta map[string]any) string {
	if meta["generateName"] == nil {
		return ""
	}
	n := namesOf(meta)
	return n.generated()
}

func (n *Names) generated() string {
	if n.Name != "" || n.GenerateName == "" {
		return ""
	}
	// The five letters stand for random letters and digits, on which the rules do not depend. With them the name is a DNS label.
	const suffix = "xxxxx"
	return n.GenerateName[:min(len(n.GenerateName), names.MaxLabel-len(suffix))] + suffix
}

// A NameRule says what the name of an object may be.
type NameRule uint8

// The rules for names.
const (
	Subdomain   NameRule = iota // a DNS subdomain: for custom objects (MET-001)
	PathSegment                 // a path segment of a URL: in the server's generic check of any object, and for embedded resources (MET-002)
)

// nameRules has their messages about a name and a generateName.
var nameRules = [...]struct{ name, generateName func(string) []string }{
	Subdomain:   {names.DNS1123Subdomain, names.DNS1123SubdomainPrefix},
	PathSegment: {names.PathSegment, names.PathSegmentPrefix},
}

// names checks generateName, name and namespace. If required, there must be a name, or a generateName to make one.
func (c *checker) names(n *Names, which NameRule, required, namespaced bool) {
	rule := &nameRules[which]
	if n.GenerateName != "" {
		if messages := rule.generateName(n.GenerateName); messages != nil {
			c.malformed("generateName", n.GenerateName, messages)
			required = false // The generated name is not checked.
		}
	}
	name := n.Name
	if name == "" && required {
		name = n.generated()
	}
	switch {
	case name != "":
		c.malformed("name", name, rule.name(name))
	case required:
		c.errs.Add(field.Required(c.path.Child("name"), "name or generateName is required"))
	}
	switch namespace := n.Namespace; {
	case !namespaced && namespace != "":
		c.errs.Add(field.Forbidden(c.path.Child("namespace"), "not allowed on this type"))
	case namespaced && namespace == "":
		c.errs.Add(field.Required(c.path.Child("namespace"), ""))
	case namespaced:
		c.malformed("namespace", namespace, names.DNS1123Label(namespace))
	}
}
