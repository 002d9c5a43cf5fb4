package crd_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/crdkit/crdkit/crd"
)

// Two definitions request the same kind. The first one gets it.
func ExampleCustomResourceDefinition_AcceptNames() {
	first, _ := crd.Parse([]byte(lamps))
	first.Status = first.AcceptNames(nil, time.Now())

	second, _ := crd.Parse([]byte(strings.ReplaceAll(lamps, "lamps", "lights")))
	second.Status = second.AcceptNames([]*crd.CustomResourceDefinition{first}, time.Now())

	for _, d := range []*crd.CustomResourceDefinition{first, second} {
		c := d.Condition(crd.NamesAccepted)
		fmt.Printf("%s: %s %s: %s; kind %q\n", d.Name(), c.Status, c.Reason, c.Message, d.Status.AcceptedNames.Kind)
	}
	// Output:
	// lamps.example.com: True NoConflicts: no conflicts found; kind "Lamp"
	// lights.example.com: False ListKindConflict: "LampList" is already in use; kind ""
}

func ExampleCustomResourceDefinition_Settle() {
	d, _ := crd.Parse([]byte(lamps))
	for _, c := range d.Settle(nil, time.Now()).Conditions {
		fmt.Println(c.Type, c.Status, c.Reason)
	}
	// Output:
	// NamesAccepted True NoConflicts
	// Established True InitialNamesAccepted
}

func ExampleCustomResourceDefinition_Establish() {
	d, _ := crd.Parse([]byte(lamps))
	d.Status = d.AcceptNames(nil, time.Now())
	fmt.Println(d.Condition(crd.Established).Reason)
	d.Status = d.Establish(time.Now())
	fmt.Println(d.Condition(crd.Established).Reason)
	// Output:
	// Installing
	// InitialNamesAccepted
}

func ExampleCustomResourceDefinition_NonStructuralCondition() {
	d, _ := crd.Parse([]byte(strings.ReplaceAll(lamps, "{type: object}", "{}")))
	fmt.Println(d.NonStructuralCondition().Message)
	// Output:
	// spec.versions[0].schema.openAPIV3Schema.type: Required value: must not be empty at the root
}

func ExampleCustomResourceDefinition_ApprovalCondition() {
	d, _ := crd.Parse([]byte(lamps))
	fmt.Println(d.ApprovalCondition())
	d.Spec.Group = "lamps.k8s.io"
	c := d.ApprovalCondition()
	fmt.Println(c.Status, c.Reason)
	// Output:
	// <nil>
	// False MissingAnnotation
}

func ExampleCustomResourceDefinition_Approval() {
	d := &crd.CustomResourceDefinition{Metadata: map[string]any{
		"annotations": map[string]any{crd.ApprovedAnnotation: "unapproved, an experiment"},
	}}
	approval, text := d.Approval()
	fmt.Println(approval == crd.ApprovalBypassed, text)
	// Output:
	// true not approved: "unapproved, an experiment"
}

func ExampleProtectedGroup() {
	fmt.Println(crd.ProtectedGroup("storage.k8s.io"), crd.ProtectedGroup("k8s.io.example.com"))
	// Output:
	// true false
}

func ExampleTerminatingCondition() {
	c, _ := crd.TerminatingCondition(crd.ReasonDeletionCompleted)
	fmt.Println(c.Status, c.Message)
	// Output:
	// False removed all instances
}

func ExampleStatus_WithCondition() {
	var s crd.Status
	s = s.WithCondition(crd.Condition{Type: crd.StorageMigrating, Status: crd.ConditionTrue}, time.Now())
	fmt.Println(s.Conditions[0].Type, s.Conditions[0].Status)
	s = s.WithoutCondition(crd.StorageMigrating)
	fmt.Println(len(s.Conditions))
	// Output:
	// StorageMigrating True
	// 0
}

// To remove a version from a definition, first migrate its objects, then remove it from the stored versions, and then
// from the spec.
func ExampleCustomResourceDefinition_RemovableVersions() {
	d, _ := crd.Parse([]byte(lamps))
	d.Status.StoredVersions = []string{"v1beta1", "v1"}
	fmt.Println("removable:", d.RemovableVersions(), "to migrate:", d.VersionsToMigrate())

	// ... every object is written again ...
	d.Status = d.Migrated()
	fmt.Println("removable:", d.RemovableVersions(), "to migrate:", d.VersionsToMigrate())
	// Output:
	// removable: [] to migrate: [v1beta1]
	// removable: [v1beta1] to migrate: []
}

func ExampleCustomResourceDefinition_StoredVersionsAfter() {
	d, _ := crd.Parse([]byte(lamps))
	old := &crd.CustomResourceDefinition{Status: crd.Status{StoredVersions: []string{"v1beta1"}}}
	fmt.Println(d.StoredVersionsAfter(nil), d.StoredVersionsAfter(old))
	// Output:
	// [v1] [v1beta1 v1]
}

func ExampleCustomResourceDefinition_StoredVersionErrors() {
	d, _ := crd.Parse([]byte(lamps))
	d.Status.StoredVersions = []string{"v1beta1"}
	fmt.Println(d.StoredVersionErrors())
	// Output:
	// status.storedVersions: Invalid value: ["v1beta1"]: must have the storage version v1
}
