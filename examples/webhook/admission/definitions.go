package admission

import (
	"errors"
	"fmt"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/resource"
)

// An endpoint validates the objects of one version of a definition.
type endpoint struct {
	*resource.Version
	kind groupVersionKind
}

// Endpoints are the endpoints of all served versions.
type Endpoints map[groupVersionResource]endpoint

// Load compiles the definitions in files and directories of YAML or JSON. Other objects in them are skipped.
func Load(files []string) (Endpoints, error) {
	definitions, err := registry.Load(files...)
	if err != nil {
		return nil, err
	}
	served := Endpoints{}
	for _, d := range definitions.Definitions() {
		if err := served.add(d.CRD); err != nil {
			return nil, fmt.Errorf("%s: %s: %w", d.Source, d.Name(), err)
		}
	}
	if len(served) == 0 {
		return nil, errors.New("no CustomResourceDefinition with a served version")
	}
	return served, nil
}

// add adds the served versions of d.
//
// A review has objects in its own version, and the server stores them. So each version is compiled as if it were the
// only one, without conversion, which might need another webhook.
func (e Endpoints) add(d *crd.CustomResourceDefinition) error {
	names := d.AcceptedNames()
	own := map[string]bool{}
	for _, v := range d.V1().Spec.Versions {
		if own[v.Name] || !d.Serves(v.Name) {
			continue
		}
		own[v.Name] = true
		key := groupVersionResource{d.Spec.Group, v.Name, names.Plural}
		if text, deprecated := d.Lookup().DeprecationWarning(v.Name); deprecated {
			v.DeprecationWarning = &text // the text names another version
		}
		v.Storage = true
		alone := *d.V1()
		alone.Spec.Versions, alone.Spec.Conversion = []crd.Version{v}, nil
		r, err := resource.Compile(&alone)
		if err != nil {
			return err // the error names the version
		}
		e[key] = endpoint{r.Version(v.Name), groupVersionKind{d.Spec.Group, v.Name, names.Kind}}
	}
	return nil
}
