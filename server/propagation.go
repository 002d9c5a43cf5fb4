package server

import (
	"slices"

	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/resource"
)

// Some built-in kinds have another default of propagationPolicy than background.
var (
	orphaning = []string{"batch.v1.Job", "core.v1.ReplicationController"}
	// dependentless kinds have no policy: those that are ignored have no effect.
	dependentless = []string{"core.v1.Event", "events.v1.Event"}
	ignored       = []string{"", resource.PropagationOrphan, resource.PropagationForeground}
)

// jobsOrphan is the warning for a deletion of Jobs without a policy.
const jobsOrphan = "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them " +
	"or set propagationPolicy=Orphan to suppress this warning"

// warnOfPropagation adds the warning that a kind has for a deletion without a policy.
func (q *request) warnOfPropagation(d deletion) {
	if d.policy == "" && q.kind.Type == "batch.v1.Job" {
		q.warnings = append(q.warnings, jobsOrphan)
	}
}

// propagation returns the policy of a deletion of a stored object, with the default of the kind. The finalizers of an
// object take precedence over the default.
func (q *request) propagation(d deletion, stored map[string]any) string {
	decided := func(f any) bool { return f == objectmeta.OrphanFinalizer || f == objectmeta.ForegroundFinalizer }
	switch {
	case slices.Contains(dependentless, q.kind.Type) && slices.Contains(ignored, d.policy):
		return resource.PropagationBackground
	case d.policy != "" || d.collected || !slices.Contains(orphaning, q.kind.Type):
	case !slices.ContainsFunc(listAt(metadata(stored), "finalizers"), decided):
		return resource.PropagationOrphan
	}
	return d.policy
}
