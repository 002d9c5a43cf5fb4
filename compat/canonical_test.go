package compat

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
)

func branchOf(t *testing.T, text string) *plan.Node {
	t.Helper()
	n, _ := plan.Root(given.Loose(t, "{type: object, properties: {x: {type: object, allOf: ["+text+"]}}}")).Child("x")
	return n.Combine.AllOf[0]
}

// The texts that identify branches.
func TestCanonical(t *testing.T) {
	for _, c := range [][2]string{
		{`{}`, `{}`},
		{`{minItems: 1, maxItems: 2, minProperties: 3, maxProperties: 4}`, `{minItems: 1, maxItems: 2, minProperties: 3, maxProperties: 4}`},
		{`{minLength: 0, maxLength: 2, pattern: "a\"b"}`, `{maxLength: 2, pattern: "a\"b"}`},
		{`{minLength: 1}`, `{minLength: 1}`},
		{`{format: date}`, `{accept: 97, format: date}`},
		{`{minimum: 1, maximum: 2.5, exclusiveMaximum: true, multipleOf: 3}`, `{minimum: 1, maximum: 2.5 (exclusive), multipleOf: 3}`},
		{`{enum: [b, 1, a, b, null, {c: d}]}`, `{enum: ["a", "b", 1, null, {"c":"d"}]}`},
		{`{required: [b, a, b]}`, `{required: [a, b]}`},
		{`{uniqueItems: true}`, `{uniqueItems}`},
		{`{properties: {b: {maxLength: 1}, "a b": {}}}`, `{"a b": {}, "b": {maxLength: 1}}`},
		{`{additionalProperties: {maxLength: 1}}`, `{keys: 512, additionalProperties: {maxLength: 1}}`},
		{`{items: {maxLength: 1}}`, `{items: {maxLength: 1}}`},
		{`{allOf: [{maxLength: 2}, {maxLength: 1}], anyOf: [{minLength: 2}, {minLength: 1}, {minLength: 2}], oneOf: [{maximum: 2}, {maximum: 1}, {maximum: 2}]}`, `{allOf [{maxLength: 1}, {maxLength: 2}], anyOf [{minLength: 1}, {minLength: 2}], oneOf [{maximum: 1}, {maximum: 2}, {maximum: 2}]}`},
		{`{not: {maxLength: 1}}`, `{not {maxLength: 1}}`},
		{`{type: string, nullable: true}`, `{type: string, accept: 33}`},
		{`{type: integer, format: int32}`, `{type: integer, accept: 12, format: int32, range: 2}`},
	} {
		p := proofState{canonicalTexts: map[*plan.Node]string{}}
		require.Equal(t, c[1], p.canonical(branchOf(t, c[0]), 0), c[0])
	}
}
