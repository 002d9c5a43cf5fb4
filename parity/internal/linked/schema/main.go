// Schema uses this module without rules: it prunes, defaults and validates an object.
package main

import (
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/parity/internal/linked"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
	"github.com/crdkit/crdkit/validate"
)

func main() { linked.Main(run) }

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
