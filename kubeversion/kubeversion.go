package kubeversion

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/since"
)

// oldestRanged is the first minor version that Versions returns. Estimates before it are known less well.
const oldestRanged since.Minor = 28

// Versions returns the versions that [Range] checks, oldest first. [Check] knows 1.25 to 1.27 besides. The result is the caller's.
func Versions() []string {
	var all []string
	for m := oldestRanged; m <= since.Newest; m++ {
		all = append(all, m.String())
	}
	return all
}

// A Verdict is what a server of a version says of a new definition.
type Verdict struct {
	Version string
	// Errors is why it refuses the definition, nil if it takes it: after it dropped what it does not know, as for a client that does not
	// ask for strict decoding. Their types and fields are that version's, their texts those of 1.37.
	Errors field.List
	// Unknown has the paths of the fields that the version does not know, sorted: kubectl refuses them, lenient clients and server-side apply
	// lose them.
	Unknown []string
	// Dropped has the paths of the fields that are lost whoever sends them, sorted: since the version knows them but a gate is off by default,
	// or since they are unknown and stand where a strict decoder does not look, below items or additionalProperties.
	Dropped []string
	// Notes say what the definition uses that came later, and what the version does to objects that older ones do not.
	Notes []Note
	// Omitted is how many fields and notes are not listed: of both there are no more than the default [field.Limit] has of errors.
	Omitted int
}

// Accepted reports whether the definition works as it is: it is not refused, and nothing of it is unknown or dropped.
func (v *Verdict) Accepted() bool { return len(v.Errors)+len(v.Unknown)+len(v.Dropped) == 0 }

// Check returns what the newest patch release of a version of Kubernetes, with the gates that are on by default, says of d on create. version
// is one of [Versions], or 1.25 to 1.27. The error is about another version: patch releases are not told apart.
//
// d has its defaults, as from [crd.Parse]; nil is an empty definition. It is not modified, and errors alias it.
func Check(d *crd.CustomResourceDefinition, version string) (*Verdict, error) {
	minor, err := parse(version)
	if err != nil {
		return nil, err
	}
	c := newDossier(d)
	v := c.verdict(minor)
	return &v, nil
}

// Range returns the verdict of each of [Versions] on d, oldest first, as [Check] does. The type check of rules ends at a limit of work for all
// versions together, a third above that of one. What takes long is done once for versions that check it alike. Where that is not enough, versions
// have an error that says so: it takes literals nested a hundred deep beside functions that came with many different versions, or a megabyte of rules.
func Range(d *crd.CustomResourceDefinition) []Verdict {
	c := newDossier(d)
	var all []Verdict
	for m := oldestRanged; m <= since.Newest; m++ {
		all = append(all, c.verdict(m))
	}
	return all
}

func parse(version string) (since.Minor, error) {
	text, ok := strings.CutPrefix(version, "1.")
	n, err := strconv.Atoi(text)
	m := since.Minor(n)
	if !ok || err != nil || m < since.Oldest || m > since.Newest || m.String() != version {
		return 0, fmt.Errorf("kubeversion: unknown version %q: must be a minor version from %s to %s, without a patch release",
			version, since.Oldest, since.Newest)
	}
	return m, nil
}

// A dossier is a definition that is to be judged.
type dossier struct {
	definition *crd.CustomResourceDefinition
	newest     *crdcheck.Checked
	notes      *notes
}

func newDossier(d *crd.CustomResourceDefinition) *dossier {
	if d == nil {
		d = &crd.CustomResourceDefinition{}
	}
	newest := crdcheck.Compile(d)
	return &dossier{definition: d, newest: newest, notes: noted(d, newest)}
}

// verdict returns that of m.
func (c *dossier) verdict(m since.Minor) Verdict {
	v := Verdict{Version: m.String(), Notes: c.notes.at(m), Omitted: c.notes.omitted}
	if m == since.Newest {
		v.Errors = c.newest.Errors()
		return v
	}
	r := reader{minor: m, left: field.Limit{}.OrDefault()}
	read := r.definition(c.definition)
	v.Errors, v.Unknown, v.Dropped = crdcheck.CompileMinor(read, int(m), c.newest).Errors(), r.unknown, r.dropped
	v.Omitted += r.omitted
	return v
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
