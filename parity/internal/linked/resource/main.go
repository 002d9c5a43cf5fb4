// Resource uses this module with rules: it handles the creation of an object.
package main

import (
	"context"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/parity/internal/linked"
	"github.com/crdkit/crdkit/resource"
)

func main() { linked.Main(run) }

func run(document, object []byte) error {
	d, err := crd.Parse(document)
	if err != nil {
		return err
	}
	r, err := resource.Compile(d)
	if err != nil {
		return err
	}
	return r.Version(d.Spec.Versions[0].Name).CreateBody(context.Background(), object).Err()
}
