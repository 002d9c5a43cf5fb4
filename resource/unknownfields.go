package resource

import (
	"errors"
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/internal/refusal"
)

// This file reports unknown and duplicate fields: as warnings, with a refusal, or not at all (DEC-010 to DEC-014,
// DEC-022).

// find adds the unknown fields at paths, and the number of further ones.
func (n *normalizer) find(paths []string, more int) {
	for _, path := range paths {
		n.unknown.Add("unknown field \"" + path + "\"") // unlike %q, this escapes nothing (DEC-022)
	}
	n.unknown.Skip(more)
}

// reportFields adds warnings about the found fields to d, or a refusal, as the request asks for. t is the type of the
// object.
func (v *Version) reportFields(d *decoded, found *refusal.Texts, t typeOf) {
	warnings, err := v.fieldWarnings(found)
	switch {
	case err == nil:
		d.warnings = warnings
	case t.version == "":
		d.refusal = refusal.BadRequest(noAPIVersion) // DEC-014
	default:
		d.refusal = refusal.BadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", t.kind, t.version, t.kind, err))
	}
}

// fieldWarnings returns the warnings about the found fields, or the error of a strict request.
func (v *Version) fieldWarnings(found *refusal.Texts) (warnings []string, err error) {
	switch {
	case found.Len() == 0 || v.options.FieldValidation == FieldValidationIgnore:
		return nil, nil
	case v.options.FieldValidation == FieldValidationStrict:
		return nil, errors.New("strict decoding error: " + strings.Join(found.All(refusal.WhatFields), ", "))
	}
	return v.lines(found), nil
}

// texts returns the findings up to the limits of an answer.
func (v *Version) texts(findings []string) refusal.Texts {
	found := refusal.TextsWithin(v.options.Limit)
	found.Add(findings...)
	return found
}

// lines converts findings to warnings.
func (v *Version) lines(found *refusal.Texts) []string {
	findings, omitted := found.Kept()
	out := v.texts(refusal.FindingLines(findings))
	out.Skip(omitted)
	return out.All(refusal.WhatFields)
}
