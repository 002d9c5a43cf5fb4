package resource

import (
	"slices"

	"github.com/crdkit/crdkit/internal/jsonval"
)

// keepTimes copies the times in old's managedFields to those of a change, if nothing but these times has changed: such
// a write changes nothing (SSA-026). It reports whether it copied them.
func keepTimes(c *change, old map[string]any) bool {
	is, _ := metadata(c.obj)["managedFields"].([]any)
	was, _ := metadata(old)["managedFields"].([]any)
	if len(is) == 0 || jsonval.Equal(is, was) || !slices.EqualFunc(is, was, equalButTime) {
		return false
	}
	restored := with(c.obj, "metadata", with(metadata(c.obj), "managedFields", was))
	if !jsonval.Equal(restored, old) {
		return false
	}
	c.obj = restored
	return true
}

// equalButTime reports whether two entries of managedFields are equal except for their times.
func equalButTime(a, b any) bool {
	x, isEntry := a.(map[string]any)
	y, _ := b.(map[string]any)
	return isEntry && y != nil && jsonval.Equal(withValue(x, "time", nil), withValue(y, "time", nil))
}
