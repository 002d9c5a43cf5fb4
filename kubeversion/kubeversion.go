package kubeversion

import (
	"fmt"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/since"
)

// A Verdict is what a server of a version says of a definition.
type Verdict struct {
	Version string
	Errors  field.List // why it refuses the definition, nil if it takes it
	Unknown []string   // paths of the fields that it does not know
	Dropped []string   // paths of the fields that it knows and drops
	Notes   []Note
}

type Note struct{}

func Check(d *crd.CustomResourceDefinition, version string) (*Verdict, error) {
	var m int
	if _, err := fmt.Sscanf(version, "1.%d", &m); err != nil {
		return nil, err
	}
	return check(d, since.Minor(m)), nil
}

func check(d *crd.CustomResourceDefinition, m since.Minor) *Verdict {
	r := reader{minor: m}
	read := r.definition(d)
	minor := int(m)
	if m == since.Newest {
		minor = 0
	}
	return &Verdict{Version: m.String(), Errors: crdcheck.CheckMinor(read, minor).Errors(), Unknown: r.unknown, Dropped: r.dropped}
}
