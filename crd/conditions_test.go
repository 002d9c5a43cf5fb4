package crd

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/definition"
)

var (
	before = time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	later  = before.Add(time.Hour)
)

// EST-002: setting a condition replaces an old one of its type, keeps the others, and sets times.
func TestWithCondition(t *testing.T) {
	set := Condition{Type: Established, Status: "True", Reason: "R", Message: "m", ObservedGeneration: 9, LastTransitionTime: before.Add(-1)}
	other := Condition{Type: Terminating, Status: "False"}
	for _, row := range []struct {
		name string
		now  time.Time
		old  []Condition
		want []Condition
	}{
		{"new: behind the others", later, []Condition{other},
			[]Condition{other, {Type: Established, Status: "True", Reason: "R", Message: "m", ObservedGeneration: 9, LastTransitionTime: later}}},
		{"another status: in its place, with a new time",
			later, []Condition{{Type: Established, Status: "False", Message: "old", LastTransitionTime: before, ObservedGeneration: 2}, other},
			[]Condition{{Type: Established, Status: "True", Reason: "R", Message: "m", LastTransitionTime: later, ObservedGeneration: 2}, other}},
		{"the same status keeps its time", later, []Condition{{Type: Established, Status: "True", LastTransitionTime: before}},
			[]Condition{{Type: Established, Status: "True", Reason: "R", Message: "m", LastTransitionTime: before}}},
		{"unless it has none", later, []Condition{{Type: Established, Status: "True"}},
			[]Condition{{Type: Established, Status: "True", Reason: "R", Message: "m", LastTransitionTime: later}}},
		{"no time to set", time.Time{}, nil,
			[]Condition{{Type: Established, Status: "True", Reason: "R", Message: "m", ObservedGeneration: 9}}},
		{"the first of its type", later, []Condition{{Type: Established, Status: "True"}, {Type: Established}},
			[]Condition{{Type: Established, Status: "True", Reason: "R", Message: "m", LastTransitionTime: later}, {Type: Established}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			old := append(make([]Condition, 0, 8), row.old...) // spare capacity, which an append could overwrite
			kept := append([]Condition(nil), old...)
			got := Status{Conditions: old, StoredVersions: []string{"v1"}}.WithCondition(set, row.now)
			require.Equal(t, Status{Conditions: row.want, StoredVersions: []string{"v1"}}, got)
			require.Equal(t, kept, append([]Condition(nil), old...), "the argument")
			require.Zero(t, old[:8][len(old)], "the room behind the argument")
		})
	}
}

func TestWithoutCondition(t *testing.T) {
	s := Status{Conditions: []Condition{{Type: Established}, {Type: Terminating}, {Type: Established}}}
	require.Equal(t, []Condition{{Type: Terminating}}, s.withoutCondition(Established).Conditions)
	require.Equal(t, []Condition{{Type: Established}, {Type: Terminating}, {Type: Established}}, s.Conditions, "the argument")
	require.Same(t, &s.Conditions[0], &s.withoutCondition(NamesAccepted).Conditions[0])
}

// EST-002: times and generations are ignored.
func TestConditionEquivalent(t *testing.T) {
	c := Condition{Type: Established, Status: "True", Reason: "R", Message: "m"}
	same := c
	same.LastTransitionTime, same.ObservedGeneration = later, 3
	require.True(t, c.Equivalent(same))
	for _, other := range []Condition{
		{Type: NamesAccepted, Status: "True", Reason: "R", Message: "m"},
		{Type: Established, Status: "False", Reason: "R", Message: "m"},
		{Type: Established, Status: "True", Reason: "S", Message: "m"},
		{Type: Established, Status: "True", Reason: "R", Message: "n"},
	} {
		require.False(t, c.Equivalent(other), "%+v", other)
	}
}

// NSC-001, and SEED-005: the documentation calls the condition NonStructural.
func TestNonStructuralCondition(t *testing.T) {
	violations := func(message string) *Condition {
		return &Condition{Type: NonStructuralSchema, Status: "True", Reason: "Violations", Message: message}
	}
	unknown := func(message string) *Condition {
		return &Condition{Type: NonStructuralSchema, Status: "Unknown", Reason: "StructuralError", Message: message}
	}
	for _, row := range []struct {
		name, text string
		want       *Condition
	}{
		{"structural", headV1 + "spec: {versions: [{name: v1, schema: {openAPIV3Schema: {type: object}}}]}", nil},
		{"no schemas", headV1 + "spec: {versions: [{name: v1}, {name: v2, schema: {}}]}", nil},
		{"preserveUnknownFields", headV1 + "spec: {preserveUnknownFields: true}",
			violations("spec.preserveUnknownFields: Invalid value: true: must be false")},
		{"one violation, of the second version",
			headV1 + "spec: {versions: [{name: v1, schema: {openAPIV3Schema: {type: object}}}, {name: v2, schema: {openAPIV3Schema: {}}}]}",
			violations("spec.versions[1].schema.openAPIV3Schema.type: Required value: must not be empty at the root")},
		{"EMD-006: several in brackets, preserveUnknownFields first",
			headV1 + "spec: {preserveUnknownFields: true, versions: [{name: v1, schema: {openAPIV3Schema: {type: object, properties: {a: {}, b: {}}}}}]}",
			violations("[spec.preserveUnknownFields: Invalid value: true: must be false, " +
				"spec.versions[0].schema.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields, " +
				"spec.versions[0].schema.openAPIV3Schema.properties[b].type: Required value: must not be empty for specified object fields]")},
		{"v1beta1: the paths of v1, for each version",
			headV1beta1 + "spec: {preserveUnknownFields: false, validation: {openAPIV3Schema: {}}, versions: [{name: v1}, {name: v2}]}",
			violations("[spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root, " +
				"spec.versions[1].schema.openAPIV3Schema.type: Required value: must not be empty at the root]")},
		{"a schema that no structural one can say: nothing else is told",
			headV1 + "spec: {preserveUnknownFields: true, versions: [{name: v1, schema: {openAPIV3Schema: {}}}, " +
				"{name: v2, schema: {openAPIV3Schema: {type: object, definitions: {a: {}}}}}, {name: v3, schema: {openAPIV3Schema: {id: x}}}]}",
			unknown("failed to check validation schema for version v2: OpenAPIV3Schema 'definitions' is not supported")},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.want, mustParse(t, row.text).nonStructuralCondition())
		})
	}
	require.Equal(t, "NonStructuralSchema", mustParse(t, headV1+"spec: {preserveUnknownFields: true}").nonStructuralCondition().Type, "SEED-005")
}

// APP-002: the values of the annotation, and the condition.
func TestApprovalCondition(t *testing.T) {
	const (
		see      = ", see https://github.com/kubernetes/enhancements/pull/1111"
		required = `protected groups must have approval annotation "api-approved.kubernetes.io"`
		invalid  = required + ` with either a URL or a reason starting with "unapproved"` + see
	)
	for _, row := range []struct {
		annotation              any
		state                   definition.Approval
		status, reason, message string
	}{
		{nil, definition.ApprovalMissing, "False", "MissingAnnotation", required + see},
		{"", definition.ApprovalMissing, "False", "MissingAnnotation", required + see},
		{`unapproved, "yet"`, definition.ApprovalBypassed, "False", "UnapprovedAnnotation", `not approved: "unapproved, \"yet\""`},
		{"https://a", definition.ApprovalGiven, "True", "ApprovedAnnotation", "approved in https://a"},
		{"foo://bar", definition.ApprovalGiven, "True", "ApprovedAnnotation", "approved in foo://bar"},
		{"/path", definition.ApprovalInvalid, "False", "InvalidAnnotation", invalid},
		{"https://", definition.ApprovalInvalid, "False", "InvalidAnnotation", invalid},
		{"mailto:x", definition.ApprovalInvalid, "False", "InvalidAnnotation", invalid},
		{"http:/x", definition.ApprovalInvalid, "False", "InvalidAnnotation", invalid},
		{"yes", definition.ApprovalInvalid, "False", "InvalidAnnotation", invalid},
		{"Unapproved", definition.ApprovalInvalid, "False", "InvalidAnnotation", invalid},
		{" unapproved", definition.ApprovalInvalid, "False", "InvalidAnnotation", invalid},
	} {
		d := &CustomResourceDefinition{Spec: Spec{Group: "a.k8s.io"}}
		if row.annotation != nil {
			d.Metadata = map[string]any{"annotations": map[string]any{definition.ApprovalAnnotation: row.annotation}}
		}
		text, _ := row.annotation.(string)
		state, message := definition.ReadApproval(text)
		require.Equal(t, row.state, state, row.annotation)
		require.Equal(t, row.message, message, row.annotation)
		want := &Condition{Type: KubernetesAPIApprovalPolicyConformant, Status: row.status, Reason: row.reason, Message: row.message}
		require.Equal(t, want, d.approvalCondition(), row.annotation)

		d.Spec.Group = "example.com"
		require.Nil(t, d.approvalCondition(), "a group that is not protected")
	}
}
