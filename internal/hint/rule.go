package hint

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/declare"
)

var (
	// optionalUse finds the functions of optional values.
	optionalUse = regexp.MustCompile(`\boldSelf\s*\.\s*(hasValue|value|orValue|or|optMap|optFlatMap)\s*\(`)
	metadataUse = regexp.MustCompile(`\bself\.metadata\.([A-Za-z]+)`)
	quantityUse = regexp.MustCompile(`\b(?:quantity|isQuantity)\(self(?:\.(\w+))?\)`)
)

// InvalidRule returns the hints for a rule that does not compile. definition is the document, and path that of the
// error in it.
func InvalidRule(definition map[string]any, path []field.Segment) (hints []string) {
	var rule, self map[string]any
	inList := false // below a list that has no keys
	var at any = definition
	for i, s := range path {
		switch x := at.(type) {
		case map[string]any:
			if s.Key == "items" && x["type"] == "array" && x["x-kubernetes-list-type"] != "map" {
				inList = true
			}
			if s.Key == "x-kubernetes-validations" && i+1 < len(path) {
				self = x
			}
			at = x[s.Key]
		case []any:
			if s.Index >= len(x) {
				return nil
			}
			at = x[s.Index]
			if self != nil {
				rule, _ = at.(map[string]any)
			}
		}
		if rule != nil {
			break
		}
	}
	text, _ := rule["rule"].(string)
	if optionalUse.MatchString(text) && rule["optionalOldSelf"] != true {
		hints = append(hints, "oldSelf is an optional value only in a rule with optionalOldSelf: true")
	}
	if inList && strings.Contains(text, "oldSelf") {
		hints = append(hints, "the items of this list have no old value: with x-kubernetes-list-type: map they have one, by their keys")
	}
	props, _ := self["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(props)) {
		escaped, ok := declare.Escape(name)
		if _, rest, used := strings.Cut(text, "self."+name); ok && escaped != name && used && !startsWithWord(rest) {
			hints = append(hints, fmt.Sprintf("the property %s is self.%s in a rule", name, escaped))
		}
	}
	if m := metadataUse.FindStringSubmatch(text); m != nil && m[1] != "name" && m[1] != "generateName" {
		hints = append(hints, "rules see only name and generateName of an object's metadata")
	}
	if m := quantityUse.FindStringSubmatch(text); m != nil {
		of := self
		if m[1] != "" {
			of, _ = props[m[1]].(map[string]any)
		}
		if of["x-kubernetes-int-or-string"] == true || of["type"] == "integer" {
			hints = append(hints, "quantity takes a string: test type("+m[0][strings.IndexByte(m[0], '(')+1:len(m[0])-1]+") == string first, or convert with string()")
		}
	}
	return hints
}

// startsWithWord reports whether a text continues a name.
func startsWithWord(s string) bool {
	return s != "" && (s[0] == '_' || s[0] >= '0' && s[0] <= '9' || s[0] >= 'A' && s[0] <= 'Z' || s[0] >= 'a' && s[0] <= 'z')
}
