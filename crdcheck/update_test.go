package crdcheck_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
)

// An updateRow is a change of old to new, and what is said against it.
type updateRow struct {
	name     string
	old, now change
	want     []string
}

func requireUpdates(t *testing.T, rows []updateRow) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) { requireErrors(t, r.now.document(t), r.old.document(t), r.want...) })
	}
}

func TestImmutable(t *testing.T) {
	const fixed = "field is immutable"
	renamed := change{spec: `{scope: Cluster, names: {kind: Bulb, singular: bulb, listKind: Bulbs, shortNames: [b]}}`}
	requireUpdates(t, []updateRow{
		{"UPD-003 before it is established", change{}, renamed, nil},
		{"UPD-003 the old one's condition counts", change{doc: established}, renamed, []string{
			`spec.scope: Invalid value: "Cluster": ` + fixed,
			`spec.names.kind: Invalid value: "Bulb": ` + fixed,
		}},
		{"UPD-003 not the new one's", change{}, change{doc: established, spec: renamed.spec}, nil},
		{"UPD-003 group and plural always, CVL-001 behind the spec", change{}, change{spec: `{group: example.org, names: {plural: bulbs}, conversion: {}}`}, []string{
			`spec.conversion.strategy: Required value`,
			`spec.group: Invalid value: "example.org": ` + fixed,
			`spec.names.plural: Invalid value: "bulbs": ` + fixed,
		}},
		{"CVL-004 the name is not compared with plural and group", change{doc: `{metadata: {name: Other}}`}, change{doc: `{metadata: {name: Other}}`}, nil},
		{"CVL-004 another name, twice", change{}, change{doc: `{metadata: {name: a/b}}`}, []string{
			`metadata.name: Invalid value: "a/b": may not contain '/'`,
			`metadata.name: Invalid value: "a/b": ` + fixed,
			`metadata.name: Invalid value: "a/b": ` + fixed,
		}},
		{"CVL-004 a resourceVersion where there was one", change{doc: `{metadata: {resourceVersion: "7"}}`}, change{}, []string{
			`metadata.resourceVersion: Invalid value: "": must be specified for an update`,
			`metadata.resourceVersion: Invalid value: "": must be specified for an update`,
		}},
		{"CVL-004 finalizers during deletion", change{doc: `{metadata: {deletionTimestamp: "2026-01-01T00:00:00Z"}}`}, change{doc: `{metadata: {finalizers: [a/b]}}`}, []string{
			`metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/b"}`,
			`metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a/b"}`,
		}},
		{"CVL-004 what an update cannot change is put back", change{doc: `{metadata: {uid: u, generation: 3, creationTimestamp: "2026-01-01T00:00:00Z"}}`}, change{doc: `{metadata: {generation: 1}}`}, nil},
	})
}

func TestStoredVersions(t *testing.T) {
	const (
		v1   = `{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}`
		v2   = `{name: v2, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}`
		gone = `missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions`
	)
	requireUpdates(t, []updateRow{
		{"PRE-002 the new storage version is added", change{}, change{spec: `{versions: [` + v2 + `, ` + strings.Replace(v1, "storage: true", "storage: false", 1) + `]}`}, nil},
		{"CVL-023 a stored version has to stay, whatever the new status says", change{}, change{
			doc: `{status: {storedVersions: [v2]}}`, spec: `{versions: [` + v2 + `]}`,
		}, []string{`status.storedVersions[0]: Invalid value: "v1": ` + gone}},
		{"CVL-023 the index is the last one of a name", change{doc: `{status: {storedVersions: [v1, v2, v1]}}`}, change{spec: `{versions: [` + v2 + `]}`}, []string{
			`status.storedVersions[2]: Invalid value: "v1": ` + gone,
		}},
		{"SEED-018 a version goes once it is not stored any more", change{doc: `{status: {storedVersions: [v2]}}`, spec: `{versions: [` + strings.Replace(v1, "storage: true", "storage: false", 1) + `, ` + v2 + `]}`}, change{spec: `{versions: [` + v2 + `]}`}, nil},
		{"CVL-021 the accepted names of the old status are looked at", change{doc: `{status: {acceptedNames: {plural: A, kind: x, listKind: x}}}`}, change{}, []string{
			`status.acceptedNames.plural: Invalid value: "A": M1035`,
			`status.acceptedNames.listKind: Invalid value: "x": kind and listKind may not be the same`,
		}},
	})
}

// UPD-005, PRE-002: an update of the status looks at little.
func TestStatusUpdate(t *testing.T) {
	old := given.Definition(t, change{doc: `{metadata: {resourceVersion: "1"}}`}.document(t))
	for _, r := range []struct {
		name string
		now  change
		want []string
	}{
		{"nothing", change{doc: `{metadata: {resourceVersion: "1"}}`}, nil},
		{"the spec and the stored versions do not matter", change{
			doc: `{metadata: {resourceVersion: "1", labels: {a: b}}, status: {storedVersions: [v9]}}`, spec: `{group: "", scope: x}`, schema: `{type: foo}`,
		}, nil},
		{"names and metadata", change{doc: `{metadata: {resourceVersion: "1", name: other, labels: {"": b}}, status: {acceptedNames: {plural: A, kind: _}}}`}, []string{
			`metadata.labels: Invalid value: "": name part must be non-empty`,
			`metadata.labels: Invalid value: "": name part ` + qualified,
			`metadata.name: Invalid value: "other": field is immutable`,
			`metadata.labels: Invalid value: "": name part must be non-empty`,
			`metadata.labels: Invalid value: "": name part ` + qualified,
			`metadata.name: Invalid value: "other": field is immutable`,
			`metadata.labels: Invalid value: "": name part must be non-empty`,
			`metadata.labels: Invalid value: "": name part ` + qualified,
			`status.acceptedNames.plural: Invalid value: "A": M1035`,
			`status.acceptedNames.kind: Invalid value: "_": may have mixed case, but should otherwise match: M1035`,
		}},
	} {
		t.Run(r.name, func(t *testing.T) {
			require.Equal(t, spelled(r.want), given.Texts(crdcheck.ValidateStatusUpdate(given.Definition(t, r.now.document(t)), old)))
		})
	}
	require.NotPanics(t, func() { crdcheck.ValidateStatusUpdate(nil, nil) })
}

// UPD-001: a check that the old definition fails is not made for the new one, anywhere.
func TestSwitches(t *testing.T) {
	const preserving = `{preserveUnknownFields: true}`
	was := func(schema string) change { return change{schema: schema} }
	typed := `{type: object, properties: {a: {type: TYPE}, b: {type: string}}}`
	of := func(format, text string) change { return was(strings.ReplaceAll(format, "TYPE", text)) }
	list := `{type: object, properties: {a: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}}}}}}`
	otherList := `{type: object, properties: {b: {type: array, x-kubernetes-list-type: set, items: {type: string, nullable: true}}}}`
	requireUpdates(t, []updateRow{
		{"UPD-001 types", of(typed, "foo"), was(`{type: object, properties: {c: {type: "bar"}}}`), nil},
		{"UPD-001 types were all right", of(typed, "string"), of(typed, "foo"), []string{
			`P.properties[a].type: Unsupported value: "foo": supported values: "array", "boolean", "integer", "number", "object", "string"`,
		}},
		{"UPD-002 null is not forgiven", of(typed, `"null"`), of(typed, `"null"`), []string{
			`P.properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative`,
		}},
		{"UPD-001 keys", was(list), was(otherList), nil},
		{"UPD-001 keys were all right", was(`{type: object}`), was(otherList), []string{
			`P.properties[b].items.nullable: Forbidden: cannot be nullable when x-kubernetes-list-type is set`,
		}},
		{"UPD-001 sets",
			was(`{type: object, properties: {a: {type: array, x-kubernetes-list-type: set, items: {type: object}}}}`),
			was(`{type: object, properties: {b: {type: array, x-kubernetes-list-type: set, items: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, required: [k], properties: {k: {type: string}}}}}}}`),
			nil},
		{"UPD-001 defaults with unknown fields",
			was(`{type: object, properties: {a: {type: object, default: {x: 1}}}}`), was(`{type: object, properties: {b: {type: object, default: {z: 1}}}}`), nil},
		{"UPD-001 defaults had none",
			was(`{type: object, properties: {a: {type: object, default: {}}}}`), was(`{type: object, properties: {b: {type: object, default: {z: 1}}}}`), []string{
				`P.properties[b].default: Invalid value: {"z":1}: must not have unknown fields`,
			}},
		{"UPD-001 structure, as long as unknown fields are preserved",
			change{spec: preserving, schema: `{properties: {a: {}}}`}, change{spec: preserving, schema: `{properties: {b: {}}}`}, nil},
		{"UPD-001 structure was all right", change{spec: preserving, schema: `{type: object}`}, change{spec: preserving, schema: `{properties: {b: {}}}`}, []string{
			`P.properties[b].type: Required value: must not be empty for specified object fields`,
			`P.type: Required value: must not be empty at the root`,
		}},
		{"UPD-002 pruning needs structure", change{spec: preserving, schema: `{properties: {a: {}}}`}, change{schema: `{properties: {a: {}}}`}, []string{
			`P.properties[a].type: Required value: must not be empty for specified object fields`,
			`P.type: Required value: must not be empty at the root`,
		}},
		{"SCH-005 extensions do", change{spec: preserving, schema: `{}`}, change{spec: preserving, schema: `{properties: {a: {type: array, x-kubernetes-list-type: atomic}}}`}, []string{
			`P.properties[a].items: Required value: must be specified`,
			`P.type: Required value: must not be empty at the root`,
		}},
		{"SCH-005 map-type does not", change{spec: preserving, schema: `{}`}, change{spec: preserving, schema: `{properties: {a: {type: object, x-kubernetes-map-type: atomic}}}`}, nil},
		{"SCH-005 defaults do, CVL-013", change{spec: preserving, schema: `{}`}, change{spec: preserving, schema: `{properties: {a: {type: string, default: x}}}`}, []string{
			`spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema`,
			`P.type: Required value: must not be empty at the root`,
		}},
		{"SCH-011 what cannot be compiled passes where structure is not needed, UPD-002 but not forbidden keywords",
			change{spec: preserving, schema: `{$schema: x}`}, change{spec: preserving, schema: `{$schema: x, properties: {a: {id: x}}}`}, []string{
				`P.properties[a].id: Forbidden: id is not supported`,
			}},
		{"SCH-012 defaults are looked for in any case", change{spec: preserving, schema: `{}`}, change{spec: preserving, schema: `{properties: {kind: {type: string, default: K}}}`}, []string{
			`spec.preserveUnknownFields: Invalid value: true: must be false in order to use defaults in the schema`,
			`P.type: Required value: must not be empty at the root`,
			`P.properties[kind].default: Forbidden: must not be set in top-level kind`,
		}},
		{"UPD-001 versions without schemas, CVL-012 served ones need one to prune", change{version: `{schema: null}`}, change{spec: `{versions: [{name: v1, served: true, storage: true}, {name: v2}]}`}, []string{
			`spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned`,
		}},
		{"UPD-001 or not at all, UPD-004 where true stays true", change{spec: preserving, version: `{schema: null}`}, change{spec: preserving, version: `{schema: null}`}, nil},
		{"UPD-004 true after false", change{}, change{spec: preserving}, []string{
			`spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead`,
		}},
		{"UPD-001 review versions that nobody knows", webhook(`{url: "https://a"}`, `[v2]`), webhook(`{url: "https://a"}`, `[v3]`), nil},
		{"UPD-001 there was one that is known", webhook(`{url: "https://a"}`, `[v2, v1]`), webhook(`{url: "https://a"}`, `[v2]`), []string{
			`spec.conversion.conversionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1`,
		}},
		{"UPD-001 rules that are too expensive, as long as the schema stays as it is, UPD-006 also in a new version", of(expensive, "a"), change{spec: `{versions: [
			{name: v2, served: true, storage: true, schema: {openAPIV3Schema: ` + strings.ReplaceAll(expensive, "TYPE", "a") + `}},
			{name: v1, served: true, schema: {openAPIV3Schema: ` + strings.ReplaceAll(expensive, "TYPE", "a") + `}}]}`}, nil},
		{"UPD-001 rules that are too expensive, in a schema that changes", of(expensive, "a"), of(expensive, "b"), []string{
			`P.properties[b].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 3.6x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`,
		}},
	})
}

// expensive has a rule over the limit of one rule, but below that of all.
const expensive = `{type: object, properties: {TYPE: {type: array, maxItems: 2700, items: {type: integer}, x-kubernetes-validations: [{rule: "self.all(x, self.all(y, x == y))"}]}}}`

// UPD-001: too many selectable fields may stay, as long as they all do.
func TestTooManySelectableFields(t *testing.T) {
	const schema = `{type: object, properties: {m: {type: object, additionalProperties: {type: string}}}}`
	fields := func(names string) (list string) {
		for _, n := range names {
			list += "{jsonPath: .m." + string(n) + "}, "
		}
		return strings.TrimSuffix(list, ", ")
	}
	of := func(names string) change {
		return change{schema: schema, version: `{selectableFields: [` + fields(names) + `]}`}
	}
	each := func(names string) change {
		return change{spec: `{versions: [
			{name: v1, served: true, storage: true, schema: {openAPIV3Schema: ` + schema + `}, selectableFields: [` + fields(names) + `]},
			{name: v2, schema: {openAPIV3Schema: {type: object}}}]}`}
	}
	const many = `: Too many: 9: must have at most 8 items`
	requireUpdates(t, []updateRow{
		{"as they are", of("abcdefghi"), of("abcdefghi"), nil},
		{"another order", of("abcdefghi"), of("bacdefghi"), []string{`spec.selectableFields` + many}},
		{"one less", of("abcdefghij"), of("abcdefghi"), []string{`spec.selectableFields` + many}},
		{"a version's", each("abcdefghi"), each("abcdefghi"), nil},
		{"another version's", each("abcdefgh"), each("abcdefghi"), []string{`spec.versions[0].selectableFields` + many}},
		{"the definition's before", of("abcdefghi"), each("abcdefghi"), []string{`spec.versions[0].selectableFields` + many}},
	})
}

func TestWarnings(t *testing.T) {
	const (
		set  = `x-kubernetes-list-type: set for items of type "`
		what = `" is not supported by server-side apply or CEL validation rules`
	)
	formats := change{schema: `{type: object, format: z, properties: {
		d: {type: integer, format: int32}, e: {type: integer, format: double}, f: {type: string, format: date-time}, a: {type: string, format: foo},
		b: {type: boolean, format: date}, c: {type: array, items: {type: string, format: foo}}, h: {type: string, format: k8s-short-name},
		g: {x-kubernetes-int-or-string: true, format: uuid}}, allOf: [{not: {format: bar}}]}`}
	sets := change{schema: `{type: object, properties: {
		a: {type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic}}, b: {type: array, x-kubernetes-list-type: set, items: {type: object, x-kubernetes-map-type: atomic}},
		c: {type: array, x-kubernetes-list-type: set, items: {type: array, items: {type: string}}}, d: {type: array, x-kubernetes-list-type: set, items: {type: string}}}}`}
	for _, r := range []struct {
		name     string
		now, old *change
		want     []string
	}{
		{"nothing", &change{}, nil, nil},
		{"WRN-001 each time", &formats, nil, []string{
			`unrecognized format "z"`, `unrecognized format "bar"`, `unrecognized format "foo"`, `unrecognized format "date"`, `unrecognized format "foo"`,
			`unrecognized format "double"`,
		}},
		{"WRN-002 each type once", &sets, nil, []string{set + "array" + what, set + "object" + what}},
		{"WRN-003 what is new", &formats, &change{schema: `{type: object, properties: {x: {type: number, format: foo}, y: {type: string, format: bar}}}`}, []string{
			`unrecognized format "z"`, `unrecognized format "date"`, `unrecognized format "double"`,
		}},
		{"WRN-003 a type of items that is new", &sets, &change{schema: `{type: object, properties: {x: {type: array, x-kubernetes-list-type: set, items: {type: object}}}}`}, []string{
			set + "array" + what,
		}},
		{"WRN-003 equal schemas count once", &change{spec: `{versions: [
			{name: v1, storage: true, schema: {openAPIV3Schema: {type: object, format: x}}}, {name: v2, schema: {openAPIV3Schema: {type: object, format: x}}}]}`}, nil, []string{`unrecognized format "x"`}},
		{"WRN-003 others do not", &change{spec: `{versions: [
			{name: v1, storage: true, schema: {openAPIV3Schema: {type: object, format: x}}}, {name: v2, schema: {openAPIV3Schema: {type: object, format: x, title: t}}}]}`}, nil,
			[]string{`unrecognized format "x"`, `unrecognized format "x"`}},
	} {
		t.Run(r.name, func(t *testing.T) {
			var old *crd.CustomResourceDefinition
			if r.old != nil {
				old = given.Definition(t, r.old.document(t))
			}
			require.Equal(t, r.want, crdcheck.Warnings(given.Definition(t, r.now.document(t)), old))
		})
	}
}

// A definition that is taken may take its own place: those of the examples, and those that tests change.
func TestAcceptedDefinitions(t *testing.T) {
	documents := [][]byte{[]byte(lamp), []byte(oldLamp), []byte(rich)}
	for _, name := range []string{"../examples/quickstart/crd.yaml", "../admission/testdata/crds.yaml"} {
		documents = append(documents, given.File(t, name))
	}
	for _, data := range documents {
		definitions, err := crd.ParseBundle(data)
		require.NoError(t, err)
		require.NotEmpty(t, definitions)
		for _, d := range definitions {
			checked := crdcheck.Compile(d)
			require.Empty(t, given.Texts(checked.Errors()), d.Name())
			require.Empty(t, given.Texts(crdcheck.ValidateUpdate(d, d)), d.Name())
			_, err := resource.CompileChecked(checked)
			require.NoError(t, err, d.Name())
		}
	}
}
