package admission

import (
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
)

// An endpoint validates the objects of one version of a definition.
type endpoint struct {
	*resource.Version
	kind groupVersionKind
}

// add adds the served versions of d.
//
// A review has objects in its own version, and the server stores them. So each version is compiled as if it were the
// only one, without conversion, which might need another webhook.
func (w *Webhook) add(d *crd.CustomResourceDefinition) error {
	names := d.AcceptedNames()
	own := map[string]bool{}
	for _, v := range d.V1().Spec.Versions {
		if own[v.Name] || !d.Serves(v.Name) {
			continue
		}
		own[v.Name] = true
		key := GroupVersionResource{d.Spec.Group, v.Name, names.Plural}
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
		w.served[key] = endpoint{r.Version(v.Name), groupVersionKind{d.Spec.Group, v.Name, names.Kind}}
	}
	return nil
}
