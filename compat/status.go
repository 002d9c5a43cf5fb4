package compat

import (
	"maps"
	"slices"

	"github.com/crdkit/crdkit/internal/tool/constraint"
)

// statusPath is the schema path of the status.
var statusPath = constraint.Steps{property("status")}

// statusSubresource compares creates of objects with a status if only one side has a status subresource. With it, a
// create drops the status, and does not validate it.
func (p *pair) statusSubresource() {
	if p.old.hasStatus == p.now.hasStatus {
		return
	}
	q := question{schemaPath: statusPath, accepting: p.old, refusing: p.now,
		restriction: restriction{keyword: "subresource", before: "none", after: "there"}}
	storing, dropping := p.old, p.now
	stored, storedDetail := LosesData, "A create drops the status now: there is a status subresource."
	validated, validatedDetail := Loosens, "A create does not validate the status any longer, but drops it."
	if p.old.hasStatus {
		storing, dropping = p.now, p.old
		q.restriction.before, q.restriction.after = "there", "none"
		stored, storedDetail = Changes, "A create stores the status now, which it dropped: there is no status subresource."
		validated, validatedDetail = Breaks, "A create validates the status now, which it dropped."
	}
	if storing.rootFacts().below(property("status")).pruned() && storing.prunes || !p.ask(&q) {
		return
	}
	kept := differsAt(storing, statusPath)
	checked := question{schemaPath: statusPath, accepting: dropping, refusing: storing, restriction: q.restriction, loosens: validated == Loosens}
	foundStored, foundValidated := false, false
	for base := range p.bases(storing, dropping, statusPath) {
		if r := createOf(base); !foundStored && base["status"] != nil {
			foundStored = p.showEffect(&q, stored, storedDetail, r, kept)
		}
		for _, status := range wrongStatuses(base["status"]) {
			r := createOf(dropping.withAPIVersion(with(base, "status", status)))
			if foundValidated || p.c.effort <= 0 {
				break
			}
			if !p.isDifference(&checked, r) {
				continue
			}
			if c := p.contrastFor(&checked, dropping, storing, r, checked.refuses); c != nil {
				foundValidated = true
				p.addWitness(&checked, validated, validatedDetail, p.shrink(r, func(r request) bool {
					return p.isDifference(&checked, r) && confirmed(c, r, checked.refuses)
				}))
			}
		}
	}
	if !foundStored && !foundValidated {
		p.unknown(&q, "No object was found that shows what becomes of the status.")
	}
}

// maxWrongStatuses bounds how many statuses are tried.
const maxWrongStatuses = 60

// wrongStatuses returns values that few schemas of a status accept.
func wrongStatuses(valid any) (values []any) {
	wrong := []any{true, "", []any{"a"}, int64(1), map[string]any{}}
	values = append(values, wrong...)
	m, _ := valid.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		for _, v := range wrong {
			if len(values) < maxWrongStatuses {
				values = append(values, with(m, name, v))
			}
		}
		values = append(values, without(m, name))
	}
	return values
}

// rootFacts returns the facts about whole objects.
func (v *version) rootFacts() *facts { return factsOf(v.rootLocation()) }
