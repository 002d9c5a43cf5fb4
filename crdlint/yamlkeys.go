package crdlint

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/unstructured"
)

var yamlKey = Lint{
	Name: "yaml-key", Severity: Warning, Title: "a name that YAML reads as a boolean or a number",
	Why: "kubectl and most tools read YAML 1.1, where y, yes, on, n, no, off and numbers are no strings: without " +
		"quotes such a key becomes another one, which a server drops, and such a value of an enum has the wrong " +
		"type.",
	check: checkYAMLKeys,
}

func checkYAMLKeys(l *linter) {
	for _, v := range l.versions {
		if v.repeat {
			continue
		}
		for _, p := range v.places {
			if p.inStatus() {
				continue // which no manifest has
			}
			if name := p.step.Name; name != "" {
				if read, ok := readKey(name); ok && read != name && l.more() {
					l.add(v.pathOf(p), nil, "use another name", "%s: YAML reads the key %s, without quotes, as %s", named(p.steps()), name, read)
				}
			}
			if p.Type != "string" || conditionStatus(p.Enum) {
				continue
			}
			var names []string
			for _, value := range p.Enum {
				if s, ok := value.(string); ok && notText(s) {
					names = append(names, s)
				}
			}
			if len(names) > 0 && l.more() {
				l.add(v.pathOf(p)+".enum", nil, "use words", "%s: YAML reads these values of the enum, without quotes, as another type: %s",
					named(p.steps()), strings.Join(names, ", "))
			}
		}
	}
}

// conditionStatus reports whether the values are those of the status of a condition, whose names are given.
func conditionStatus(values []any) bool {
	for _, v := range values {
		if v != "True" && v != "False" && v != "Unknown" {
			return false
		}
	}
	return true
}

// mayConvert reports whether YAML may read a plain text as something else than a string.
func mayConvert(s string) bool {
	if s == "" || len(s) > 40 || strings.ContainsAny(s, ": #,[]{}&*!|>'\"%@`\n\t") {
		return false
	}
	switch strings.ToLower(s) {
	case "y", "yes", "on", "n", "no", "off", "true", "false", "null", "~":
		return true
	}
	return strings.IndexByte("+-.0123456789", s[0]) >= 0
}

// readKey returns the key that YAML reads for a plain text.
func readKey(s string) (string, bool) {
	if !mayConvert(s) {
		return "", false
	}
	obj, err := unstructured.Decode(fmt.Appendf(nil, "%s: x\n", s))
	if err != nil || len(obj) != 1 {
		return "", false
	}
	for key := range obj {
		return key, true
	}
	return "", false
}

// notText reports whether YAML reads a plain text as something else than a string.
func notText(s string) bool {
	if !mayConvert(s) {
		return false
	}
	obj, err := unstructured.Decode(fmt.Appendf(nil, "x: %s\n", s))
	if err != nil {
		return false
	}
	_, isText := obj["x"].(string)
	return !isText
}
