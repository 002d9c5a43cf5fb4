package apply

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"sigs.k8s.io/structured-merge-diff/v6/merge"
)

// conflictStatus returns the refusal of an apply that would change what other managers own (SSA-030). The causes are
// sorted by manager, and end at the default [field.Limit].
func conflictStatus(conflicts merge.Conflicts) *field.Status {
	conflicts = slices.Clone(conflicts)
	slices.SortStableFunc(conflicts, func(a, b merge.Conflict) int { return cmp.Compare(a.Manager, b.Manager) })
	s := &field.Status{Code: 409, Reason: refusal.ReasonConflict}
	found, text := len(conflicts), 0
	for i, c := range conflicts {
		if text += len(c.Manager) + len(c.Path.String()); i > 0 && (i >= refusal.DefaultErrors || text > refusal.DefaultBytes) {
			conflicts = conflicts[:i]
			break
		}
		s.Causes = append(s.Causes, field.StatusCause{
			Reason: "FieldManagerConflict", Message: "conflict with " + managerText(c.Manager), Field: c.Path.String(),
		})
	}
	if found == 1 {
		s.Message = fmt.Sprintf("Apply failed with 1 conflict: %s: %s", s.Causes[0].Message, s.Causes[0].Field)
		return s
	}
	var lines []string
	for i, c := range conflicts {
		if i == 0 || c.Manager != conflicts[i-1].Manager {
			lines = append(lines, "conflicts with "+managerText(c.Manager)+":")
		}
		lines = append(lines, "- "+c.Path.String())
	}
	s.Message = fmt.Sprintf("Apply failed with %d conflicts: %s", found, strings.Join(lines, "\n"))
	if omitted := found - len(conflicts); omitted > 0 {
		e := refusal.TooMany(&field.Omitted{Errors: omitted})
		s.Message += "\n" + e.Detail
		s.Causes = append(s.Causes, field.StatusCause{Reason: string(e.Type), Message: e.ErrorBody(), Field: e.Field})
	}
	return s
}

// managerText describes the manager whose identity has that key.
func managerText(key string) string {
	var id identity
	if err := json.Unmarshal([]byte(key), &id); err != nil {
		return fmt.Sprintf("%q", key)
	}
	text := fmt.Sprintf("%q", id.Manager)
	if id.Subresource != "" {
		text += fmt.Sprintf(" with subresource %q", id.Subresource)
	}
	if id.Operation == operationUpdate {
		text += " using " + id.APIVersion
	}
	return text
}
