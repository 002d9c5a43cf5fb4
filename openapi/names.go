package openapi

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/crdkit/crdkit/crd"
)

// names are the names of a resource in one version.
type names struct {
	group, version string
	*crd.Names
	definition, listDefinition string // names of definitions
}

func namesOf(d *crd.CustomResourceDefinition, version string) names {
	group, n := d.Spec.Group, &d.Spec.Names
	return names{group, version, n, definitionName(group, version, n.Kind), definitionName(group, version, n.ListKind)}
}

// definitionName returns the name of a kind's definition: PV3-020.
func definitionName(group, version, kind string) string {
	labels := strings.Split(group, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".") + "." + version + "." + kind
}

// identifier returns the characters of s that may occur in operation ids and tags: PV3-014, PV3-015. None of them needs
// an escape in JSON. With upper, it capitalizes the first letter.
func identifier(s string, upper bool) string {
	b := make([]byte, 0, len(s))
	for i, r := range s {
		switch {
		case !unicode.IsLetter(r) && r != '_' && (i == 0 || !unicode.IsDigit(r)):
			upper = true
		case upper:
			b = utf8.AppendRune(b, unicode.ToUpper(r))
			upper = false
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return string(b)
}

// article returns the indefinite article for a kind, followed by a space. The rule of PV3-012 depends on letters, not
// on sounds.
func article(kind string) string {
	switch {
	case strings.HasSuffix(kind, "s") && !strings.HasSuffix(kind, "ss"):
		return ""
	case kind != "" && strings.IndexByte("aeiouAEIOU", kind[0]) >= 0:
		return "an "
	}
	return "a "
}

// pointerEscape escapes a JSON pointer, which a reference is.
var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// ref returns a reference to a definition, as an object. A reference is a URI: characters that URIs do not allow are
// escaped.
func (f format) ref(name string) string {
	uri := url.URL{Fragment: f.pointer() + pointerEscape.Replace(name)}
	return string(append(f.appendString([]byte(`{"$ref":`), uri.String()), '}'))
}
