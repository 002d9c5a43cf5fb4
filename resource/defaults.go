package resource

import (
	"github.com/crdkit/crdkit/internal/storeddefaults"
	"github.com/crdkit/crdkit/schema"
)

// compiledWithDefaults compiles p with its defaults as a server uses them: without the unknown or malformed parts of metadata, and
// without the unknown fields that old definitions may have in them (DEF-020). p is not modified.
func compiledWithDefaults(p *schema.JSONSchemaProps) (*schema.Structural, error) {
	s, errs := schema.Compile(p)
	if len(errs) > 0 || s.Root.Below&schema.HasDefault == 0 {
		return s, errs.Err()
	}
	prepared, err := storeddefaults.Prepared(p, s)
	if err != nil || prepared == p {
		return s, err
	}
	s, errs = schema.Compile(prepared)
	return s, errs.Err()
}
