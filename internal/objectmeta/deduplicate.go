package objectmeta

import "github.com/crdkit/crdkit/field"

// Deduplicate returns errs without those whose text an earlier one has. It returns errs itself if there are none, and else a new list.
//
// Clause: MET-014.
func Deduplicate(errs field.List) field.List {
	if len(errs) < 2 {
		return errs
	}
	seen := make(map[string]bool, len(errs))
	out := make(field.List, 0, len(errs))
	for _, e := range errs {
		if text := e.Error(); !seen[text] {
			seen[text] = true
			out = append(out, e)
		}
	}
	if len(out) == len(errs) {
		return errs
	}
	return out
}
