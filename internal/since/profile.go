package since

import (
	"fmt"
	"strconv"
	"strings"
)

// A Profile is a set of facts: how one server differs from others. Profiles are comparable. The zero value has the
// facts of [Newest].
//
// The profile of a minor version has the facts of its newest patch release ([Minor.Profile]). Distributions backport
// changes, so a profile can be changed fact by fact: see [Profile.With] and [Profile.Without].
type Profile struct {
	differs [(facts + 63) / 64]uint64 // a bit is set for each fact in which the profile differs from Newest
}

// Profile returns the facts of m.
func (m Minor) Profile() (p Profile) {
	for f := Always + 1; f < facts; f++ {
		if f.In(m) != f.In(Newest) {
			p.flip(f)
		}
	}
	return p
}

func (p *Profile) flip(f Fact) { p.differs[f/64] ^= 1 << (f % 64) }

// Has reports whether p has f.
func (p Profile) Has(f Fact) bool { return f.In(Newest) != (p.differs[f/64]>>(f%64)&1 != 0) }

// With returns p with these facts.
func (p Profile) With(all ...Fact) Profile { return p.set(true, all) }

// Without returns p without these facts. It still has Always.
func (p Profile) Without(all ...Fact) Profile { return p.set(false, all) }

func (p Profile) set(has bool, all []Fact) Profile {
	for _, f := range all {
		if f != Always && p.Has(f) != has {
			p.flip(f)
		}
	}
	return p
}

// OldestServed is the first minor version that [ParseServed] accepts. The table is not complete for the objects of
// older ones.
const OldestServed Minor = 30

// ParseServed returns the minor version with that text, such as 1.33, if the table is complete for its custom objects.
// The empty text is [Newest].
func ParseServed(version string) (Minor, error) {
	if version == "" {
		return Newest, nil
	}
	text, ok := strings.CutPrefix(version, "1.")
	n, err := strconv.Atoi(text)
	m := Minor(n)
	if !ok || err != nil || m < OldestServed || m > Last || m.String() != version {
		return 0, fmt.Errorf("unknown version %q of Kubernetes: must be a minor version from %s to %s, without a patch release",
			version, OldestServed, Last)
	}
	return m, nil
}
