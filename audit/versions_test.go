package audit_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/audit"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
)

// tasks is a definition with two versions and a conversion webhook. Its objects are stored in both.
const tasks = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: tasks.example.com}
spec:
  group: example.com
  names: {kind: Task, plural: tasks}
  scope: Namespaced
  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {service: {name: a, namespace: b}}}}
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, required: [steps], properties: {steps: {type: array, items: {type: string}}}}}}}
    - name: v1beta1
      served: true
      storage: false
      schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, required: [step], properties: {step: {type: string, maxLength: 3}, note: {type: string}}}}}}
`

// wrapStep converts Tasks. It forgets the note.
func wrapStep(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	for _, obj := range objects {
		spec, _ := obj["spec"].(map[string]any)
		if apiVersion == "example.com/v1" {
			obj["spec"] = map[string]any{"steps": []any{spec["step"]}}
		} else if steps, _ := spec["steps"].([]any); len(steps) > 0 {
			obj["spec"] = map[string]any{"step": steps[0]}
		}
		obj["apiVersion"] = apiVersion
	}
	return objects, nil
}

// task returns a Task as it is stored.
func task(version, name, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"example.com/%s","kind":"Task","metadata":{"name":"%s","namespace":"a","generation":1},"spec":%s}`+"\n", version, name, spec)
}

// CNV-006: without the webhook, objects of other versions are checked in their own, and are not broken because of it.
func TestStoredInTwoVersions(t *testing.T) {
	d, err := crd.Parse([]byte(tasks))
	require.NoError(t, err)
	var dump strings.Builder
	for i := range 50 {
		dump.WriteString(task("v1", fmt.Sprintf("a%d", i), `{"steps":["x"]}`))
		dump.WriteString(task("v1beta1", fmt.Sprintf("b%d", i), `{"step":"x"}`))
	}
	a, err := audit.New(d, nil)
	require.NoError(t, err)
	report, err := a.Run(t.Context(), audit.Objects(strings.NewReader(dump.String())))
	require.NoError(t, err)
	require.Zero(t, report.Broken)
	require.Empty(t, report.Findings)
	require.EqualValues(t, 100, report.Clean)
	require.EqualValues(t, 50, report.Unconverted)
	require.Equal(t, []audit.StoredVersion{{"v1", 50, true}, {"v1beta1", 50, false}}, report.Versions)
	require.Equal(t, "Task.example.com: 100 objects, 100 clean, 0 changed, 0 broken, 0 of another kind, 0 damaged\nstored in v1: 50, v1beta1: 50\n"+
		"50 objects are checked in their own version only: the definition has a conversion webhook, which is not called\n", report.String())

	o := a.Object(t.Context(), []byte(task("v1beta1", "a", `{"step":"much too long"}`)))
	require.Equal(t, audit.Broken, o.Class)
	require.True(t, o.Unconverted)
	require.True(t, slices.ContainsFunc(o.Findings, func(f audit.Finding) bool {
		return f.Question == audit.Create && f.Version == "v1beta1" && f.Path == "spec.step"
	}), "%v", o.Findings)
	o = a.Object(t.Context(), []byte(task("v9", "a", `{}`)))
	require.Equal(t, audit.Broken, o.Class)
	require.False(t, o.Unconverted, "no webhook converts that version")
	require.Empty(t, o.Version)
}

// CNV-007: with a converter, objects are read in all versions, and an audit says what a migration would change.
func TestMigration(t *testing.T) {
	d, err := crd.Parse([]byte(tasks))
	require.NoError(t, err)
	a, err := audit.New(d, &audit.Options{Converter: conversion.ConverterFunc(wrapStep)})
	require.NoError(t, err)
	dump := task("v1", "a", `{"steps":["x"]}`) + task("v1", "b", `{"steps":["x","y"]}`) + task("v1beta1", "c", `{"step":"x"}`) +
		task("v1beta1", "d", `{"step":"x","note":"n"}`) + task("v1", "e", `{"steps":["very long"]}`) + task("v1", "f", `{"steps":[]}`)
	report, err := a.Run(t.Context(), audit.Objects(strings.NewReader(dump)))
	require.NoError(t, err)
	require.Zero(t, report.Unconverted)
	var got []string
	for _, g := range report.Findings {
		got = append(got, fmt.Sprintf("%s %s %s %s %s", g.Question, g.Version, g.Path, g.Text, g.Names))
	}
	require.Equal(t, []string{
		`migrate v1 spec.note lost "spec.note" [a/d]`,
	}, got)
}

// PRE-002: versions without stored objects can be removed from status.storedVersions, unless an object could not be read.
func TestRemovableVersions(t *testing.T) {
	for _, c := range []struct {
		name, listed, dump string
		want               []string
	}{
		{"nothing is stored", "[v1beta1, v1]", "", []string{"v1beta1"}},
		{"all objects are migrated", "[v1beta1, v1]", task("v1", "a", `{"steps":["x"]}`), []string{"v1beta1"}},
		{"one is not", "[v1beta1, v1]", task("v1", "a", `{"steps":["x"]}`) + task("v1beta1", "b", `{"step":"x"}`), nil},
		{"the version is gone", "[v1alpha1, v1]", task("v1", "a", `{"steps":["x"]}`), []string{"v1alpha1"}},
		{"there is one version", "[v1]", task("v1", "a", `{"steps":["x"]}`), nil},
		{"there is no status", "[]", task("v1", "a", `{"steps":["x"]}`), nil},
		{"an object is damaged", "[v1beta1, v1]", task("v1", "a", `{"steps":["x"]}`) + `{"kind":`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := crd.Parse([]byte(tasks + "status: {storedVersions: " + c.listed + "}\n"))
			require.NoError(t, err)
			a, err := audit.New(d, nil)
			require.NoError(t, err)
			report, err := a.Run(t.Context(), audit.Objects(strings.NewReader(c.dump)))
			require.NoError(t, err)
			require.Equal(t, c.want, report.Removable)
			require.Equal(t, c.want != nil, strings.Contains(report.String(),
				"if these are all objects of the store, status.storedVersions does not need "+strings.Join(c.want, ", ")+" any more\n"))
		})
	}
}
