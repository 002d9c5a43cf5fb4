package cli

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/constraint"
	"github.com/crdkit/crdkit/internal/finding"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/resource"
)

// The maximum numbers of pairs of versions that are compared, and of fields that a note lists.
const (
	maxVersionPairs  = 50
	maxDroppedFields = 10
)

// noteDropped adds a note for each pair of served versions, if the conversion None drops fields of one in the other.
func (d *definition) noteDropped(r *result, compiled *resource.Resource) {
	if c := d.crd.Spec.Conversion; compiled == nil || c != nil && c.Strategy != crd.ConversionNone || !prunes(d.crd) {
		return
	}
	pairs := 0
	for _, from := range compiled.Versions() {
		for _, to := range compiled.Versions() {
			if from.Name() == to.Name() || !d.crd.Serves(from.Name()) || !d.crd.Serves(to.Name()) || from.Schema() == nil || to.Schema() == nil {
				continue
			}
			if pairs++; pairs > maxVersionPairs {
				return
			}
			l := droppedFields{}
			l.compare(plan.Root(from.Schema()), plan.Root(to.Schema()), "")
			if len(l.paths) == 0 {
				continue
			}
			text := strings.Join(l.paths, ", ")
			if l.more > 0 {
				text += fmt.Sprintf(" and %d more", l.more)
			}
			r.Add(finding.Finding{
				Severity: finding.Note, Code: finding.LosesData,
				Message: fmt.Sprintf("the conversion None drops fields of %s that %s does not have: %s", from.Name(), to.Name(), text),
			}, d.versionPosition(to.Name()))
		}
	}
}

func prunes(d *crd.CustomResourceDefinition) bool {
	return d.Spec.PreserveUnknownFields == nil || !*d.Spec.PreserveUnknownFields
}

// droppedFields are the fields of one schema that another one drops.
type droppedFields struct {
	paths []string
	more  int // fields that are not listed
}

// compare adds the fields of from that to drops. Those below a dropped field are not listed.
func (l *droppedFields) compare(from, to *plan.Node, path string) {
	if from == nil || to == nil || to.Has&plan.PreserveFields != 0 {
		return
	}
	for i := range from.Props {
		p := &from.Props[i]
		below := constraint.Join(path, p.Name)
		child, _ := to.Child(p.Name)
		switch {
		case path == "" && (p.Name == "apiVersion" || p.Name == "kind" || p.Name == "metadata"):
		case child != nil:
			l.compare(p.Node, child, below)
		case len(l.paths) == maxDroppedFields:
			l.more++
		default:
			l.paths = append(l.paths, below)
		}
	}
	l.compare(from.Items, to.Items, path+"[*]")
	l.compare(from.Additional, to.Additional, path+"[*]")
}
