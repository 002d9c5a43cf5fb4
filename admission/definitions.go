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
	names, of, v1 := d.AcceptedNames(), d.Lookup(), d.V1()
	served := map[string]bool{}
	for _, v := range v1.Spec.Versions {
		served[v.Name] = served[v.Name] || v.Served
	}
	for _, v := range v1.Spec.Versions {
		if !served[v.Name] {
			continue // or not the first one of the name
		}
		delete(served, v.Name)
		key := GroupVersionResource{d.Spec.Group, v.Name, names.Plural}
		if text, deprecated := of.DeprecationWarning(v.Name); deprecated {
			v.DeprecationWarning = &text // the text names another version
		}
		v.Storage = true
		alone := *v1
		alone.Spec.Versions, alone.Spec.Conversion = []crd.Version{v}, nil
		r, err := resource.Compile(&alone)
		if err != nil {
			return err // the error names the version
		}
		w.served[key] = endpoint{r.Version(v.Name), groupVersionKind{d.Spec.Group, v.Name, names.Kind}}
	}
	return nil
}
