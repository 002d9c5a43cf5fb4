package parity

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/parity/gen"
	"github.com/crdkit/crdkit/parity/internal/reference"
)

// CDC, DFT, BET: definitions of both versions, as v1 documents with their defaults, and what strict decoding finds. A
// third of them have a value somewhere that does not belong there.
func TestParse(t *testing.T) {
	definitions := reference.NewDefinitions()
	comparison{
		pkg: "crd", functions: "ParseStrict, Value, Unversioned", reference: "UniversalDecoder of apiextensions/install", cases: 4000,
		draw: func(s *gen.Source) any {
			d := gen.Definition(s)
			if s.OneIn(3) {
				d["spec"] = gen.Replace(s, d["spec"].(map[string]any))
			}
			return d
		},
		ask: ofText(func(text []byte) []outcome {
			theirs, refused := definitions.Parse(text)
			ours, findings, failed := crd.ParseStrict(text)
			if refused != nil || failed != nil {
				if (refused != nil) != (failed != nil) {
					return []outcome{{errorText(failed), errorText(refused), true}}
				}
				return []outcome{{found: true}}
			}
			mine, _ := json.Marshal(ours)
			its, _ := reference.Write(theirs)
			want := definitions.Findings(text)
			internal, _ := definitions.Internal(text)
			return []outcome{
				{asJSON(mine), withoutZeroTimes(asJSON(its)), false},
				{findings, want, len(want) > 0},
				{shape(ours.Unversioned()), shapeOfReference(internal.Spec), internal.Spec.Validation != nil},
			}
		}),
	}.run(t)
}

// withoutZeroTimes takes the nulls out of the metadata of a definition. A time that is sent as the year 1 comes back as
// null; here it is absent.
func withoutZeroTimes(definition any) any {
	m, _ := definition.(map[string]any)
	meta, _ := m["metadata"].(map[string]any)
	isNull := func(_ string, v any) bool { return v == nil }
	maps.DeleteFunc(meta, isNull)
	fields, _ := meta["managedFields"].([]any)
	for _, f := range fields {
		entry, _ := f.(map[string]any)
		if entry["time"] == nil {
			delete(entry, "time")
		}
	}
	return definition
}

// shape says where a definition has its schemas, subresources, columns and selectable fields: for all versions at once,
// or in each.
func shape(s crd.Spec) []string {
	texts := []string{s.Version, place(s.Validation != nil, s.Subresources != nil, len(s.AdditionalPrinterColumns), len(s.SelectableFields))}
	for _, v := range s.Versions {
		texts = append(texts, place(v.Schema != nil, v.Subresources != nil, len(v.AdditionalPrinterColumns), len(v.SelectableFields)))
	}
	return texts
}

func shapeOfReference(s apiextensions.CustomResourceDefinitionSpec) []string {
	texts := []string{s.Version, place(s.Validation != nil, s.Subresources != nil, len(s.AdditionalPrinterColumns), len(s.SelectableFields))}
	for _, v := range s.Versions {
		texts = append(texts, place(v.Schema != nil, v.Subresources != nil, len(v.AdditionalPrinterColumns), len(v.SelectableFields)))
	}
	return texts
}

func place(schema, subresources bool, columns, fields int) string {
	return fmt.Sprintf("schema %t, subresources %t, %d columns, %d fields", schema, subresources, columns, fields)
}
