// Schema uses this module without rules: it prunes, defaults and validates an object. Without arguments it ends at once, which leaves
// what a program pays for importing.
package main

import (
	"fmt"
	"os"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
	"github.com/crdkit/crdkit/validate"
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
	props, err := schema.Decode(document)
	if err != nil {
		return err
	}
	s, errs := schema.Compile(props)
	if err := errs.Err(); err != nil {
		return err
	}
	obj, err := unstructured.Decode(object)
	if err != nil {
		return err
	}
	return validate.Validate(s, defaulting.Default(s, prune.Prune(s, obj))).Err()
}
