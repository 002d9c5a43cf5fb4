package kubeversion

import (
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
)

// oldestRanged is the first minor version that Versions returns. Estimates of older versions are less exact.
const oldestRanged since.Minor = 28

// Versions returns the released versions that [Range] checks, oldest first. [Check] also knows 1.25 to 1.27, and [Next].
// The result is the caller's.
func Versions() []string {
	var all []string
	for m := oldestRanged; m <= since.Newest; m++ {
		all = append(all, m.String())
	}
	return all
}

// Next returns the version after the newest of [Versions], of which only a prerelease is known: "1.38". It returns "" if
// there is none.
func Next() string {
	if since.Last == since.Newest {
		return ""
	}
	return since.Last.String()
}

// A Verdict is what a server of a version reports about a new definition.
type Verdict struct {
	Version string
	// Prerelease is the prerelease that the verdict is about, such as 1.38.0-beta.0, if the version is [Next]. The
	// release may answer otherwise.
	Prerelease string
	// Errors are the errors with which it refuses the definition, nil if it accepts it. They apply after it has dropped
	// what it does not know, as for a client that does not ask for strict decoding. Their types and fields are that
	// version's, their texts those of 1.37.
	Errors field.List
	// Unknown has the paths of the fields that the version does not know, sorted: kubectl refuses them, lenient clients
	// and server-side apply lose them.
	Unknown []string
	// Dropped has the paths of the fields that are lost for all clients, sorted: the version knows them but a gate is
	// off by default, or they are unknown and below items or additionalProperties, which a strict decoder does not
	// check.
	Dropped []string
	// Notes say what the definition uses that was added later, and what the version does to objects that older ones do
	// not.
	Notes []Note
	// Omitted is the number of fields and notes that are not listed: each is limited to the number of errors in the
	// default [field.Limit].
	Omitted int

	checked *crdcheck.Checked
}

// Checked returns the check that found the errors, or nil for a verdict of [Range]. Its definition is without what the
// version does not keep or use: fields that are unknown or dropped, and formats that it does not enforce.
func (v *Verdict) Checked() *crdcheck.Checked { return v.checked }

// Warnings returns what the server warns about if it accepts the definition, with the places. There are none for a
// verdict of [Range].
func (v *Verdict) Warnings() []crdcheck.Warning {
	if v.checked == nil || len(v.Errors) > 0 {
		return nil
	}
	return v.checked.Warnings()
}

// Accepted reports whether the definition works unchanged: it is not refused, and no field is unknown or dropped.
func (v *Verdict) Accepted() bool { return len(v.Errors)+len(v.Unknown)+len(v.Dropped) == 0 }

// Check returns what the newest patch release of a version of Kubernetes, with the gates that are on by default,
// reports for d on create. version is one of [Versions], 1.25 to 1.27, or [Next]. Any other version is an error; patch
// releases are not distinguished.
//
// A namespace in the metadata of d is ignored: the request's path has none, so a server clears it.
//
// d has its defaults, as from [crd.Parse]; nil is an empty definition. It is not modified, and errors alias it.
func Check(d *crd.CustomResourceDefinition, version string) (*Verdict, error) {
	minor, err := parse(version)
	if err != nil {
		return nil, err
	}
	v := newCandidate(d).verdict(minor)
	return &v, nil
}

// Compare returns the verdicts of [Check] for two versions. They share the work, as in [Range].
func Compare(d *crd.CustomResourceDefinition, from, to string) (before, after *Verdict, err error) {
	older, err := parse(from)
	if err != nil {
		return nil, nil, err
	}
	newer, err := parse(to)
	if err != nil {
		return nil, nil, err
	}
	c := newCandidate(d)
	v, w := c.verdict(older), c.verdict(newer)
	return &v, &w, nil
}

// CheckUpdate is [Check] for an update of a stored definition: what the server reports when d replaces old, as in
// [crdcheck.ValidateUpdate]. What the server does not keep of old is ignored.
func CheckUpdate(d, old *crd.CustomResourceDefinition, version string) (*Verdict, error) {
	minor, err := parse(version)
	if err != nil {
		return nil, err
	}
	if old == nil {
		old = &crd.CustomResourceDefinition{}
	}
	c := newCandidate(d)
	c.old = old
	v := c.verdict(minor)
	return &v, nil
}

// Range returns the verdict of [Check] for each of [Versions], oldest first. The type check of rules has a limit of
// work for all versions together, a third above that for one. Expensive checks are made once for versions with the same
// result. If the limit is exceeded, the remaining versions have an error that says so. That takes literals nested a
// hundred deep beside functions that were added in many different versions, or a megabyte of rules.
func Range(d *crd.CustomResourceDefinition) []Verdict {
	c := newCandidate(d)
	var all []Verdict
	for m := oldestRanged; m <= since.Newest; m++ {
		v := c.verdict(m)
		v.checked = nil // which would keep the schemas of all versions
		all = append(all, v)
	}
	return all
}

func parse(version string) (since.Minor, error) {
	text, ok := strings.CutPrefix(version, "1.")
	n, err := strconv.Atoi(text)
	m := since.Minor(n)
	if !ok || err != nil || m < since.Oldest || m > since.Last || m.String() != version {
		return 0, fmt.Errorf("kubeversion: unknown version %q: must be a minor version from %s to %s, without a patch release",
			version, since.Oldest, since.Last)
	}
	return m, nil
}

// A candidate is a definition to check.
type candidate struct {
	definition *crd.CustomResourceDefinition
	old        *crd.CustomResourceDefinition // nil: the definition is new
	newest     *crdcheck.Checked
	notes      *notes
}

func newCandidate(d *crd.CustomResourceDefinition) *candidate {
	if d == nil {
		d = &crd.CustomResourceDefinition{}
	}
	if _, ok := d.Metadata["namespace"]; ok {
		own := *d
		own.Metadata = maps.Clone(d.Metadata)
		delete(own.Metadata, "namespace")
		d = &own
	}
	newest := crdcheck.Compile(d)
	return &candidate{definition: d, newest: newest, notes: collectNotes(d, newest)}
}

// verdict returns the verdict of version m.
func (c *candidate) verdict(m since.Minor) Verdict {
	v := Verdict{Version: m.String(), Notes: c.notes.at(m), Omitted: c.notes.omitted}
	if m > since.Newest {
		v.Prerelease = since.Prerelease
	}
	r := reader{minor: m, left: refusal.OrDefault(field.Limit{})}
	switch {
	case c.old == nil && m == since.Newest:
		v.checked = c.newest
	case c.old == nil:
		v.checked = crdcheck.CompileFor(since.Server{Minor: m}, r.definition(c.definition), nil, c.newest)
	default:
		stored := reader{minor: m, left: r.left}
		v.checked = crdcheck.CompileFor(since.Server{Minor: m}, r.definition(c.definition), stored.definition(c.old), nil)
	}
	v.Errors, v.Unknown, v.Dropped = v.checked.Errors(), r.unknown, r.dropped
	v.Omitted += r.omitted
	return v
}
