// Resource uses this module with rules: it answers the creation of an object. Without arguments it ends at once.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
)

func main() {
	if len(os.Args) < 3 {
		return
	}
	if err := run([]byte(os.Args[1]), []byte(os.Args[2])); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

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
