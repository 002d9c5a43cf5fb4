package objectmeta

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"github.com/crdkit/crdkit/field"
)

// This file checks the options that all writes have.

// CheckManager returns the errors of the name of a field manager in the options of a request. Each names the manager, so
// that there are at most as many as in managedFields.
func CheckManager(manager string) (errs field.List) {
	at := field.NewPath("fieldManager")
	if len(manager) > maxManager {
		errs = append(errs, field.TooLong(at, maxManager))
	}
	unprintable := 0
	for i, r := range manager {
		if (!unicode.IsPrint(r) || r == utf8.RuneError) && unprintable < maxRepeated {
			unprintable++
			errs = append(errs, field.Invalid(at, manager, fmt.Sprintf("invalid character %#U (at position %d)", r, i)))
		}
	}
	return errs
}

// CheckFieldValidation returns the error of an unknown mode of field validation. An empty one is known.
//
// Clauses: DEC-012.
func CheckFieldValidation(mode string) field.List {
	switch mode {
	case "", "Ignore", "Strict", "Warn":
		return nil
	}
	return field.List{field.NotSupported(field.NewPath("fieldValidation"), mode, "", "Ignore", "Strict", "Warn")}
}
