package bench

import (
	"encoding/json"
	"fmt"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/crdkit/crdkit/parity/internal/reference"
)

// peers are other validators with the subject's schema, as far as they support it: without x-kubernetes extensions.
// They check neither list types nor embedded metadata, and few formats.
type peers struct {
	kin             *openapi3.Schema
	jsonschema      *jsonschema.Schema
	complete, wrong map[string]any // with float64 for each number, which is what kin-openapi takes
}

func newPeers(s *Subject) (peers, error) {
	text, err := json.Marshal(s.Stored.Spec.Versions[0].Schema.OpenAPIV3Schema)
	if err != nil {
		return peers{}, err
	}
	var document any
	if err := json.Unmarshal(text, &document); err != nil {
		return peers{}, err
	}
	var p peers
	if text, err = json.Marshal(translate(document, false)); err != nil {
		return peers{}, err
	}
	p.kin = &openapi3.Schema{}
	if err := p.kin.UnmarshalJSON(text); err != nil {
		return peers{}, fmt.Errorf("kin-openapi: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("mem:///schema.json", translate(document, true)); err != nil {
		return peers{}, fmt.Errorf("jsonschema: %w", err)
	}
	if p.jsonschema, err = compiler.Compile("mem:///schema.json"); err != nil {
		return peers{}, fmt.Errorf("jsonschema: %w", err)
	}
	p.complete, _ = floats(s.Complete).(map[string]any)
	p.wrong, _ = floats(s.Invalid).(map[string]any)
	return p, nil
}

// translate returns a schema without the keywords that only Kubernetes has: as JSON Schema, in which null is a type, or
// as OpenAPI 3.0, which has nullable.
func translate(v any, jsonSchema bool) any {
	s, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for k, c := range s {
		switch k {
		case "properties":
			fields := map[string]any{}
			for name, f := range c.(map[string]any) {
				fields[name] = translate(f, jsonSchema)
			}
			out[k] = fields
		case "items", "additionalProperties", "not":
			out[k] = translate(c, jsonSchema)
		case "allOf", "anyOf", "oneOf":
			var all []any
			for _, branch := range c.([]any) {
				all = append(all, translate(branch, jsonSchema))
			}
			out[k] = all
		case "type", "format", "required", "enum", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
			"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties":
			out[k] = c
		case "nullable":
			if !jsonSchema {
				out[k] = c
			}
		}
	}
	if s["x-kubernetes-int-or-string"] == true && out["anyOf"] == nil {
		out["anyOf"] = []any{map[string]any{"type": "integer"}, map[string]any{"type": "string"}}
	}
	if t, ok := out["type"].(string); ok && jsonSchema && s["nullable"] == true {
		out["type"] = []any{t, "null"}
	}
	if !jsonSchema {
		return out
	}
	for bound, exclusive := range map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"} {
		switch out[exclusive] { // a boolean in OpenAPI 3.0, a number in JSON Schema
		case true:
			out[exclusive] = out[bound]
			delete(out, bound)
		case false:
			delete(out, exclusive)
		}
	}
	return out
}

func floats(v any) any {
	switch v := reference.Copy(v).(type) {
	case map[string]any:
		for k, c := range v {
			v[k] = floats(c)
		}
		return v
	case []any:
		for i, c := range v {
			v[i] = floats(c)
		}
		return v
	case int64:
		return float64(v)
	default:
		return v
	}
}

func (p *peers) visit(obj map[string]any) error { return p.kin.VisitJSON(obj, openapi3.MultiErrors()) }

// check returns an error if a peer does not find what is wrong.
func (p *peers) check(s *Subject) error {
	for name, c := range map[string][2]error{
		Kin: {p.visit(p.complete), p.visit(p.wrong)}, JSONSchema: {p.jsonschema.Validate(s.Complete), p.jsonschema.Validate(s.Invalid)},
	} {
		if c[0] != nil || c[1] == nil {
			return fmt.Errorf("%s: %s says %v of the valid object, and %v of the other", s.Name, name, c[0], c[1])
		}
	}
	return nil
}

func peerSides(invalid bool) []Side {
	return []Side{
		{Kin, func(s *Subject) func() {
			obj := s.peers.complete
			if invalid {
				obj = s.peers.wrong
			}
			return func() { _ = s.peers.visit(obj) }
		}},
		{JSONSchema, func(s *Subject) func() {
			obj := s.Complete
			if invalid {
				obj = s.Invalid
			}
			return func() { _ = s.peers.jsonschema.Validate(obj) }
		}},
	}
}
