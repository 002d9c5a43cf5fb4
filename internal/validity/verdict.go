package validity

import (
	"math"

	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/plan"
)

// A Check is a set of checks of a value.
type Check uint16

// The checks.
const (
	// Schema: the value satisfies every keyword of its schema (VAL).
	Schema Check = 1 << iota
	// Embedded: every embedded resource has a valid apiVersion, kind and metadata (OME-020). The metadata of the root
	// counts only if its schema says that it is embedded.
	Embedded
	// Lists: the items of sets and maps are distinct (LST).
	Lists
	// Stored: there is nothing to prune, no null to drop, no default to fill in, no embedded metadata to rewrite, and
	// no number that storage changes. The root's own apiVersion, kind and metadata are not checked.
	Stored
)

// OK reports whether v, a value that n describes, passes all checks in checks. It takes time linear in the part of v
// that n describes, except that combinators validate the value once for each branch. It is true for a nil n, which
// describes nothing.
//
// It is false if v is larger than [jsonval.MaxSize], and if patterns and combinators take more than [jsonval.MaxWork]
// steps.
func OK(n *plan.Node, v any, checks Check) bool {
	w := walker{Budget: jsonval.NewBudget()}
	return w.value(n, v, mode(checks)) && w.Work > 0
}

// okWithin is [OK] for a caller that checks parts of a value repeatedly. budget.Work is the number of steps left for
// all calls; okWithin is false when none are left. okWithin subtracts what it visits from budget.Size, but leaves it to
// the caller to stop when that is negative.
func okWithin(n *plan.Node, v any, checks Check, budget *jsonval.Budget) bool {
	w := walker{Budget: jsonval.Budget{Size: jsonval.MaxSize, Work: budget.Work}}
	ok := w.value(n, v, mode(checks))
	budget.Size -= jsonval.MaxSize - w.Size
	budget.Work = w.Work
	return ok && w.Work > 0
}

// StoredObject is [OK] with the check Stored, for a whole object. The caller has checked that its apiVersion and kind
// are strings, and checks its metadata.
func StoredObject(root *plan.Node, obj map[string]any) bool {
	w := walker{Budget: jsonval.NewBudget()}
	return w.value(root, obj, checkStored|metaChecked)
}

// Object makes all checks of a whole object in one walk. stored reports whether it is in its stored form, and valid
// whether it also passes all other checks. The caller has checked that the apiVersion and the kind are strings, and
// checks the metadata.
func Object(root *plan.Node, obj map[string]any) (stored, valid bool) {
	w := walker{Budget: jsonval.NewBudget(), continues: true}
	stored = w.value(root, obj, checkAll|metaChecked)
	return stored, stored && w.failed == 0 && w.Work > 0
}

// A mode is a [Check] with flags for the current value.
type mode uint16

const (
	checkSchema   = mode(Schema)
	checkEmbedded = mode(Embedded)
	checkLists    = mode(Lists)
	checkStored   = mode(Stored)
	checkAll      = checkSchema | checkEmbedded | checkLists | checkStored
)

const (
	// preserving: the value is an item of a list that preserves unknown fields, so its unknown fields are preserved,
	// too (PRU-004).
	preserving mode = 1 << (iota + 8)
	// metaChecked: the value is a whole object whose apiVersion, kind and metadata the caller checks.
	metaChecked
	// ratcheting: violations of unchanged values are accepted here. See [Compare].
	ratcheting
)

// idle reports whether there is nothing to check at n or below it.
func (checks mode) idle(n *plan.Node) bool {
	return checks&(checkSchema|checkStored) == 0 &&
		(checks&checkLists == 0 || n.Below&plan.HasList == 0) && (checks&checkEmbedded == 0 || n.Below&plan.HasEmbedded == 0)
}

// A walker makes all checks in one walk. The walk ends at the first failed check. If continues is set, only a failure
// of Stored ends it.
type walker struct {
	jsonval.Budget
	continues bool
	failed    Check // the failed checks

	// Of Compare:
	differs      bool // a part is not equal to the old one
	oldNotStored bool // a part of the old value is not in its stored form
}

// fail records the failure of a check other than Stored. It reports whether the walk continues.
func (w *walker) fail(check Check) bool {
	w.failed |= check
	return w.continues
}

// value checks v, which n describes.
func (w *walker) value(n *plan.Node, v any, checks mode) bool {
	if n == nil {
		return true
	}
	var kind plan.Kinds
	switch x := v.(type) {
	case string:
		if n.Plain&plan.KindString != 0 {
			return true
		}
		if !w.Text(x) {
			return false
		}
		return checks&checkSchema == 0 ||
			(n.Accept&plan.KindString != 0 && textOK(n, x, &w.Work) || w.fail(Schema)) && w.common(n, v, checks)
	case map[string]any:
		return w.object(n, x, nil, checks) && w.common(n, v, checks)
	case []any:
		return w.list(n, x, nil, checks) && w.common(n, v, checks)
	case bool:
		kind = plan.KindBool
	case int64:
		kind = plan.KindInt
	case float64:
		kind = n.FloatKind(x)
		if checks&checkStored != 0 && (kind == 0 || x == math.Trunc(x)) {
			return false // DEC-009: storage turns most of these into integers, and has no infinities
		}
	case nil:
		if checks&checkStored != 0 && n.Has&plan.Nullable == 0 {
			return false // DEF-001, DEF-003
		}
		return checks&checkSchema == 0 || n.Accept&plan.KindNull != 0 && Listed(n, v) || w.fail(Schema) // VAL-003
	default:
		known, err := jsonval.Normalize(nil, v)
		return err == nil && checks&checkStored == 0 && w.value(n, known, checks)
	}
	return n.Plain&kind != 0 || checks&checkSchema == 0 ||
		n.Accept&kind != 0 && alone(n, v, &w.Work) && branchesOK(n.Combine, v, &w.Work) || w.fail(Schema)
}

// common checks the keywords that objects and lists share.
func (w *walker) common(n *plan.Node, v any, checks mode) bool {
	// The fast path is inlined: most nodes have neither.
	return n.Enum == nil && n.Combine == nil || w.listedAndBranches(n, v, checks)
}

func (w *walker) listedAndBranches(n *plan.Node, v any, checks mode) bool {
	return checks&checkSchema == 0 || Listed(n, v) && branchesOK(n.Combine, v, &w.Work) || w.fail(Schema)
}
