package crd

import (
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/crdkit/crdkit/internal/definition"
	"github.com/crdkit/crdkit/internal/jsonval"
)

// After a definition is stored, separate controllers of a server decide whether its names are accepted and when its
// resource is served. Each step here stands for one of them: it reads the definition and the others of its group, and
// writes a status.

// Settle returns the status that d has when a server has finished all its own steps, starting from the status of d:
// names, establishment, approval, and the structure of the schemas. The steps are repeated until none changes anything,
// because a server handles each status that it has written. Settle does not wait for names that others release.
//
// Only the status of the others in the group of d matters. Nil ones, d itself, and one with d's name are ignored. But
// the accepted names of d itself count as taken: a repeated check can find that one of its short names equals its
// plural name.
//
// The times of conditions are now if their status changes, and stay absent if now is zero. New conditions are in the
// order NamesAccepted, Established, KubernetesAPIApprovalPolicyConformant, NonStructuralSchema; in a server the last
// two come in any order. Nothing is modified. The result shares lists with d: names with its spec or its status, stored
// versions with its status, and conditions if they are unchanged. It takes time linear in the names and the schemas.
func (d *CustomResourceDefinition) Settle(others []*CustomResourceDefinition, now time.Time) Status {
	settled := *d
	taken := sync.OnceValue(func() takenNames { return takenBy(others, d) })
	// The loop terminates: each step either sets a field of the accepted names to the spec's value, where it stays, or
	// only updates the condition.
	for changed := true; changed; {
		settled.Status, changed = settled.acceptNames(taken, now)
	}
	s := settled.establish(now)
	if c := d.approvalCondition(); c != nil {
		s = s.withNew(*c, now)
	}
	if c := d.nonStructuralCondition(); c != nil {
		return s.withNew(*c, now)
	}
	return s.withoutCondition(NonStructuralSchema)
}

// acceptNames returns the status that d has after a server has checked its names once, and whether that differs from
// its status before. It sets the accepted names and the conditions [NamesAccepted] and [Established]. A name is
// accepted if no other definition in the group has accepted it; a list of short names is accepted only as a whole. A
// rejected name keeps its accepted value, and the last such field determines the reason and the message of
// NamesAccepted. This step never sets Established to true: establish does.
//
// Nothing changes if the accepted names are already those of the spec, or if neither they nor NamesAccepted would
// change: a missing condition is not added in that case. Equality is that of [jsonval.EqualTyped].
func (d *CustomResourceDefinition) acceptNames(taken func() takenNames, now time.Time) (s Status, changed bool) {
	if jsonval.EqualTyped(d.Spec.Names, d.Status.AcceptedNames) {
		return d.Status, false
	}
	names, accepted := taken().accept(d.Spec.Names, d.Status.AcceptedNames)
	if old := d.Condition(NamesAccepted); old != nil && old.Equivalent(accepted) && jsonval.EqualTyped(names, d.Status.AcceptedNames) {
		return d.Status, false
	}
	// EST-001
	established := Condition{Type: Established, Status: "False", Reason: "NotAccepted", Message: "not all names are accepted"}
	if old := d.Condition(Established); old != nil {
		established = *old
	}
	if established.Status != "True" && accepted.Status == "True" {
		established = Condition{Type: Established, Status: "False", Reason: "Installing", Message: initialNames}
	}
	s = d.Status
	s.AcceptedNames = names
	return s.WithCondition(accepted, now).WithCondition(established, now), true
}

// initialNames is the message of Established both while a resource is being installed and afterwards.
const initialNames = "the initial names have been accepted"

// establish returns the status that d has after a server has checked whether it can serve the resource. If
// [NamesAccepted] is true and [Established] is not, Established becomes true, or false if the CA bundle of the
// conversion webhook has no readable certificate. An empty bundle counts as no bundle. Once true, Established stays
// true, even if the names change.
func (d *CustomResourceDefinition) establish(now time.Time) Status {
	if !d.HasCondition(NamesAccepted) || d.HasCondition(Established) {
		return d.Status
	}
	c := Condition{Type: Established, Status: "True", Reason: "InitialNamesAccepted", Message: initialNames}
	if !d.caBundleReadable() {
		c.Status, c.Reason, c.Message = "False", "InvalidCABundle", "The conversion webhook CABundle is invalid"
	}
	return d.Status.WithCondition(c, now)
}

func (d *CustomResourceDefinition) caBundleReadable() bool {
	if d.Spec.Conversion == nil || d.Spec.Conversion.WebhookClientConfig == nil {
		return true
	}
	bundle := d.Spec.Conversion.WebhookClientConfig.CABundle
	return len(bundle) == 0 || definition.CheckCABundle(bundle) == nil
}

// takenNames are the names that other definitions of a group have accepted. Plural, singular and short names share one
// namespace, kinds and list kinds another (NAM-001).
type takenNames struct {
	resources, kinds map[string]bool
}

func takenBy(others []*CustomResourceDefinition, d *CustomResourceDefinition) takenNames {
	t := takenNames{resources: map[string]bool{}, kinds: map[string]bool{}}
	for _, o := range others {
		if o == nil || o == d || o.Spec.Group != d.Spec.Group || o.Name() == d.Name() && d.Name() != "" {
			continue
		}
		names := &o.Status.AcceptedNames
		t.resources[names.Plural], t.resources[names.Singular] = true, true
		for _, name := range names.ShortNames {
			t.resources[name] = true
		}
		t.kinds[names.Kind], t.kinds[names.ListKind] = true, true
	}
	return t
}

// accept returns the accepted ones of the requested names, and the condition NamesAccepted: NAM-002, NAM-003.
func (t takenNames) accept(requested, accepted Names) (Names, Condition) {
	c := Condition{Type: NamesAccepted, Status: "True", Reason: "NoConflicts", Message: "no conflicts found"}
	conflict := func(reason, message string) { // the last one wins
		c.Status, c.Reason, c.Message = "False", reason, message
	}
	inUse := func(name string) string { return strconv.Quote(name) + " is already in use" }
	mine := make(map[string]bool, len(accepted.ShortNames)) // the accepted short names
	for _, name := range accepted.ShortNames {
		mine[name] = true
	}
	resourceTaken := func(name string) bool {
		return t.resources[name] || name == accepted.Plural || name == accepted.Singular || mine[name]
	}
	kindTaken := func(name string) bool {
		return t.kinds[name] || name == accepted.Kind || name == accepted.ListKind
	}
	// one returns the accepted value of a field that holds one name.
	one := func(requested, accepted string, taken func(string) bool, reason string) string {
		if requested != accepted && taken(requested) {
			conflict(reason, inUse(requested))
			return accepted
		}
		return requested
	}

	out := Names{Categories: requested.Categories}
	out.Plural = one(requested.Plural, accepted.Plural, resourceTaken, "PluralConflict")
	out.Singular = one(requested.Singular, accepted.Singular, resourceTaken, "SingularConflict")
	out.ShortNames = requested.ShortNames
	if !slices.Equal(requested.ShortNames, accepted.ShortNames) {
		var conflicts []string
		for _, name := range requested.ShortNames {
			// A server compares with an empty accepted value here, so the empty name is never in use.
			if name != "" && !mine[name] && resourceTaken(name) {
				conflicts = append(conflicts, inUse(name))
			}
		}
		if len(conflicts) > 0 {
			conflict("ShortNamesConflict", aggregate(conflicts))
			out.ShortNames = accepted.ShortNames
		}
	}
	out.Kind = one(requested.Kind, accepted.Kind, kindTaken, "KindConflict")
	out.ListKind = one(requested.ListKind, accepted.ListKind, kindTaken, "ListKindConflict")
	return out, c
}
