package crdcheck_test

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	l64 := strings.Repeat("a", 64)
	requireRows(t, []row{
		{"nothing is wrong", change{}, nil},
		{"CVL-010 no group", change{doc: `{metadata: {name: lamps.}}`, spec: `{group: ""}`}, []string{
			`metadata.name: Invalid value: "lamps.": M1123S`,
			`spec.group: Required value`,
		}},
		{"CVL-010 a bad group", change{doc: `{metadata: {name: lamps.Example}}`, spec: `{group: Example}`}, []string{
			`metadata.name: Invalid value: "lamps.Example": M1123S`,
			`spec.group: Invalid value: "Example": M1123S`,
		}},
		{"CVL-010 no dot", change{doc: `{metadata: {name: lamps.example}}`, spec: `{group: example}`}, []string{
			`spec.group: Invalid value: "example": should be a domain with at least one dot`,
		}},
		{"CVL-010 too long and bad is one error", change{doc: `{metadata: {name: lamps.x}}`, spec: `{group: ` + strings.Repeat("a", 254) + `_}`}, []string{
			`metadata.name: Invalid value: "lamps.x": must be spec.names.plural+"."+spec.group`,
			`spec.group: Invalid value: "` + strings.Repeat("a", 254) + `_": must be no more than 253 characters,M1123S`,
		}},
		{"CVL-011 no scope", change{spec: `{scope: null}`}, []string{`spec.scope: Required value`}},
		{"CVL-011 another scope", change{spec: `{scope: Both}`}, []string{
			`spec.scope: Unsupported value: "Both": supported values: "Cluster", "Namespaced"`,
		}},
		{"CVL-020 no names", change{doc: `{metadata: {name: x.example.com}}`, spec: `{names: {plural: "", kind: ""}}`}, []string{
			`metadata.name: Invalid value: "x.example.com": must be spec.names.plural+"."+spec.group`,
			`spec.names.plural: Required value`,
			`spec.names.singular: Required value`,
			`spec.names.kind: Required value`,
			`spec.names.listKind: Required value`,
		}},
		{"CVL-021 syntax", change{doc: `{metadata: {name: lamps.example.com}}`, spec: `{names: {singular: La, kind: _, listKind: -x, shortNames: ["", ok, A], categories: ["", all]}}`}, []string{
			`spec.names.singular: Invalid value: "La": M1035`,
			`spec.names.kind: Invalid value: "_": may have mixed case, but should otherwise match: M1035`,
			`spec.names.listKind: Invalid value: "-x": may have mixed case, but should otherwise match: M1035`,
			`spec.names.shortNames[0]: Invalid value: "": M1035`,
			`spec.names.shortNames[2]: Invalid value: "A": M1035`,
			`spec.names.categories[0]: Invalid value: "": M1035`,
		}},
		{"CVL-021 kind and listKind are the same", change{spec: `{names: {listKind: Lamp, shortNames: [X], categories: [X]}}`}, []string{
			`spec.names.shortNames[0]: Invalid value: "X": M1035`,
			`spec.names.listKind: Invalid value: "Lamp": kind and listKind may not be the same`,
			`spec.names.categories[0]: Invalid value: "X": M1035`,
		}},
		{"CVL-021 names may repeat", change{spec: `{names: {singular: lamps, shortNames: [lamps, lamps]}}`}, nil},
		{"LIM-001 63 bytes, both messages are one error", change{doc: `{metadata: {name: ` + l64 + `_.example.com}}`, spec: `{names: {plural: ` + l64 + `_}}`}, []string{
			`metadata.name: Invalid value: "` + l64 + `_.example.com": M1123S`,
			`spec.names.plural: Invalid value: "` + l64 + `_": must be no more than 63 characters,M1035`,
		}},
		{"CVL-022 the listKind that is made of a long kind", change{spec: `{names: {kind: ` + strings.Repeat("K", 60) + `}}`}, []string{
			`spec.names.listKind: Invalid value: "` + strings.Repeat("K", 60) +
				`List": may have mixed case, but should otherwise match: must be no more than 63 characters`,
		}},
	})
}

func TestMetadata(t *testing.T) {
	const misnamed = `must be spec.names.plural+"."+spec.group`
	requireRows(t, []row{
		{"CVL-002 another name", change{doc: `{metadata: {name: Lamp}}`}, []string{
			`metadata.name: Invalid value: "Lamp": M1123S`,
			`metadata.name: Invalid value: "Lamp": ` + misnamed,
		}},
		{"CVL-002 no name", change{doc: `{metadata: {name: null}}`}, []string{`metadata.name: Required value: name or generateName is required`}},
		{"CVL-002 generateName besides a name", change{doc: `{metadata: {generateName: lamps-}}`}, []string{
			`metadata.generateName: Invalid value: "lamps-": ` + misnamed,
		}},
		{"CVL-002 the last two bytes of a prefix are not looked at", change{doc: `{metadata: {generateName: _-}}`}, []string{
			`metadata.generateName: Invalid value: "_-": ` + misnamed,
		}},
		{"CVL-002 a bad generateName", change{doc: `{metadata: {generateName: _}}`}, []string{
			`metadata.generateName: Invalid value: "_": M1123S`,
			`metadata.generateName: Invalid value: "_": ` + misnamed,
		}},
		{"CVL-003 each text once, labels and annotations, before the spec", change{
			doc:  `{metadata: {labels: {a b: c d, a b: c d}, annotations: {A.b/C: x, "b c": x}, finalizers: [a b]}}`,
			spec: `{scope: null}`,
		}, []string{
			`metadata.labels: Invalid value: "a b": name part ` + qualified,
			`metadata.labels: Invalid value: "c d": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
			`metadata.annotations: Invalid value: "b c": name part ` + qualified,
			`metadata.finalizers: Invalid value: "a b": name part ` + qualified,
			`spec.scope: Required value`,
		}},
		{"CVL-003 owners", change{doc: `{metadata: {ownerReferences: [{apiVersion: v1, kind: K}]}}`}, []string{
			`metadata.ownerReferences[0].name: Required value: must not be empty`,
			`metadata.ownerReferences[0].uid: Required value: must not be empty`,
		}},
		{"LIM-001 annotations", change{doc: `{metadata: {annotations: {a: ` + strings.Repeat("x", 262144) + `}}}`}, []string{
			`metadata.annotations: Too long: may not be more than 262144 bytes`,
		}},
		{"PRE-001 what a server sets itself does not matter", change{
			doc: `{metadata: {uid: u, generation: -1, creationTimestamp: "2026-01-01T00:00:00Z", deletionTimestamp: "2026-01-01T00:00:00Z"}, status: {storedVersions: [v9], acceptedNames: {plural: A}}}`,
		}, nil},
	})
}

const qualified = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character ` +
	`(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`

func TestApproval(t *testing.T) {
	const (
		key      = "metadata.annotations[api-approved.kubernetes.io]: "
		required = `protected groups must have approval annotation "api-approved.kubernetes.io"`
		see      = ", see https://github.com/kubernetes/enhancements/pull/1111"
		invalid  = required + ` with either a URL or a reason starting with "unapproved"` + see
	)
	of := func(group, annotation string) change {
		return change{
			doc:  `{metadata: {name: lamps.` + group + `, annotations: {api-approved.kubernetes.io: "` + annotation + `"}}}`,
			spec: `{group: ` + group + `}`,
		}
	}
	missing, bad := []string{key + "Required value: " + required + see}, func(text string) []string {
		return []string{key + `Invalid value: "` + text + `": ` + invalid}
	}
	requireRows(t, []row{
		{"APP-001 no group of Kubernetes", of("k8s.io.example.com", ""), nil},
		{"APP-001 nor is this", of("xk8s.io", ""), nil},
		{"APP-003 missing", change{doc: `{metadata: {name: lamps.k8s.io}}`, spec: `{group: k8s.io}`}, missing},
		{"APP-003 empty", of("a.kubernetes.io", ""), missing},
		{"APP-002 bypassed", of("x.k8s.io", "unapproved, an experiment"), nil},
		{"APP-002 approved", of("x.k8s.io", "https://a"), nil},
		{"APP-002 any scheme", of("kubernetes.io", "foo://bar"), nil},
		{"APP-002 no host", of("x.k8s.io", "https://"), bad("https://")},
		{"APP-002 a path", of("x.k8s.io", "/path"), bad("/path")},
		{"APP-002 no URL", of("x.k8s.io", "yes"), bad("yes")},
		{"APP-002 case counts", of("x.k8s.io", "Unapproved"), bad("Unapproved")},
	})

	requireUpdates(t, []updateRow{
		{"APP-003 still missing", of("x.k8s.io", ""), of("x.k8s.io", ""), nil},
		{"APP-003 still invalid, but another", of("x.k8s.io", "yes"), of("x.k8s.io", "no"), nil},
		{"APP-003 invalid to missing", of("x.k8s.io", "yes"), of("x.k8s.io", ""), missing},
		{"APP-003 approved to invalid", of("x.k8s.io", "https://a"), of("x.k8s.io", "no"), bad("no")},
	})
}

// Errors in metadata that the path of a request, or the server, would have corrected before any check.
func TestMetadataOfNoRequest(t *testing.T) {
	requireRows(t, []row{
		{"STR-008 a namespace is cleared", change{doc: `{metadata: {namespace: ns}}`}, nil},
		{"CVL-002 a name that is still to be made never fits", change{doc: `{metadata: {name: null, generateName: lamps.example.com}}`}, []string{
			`metadata.name: Invalid value: "lamps.example.comxxxxx": must be spec.names.plural+"."+spec.group`,
		}},
	})
	requireUpdates(t, []updateRow{
		{"CVL-004 neither resourceVersion nor uid where there was none", change{}, change{doc: `{metadata: {resourceVersion: "7", uid: u}}`}, nil},
	})
}
