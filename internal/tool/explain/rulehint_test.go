package explain

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
)

// ruleHints returns the hints for all errors of a definition with a schema.
func ruleHints(t *testing.T, schema string) (hints []string) {
	t.Helper()
	checked := crdcheck.Compile(given.Definition(t, given.Kind("Namespaced", "widgets.example.org", "Widget", schema)))
	require.NotEmpty(t, checked.Errors())
	var h RuleHints
	for _, e := range checked.Errors() {
		hints = append(hints, h.Hints(checked, e)...)
	}
	return hints
}

// The golden files of cmd/crdkit have the usual mistakes, one at a time.
func TestRules(t *testing.T) {
	const fields = `x-y: {type: string, maxLength: 9}, x-y-z: {type: integer}, size: {type: integer}, metadata: {type: object}`
	for rule, want := range map[string][]string{
		// Several changes at once, and no more than it takes.
		"self.x-y == 'a' && quantity(self.size).isInteger()": {
			"rules select the field x-y as x__dash__y", "quantity takes a string: quantity(string(self.size))"},
		"self.x-y-z > 1 && oldSelf.hasValue()": {
			"rules select the field x-y-z as x__dash__y__dash__z", "set optionalOldSelf: true beside the rule: only then is oldSelf an optional value"},
		"self.size > 1 && self.metadata.uid != '' && oldSelf.size == 1": {"of metadata, rules see name and generateName only"},
		// Nothing helps.
		"self.x-y == 'a' && self.nothing": nil,
		"self.":                           nil,
		"self.x-yz":                       nil,
		"'.x-y' == 1":                     nil,
		"oldSelf.hasValue(1)":             nil,
		"self.size":                       nil, // not a bool
	} {
		schema := fmt.Sprintf(`{type: object, properties: {%s}, x-kubernetes-validations: [{rule: %q}]}`, fields, rule)
		require.Equal(t, want, ruleHints(t, schema), rule)
	}
}

// Errors that are not about a rule have no hint.
func TestNoRule(t *testing.T) {
	checked := crdcheck.Compile(given.Definition(t, given.Kind("Namespaced", "widgets.example.org", "Widget", `{type: object}`)))
	var h RuleHints
	for _, e := range []*field.Error{
		{}, field.Invalid(nil, 1, ""), field.Invalid(field.NewPath("openAPIV3Schema"), 1, ""), field.Forbidden(field.NewPath("spec", "validation"), ""),
		field.Invalid(field.NewPath("spec", "versions").Index(7).Child("schema").Child("openAPIV3Schema").Index(0).Child("rule"), 1, ""),
	} {
		require.Empty(t, h.Hints(checked, e))
	}
}

// Many fields and long rules take bounded time.
func TestHostileRules(t *testing.T) {
	var properties []string
	for i := range 2_000 {
		properties = append(properties, fmt.Sprintf("a-%d: {type: integer}", i))
	}
	rule := "self.a-1 > 0 && self.b" + strings.Repeat(" && true", 500)
	rules := strings.Repeat(fmt.Sprintf("{rule: %q}, ", rule), 50)
	require.Empty(t, ruleHints(t, fmt.Sprintf(`{type: object, properties: {%s}, x-kubernetes-validations: [%s]}`,
		strings.Join(properties, ", "), strings.TrimSuffix(rules, ", "))))
}
