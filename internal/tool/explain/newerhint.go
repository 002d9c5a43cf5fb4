package explain

import (
	"regexp"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
)

// The forms of rules that since.PresenceSize and since.NestedSizes make expensive.
var (
	comparedPresence = regexp.MustCompile(`has\([^()]*\)\s*[=!]=\s*has\(`)
	indexedResult    = regexp.MustCompile(`\.(split|findAll)\([^()]*\)\s*\[`)
)

// NewerHints returns the text of the rule or messageExpression that an error of a newer version of Kubernetes is about,
// and how else to write it. checked is the check for the version that accepts it.
func NewerHints(checked *crdcheck.Checked, e *field.Error) (text string, hints []string) {
	r := find(checked, e)
	if r == nil {
		return "", nil
	}
	text = r.rule.Rule
	if r.name == "messageExpression" {
		text = r.rule.MessageExpression
	}
	if comparedPresence.MatchString(text) {
		hints = append(hints, "write !has(a) == !has(b) for has(a) == has(b), which is estimated like a comparison of the values themselves")
	}
	if indexedResult.MatchString(text) {
		hints = append(hints, "use find or substring for one part of a text: an item of what split or findAll return has no bound")
	}
	return text, hints
}
