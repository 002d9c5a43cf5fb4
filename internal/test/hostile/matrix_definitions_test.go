package hostile

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/internal/test/given"
)

// A matrixDefinition makes a definition of at most 1 MiB of JSON. With changed set, it makes another one of the same
// name that differs from it in many places.
type matrixDefinition struct {
	name string
	n    int
	text func(n int, changed bool) string
}

// matrixDefinitions are the rows of the matrix.
var matrixDefinitions = []matrixDefinition{
	{"many short names", 100_000, func(n int, changed bool) string {
		return matrixDocument(fmt.Sprintf(`"shortNames":[%s],`, matrixList(n, func(i int) string { return fmt.Sprintf(`"n%d"`, matrixOther(i, n, changed)) })),
			"", matrixVersion("v1", true, `{"type":"object"}`))
	}},
	{"many categories", 100_000, func(n int, changed bool) string {
		return matrixDocument(fmt.Sprintf(`"categories":[%s],`, matrixList(n, func(i int) string { return fmt.Sprintf(`"n%d"`, matrixOther(i, n, changed)) })),
			"", matrixVersion("v1", true, `{"type":"object"}`))
	}},
	{"many columns", 9_000, func(n int, changed bool) string {
		return matrixDocument("", "", `{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":`+matrixSpec(matrixString)+`},"additionalPrinterColumns":[`+
			matrixList(n, func(i int) string {
				return fmt.Sprintf(`{"name":"c%d","type":"string","jsonPath":".spec.a.b[?(@.c==\"%d\")]"}`, i, matrixOther(i, n, changed))
			})+`]}`)
	}},
	{"many versions", 200, func(n int, changed bool) string {
		return matrixDocument("", "", matrixList(n, func(i int) string {
			return matrixVersion(fmt.Sprintf("v%d", i+1), i == 0, matrixSpec(fmt.Sprintf(`{"type":"object","properties":{"a":{"type":"string","maxLength":%d},"b%d":{"type":"integer"}}}`,
				matrixOther(i, n, changed)+5, i)))
		}))
	}},
	{"many versions of many fields", 400, func(n int, changed bool) string {
		return matrixDocument("", "", matrixList(n, func(i int) string {
			return matrixVersion(fmt.Sprintf("v%d", i+1), i == 0, matrixSpec(matrixFields(30, func(k int) string {
				return fmt.Sprintf(`{"type":"string","maxLength":%d}`, matrixOther(i, n, changed)+k+5)
			})))
		}))
	}},
	{"many small versions", 10_000, func(n int, changed bool) string {
		return matrixDocument("", "", matrixList(n, func(i int) string {
			return matrixVersion(fmt.Sprintf("v%d", matrixOther(i, n/2, changed)+1), i == 0, `{"type":"object"}`)
		}))
	}},
	matrixSchema("objects below each other", 4_900, func(n int, changed bool) string {
		return matrixDeep(n, `{"type":"object","properties":{"a":`, matrixBounded(changed), `}}`)
	}),
	matrixSchema("objects with fields below each other", 4_000, func(n int, changed bool) string {
		return matrixDeep(n, `{"type":"object","properties":{"b":{"type":"integer","maximum":`+matrixNumber(changed)+`},"a":`, matrixString, `}}`)
	}),
	matrixSchema("required objects below each other", 4_000, func(n int, changed bool) string {
		return matrixDeep(n, `{"type":"object","required":["a"`+matrixIf(changed, `,"b"`)+`],"properties":{"b":{"type":"integer"},"a":`, matrixString, `}}`)
	}),
	matrixSchema("long names below each other", 500, func(n int, changed bool) string {
		return matrixDeep(n, `{"type":"object","properties":{"a":{"type":"string"`+matrixIf(changed, `,"maxLength":5`)+`},"`+strings.Repeat("k", 1000)+`":`, matrixBounded(changed), `}}`)
	}),
	matrixSchema("lists below each other", 9_000, func(n int, changed bool) string {
		return matrixDeep(n, `{"type":"array","items":`, matrixBounded(changed), `}`)
	}),
	matrixSchema("maps below each other", 9_000, func(n int, changed bool) string {
		return matrixDeep(n, `{"type":"object","additionalProperties":`, matrixBounded(changed), `}`)
	}),
	matrixSchema("lists that must have items below each other", 8, func(n int, changed bool) string {
		return matrixDeep(n, `{"type":"array","minItems":10`+matrixIf(changed, `,"maxItems":20`)+`,"items":`, matrixBounded(changed), `}`)
	}),
	matrixSchema("objects that must have fields below each other", 8, func(n int, changed bool) string {
		return matrixDeep(n, `{"type":"object","minProperties":10`+matrixIf(changed, `,"maxProperties":20`)+`,"additionalProperties":`, matrixBounded(changed), `}`)
	}),
	matrixSchema("sets of lists below each other", 6, func(n int, changed bool) string {
		return matrixDeep(n, `{"type":"array","minItems":5,"maxItems":20,"x-kubernetes-list-type":"`+matrixChoice(changed, "set", "atomic")+`","items":{"x-kubernetes-list-type":"atomic","type":"array","minItems":3,"items":`, matrixBounded(changed), `}}`)
	}),
	matrixSchema("long texts in lists", 12, func(n int, changed bool) string {
		return matrixFields(n, func(i int) string {
			return fmt.Sprintf(`{"type":"array","minItems":1000,"maxItems":1100,"items":{"type":"string","minLength":100000,"maxLength":%d}}`, 200000+matrixOther(i, n, changed))
		})
	}),
	matrixSchema("large counts", 1_000, func(n int, changed bool) string {
		return `{"type":"object","required":["a","b","c"],"properties":{` +
			fmt.Sprintf(`"a":{"type":"string","minLength":%[1]d000000},"b":{"type":"array","minItems":%[1]d000000,"items":{"type":"string"}},"c":{"type":"object","minProperties":%[1]d000000,"additionalProperties":{"type":"string"}}}}`, n+len(matrixIf(changed, "x")))
	}),
	matrixSchema("nested defaults", 3_000, func(n int, changed bool) string {
		return matrixDeep(n, `{"type":"object","default":{`+matrixIf(changed, `"b":2`)+`},"properties":{"b":{"type":"integer"},"a":`, matrixBounded(changed), `}}`)
	}),
	matrixSchema("defaults of defaults", 25, func(n int, changed bool) string {
		return matrixDeep(n, `{"type":"array","default":[{},{}],"items":{"type":"object","properties":{"a":`, `{"type":"string","default":"`+matrixChoice(changed, "x", "y")+`"}`, `}}}`)
	}),
	matrixSchema("a large default", 100_000, func(n int, changed bool) string {
		return `{"type":"array","items":{"type":"integer","maximum":` + matrixNumber(changed) + `000000},"default":[` + matrixList(n, func(i int) string { return fmt.Sprint(matrixOther(i, n, changed)) }) + `]}`
	}),
	matrixSchema("many defaults", 12_000, func(n int, changed bool) string {
		return matrixFields(n, func(i int) string { return fmt.Sprintf(`{"type":"integer","default":%d}`, matrixOther(i, n, changed)) })
	}),
	matrixSchema("many fields", 20_000, func(n int, changed bool) string {
		return matrixFields(n, func(i int) string {
			return fmt.Sprintf(`{"type":"string","maxLength":%d}`, matrixOther(i, n, changed)+1)
		})
	}),
	matrixSchema("other fields", 30_000, func(n int, changed bool) string {
		return `{"type":"object","properties":{` + matrixList(n, func(i int) string {
			return fmt.Sprintf(`"%s%d":{"type":"string"}`, matrixChoice(changed, "k", "l"), i)
		}) + `}}`
	}),
	matrixSchema("many required fields", 15_000, func(n int, changed bool) string {
		return `{"type":"object","required":[` + matrixList(n, func(i int) string { return fmt.Sprintf(`"k%d"`, i+len(matrixIf(changed, "x"))) }) + `],"properties":{` +
			matrixList(n+1, func(i int) string { return fmt.Sprintf(`"k%d":{"type":"string"}`, i) }) + `}}`
	}),
	matrixSchema("many required fields that are not described", 60_000, func(n int, changed bool) string {
		return `{"type":"object","x-kubernetes-preserve-unknown-fields":true,"required":[` + matrixList(n, func(i int) string { return fmt.Sprintf(`"k%d"`, matrixOther(i, n, changed)) }) + `]}`
	}),
	matrixSchema("many patterns", 20_000, func(n int, changed bool) string {
		return matrixFields(n, func(i int) string {
			return fmt.Sprintf(`{"type":"string","pattern":"^[a-%s]%d+b?$"}`, matrixChoice(changed, "z", "y"), i)
		})
	}),
	matrixSchema("patterns with alternatives", 200, func(n int, changed bool) string {
		return matrixFields(n, func(i int) string {
			return `{"type":"string","pattern":"^(` + strings.TrimSuffix(strings.Repeat(fmt.Sprintf("x%d[a-%s]*|", i, matrixChoice(changed, "z", "y")), 300), "|") + `)$"}`
		})
	}),
	matrixSchema("an anyOf of many branches", 8_000, func(n int, changed bool) string {
		return `{"type":"string","anyOf":[` + matrixList(n, func(i int) string {
			return fmt.Sprintf(`{"pattern":"^a%d[a-%s]$"}`, i, matrixChoice(changed, "z", "y"))
		}) + `]}`
	}),
	matrixSchema("a oneOf of required fields", 8_000, func(n int, changed bool) string {
		return `{"type":"object","oneOf":[` + matrixList(n, func(i int) string { return fmt.Sprintf(`{"required":["k%d"]}`, i+len(matrixIf(changed, "x"))) }) + `],"properties":{` +
			matrixList(n+1, func(i int) string { return fmt.Sprintf(`"k%d":{"type":"string"}`, i) }) + `}}`
	}),
	matrixSchema("an allOf of bounds", 20_000, func(n int, changed bool) string {
		return `{"type":"integer","allOf":[` + matrixList(n, func(i int) string { return fmt.Sprintf(`{"maximum":%d}`, matrixOther(i, n, changed)+100) }) + `]}`
	}),
	matrixSchema("choices below each other", 11, func(n int, changed bool) string {
		inner := `{"maxLength":5}`
		for range n {
			inner = `{"anyOf":[` + inner + `,{"not":` + inner + `}` + matrixIf(changed, `,{"minLength":2}`) + `]}`
		}
		return `{"type":"string",` + inner[1:]
	}),
	matrixSchema("choices of choices", 30, func(n int, changed bool) string {
		return `{"type":"string","allOf":[` + matrixList(n, func(i int) string {
			return `{"oneOf":[` + matrixList(n, func(k int) string {
				return fmt.Sprintf(`{"pattern":"^(a|%s)%d.*%d$"}`, matrixChoice(changed, "b", "c"), i, k)
			}) + `]}`
		}) + `]}`
	}),
	matrixSchema("choices with fields", 2_000, func(n int, changed bool) string {
		return `{"type":"object","properties":{` + matrixList(n, func(i int) string { return fmt.Sprintf(`"k%d":{"type":"integer"}`, i) }) + `},"anyOf":[` + matrixList(n, func(i int) string {
			return fmt.Sprintf(`{"required":["k%d"],"properties":{"k%d":{"maximum":%s},"k%d":{"minimum":3}}}`, i, i, matrixNumber(changed), (i+1)%n)
		}) + `]}`
	}),
	matrixSchema("many enum values", 80_000, func(n int, changed bool) string {
		return `{"type":"string","enum":[` + matrixList(n, func(i int) string { return fmt.Sprintf(`"e%d"`, matrixOther(i, n, changed)) }) + `]}`
	}),
	matrixSchema("many enums", 2_000, func(n int, changed bool) string {
		return matrixFields(n, func(i int) string {
			return `{"type":"string","enum":[` + matrixList(40, func(k int) string { return fmt.Sprintf(`"e%d"`, k+len(matrixIf(changed, "x"))) }) + `]}`
		})
	}),
	matrixSchema("many rules of one field", 4_000, func(n int, changed bool) string {
		return `{"type":"string","maxLength":100,"x-kubernetes-validations":[` + matrixList(n, func(i int) string {
			return fmt.Sprintf(`{"rule":"self != 'x%d'%s"}`, i, matrixIf(changed, " && self != 'y'"))
		}) + `]}`
	}),
	matrixSchema("many fields with rules", 5_000, func(n int, changed bool) string {
		return matrixFields(n, func(i int) string {
			return fmt.Sprintf(`{"type":"string","maxLength":100,"x-kubernetes-validations":[{"rule":"self != 'x%d'%s"}]}`, i, matrixIf(changed, " && self != 'y'"))
		})
	}),
	matrixSchema("rules that cannot be satisfied together", 40, func(n int, changed bool) string {
		fields := given.List(n, func(i int) string { return fmt.Sprintf(`"k%d":{"type":"integer"}`, i) })
		return `{"type":"object","required":[` + matrixList(n, func(i int) string { return fmt.Sprintf(`"k%d"`, i) }) + `],"properties":{` + strings.Join(fields, ",") + `},"x-kubernetes-validations":[` + matrixList(n, func(i int) string {
			return fmt.Sprintf(`{"rule":"self.k%d * 7919 %% 104729 == self.k%d + %s"}`, i, (i+1)%n, matrixNumber(changed))
		}) + `]}`
	}),
	matrixSchema("costly rules", 30, func(n int, changed bool) string {
		return matrixFields(n, func(i int) string {
			return fmt.Sprintf(`{"type":"array","minItems":90,"maxItems":100,"items":{"type":"string","maxLength":10},"x-kubernetes-validations":[{"rule":"self.all(a, self.all(b, a != b || a == '%s')) || self.size() > %d"}]}`, matrixNumber(changed), 100+i)
		})
	}),
	matrixSchema("list maps with many keys", 8_000, func(n int, changed bool) string {
		return `{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":[` + matrixList(n, func(i int) string { return fmt.Sprintf(`"k%d"`, i) }) +
			`],"items":{"type":"object","required":[` + matrixList(n, func(i int) string { return fmt.Sprintf(`"k%d"`, i) }) + `],"properties":{` +
			matrixList(n, func(i int) string {
				return fmt.Sprintf(`"k%d":{"type":"string","maxLength":%d}`, i, matrixOther(i, n, changed)+1)
			}) + `}}}`
	}),
	matrixSchema("fields that preserve", 10_000, func(n int, changed bool) string {
		return matrixFields(n, func(i int) string {
			return matrixChoice(changed, `{"type":"object","x-kubernetes-preserve-unknown-fields":true}`, `{"type":"object","properties":{"a":{"type":"string"}}}`)
		})
	}),
	matrixSchema("embedded resources", 8_000, func(n int, changed bool) string {
		return matrixFields(n, func(i int) string {
			return `{"type":"object","x-kubernetes-embedded-resource":true,` + matrixChoice(changed, `"x-kubernetes-preserve-unknown-fields":true}`, `"properties":{"a":{"type":"string"}}}`)
		})
	}),
	matrixSchema("nullable fields", 12_000, func(n int, changed bool) string {
		return matrixFields(n, func(i int) string {
			return matrixChoice(changed, `{"type":"integer","nullable":true}`, `{"type":"integer"}`)
		})
	}),
	matrixSchema("fields of another type", 12_000, func(n int, changed bool) string {
		return matrixFields(n, func(i int) string {
			return matrixChoice(changed, `{"type":"integer"}`, `{"type":"array","items":{"type":"string"}}`)
		})
	}),
	matrixSchema("a long description", 1_000_000, func(n int, changed bool) string {
		return `{"type":"string","description":"` + strings.Repeat(matrixChoice(changed, "a", "b"), n) + `"}`
	}),
	matrixSchema("many fields far below", 4_000, func(n int, changed bool) string {
		return matrixDeep(200, `{"type":"object","properties":{"`+strings.Repeat("k", 50)+`":`, matrixFields(n, func(i int) string {
			return `{"type":"integer","maximum":` + matrixNumber(changed) + `}`
		}), `}}`)
	}),
	matrixSchema("many rules far below", 2_000, func(n int, changed bool) string {
		return matrixDeep(200, `{"type":"object","properties":{"`+strings.Repeat("k", 50)+`":`, matrixFields(n, func(i int) string {
			return `{"type":"integer","x-kubernetes-validations":[{"rule":"self < ` + matrixNumber(changed) + `"}]}`
		}), `}}`)
	}),
	matrixSchema("many fields in many objects", 150, func(n int, changed bool) string {
		return matrixFields(n, func(i int) string {
			return matrixFields(n, func(k int) string { return `{"type":"integer","maximum":` + matrixNumber(changed) + `}` })
		})
	}),
}

const matrixString = `{"type":"string"}`

// matrixSchema is a definition with the schema of a spec.
func matrixSchema(name string, n int, spec func(n int, changed bool) string) matrixDefinition {
	return matrixDefinition{name, n, func(n int, changed bool) string {
		return matrixDocument("", "", matrixVersion("v1", true, matrixSpec(spec(n, changed))))
	}}
}

func matrixDocument(names, rest, versions string) string {
	return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",` +
		rest + `"names":{` + names + `"plural":"widgets","kind":"Widget"},"versions":[` + versions + `]}}`
}

func matrixVersion(name string, storage bool, schema string) string {
	return fmt.Sprintf(`{"name":%q,"served":true,"storage":%v,"schema":{"openAPIV3Schema":%s}}`, name, storage, schema)
}

func matrixSpec(spec string) string {
	return `{"type":"object","properties":{"spec":` + spec + `}}`
}

func matrixFields(n int, field func(i int) string) string {
	return `{"type":"object","properties":{` + matrixList(n, func(i int) string { return fmt.Sprintf(`"k%d":%s`, i, field(i)) }) + `}}`
}

func matrixList(n int, item func(i int) string) string { return strings.Join(given.List(n, item), ",") }

func matrixDeep(n int, head, inner, tail string) string {
	return strings.Repeat(head, n) + inner + strings.Repeat(tail, n)
}

// matrixBounded is the schema of a text, with a bound if it is changed.
func matrixBounded(changed bool) string {
	return matrixChoice(changed, matrixString, `{"type":"string","maxLength":3}`)
}

func matrixNumber(changed bool) string { return matrixChoice(changed, "100", "50") }

// matrixOther returns i, or a number of another definition.
func matrixOther(i, n int, changed bool) int {
	if changed {
		return i + n
	}
	return i
}

func matrixIf(changed bool, text string) string { return matrixChoice(changed, "", text) }

func matrixChoice(changed bool, no, yes string) string {
	if changed {
		return yes
	}
	return no
}
