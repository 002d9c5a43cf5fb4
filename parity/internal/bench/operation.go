package bench

import (
	"context"
	"encoding/json"

	k8sfield "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/jsonscan"
	"github.com/crdkit/crdkit/parity/internal/reference"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/unstructured"
	"github.com/crdkit/crdkit/validate"
)

// The names of sides.
const (
	Crdkit     = "crdkit"
	Reference  = "reference"
	Kin        = "kin-openapi"
	JSONSchema = "jsonschema"
)

// An Operation is the same work, done by several sides.
type Operation struct {
	Name  string
	What  string // in a sentence of the report
	Sides []Side // Crdkit first, then Reference
	Scale bool   // not the same work: a measure for the others
	Text  bool   // All sides read the JSON of a settled object: only subjects that have one.
	rules bool   // only subjects with rules
}

// A Side does the work of an operation on a subject each time the function that Prepare returns is called.
type Side struct {
	Name    string
	Prepare func(*Subject) func()
}

// On reports whether the operation applies to the subject.
func (o Operation) On(s *Subject) bool {
	return (!o.rules || s.Reference.HasRules()) && (!o.Text || s.Resource.Settled(s.Settled))
}

func pair(ours, theirs func(*Subject) func()) []Side {
	return []Side{{Crdkit, ours}, {Reference, theirs}}
}

func pruneOurs(s *Subject, obj map[string]any) map[string]any { return prune.Prune(s.Schema, obj) }
func defaultOurs(s *Subject, obj map[string]any) map[string]any {
	return defaulting.Default(s.Schema, obj)
}
func validateOurs(s *Subject, obj map[string]any) field.List { return validate.Validate(s.Schema, obj) }

func (s *Subject) pruned() map[string]any {
	obj := unstructured.Clone(s.Unknown)
	s.Reference.Schema.PruneInPlace(obj)
	return obj
}

// validateReference does with the reference what validate.Validate does.
func (s *Subject) validateReference(obj map[string]any) k8sfield.ErrorList {
	errs := s.Reference.Schema.Value(nil, obj)
	errs = append(errs, s.Reference.Schema.Embedded(nil, obj)...)
	return append(errs, s.Reference.Schema.Lists(nil, obj)...)
}

// decodeReference is how a server reads a body.
func decodeReference(body []byte) map[string]any {
	obj, err := reference.DecodeObject(body)
	if err != nil {
		panic(err) // the body was written by New
	}
	return obj
}

// Operations are all of them, in the order of the report.
//
// The reference modifies its argument. If there is something to change, it gets a copy each time, because a caller that
// needs the object again must also make one. Otherwise it gets the object itself.
func Operations() []Operation {
	ctx := context.Background()
	return []Operation{
		{
			Name: "CreateAsSent", What: "a valid object as its author wrote it, decoded: without generation and some defaults",
			Sides: pair(
				func(s *Subject) func() { return func() { s.Resource.Create(ctx, s.Decoded) } },
				func(s *Subject) func() {
					return func() { s.Reference.Admit(ctx, reference.Copy(s.Decoded).(map[string]any), nil) }
				},
			),
		},
		{
			Name: "CreateBodyAsSent", What: "the same, from JSON",
			Sides: pair(
				func(s *Subject) func() { return func() { s.Resource.CreateBody(ctx, s.Sent) } },
				func(s *Subject) func() { return func() { s.Reference.Admit(ctx, decodeReference(s.Sent), nil) } },
			),
		},
		{
			Name: "UpdateAsSent", What: "one label more in an object that the server returned, with uid, times and managedFields",
			Sides: pair(
				func(s *Subject) func() { return func() { s.Resource.Update(ctx, s.Labeled, s.Live) } },
				func(s *Subject) func() {
					obj, old := unstructured.Clone(s.Labeled), unstructured.Clone(s.Live)
					return func() { s.Reference.Admit(ctx, obj, old) }
				},
			),
		},
		{
			Name: "Validate", What: "a valid object: schema, embedded metadata, list types",
			Sides: append(pair(
				func(s *Subject) func() { return func() { validateOurs(s, s.Complete) } },
				func(s *Subject) func() { return func() { s.validateReference(s.Complete) } },
			), peerSides(false)...),
		},
		{
			Name: "ValidateInvalid", What: "the same with one value of a wrong type",
			Sides: append(pair(
				func(s *Subject) func() { return func() { validateOurs(s, s.Invalid) } },
				func(s *Subject) func() { return func() { s.validateReference(s.Invalid) } },
			), peerSides(true)...),
		},
		{
			Name: "PruneNothing", What: "no unknown field",
			Sides: pair(
				func(s *Subject) func() { return func() { pruneOurs(s, s.Complete) } },
				func(s *Subject) func() { return func() { s.Reference.Schema.PruneInPlace(s.Complete) } },
			),
		},
		{
			Name: "PruneUnknown", What: "two unknown fields; the input is kept",
			Sides: pair(
				func(s *Subject) func() { return func() { pruneOurs(s, s.Unknown) } },
				func(s *Subject) func() { return func() { s.Reference.Schema.PruneInPlace(reference.Copy(s.Unknown)) } },
			),
		},
		{
			Name: "DefaultNothing", What: "all defaults are set",
			Sides: pair(
				func(s *Subject) func() { return func() { defaultOurs(s, s.Complete) } },
				func(s *Subject) func() { return func() { s.Reference.Schema.DefaultInPlace(s.Complete) } },
			),
		},
		{
			Name: "DefaultFill", What: "an object without defaults; the input is kept",
			Sides: pair(
				func(s *Subject) func() { return func() { defaultOurs(s, s.Partial) } },
				func(s *Subject) func() {
					return func() { s.Reference.Schema.DefaultInPlace(reference.Copy(s.Partial)) }
				},
			),
		},
		{
			Name: "Rules", What: "all rules of a valid object, already compiled", rules: true,
			Sides: pair(
				func(s *Subject) func() { return func() { s.Rules.Evaluate(ctx, s.Complete, nil, nil) } },
				func(s *Subject) func() { return func() { s.Reference.Rules(ctx, s.Complete) } },
			),
		},
		{
			Name: "Create", What: "a decoded, complete, valid object",
			Sides: pair(
				func(s *Subject) func() { return func() { s.Resource.Create(ctx, s.Complete) } },
				func(s *Subject) func() {
					obj := unstructured.Clone(s.Complete)
					return func() { s.Reference.Admit(ctx, obj, nil) }
				},
			),
		},
		{
			Name: "CreateBody", What: "the same, from JSON",
			Sides: pair(
				func(s *Subject) func() { return func() { s.Resource.CreateBody(ctx, s.Body) } },
				func(s *Subject) func() { return func() { s.Reference.Admit(ctx, decodeReference(s.Body), nil) } },
			),
		},
		{
			Name: "UpdateEqual", What: "old and new are equal",
			Sides: pair(
				func(s *Subject) func() {
					old := unstructured.Clone(s.Complete)
					return func() { s.Resource.Update(ctx, s.Complete, old) }
				},
				func(s *Subject) func() {
					obj, old := unstructured.Clone(s.Complete), unstructured.Clone(s.Complete)
					return func() { s.Reference.Admit(ctx, obj, old) }
				},
			),
		},
		{
			Name: "UpdateRatcheted", What: "an unchanged invalid value",
			Sides: pair(
				func(s *Subject) func() {
					old := unstructured.Clone(s.Invalid)
					return func() { s.Resource.Update(ctx, s.Invalid, old) }
				},
				func(s *Subject) func() {
					obj, old := unstructured.Clone(s.Invalid), unstructured.Clone(s.Invalid)
					return func() { s.Reference.Admit(ctx, obj, old) }
				},
			),
		},
		{
			Name: "Compile", What: "from a definition's JSON to the answer to a first create",
			Sides: pair(
				func(s *Subject) func() {
					return func() {
						v, err := Compile(s.Definition)
						if err != nil {
							panic(err) // New compiled it
						}
						v.Create(ctx, s.Complete)
					}
				},
				func(s *Subject) func() {
					obj := unstructured.Clone(s.Complete)
					return func() {
						c, err := reference.CompileDefinition(s.Definition)
						if err != nil {
							panic(err)
						}
						c.Admit(ctx, obj, nil)
					}
				},
			),
		},
		{
			Name: "CheckDefinition", What: "from a definition's JSON to all errors of it (none)",
			Sides: pair(
				func(s *Subject) func() {
					return func() {
						d, err := crd.Parse(s.Definition)
						if err != nil {
							panic(err)
						}
						crdcheck.Validate(d)
					}
				},
				func(s *Subject) func() {
					return func() {
						if _, err := s.Definitions.CheckDefinition(ctx, s.Definition); err != nil {
							panic(err)
						}
					}
				},
			),
		},
		{
			Name: "Settled", Scale: true, Text: true,
			What: "the JSON of a valid object (without a status that is dropped), validated (crdkit), decoded into a map, checked to be JSON, and scanned for its end",
			Sides: []Side{
				{Crdkit, func(s *Subject) func() {
					return func() { s.Resource.Settled(s.Settled) }
				}},
				{"encoding/json", func(s *Subject) func() { return unmarshal(s.Settled) }},
				{"unstructured.Decode", func(s *Subject) func() { return func() { _, _ = unstructured.Decode(s.Settled) } }},
				{"json.Valid", func(s *Subject) func() { return func() { json.Valid(s.Settled) } }},
				{"scan", func(s *Subject) func() {
					return func() {
						in := jsonscan.New(s.Settled)
						in.Skip()
						in.Release()
					}
				}},
			},
		},
		{
			Name: "Audit", Scale: true, Text: true,
			What: "one object of an audit, beside a create of it, from its JSON and decoded first",
			Sides: []Side{
				{Crdkit, func(s *Subject) func() { return func() { s.Audit.Object(ctx, s.Settled) } }},
				{"CreateBody", func(s *Subject) func() { return func() { s.Resource.CreateBody(ctx, s.Settled) } }},
				{"Decode, Create", func(s *Subject) func() {
					return func() {
						obj, _, err := s.Resource.Decode(s.Settled)
						if err != nil {
							panic(err)
						}
						s.Resource.Create(ctx, obj)
					}
				}},
			},
		},
		{
			Name: "Walk", Scale: true, What: "a visit of each value of the object (reference), beside crdkit's Create",
			Sides: pair(
				func(s *Subject) func() { return func() { s.Resource.Create(ctx, s.Complete) } },
				func(s *Subject) func() { return func() { walk(s.Complete) } },
			),
		},
		{
			Name: "Decode", Scale: true, What: "encoding/json into a map (reference), beside crdkit's Create",
			Sides: pair(
				func(s *Subject) func() { return func() { s.Resource.Create(ctx, s.Complete) } },
				func(s *Subject) func() { return unmarshal(s.Body) },
			),
		},
	}
}

func unmarshal(body []byte) func() {
	return func() {
		var obj map[string]any
		if err := json.Unmarshal(body, &obj); err != nil {
			panic(err)
		}
	}
}

func walk(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, c := range v {
			n += walk(c)
		}
	case []any:
		for _, c := range v {
			n += walk(c)
		}
	}
	return n
}
