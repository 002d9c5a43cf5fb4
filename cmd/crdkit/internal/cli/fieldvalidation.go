package cli

import (
	"flag"
	"strconv"

	"github.com/crdkit/crdkit/internal/tool/finding"
)

// A fieldValidation says what unknown fields and duplicate keys are. The zero value is that of kubectl.
type fieldValidation string

const (
	// As kubectl apply by default: unknown fields are errors. kubectl takes the last of equal keys before a server sees
	// them, which is a warning here.
	fieldsStrict fieldValidation = "strict"
	fieldsWarn   fieldValidation = "warn"   // as kubectl --validate=warn: both are warnings
	fieldsIgnore fieldValidation = "ignore" // as kubectl --validate=ignore
	// As a server does with the text itself in strict mode: equal keys are errors, too.
	fieldsStrictBody fieldValidation = "strict-body"
)

// flags defines the flags for field validation.
func (v *fieldValidation) flags(flags *flag.FlagSet) {
	enumFlag(flags, v, "field-validation", "`HOW` unknown fields are reported: strict (default) as by kubectl, warn, ignore, or strict-body for duplicate keys, too",
		fieldsStrict, fieldsWarn, fieldsIgnore, fieldsStrictBody)
	flags.BoolFunc("strict", "the same as -field-validation=strict-body", func(text string) error {
		on, err := strconv.ParseBool(text)
		if on {
			*v = fieldsStrictBody
		}
		return err
	})
}

// set sets what a list of findings reports.
func (v fieldValidation) set(l *finding.List) {
	l.Strict = v != fieldsWarn && v != fieldsIgnore
	l.StrictKeys = v == fieldsStrictBody
	l.IgnoreFields = v == fieldsIgnore
}
