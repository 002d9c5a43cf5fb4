package crdcheck_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
)

// ruleText is how a rule is printed with an error of it.
func ruleText(rule, messageExpression string) string {
	return `Invalid value: {"Rule":"` + rule + `","Message":"","MessageExpression":"` + messageExpression + `","Reason":null,"FieldPath":"","OptionalOldSelf":null}: `
}

const overBudget = "exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"

func TestRules(t *testing.T) {
	const total = "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"
	notBool := func(rule string) string { return ruleText(rule, "") + "cel expression must evaluate to a bool" }
	requireRows(t, []row{
		{"CWH-001 beneath first, schema errors before all of them", change{schema: `{type: object, x-kubernetes-validations: [{rule: "1"}], properties: {
			b: {type: array, items: {type: string, x-kubernetes-validations: [{rule: "2"}]}},
			a: {type: object, additionalProperties: {type: string, x-kubernetes-validations: [{rule: "3"}]}, x-kubernetes-validations: [{rule: "4"}]},
			c: {type: object, properties: {d: {type: string, format: foo}}}}}`}, []string{
			`P.properties[a].additionalProperties.x-kubernetes-validations[0].rule: ` + notBool("3"),
			`P.properties[a].x-kubernetes-validations[0].rule: ` + notBool("4"),
			`P.properties[b].items.x-kubernetes-validations[0].rule: ` + notBool("2"),
			`P.x-kubernetes-validations[0].rule: ` + notBool("1"),
		}},
		{"CWH-002 none if the schema is not structural", change{schema: `{type: object, x-kubernetes-validations: [{rule: "1"}], properties: {a: {}}}`}, []string{
			`P.properties[a].type: Required value: must not be empty for specified object fields`,
		}},
		{"CWH-003 a wrong field of a rule hides the errors there and above, not beside", change{schema: `{type: object, x-kubernetes-validations: [{rule: "1"}], properties: {
			a: {type: string, x-kubernetes-validations: [{rule: "2"}, {rule: "true", fieldPath: .zz}]}, b: {type: string, x-kubernetes-validations: [{rule: "3"}]}}}`}, []string{
			`P.properties[a].x-kubernetes-validations[1].fieldPath: Invalid value: ".zz": must be a valid path`,
			`P.properties[b].x-kubernetes-validations[0].rule: ` + notBool("3"),
		}},
		{"CWH-007 no type, of a node and of what it cannot have", property(`{x-kubernetes-int-or-string: true, x-kubernetes-validations: [{rule: "true"}],
			items: {type: string, x-kubernetes-validations: [{rule: "true"}]}, properties: {b: {x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "true"}]}}}`), []string{
			`P.properties[a].properties[b].x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: ` +
				`unable to convert structural schema to CEL declarations`,
			`P.properties[a].items.x-kubernetes-validations: Internal error: failed to convert to declType for CEL validation rules`,
		}},
		{"CES-081, CES-082, CES-090 expensive expressions", property(`{type: array, items: {type: string, x-kubernetes-validations: [
			{rule: "self.contains('abcdefghijklmnopqrstuvwxyz')", messageExpression: "self.matches(self) ? 'a' : 'b'"}]}}`), []string{
			`P.properties[a].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost ` + overBudget,
			`P.properties[a].items.x-kubernetes-validations[0].messageExpression: Forbidden: estimated messageExpression cost ` + overBudget,
			`P.properties[a].items.x-kubernetes-validations[0].rule: Forbidden: ` + total,
			`P.properties[a].items.x-kubernetes-validations[0].messageExpression: Forbidden: ` + total,
			`P: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema ` + overBudget,
		}},
		{"CCO-003 oldSelf where there is none, CCO-005 and nothing optional without it", property(`{type: array, maxItems: 2, x-kubernetes-validations: [{rule: self == oldSelf}],
			items: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf}, {rule: self, optionalOldSelf: false}]}}`), []string{
			`P.properties[a].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within P.properties[a]`,
			`P.properties[a].items.x-kubernetes-validations[1].rule: Invalid value: {"Rule":"self","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":false}: ` +
				`cel expression must evaluate to a bool`,
			`P.properties[a].items.x-kubernetes-validations[1].optionalOldSelf: Invalid value: false: may not be set if oldSelf is not used in rule`,
		}},
		{"CCO-004 values of maps have old ones", property(`{type: object, x-kubernetes-map-type: atomic, maxProperties: 2, additionalProperties: {type: integer, x-kubernetes-validations: [{rule: self == oldSelf}]}}`), nil},
	})
}

// CWH-010: an expression that stood anywhere in the old definition may use what is too new for others, as what it was.
func TestStoredRules(t *testing.T) {
	const rule, message = `self.includes('x')`, `self.includes('x') ? 'a' : 'b'`
	rules := func(rule, message string) string {
		return `{type: array, maxItems: 5, items: {type: string, maxLength: 5}, x-kubernetes-validations: [{rule: "` + rule + `", messageExpression: "` + message + `"}]}`
	}
	undeclared := func(text string) string {
		return "compilation failed: ERROR: <input>:1:14: undeclared reference to 'includes' (in container '')\n | " + text + "\n | .............^"
	}
	now := property(rules(rule, message))
	onlyRule := ruleText(rule, message) + undeclared(rule)
	requireRows(t, []row{{"CWH-010 all are new on create", now, []string{`P.properties[a].x-kubernetes-validations[0].rule: ` + onlyRule}}})
	requireUpdates(t, []updateRow{
		{"CWH-010 stored", now, property(strings.Replace(rules(rule, message), "array", "array, description: b", 1)), nil},
		{"CWH-010 stored elsewhere, byte by byte", change{schema: `{type: object, properties: {a: {type: object, properties: {b: ` + rules(rule, message) + `}}}}`}, now, nil},
		{"CWH-010 not with a blank more", property(rules(rule+" ", message)), now, []string{`P.properties[a].x-kubernetes-validations[0].rule: ` + onlyRule}},
		{"CWH-010 a rule that was a messageExpression is new", property(rules(message+" == 'a'", rule)), now, []string{`P.properties[a].x-kubernetes-validations[0].rule: ` + onlyRule}},
		{"CWH-010 a messageExpression that was none is new", property(rules(rule, "'x'")), now, []string{
			`P.properties[a].x-kubernetes-validations[0].messageExpression: ` + ruleText(rule, message) + "messageExpression " + undeclared(message),
		}},
		{"CWH-010 stored in a version that is gone", change{spec: `{versions: [
			{name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {x: ` + rules(rule, message) + `}}}},
			{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}`}, now, nil},
	})
}

// CWH-013: no option, annotation or version of a definition switches rules off. New ones may use what the minor version
// before this one had already, and nothing newer.
func TestRulesAreAlwaysOn(t *testing.T) {
	old := change{base: oldLamp, spec: `{validation: {openAPIV3Schema: {type: object, properties: {a: {type: string, maxLength: 3, x-kubernetes-validations: [{rule: "1"}]}}}}}`}
	notBool := `P.properties[a].x-kubernetes-validations[0].rule: ` + ruleText("1", "") + "cel expression must evaluate to a bool"
	rules := func(rule string) change {
		return property(`{type: string, maxLength: 3, x-kubernetes-validations: [{rule: "` + rule + `"}]}`)
	}
	requireRows(t, []row{
		{"CWH-013 v1beta1", old, []string{notBool}},
		{"CWH-013 annotations say nothing", change{doc: `{metadata: {annotations: {x: "off"}}}`, schema: rules("1").schema}, []string{notBool}},
		{"CWH-013 functions of the version before", rules(`quantity('1Mi').isGreaterThan(quantity('1Ki')) && !format.dns1123Label().validate(self).hasValue() && isSemver(self)`), nil},
		{"CWH-013 one of this version", rules(`[self].includes(self)`), []string{
			`P.properties[a].x-kubernetes-validations[0].rule: ` + ruleText("[self].includes(self)", "") + "compilation failed: ERROR: <input>:1:16: undeclared reference to 'includes' (in container '')\n" +
				" | [self].includes(self)\n | ...............^",
		}},
	})
}

// CWH-011: an unchanged schema may have expensive expressions, unless there are too many.
func TestRulesOfUnchangedSchemas(t *testing.T) {
	expensive := property(`{type: array, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(value, value >= 0 && value < 100)"}]}`)
	described := expensive
	described.schema = strings.Replace(expensive.schema, "type: array", "description: b, type: array", 1)
	const over = `P.properties[a].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 1.101004x ` +
		`(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
	requireUpdates(t, []updateRow{
		{"CWH-011 the same", expensive, expensive, nil},
		{"CWH-011 another description", expensive, described, []string{over}},
	})

	total := property(`{type: array, items: {type: string, x-kubernetes-validations: [{rule: "self.contains('abcdefghijklmnopqrstuvwxyz')"}]}}`)
	var details []string
	doc := given.Definition(t, total.document(t))
	for _, e := range crdcheck.ValidateUpdate(doc, doc) {
		details = append(details, strings.Fields(e.Detail)[0])
	}
	require.Equal(t, []string{"contributed", "x-kubernetes-validations"}, details, "CES-090")
}
