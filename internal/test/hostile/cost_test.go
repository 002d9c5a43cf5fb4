package hostile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/kubeversion"
	"github.com/crdkit/crdkit/schema"
)

// costRows are definitions whose rules are too expensive, or many: reports of costs with fixes, and what other versions
// say.
var costRows = slices.Concat(
	costPair("thousands of rules over their limit", 3_000, "rules", func(n int) *schema.JSONSchemaProps {
		return costFields(n, func(int) *schema.JSONSchemaProps { return costRuled(errorList(errorOf("string")), costLoop) })
	}),
	costPair("thousands of rules below one list", 3_000, "rules", func(n int) *schema.JSONSchemaProps {
		return errorList(costFields(n, func(int) *schema.JSONSchemaProps { return costRuled(errorOf("string"), "self.contains('abcdefghijk')") }))
	}),
	costPair("thousands of rules that fit below one list", 3_000, "rules", func(n int) *schema.JSONSchemaProps {
		list := errorList(costFields(n, func(int) *schema.JSONSchemaProps { return costRuled(errorOf("integer"), "self > 1") }))
		list.MaxItems = errorPtr(int64(10))
		return list
	}),
	costPair("thousands of rules that are over the limit together", 3_000, "rules", func(n int) *schema.JSONSchemaProps {
		return costFields(n, func(int) *schema.JSONSchemaProps { return costRuled(errorOf("string"), "self.contains('abc')") })
	}),
	costPair("thousands of rules at one node", 5_000, "rules", func(n int) *schema.JSONSchemaProps {
		return costRuled(errorList(errorOf("string")), given.List(n, func(i int) string { return fmt.Sprintf("self.all(x, x.contains('%d'))", i) })...)
	}),
	costPair("one rule of hundreds of fields", 480, "1 rules", func(n int) *schema.JSONSchemaProps {
		p := costFields(n, func(int) *schema.JSONSchemaProps { return errorList(errorOf("string")) })
		return costRuled(p, strings.Join(given.List(n, func(i int) string { return fmt.Sprintf("self.p%d.all(x, x.contains('a'))", i) }), " && "))
	}),
	costPair("rules of many fields", 150, "rules", func(n int) *schema.JSONSchemaProps {
		p := costFields(n, func(int) *schema.JSONSchemaProps { return errorList(errorOf("string")) })
		text := strings.Join(given.List(n, func(i int) string { return fmt.Sprintf("self.p%d.all(x, x.contains('a'))", i) }), " && ")
		return costRuled(p, given.List(n, func(i int) string { return fmt.Sprintf("%s && %d > 0", text, i) })...)
	}),
	costPair("bounds in one another", 150, "rules", func(n int) *schema.JSONSchemaProps {
		p := costRuled(errorOf("string"), "self.contains('abcdefghijk')")
		for range n {
			p = costRuled(errorList(p), "self.size() > 1")
		}
		return p
	}),
	costPair("maps in one another", 200, "rules", func(n int) *schema.JSONSchemaProps {
		p := costRuled(errorOf("string"), "self.contains('abcdefghijk')")
		for range n {
			p = costRuled(errorMap(p), "self.size() > 1")
		}
		return p
	}),
	costPair("a huge enum", 200_000, "rules", func(n int) *schema.JSONSchemaProps {
		p := costRuled(errorOf("string"), "self.contains('abcdefghijk')")
		for i := range n {
			p.Enum = append(p.Enum, fmt.Sprintf("value%d", i))
		}
		return errorList(p)
	}),
	costPair("a huge default", 200_000, "rules", func(n int) *schema.JSONSchemaProps {
		p := costRuled(errorList(errorOf("string")), costLoop)
		p.Default = errorItems(n, "x")
		return p
	}),
	costPair("huge bounds in allOf", 100_000, "rules", func(n int) *schema.JSONSchemaProps {
		p := costRuled(errorOf("string"), "self.contains('abcdefghijk')")
		for range n {
			p.AllOf = append(p.AllOf, &schema.JSONSchemaProps{MaxLength: errorPtr(int64(10)), MinLength: errorPtr(int64(1))})
		}
		return errorList(p)
	}),
	costPair("loops in a long rule", 480, "1 rules", func(n int) *schema.JSONSchemaProps {
		p := costFields(n, func(int) *schema.JSONSchemaProps { return errorList(errorOf("string")) })
		return costRuled(p, strings.Join(given.List(n, func(i int) string { return fmt.Sprintf("self.p%d.all(x, x != '')", i) }), " && "))
	}),
	costPair("rules below a long name", 4_000, "rules", func(n int) *schema.JSONSchemaProps {
		below := costFields(n, func(int) *schema.JSONSchemaProps { return costRuled(errorList(errorOf("string")), costLoop) })
		return errorField(strings.Repeat("]", 200_000), below)
	}),
	costPair("old fields below a long name", 4_000, "rules", func(n int) *schema.JSONSchemaProps {
		below := costFields(n, func(int) *schema.JSONSchemaProps {
			p := costRuled(errorOf("string"), "isIP(self) || oldSelf.hasValue()")
			p.XValidations[0].OptionalOldSelf = errorPtr(true)
			return p
		})
		return errorField(strings.Repeat("]", 200_000), below)
	}),
	costPair("formats below a long name", 20_000, "0 rules", func(n int) *schema.JSONSchemaProps {
		below := costFields(n, func(int) *schema.JSONSchemaProps {
			p := errorOf("integer")
			p.Format, p.Maximum = "int32", errorPtr(1e10)
			return p
		})
		return errorField(strings.Repeat("k", 200_000), below)
	}),
	costPair("nested literals", 240, "rules", func(n int) *schema.JSONSchemaProps {
		return costRuled(errorOf("object"), strings.Repeat("[", n)+strings.Repeat("]", n)+".size() == 1")
	}),
	costPair("a fault behind nested literals", 240, "rules", func(n int) *schema.JSONSchemaProps {
		return costRuled(errorOf("object"), strings.Repeat("[", n)+strings.Repeat("]", n)+".size() == 1 && self.none")
	}),
	costPair("thousands of nested literals", 3_000, "rules", func(n int) *schema.JSONSchemaProps {
		return costRuled(errorOf("object"), given.List(n, func(i int) string {
			return fmt.Sprintf("%s%d%s.size() == self.none", strings.Repeat("[", 100), i, strings.Repeat("]", 100))
		})...)
	}),
	costPair("nested literals that no two versions check alike", 240, "rules", func(n int) *schema.JSONSchemaProps {
		return costRuled(errorOf("object"), strings.Repeat("[", n)+strings.Repeat("]", n)+".size() == 1 && 1 < 2.0 && isQuantity('1') && isIP('1') && "+
			"format.uuid() == format.uuid() && [1].all(i, x, x == i) && isSemver('1') && [1].sort() == [1] && self.none")
	}),
	costPair("thousands of faults in deep fields", 3_000, "rules", func(n int) *schema.JSONSchemaProps {
		deep := errorOf("string")
		for range n / 3 {
			deep = errorList(deep)
		}
		return costRuled(errorField("deep", deep), given.List(n, func(i int) string { return fmt.Sprintf("self.deep == self.deep && self.none%d", i) })...)
	}),
	[]row{
		{name: "costs: versions with schemas of their own", n: 1_000, want: "rules", setup: func(n int) func() string {
			d := definitionVersions(n, func(i int) *crd.Validation {
				list := costRuled(errorList(errorOf("string")), costLoop)
				list.MinItems = errorPtr(int64(i))
				return &crd.Validation{OpenAPIV3Schema: errorField("l", list)}
			})
			return func() string { return costReport(d) }
		}},
		{name: "costs: versions that share a schema with a long name", n: 1_000, want: "rules", setup: func(n int) func() string {
			p := errorField(strings.Repeat("k", 200_000), costRuled(errorList(errorOf("string")), costLoop))
			d := definitionVersions(n, func(int) *crd.Validation { return &crd.Validation{OpenAPIV3Schema: p} })
			return func() string { return costReport(d) }
		}},
		{name: "costs: large samples", n: 300_000, linear: true, want: "rules", setup: func(n int) func() string {
			d := definition(errorField("l", costRuled(errorList(errorOf("string")), costLoop)))
			obj := map[string]any{"l": errorItems(n, "some text")}
			return func() string { return costReport(d, obj) }
		}},
		{name: "versions: versions of v1beta1", n: 10_000, want: "verdicts", setup: func(n int) func() string {
			d := definitionVersions(n, func(int) *crd.Validation { return nil })
			d.APIVersion = crd.APIVersionV1beta1
			d.Spec.Validation = &crd.Validation{OpenAPIV3Schema: costFields(n, func(int) *schema.JSONSchemaProps { return errorOf("integer") })}
			return func() string { return costRange(d) }
		}},
	},
)

// costPair returns a row for the report of costs of a definition whose property spec has a schema, and one for its
// verdicts.
func costPair(name string, n int, want string, of func(n int) *schema.JSONSchemaProps) []row {
	setup := func(n int) *crd.CustomResourceDefinition {
		return definition(errorField("spec", of(n)))
	}
	return []row{
		{name: "costs: " + name, n: n, want: want, setup: func(n int) func() string {
			d := setup(n)
			return func() string { return costReport(d) }
		}},
		{name: "versions: " + name, n: n, want: "verdicts", setup: func(n int) func() string {
			d := setup(n)
			return func() string { return costRange(d) }
		}},
	}
}

const costLoop = "self.all(x, self.exists_one(y, x == y))"

func costRuled(p *schema.JSONSchemaProps, texts ...string) *schema.JSONSchemaProps {
	for _, text := range texts {
		p.XValidations = append(p.XValidations, schema.ValidationRule{Rule: text})
	}
	return p
}

// costFields returns the schema of an object with n properties: p0, p1 and so on.
func costFields(n int, of func(i int) *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	p := errorOf("object")
	p.Properties = map[string]*schema.JSONSchemaProps{}
	for i := range n {
		p.Properties[fmt.Sprintf("p%d", i)] = of(i)
	}
	return p
}

// costReport returns what is in a report, which is printed both ways.
func costReport(d *crd.CustomResourceDefinition, samples ...map[string]any) string {
	report := crdcheck.Costs(d, samples...)
	rules, fixes, all, omitted, unsearched := 0, 0, 0, 0, 0
	for _, s := range report.Schemas {
		rules, omitted = rules+len(s.Rules), omitted+s.Omitted
		for _, r := range s.Rules {
			fixes += len(r.Fixes)
		}
		if s.Fix != nil {
			all++
		}
		if s.Unsearched {
			unsearched++
		}
	}
	data, err := json.Marshal(report)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%d rules, %d omitted, %d fixes, %d of all, %d schemas unsearched, %d bytes, %d of text", rules, omitted, fixes, all, unsearched,
		len(data), len(report.String()))
}

// costRange returns what is in verdicts.
func costRange(d *crd.CustomResourceDefinition) string {
	accepted, errors, fields, notes, omitted := 0, 0, 0, 0, 0
	all := kubeversion.Range(d)
	for _, v := range all {
		if v.Accepted() {
			accepted++
		}
		errors, fields, notes, omitted = errors+len(v.Errors), fields+len(v.Unknown)+len(v.Dropped), notes+len(v.Notes), omitted+v.Omitted
	}
	return fmt.Sprintf("%d verdicts, %d accept: %d errors, %d fields, %d notes, %d omitted", len(all), accepted, errors, fields, notes, omitted)
}
