package parity

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/parity/internal/gen"
	"github.com/crdkit/crdkit/parity/internal/reference"
)

// CDC, DFT, BET: definitions of both versions, as v1 documents with their defaults, and what strict decoding finds. A third of them
// have a value somewhere that does not belong there.
func TestParse(t *testing.T) {
	definitions := reference.NewDefinitions()
	comparison{
		pkg: "crd", functions: "ParseStrict, Value", reference: "UniversalDecoder of apiextensions/install", cases: 4000,
		make: func(s *gen.Source) any {
			d := gen.Definition(s)
			if s.OneIn(3) {
				d["spec"] = gen.Replace(s, d["spec"].(map[string]any))
			}
			return d
		},
		ask: func(sample any) []outcome {
			text, err := json.Marshal(sample)
			if err != nil {
				return nil
			}
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
			return []outcome{{asJSON(mine), withoutZeroTimes(asJSON(its)), false}, {findings, want, len(want) > 0}}
		},
	}.run(t)
}

// withoutZeroTimes takes the nulls out of the metadata of a definition. A time that is sent as the year 1 comes back as null; here it
// is absent.
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
