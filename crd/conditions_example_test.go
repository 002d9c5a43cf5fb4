package crd_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/crdkit/crdkit/crd"
)

// Two definitions request the same kind. The first one gets it.
func ExampleCustomResourceDefinition_Settle_conflict() {
	first, _ := crd.Parse([]byte(lamps))
	first.Status = first.Settle(nil, time.Now())

	second, _ := crd.Parse([]byte(strings.ReplaceAll(lamps, "lamps", "lights")))
	second.Status = second.Settle([]*crd.CustomResourceDefinition{first}, time.Now())

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

func ExampleStatus_WithCondition() {
	var s crd.Status
	s = s.WithCondition(crd.Condition{Type: crd.StorageMigrating, Status: "True"}, time.Now())
	fmt.Println(s.Conditions[0].Type, s.Conditions[0].Status)
	// Output:
	// StorageMigrating True
}

func ExampleCustomResourceDefinition_StoredVersionsAfter() {
	d, _ := crd.Parse([]byte(lamps))
	old := &crd.CustomResourceDefinition{Status: crd.Status{StoredVersions: []string{"v1beta1"}}}
	fmt.Println(d.StoredVersionsAfter(nil), d.StoredVersionsAfter(old))
	// Output:
	// [v1] [v1beta1 v1]
}
