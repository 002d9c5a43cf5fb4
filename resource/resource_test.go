package resource_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// gadgets is a definition with one of each feature that affects a create.
var gadgets = given.Head("Namespaced", "gadgets.example.com", "Gadget") + `
  versions:
  - name: v1
    served: true
    storage: true
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, default: 1}
              size: {type: string, enum: [small, large]}
              ratio: {type: number}
              note: {type: string, nullable: true}
              tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              template:
                type: object
                x-kubernetes-embedded-resource: true
                properties:
                  spec: {type: object, properties: {image: {type: string}}}
          status:
            type: object
            properties:
              replicas: {type: integer}
              selector: {type: string}
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {replicas: {type: integer}, old: {type: string, default: aye}}}
`

func compile(t testing.TB, document string) *resource.Resource {
	t.Helper()
	r, err := resource.Compile(given.Definition(t, document))
	require.NoError(t, err)
	return r
}

// withProperties returns the resource of A, version v1 of example.com, with these properties in YAML's flow style.
func withProperties(t testing.TB, properties string) *resource.Resource {
	t.Helper()
	return compile(t, given.Kind("Cluster", "as.example.com", "A", "{type: object, properties: {"+properties+"}}"))
}

// gadget returns a Gadget of v1 with the members that the document gives it.
func gadget(t testing.TB, document string) map[string]any {
	t.Helper()
	obj := map[string]any{"apiVersion": "example.com/v1", "kind": "Gadget"}
	maps.Copy(obj, given.Object(t, document))
	return obj
}

func encode(t testing.TB, v any) string {
	t.Helper()
	return string(given.JSON(t, v))
}

func TestCreate(t *testing.T) {
	r := compile(t, gadgets)
	for _, c := range []struct {
		name     string
		options  resource.RequestOptions
		object   string
		want     string // the object, as JSON
		errors   []string
		failure  string
		warnings []string
	}{{
		name:   "ORD-002, STR-002, DEF-003: generation, the request's namespace, a default",
		object: "{metadata: {name: a}, spec: {}}", options: resource.RequestOptions{Namespace: "ns"},
		want: `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"generation":1,"name":"a","namespace":"ns"},"spec":{"replicas":1}}`,
	}, {
		name:   "STR-002: the status belongs to its subresource",
		object: "{metadata: {name: a, namespace: ns, generation: 9}, spec: {replicas: 2}, status: {replicas: 2}}",
		want:   `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"generation":1,"name":"a","namespace":"ns"},"spec":{"replicas":2}}`,
	}, {
		name:   "STR-001: metadata that only a server sets is cleared",
		object: `{metadata: {name: a, namespace: ns, uid: u, creationTimestamp: "2020-01-01T00:00:00Z", deletionGracePeriodSeconds: 3, selfLink: s, resourceVersion: abc}, spec: {replicas: 2}}`,
		want:   `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"generation":1,"name":"a","namespace":"ns"},"spec":{"replicas":2}}`,
	}, {
		name:   "STR-001: a resource version",
		object: `{metadata: {name: a, namespace: ns, resourceVersion: "01"}, spec: {}}`, failure: "500 : resourceVersion should not be set on objects to be created",
	}, {
		name:   "STR-001: a resource version in a dry run",
		object: `{metadata: {name: a, namespace: ns, resourceVersion: "01"}, spec: {}}`, options: resource.RequestOptions{DryRun: true},
		want: `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"generation":1,"name":"a","namespace":"ns","resourceVersion":"01"},"spec":{"replicas":1}}`,
	}, {
		name:   "PRU-003, DEC-012: unknown fields are dropped with a warning",
		object: "{metadata: {name: a, namespace: ns, zz: 1}, spec: {replicas: 2, colour: red, free: {x: {z: 1}}}, extra: 1}",
		want: `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"generation":1,"name":"a","namespace":"ns"},` +
			`"spec":{"free":{"x":{"z":1}},"replicas":2}}`,
		// DEC-022
		warnings: []string{`unknown field "metadata.zz"`, `unknown field "extra"`, `unknown field "spec.colour"`},
	}, {
		name:    "DEC-012: Ignore",
		options: resource.RequestOptions{FieldValidation: "Ignore"},
		object:  "{metadata: {name: a, namespace: ns}, spec: {replicas: 2}, extra: 1}",
		want:    `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"generation":1,"name":"a","namespace":"ns"},"spec":{"replicas":2}}`,
	}, {
		name:    "DEC-014: Strict",
		options: resource.RequestOptions{FieldValidation: "Strict"},
		object:  "{metadata: {name: a, namespace: ns}, spec: {colour: red}, extra: 1}",
		failure: `400 BadRequest: Gadget in version "v1" cannot be handled as a Gadget: strict decoding error: unknown field "extra", unknown field "spec.colour"`,
	}, {
		name:    "DEC-012: another word",
		options: resource.RequestOptions{FieldValidation: "strict"},
		object:  "{metadata: {name: a}}",
		errors:  []string{`FieldValueNotSupported fieldValidation: Unsupported value: "strict": supported values: "", "Ignore", "Strict", "Warn"`},
	}, {
		name:   "DEF-007: a null is dropped, or kept where nullable",
		object: "{metadata: {name: a, namespace: ns}, spec: {size: null, replicas: null, note: null}}",
		want:   `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"generation":1,"name":"a","namespace":"ns"},"spec":{"note":null,"replicas":1}}`,
	}, {
		name:   "OME-004: metadata of the object and of embedded resources is rewritten",
		object: `{metadata: {name: a, namespace: ns, labels: {}}, spec: {replicas: 2, template: {apiVersion: v1, kind: Pod, metadata: {name: p, zz: 1, creationTimestamp: null}}}}`,
		want: `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"generation":1,"name":"a","namespace":"ns"},` +
			`"spec":{"replicas":2,"template":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}}}`,
		warnings: []string{`unknown field "spec.template.metadata.zz"`},
	}, {
		name:   "DEC-020: embedded metadata that cannot be read",
		object: `{metadata: {name: a, namespace: ns}, spec: {template: {apiVersion: v1, kind: Pod, metadata: {labels: 5}}}}`,
		failure: `400 BadRequest: Gadget in version "v1" cannot be handled as a Gadget: spec.template.metadata: Invalid value: {"labels":5}: ` +
			`json: cannot unmarshal number into Go struct field ObjectMeta.labels of type map[string]string`,
	}, {
		name:   "STR-011: errors in the order of the checks",
		object: `{metadata: {name: A, namespace: ns}, spec: {replicas: -1, size: huge, tags: [x, x], template: {kind: Pod}}}`,
		errors: []string{
			`FieldValueInvalid metadata.name: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
			`FieldValueNotSupported spec.size: Unsupported value: "huge": supported values: "small", "large"`,
			`FieldValueInvalid .spec.replicas: Invalid value: -1: should be a non-negative integer`, // SCL-005
			`FieldValueRequired spec.template.apiVersion: Required value`,                           // OME-020
			`FieldValueDuplicate spec.tags[1]: Duplicate value: "x"`,                                // LST-003
		},
	}, {
		name:   "SCL-005: a scale of wrong types",
		object: `{metadata: {name: a, namespace: ns}, spec: {replicas: "3"}, status: {selector: 5}}`,
		errors: []string{
			`FieldValueTypeInvalid spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"`,
			`FieldValueInvalid .spec.replicas: Invalid value: 0: .spec.replicas accessor error: 3 is of the type string, expected int64`,
		},
	}, {
		name:   "STR-010: another kind is only found out in the end, unpruned",
		object: "{kind: Other, metadata: {name: a, namespace: ns}, spec: {replicas: 2}, extra: 1}",
		errors: []string{`FieldValueInvalid kind: Invalid value: "Other": must be Gadget`},
	}, {
		name:     "DEC-015: another version",
		object:   "{apiVersion: example.com/v1beta1, metadata: {name: a, namespace: ns}, spec: {replicas: 2, size: small}}",
		failure:  "400 BadRequest: the API version in the data (example.com/v1beta1) does not match the expected API version (example.com/v1)",
		warnings: []string{`unknown field "spec.size"`}, // DEC-018
	}, {
		name:   "STR-008: another namespace",
		object: "{metadata: {name: a, namespace: m}, spec: {}}", options: resource.RequestOptions{Namespace: "ns"},
		failure: "400 BadRequest: the namespace of the provided object does not match the namespace sent on the request",
	}, {
		name:   "MET-004: no namespace at all",
		object: "{metadata: {name: a}, spec: {}}",
		errors: []string{"FieldValueRequired metadata.namespace: Required value"},
	}, {
		name:   "MET-003: no name",
		object: "{metadata: {namespace: ns}, spec: {}}",
		errors: []string{"FieldValueRequired metadata.name: Required value: name or generateName is required"},
	}, {
		name:   "MET-001: a name that is still to be made",
		object: "{metadata: {generateName: a-, namespace: ns}, spec: {replicas: 2}}",
		want:   `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"generateName":"a-","generation":1,"namespace":"ns"},"spec":{"replicas":2}}`,
	}, {
		name:   "MET-001: no name that can be made is good",
		object: "{metadata: {generateName: A-, namespace: ns}, spec: {replicas: 2}}",
		errors: []string{`FieldValueInvalid metadata.name: Invalid value: "A-xxxxx": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`},
	}, {
		name:     "STR-016: a finalizer without a domain",
		object:   "{metadata: {name: a, namespace: ns, finalizers: [foo, a.io/b]}, spec: {replicas: 2}}",
		want:     `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"finalizers":["foo","a.io/b"],"generation":1,"name":"a","namespace":"ns"},"spec":{"replicas":2}}`,
		warnings: []string{`metadata.finalizers: "foo": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`},
	}, {
		name:   "STR-009: an owner twice",
		object: "{metadata: {name: a, namespace: ns, ownerReferences: [{apiVersion: v1, kind: Pod, name: p, uid: u}, {apiVersion: v1, kind: Pod, name: p, uid: u}]}, spec: {replicas: 2}}",
		want:   `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"generation":1,"name":"a","namespace":"ns","ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u"}]},"spec":{"replicas":2}}`,
		warnings: []string{".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such " +
			"requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u"},
	}, {
		name:   "DEC-009: storage makes whole floats integers",
		object: "{metadata: {name: a, namespace: ns}, spec: {replicas: 2, ratio: 0.5}}",
		want:   `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"generation":1,"name":"a","namespace":"ns"},"spec":{"ratio":0.5,"replicas":2}}`,
	}} {
		t.Run(c.name, func(t *testing.T) {
			obj := gadget(t, c.object)
			before := unstructured.Clone(obj)
			result := r.Version("v1").With(c.options).Create(t.Context(), obj)
			require.Equal(t, before, obj, "the input was modified")
			want := answer{errors: c.errors, failure: c.failure, warnings: c.warnings}
			if c.want != "" {
				want.object = given.Object(t, c.want)
			}
			want.require(t, result)
		})
	}
}

// statusOf returns the Status in err.
func statusOf(t *testing.T, err error) *field.Status {
	t.Helper()
	var s *field.Status
	require.ErrorAs(t, err, &s)
	return s
}

// encodeStatus prints the Status in err.
func encodeStatus(err error) string {
	var s *field.Status
	if !errors.As(err, &s) {
		return fmt.Sprintf("no Status: %v", err)
	}
	b, _ := json.Marshal(s.Code)
	return string(b) + " " + s.Reason + ": " + s.Message
}

// DEC-009: 1.0 was a float64 in the request, and is an int64 when it is read back, at any place.
func TestCreateReadsBackIntegers(t *testing.T) {
	obj := gadget(t, "{metadata: {name: a, namespace: ns}, spec: {replicas: 2, free: {}}}")
	spec := obj["spec"].(map[string]any)
	spec["ratio"] = 1.0
	spec["free"] = map[string]any{"deep": []any{2.0, 1e21, 0.5}}
	result := compile(t, gadgets).Version("v1").Create(t.Context(), obj)
	require.NoError(t, result.Err())
	stored := result.Object["spec"].(map[string]any)
	require.Equal(t, int64(1), stored["ratio"])
	require.Equal(t, []any{int64(2), 1e21, 0.5}, stored["free"].(map[string]any)["deep"])
	require.Equal(t, 1.0, spec["ratio"], "the input was modified")
}

// ORD-001, STR-017: a create through a version other than the storage version uses both schemas, and has a warning if
// the version is deprecated.
func TestCreateThroughAnotherVersion(t *testing.T) {
	v := compile(t, gadgets).Version("v1beta1")
	// old is defaulted in the request, unknown to the stored version, and not defaulted after conversion (ORD-004).
	answer{
		object:   gadget(t, "{apiVersion: example.com/v1beta1, metadata: {name: a, namespace: ns, generation: 1}, spec: {replicas: 2}}"),
		warnings: []string{"example.com/v1beta1 Gadget is deprecated; use example.com/v1 Gadget"},
	}.require(t, v.Create(t.Context(), gadget(t, "{apiVersion: example.com/v1beta1, metadata: {name: a, namespace: ns}, spec: {replicas: 2}}")))
}

// PUF-001: with preserveUnknownFields, which only v1beta1 documents have by default, nothing is pruned.
func TestCreatePreservingUnknownFields(t *testing.T) {
	r := compile(t, given.OldHead("Namespaced", "olds.example.com", "Old")+`
  version: v1
  validation: {openAPIV3Schema: {properties: {spec: {properties: {num: {type: integer}}}}}}
`)
	v := r.Version("v1")
	answer{
		object:   gadget(t, "{kind: Old, metadata: {name: a, namespace: ns, generation: 1}, spec: {num: 1, m: null}, extra: {z: 1}}"),
		warnings: []string{`unknown field "metadata.x"`},
	}.require(t, v.Create(t.Context(), gadget(t, "{kind: Old, metadata: {name: a, namespace: ns, x: 1}, spec: {num: 1, m: null}, extra: {z: 1}}")))
	answer{errors: []string{`FieldValueTypeInvalid spec.num: Invalid value: "string": spec.num in body must be of type integer: "string"`}}.
		require(t, v.Create(t.Context(), gadget(t, "{kind: Old, metadata: {name: a, namespace: ns}, spec: {num: x}}")))
}

// DEF-020: unknown fields of metadata are also removed from defaults.
func TestDefaultsArePrepared(t *testing.T) {
	r := withProperties(t, `
	template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true,
		default: {apiVersion: v1, kind: K, metadata: {name: q, foo: bar, creationTimestamp: null}, zzz: 1}},
	open: {type: array, x-kubernetes-preserve-unknown-fields: true, items: {type: object, default: {kept: 1}, properties: {a: {type: string}}}},
	pod: {type: object, x-kubernetes-embedded-resource: true, properties: {
		metadata: {type: object, properties: {name: {type: string, default: p}, bogus: {type: string, default: gone}}}}},
	items: {type: array, items: {type: object, properties: {num: {type: number, default: 1.0}}}}`)
	result := r.Version("v1").Create(t.Context(), given.Object(t, "{apiVersion: example.com/v1, kind: A, metadata: {name: a}, items: [{}], open: [null], pod: {apiVersion: v1, kind: Pod, metadata: {}}}"))
	require.NoError(t, result.Err())
	require.JSONEq(t, `{"apiVersion":"v1","kind":"K","metadata":{"name":"q"},"zzz":1}`, encode(t, result.Object["template"]))
	require.JSONEq(t, `[{"kept":1}]`, encode(t, result.Object["open"]), "PRU-004")
	require.JSONEq(t, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}}`, encode(t, result.Object["pod"]))
	require.Equal(t, int64(1), result.Object["items"].([]any)[0].(map[string]any)["num"], "DEF-009")
}

// STR-013: if errors block rules, an additional error reports it.
func TestBlockedRules(t *testing.T) {
	r := withProperties(t, "num: {type: integer, maximum: 5, x-kubernetes-validations: [{rule: self > 0}]}")
	v := r.Version("v1")
	answer{errors: []string{
		`FieldValueTypeInvalid num: Invalid value: "string": num in body must be of type integer: "string"`,
		"FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
	}}.require(t, v.Create(t.Context(), gadget(t, "{kind: A, metadata: {name: a}, num: x}")))
	// A bound does not block.
	answer{errors: []string{"FieldValueInvalid num: Invalid value: 9: num in body should be less than or equal to 5"}}.
		require(t, v.Create(t.Context(), gadget(t, "{kind: A, metadata: {name: a}, num: 9}")))
}

// STR-011, STR-013: rules are evaluated after the other checks, on the object as it would be stored.
func TestRules(t *testing.T) {
	const version = `schema: {openAPIV3Schema: {type: object,
		x-kubernetes-validations: [{rule: self.metadata.name.size() < 20, message: the name is too long}],
		properties: {
			num: {type: integer, maximum: 5, default: 3, x-kubernetes-validations: [{rule: self > 0}, {rule: self < 9}, {rule: self >= oldSelf}]},
			bad: {type: string, x-kubernetes-validations: [{rule: self.zz}]}}}}`
	r := things(t, version, version)
	for _, c := range []struct {
		name, object string
		want         []string
		cost         int64
	}{
		{"a valid object", "{metadata: {name: a}, num: 3, more: 1}", nil, 9},
		{"the same, complete", "{metadata: {name: a}, num: 3}", nil, 9},
		{"defaults are there already", "{metadata: {name: a}}", nil, 9},
		{"a rule that is broken", "{metadata: {name: a}, num: 0}", []string{"FieldValueInvalid num: Invalid value: 0: failed rule: self > 0"}, 9},
		{"behind an error that does not block", "{metadata: {name: a}, num: 9}", []string{
			"FieldValueInvalid num: Invalid value: 9: num in body should be less than or equal to 5", "FieldValueInvalid num: Invalid value: 9: failed rule: self < 9"}, 9},
		{"CMS-014: a rule that does not compile", "{metadata: {name: a}, bad: x}", []string{
			`FieldValueInvalid bad: Invalid value: "string": rule compile error: compilation failed: ERROR: <input>:1:5: type 'string' does not support field selection` +
				"\n | self.zz\n | ....^"}, 9},
		{"a name that is still to be generated counts with what will be behind it", "{metadata: {generateName: fourteen-long-}}", nil, 9},
		{"and may be too long", "{metadata: {generateName: fifteen-longer-}}", []string{"FieldValueInvalid <nil>: Invalid value: the name is too long"}, 9},
	} {
		for _, version := range []string{"v1", "v2"} {
			t.Run(version+" "+c.name, func(t *testing.T) {
				obj := given.Object(t, c.object)
				obj["apiVersion"], obj["kind"] = "example.com/"+version, "Thing"
				result := r.Version(version).Create(t.Context(), obj)
				require.Nil(t, result.Failure)
				require.ElementsMatch(t, c.want, given.Typed(result.Errors))
				require.Equal(t, c.cost, result.Cost)
				require.NotContains(t, result.Object["metadata"], "resourceVersion")
				if _, generated := obj["metadata"].(map[string]any)["generateName"]; generated {
					require.NotContains(t, result.Object["metadata"], "name", "none is made up")
				}
			})
		}
	}
}

func TestDecode(t *testing.T) {
	r := compile(t, gadgets)
	for _, c := range []struct {
		name     string
		options  resource.RequestOptions
		body     string
		want     string
		refusal  string
		warnings []string
	}{{
		name: "DEC-001, ORD-001: pruned and defaulted",
		body: `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a"},"spec":{"size":null,"x":1}}`,
		want: `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a"},"spec":{"replicas":1}}`, warnings: []string{`unknown field "spec.x"`},
	}, {
		name:    "DEC-010: YAML, of which the first document counts",
		options: resource.RequestOptions{ContentType: "application/YAML; charset=utf-8"},
		body:    "apiVersion: example.com/v1\nkind: Gadget\nspec: {replicas: 010, tags: [yes]}\n---\nkind: [\n",
		want:    `{"apiVersion":"example.com/v1","kind":"Gadget","spec":{"replicas":8,"tags":[true]}}`,
	}, {
		name:     "DEC-005, DEC-022: duplicate fields come first",
		body:     `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"zz":1},"extra":1,"spec":{"replicas":1,"replicas":2},"spec":{"replicas":3,"q":{}}}`,
		want:     `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{},"spec":{"replicas":3}}`,
		warnings: []string{`duplicate field "spec.replicas"`, `duplicate field "spec"`, `unknown field "metadata.zz"`, `unknown field "extra"`, `unknown field "spec.q"`},
	}, {
		name:    "DEC-011: a duplicate key of YAML, with its line",
		options: resource.RequestOptions{ContentType: "application/yaml"},
		body:    "apiVersion: example.com/v1\nkind: Gadget\nkind: Gadget\nspec: {}\n",
		want:    `{"apiVersion":"example.com/v1","kind":"Gadget","spec":{"replicas":1}}`, warnings: []string{`line 3: key "kind" already set in map`},
	}, {
		name: "DEC-001: no kind", body: `{"apiVersion":"example.com/v1"}`,
		refusal: `400 BadRequest: the object provided is unrecognized (must be of type Gadget): Object 'Kind' is missing in '{"apiVersion":"example.com/v1"}' ({"apiVersion":"example.com/v1" ...)`,
	}, {
		name: "DEC-001: no kind, Ignore", body: " {\"apiVersion\":\"example.com/v1\"}\n", options: resource.RequestOptions{FieldValidation: "Ignore"},
		refusal: `400 BadRequest: Gadget in version "v1" cannot be handled as a Gadget: Object 'Kind' is missing in '{"apiVersion":"example.com/v1"}'`,
	}, {
		name: "DEC-014: no kind, Ignore, in another version", body: `{"apiVersion":"example.com/v2"}`, options: resource.RequestOptions{FieldValidation: "Ignore"},
		refusal: `400 BadRequest: Gadget in version "v2" cannot be handled as a Gadget: Object 'Kind' is missing in '{"apiVersion":"example.com/v2"}'`,
	}, {
		name: "DEC-014: no kind, Ignore, in another group without a version", body: `{"apiVersion":"other.com/","KIND":"Other"}`,
		options: resource.RequestOptions{FieldValidation: "Ignore"},
		refusal: `400 BadRequest: Other in version "" cannot be handled as a Gadget: Object 'Kind' is missing in '{"apiVersion":"other.com/","KIND":"Other"}'`,
	}, {
		name: "DEC-014: broken, in the group without a version", body: `{"apiVersion":"example.com/","kind":"Gadget","spec":1e400}`,
		refusal: `400 BadRequest: Gadget in version "v1" cannot be handled as a Gadget: json: cannot unmarshal number 1e400 into Go value of type float64`,
	}, {
		name: "DEC-001: an apiVersion that cannot be parsed, which the first step does not see", options: resource.RequestOptions{FieldValidation: "Strict"},
		body: `{"apiVersion":"a/b/c","APIVERSION":"example.com/v1","kind":"Gadget"}`,
		refusal: `400 BadRequest: the object provided is unrecognized (must be of type Gadget): Object 'Kind' is missing in ` +
			`'{"apiVersion":"a/b/c","APIVERSION":"example.com/v1","kind":"Gadget"}' ({"apiVersion":"a/b/c","APIVERS ...)`,
	}, {
		name: "DEC-001: the same, Ignore", options: resource.RequestOptions{FieldValidation: "Ignore"},
		body:    `{"apiVersion":"a/b/c","APIVERSION":"example.com/v2","kind":"Gadget"}`,
		refusal: `400 BadRequest: Gadget in version "v2" cannot be handled as a Gadget: Object 'Kind' is missing in '{"apiVersion":"a/b/c","APIVERSION":"example.com/v2","kind":"Gadget"}'`,
	}, {
		name: "DEC-014: each byte of invalid UTF-8", body: "{\"a\":\"\xff\xfe漢\xe6\xbc\"}",
		refusal: "400 BadRequest: the object provided is unrecognized (must be of type Gadget): Object 'Kind' is missing in '{\"a\":\"\xff\xfe漢\xe6\xbc\"}' " +
			"({\"a\":\"\uFFFD\uFFFD漢\uFFFD\uFFFD\"})",
	}, {
		name: "DEC-002: any key that looks like kind", body: `{"apiVersion":"example.com/v1","kind":"Gadget","KIND":5}`,
		refusal: `400 BadRequest: the object provided is unrecognized (must be of type Gadget): couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"apiVersion":"example.com/v1" ...)`,
	}, {
		name: "DEC-013: an apiVersion with two slashes", body: `{"apiVersion":"a/b/c","kind":"Gadget"}`,
		refusal: `400 BadRequest: the object provided is unrecognized (must be of type Gadget): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)`,
	}, {
		name: "DEC-004: a number that is too big", body: `{"apiVersion":"example.com/v1","kind":"Gadget","spec":{"ratio":1e400}}`,
		refusal: `400 BadRequest: Gadget in version "v1" cannot be handled as a Gadget: json: cannot unmarshal number 1e400 into Go value of type float64`,
	}, {
		name: "DEC-008: nothing", body: "",
		refusal: `400 BadRequest: the object provided is unrecognized (must be of type Gadget): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)`,
	}, {
		name: "DEC-014: a body that is no JSON is shown in hex", body: "kind: Gadget",
		refusal: `400 BadRequest: the object provided is unrecognized (must be of type Gadget): couldn't get version/kind; json parse error: invalid character 'k' looking for beginning of value (6b696e643a20476164676574)`,
	}, {
		name: "DEC-015: another group", body: `{"apiVersion":"v1","kind":"Gadget"}`,
		refusal: "400 BadRequest: the API version in the data (v1) does not match the expected API version (example.com/v1)",
	}, {
		name: "DEC-017: another content type", body: "{}", options: resource.RequestOptions{ContentType: "application/vnd.kubernetes.protobuf"},
		refusal: "415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
	}, {
		name: "DEC-017: invalid parameters", body: "{}", options: resource.RequestOptions{ContentType: "application/json; foo", FieldValidation: "x"},
		refusal: "415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf",
	}, {
		name: "PRU-010: two unknown fields of one path are one warning", body: `{"apiVersion":"example.com/v1","kind":"Gadget","spec":{"a.b":1},"spec.a.b":1}`,
		want:     `{"apiVersion":"example.com/v1","kind":"Gadget","spec":{"replicas":1}}`,
		warnings: []string{`unknown field "spec.a.b"`},
	}, {
		name: "DEC-016: a body of more than 3 MiB", body: strings.Repeat(" ", 3<<20+1),
		refusal: "413 RequestEntityTooLarge: Request entity too large: limit is 3145728",
	}, {
		name: "DEC-012: another word", body: "{}", options: resource.RequestOptions{FieldValidation: "x"},
		refusal: `422 Invalid: CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"`,
	}} {
		t.Run(c.name, func(t *testing.T) {
			obj, warnings, refusal := r.Version("v1").With(c.options).Decode([]byte(c.body))
			require.Equal(t, c.warnings, warnings)
			if c.refusal != "" {
				require.NotNil(t, refusal)
				require.Equal(t, c.refusal, encodeStatus(refusal))
				require.Nil(t, obj)
				return
			}
			require.NoError(t, refusal)
			require.JSONEq(t, c.want, encode(t, obj))
		})
	}
}

// CreateBody decodes once, and has the warnings in the server's order. A null in a default is validated.
func TestCreateBody(t *testing.T) {
	v := things(t, "schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}", `deprecated: true, schema: {openAPIV3Schema: {type: object, properties: {
		spec: {type: object, default: {a: null}, required: [a], properties: {a: {x-kubernetes-preserve-unknown-fields: true}}}}}}`,
		"schema: {openAPIV3Schema: {type: object}}").Version("v2")
	body := []byte(`{"apiVersion":"example.com/v2","kind":"Thing","metadata":{"name":"a","finalizers":["f"]},"x":1}`)
	answer{warnings: []string{
		"example.com/v2 Thing is deprecated; use example.com/v3 Thing", `unknown field "x"`,
		`metadata.finalizers: "f": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers`,
	}}.require(t, v.CreateBody(t.Context(), body))

	obj, _, refusal := v.Decode(body)
	require.NoError(t, refusal)
	require.Equal(t, []string{"FieldValueRequired spec.a: Required value"}, given.Typed(v.Create(t.Context(), obj).Errors), "DEF-001: decoded twice")

	result := v.CreateBody(t.Context(), []byte("{"))
	require.Equal(t, 400, result.Status().Code)
	require.Len(t, result.Warnings, 1, "DEC-018")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, 500, v.CreateBody(canceled, body).Status().Code)
}

// The object of a result shares no memory with the body.
func TestCreateBodyCopies(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	text := `{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","namespace":"ns","labels":{"key":"value"}},` +
		`"spec":{"replicas":2,"note":"es\u0063aped","tags":["a"],"free":{"x":["` + strings.Repeat("long ", 100) + `"],"esc\u0061ped":"y"}}}`
	want := v.CreateBody(t.Context(), []byte(text))
	require.NoError(t, want.Err())
	require.Empty(t, want.Warnings)
	body := []byte(text)
	got := v.CreateBody(t.Context(), body)
	for i := range body {
		body[i] = '#'
	}
	require.NoError(t, v.CreateBody(t.Context(), []byte(text)).Err())
	require.Equal(t, want.Stored, got.Stored)
}

// DEC-002: an object is refused as its body would be.
func TestCreateWithOddKeys(t *testing.T) {
	for _, schema := range []string{"type: object", "type: object, x-kubernetes-preserve-unknown-fields: true", "type: object, properties: {KIND: {type: integer}}"} {
		v := compile(t, given.Kind("Cluster", "as.example.com", "A", "{"+schema+"}")).Version("v1")
		result := v.Create(t.Context(), given.Object(t, "{apiVersion: example.com/v1, kind: A, KIND: 5, metadata: {name: a}}"))
		require.NotNil(t, result.Failure, schema)
		require.Contains(t, result.Failure.Message, "json: cannot unmarshal number into Go struct field .kind of type string")
	}
}

// Create does not change the result of Decode by decoding it again.
func TestCreateAfterDecode(t *testing.T) {
	v := compile(t, gadgets).Version("v1").With(resource.RequestOptions{FieldValidation: "Strict", Namespace: "ns"})
	obj, warnings, refusal := v.Decode([]byte(`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a"},"spec":{}}`))
	require.NoError(t, refusal)
	require.Empty(t, warnings)
	result := v.Create(t.Context(), obj)
	require.NoError(t, result.Err())
	require.Equal(t, "ns", result.Object["metadata"].(map[string]any)["namespace"])
}

// GEN-006: the result as a Status, and as an error.
func TestResultStatus(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	result := v.Create(t.Context(), gadget(t, "{metadata: {name: a, namespace: ns}, spec: {size: huge}}"))
	require.JSONEq(t, `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":422,"reason":"Invalid",
		"message":"Gadget.example.com \"a\" is invalid: spec.size: Unsupported value: \"huge\": supported values: \"small\", \"large\"",
		"details":{"name":"a","group":"example.com","kind":"Gadget","causes":[
			{"reason":"FieldValueNotSupported","message":"Unsupported value: \"huge\": supported values: \"small\", \"large\"","field":"spec.size"}]}}`,
		encode(t, result.Status()))
	var status *field.Status
	require.ErrorAs(t, result.Err(), &status)
	require.Equal(t, 422, status.Code)
	var cause *field.Error
	require.ErrorAs(t, result.Err(), &cause)
	require.Equal(t, "spec.size", cause.Field)
	require.ErrorIs(t, result.Err(), &field.Error{Type: field.ErrorTypeNotSupported})
	require.NoError(t, v.Create(t.Context(), gadget(t, "{metadata: {name: a, namespace: ns}, spec: {}}")).Err())

	// STR-010: the Status has the kind of the object.
	result = v.Create(t.Context(), gadget(t, "{kind: Other, metadata: {name: a, namespace: ns}, spec: {}}"))
	require.Equal(t, `Other.example.com "a" is invalid: kind: Invalid value: "Other": must be Gadget`, result.Status().Message)
	result = v.With(resource.RequestOptions{FieldValidation: "x"}).Create(t.Context(), nil)
	require.Equal(t, `CreateOptions.meta.k8s.io "" is invalid: fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn"`,
		result.Status().Message)
}

// GEN-002: values that no request can have are errors with their path, and never cause a panic.
func TestCreateOfOtherValues(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	type own struct{ A int }
	for _, c := range []struct {
		name  string
		value any
		field string
	}{
		{"a struct", own{1}, "spec.free.x"},
		{"a map of strings", map[string]string{"a": "b"}, "spec.free.x"},
		{"NaN", math.NaN(), "spec.free.x"},
		{"infinity", math.Inf(1), "spec.free.x"},
		{"a map that contains itself", given.Loop(), "spec.free.x.loop"},
		{"100,000 levels", given.Deep(100_000, "x"), "spec.free.x[0]"},
		{"a channel", make(chan int), "spec.free.x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			obj := gadget(t, "{metadata: {name: a, namespace: ns}, spec: {free: {}}}")
			obj["spec"].(map[string]any)["free"].(map[string]any)["x"] = c.value
			result := v.Create(t.Context(), obj)
			require.Len(t, result.Errors, 1)
			require.True(t, strings.HasPrefix(result.Errors[0].Field, c.field), result.Errors[0].Field)
			require.Equal(t, field.ErrorTypeInvalid, result.Errors[0].Type)
		})
	}
	t.Run("numbers of other types are numbers", func(t *testing.T) {
		obj := gadget(t, "{metadata: {name: a, namespace: ns}, spec: {}}")
		obj["spec"].(map[string]any)["replicas"] = 3
		obj["spec"].(map[string]any)["ratio"] = json.Number("0.25")
		result := v.Create(t.Context(), obj)
		require.NoError(t, result.Err())
		require.Equal(t, map[string]any{"replicas": int64(3), "ratio": 0.25}, result.Object["spec"])
	})
	for _, obj := range []map[string]any{
		nil, {}, {"kind": nil}, {"kind": 5}, {"apiVersion": []any{}, "kind": "Gadget"}, {"kind": "Gadget", "metadata": "x"},
		{"apiVersion": "example.com/v1", "kind": "Gadget", "spec": 5, "status": []any{nil}},
	} {
		require.Error(t, v.Create(t.Context(), obj).Err(), "%v", obj)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	require.Equal(t, 500, v.Create(canceled, nil).Status().Code)
}

func TestCompileErrors(t *testing.T) {
	_, err := resource.Compile(nil)
	require.EqualError(t, err, "resource: no definition")

	d := given.Definition(t, gadgets)
	d.Spec.Versions[0].Storage = false
	_, err = resource.Compile(d)
	require.ErrorContains(t, err, "no storage version")

	d = given.Definition(t, gadgets)
	d.Spec.Versions[1].Schema.OpenAPIV3Schema.Properties["spec"].Type = ""
	_, err = resource.Compile(d)
	require.EqualError(t, err, "resource: version v1beta1: properties[spec].type: Required value: must not be empty for specified object fields")
	var violation *field.Error
	require.True(t, errors.As(err, &violation))

	require.Nil(t, compile(t, gadgets).Version("v2"))
}

// Goroutines may share a Resource and an object.
func TestConcurrentCreate(t *testing.T) {
	r := compile(t, gadgets)
	obj := gadget(t, "{metadata: {name: a, namespace: ns}, spec: {size: small, colour: red, template: {apiVersion: v1, kind: Pod, metadata: {x: 1}}}}")
	given.Concurrently(50, func() {
		result := r.Version("v1").Create(context.Background(), obj)
		if result.Err() != nil || len(result.Warnings) != 2 {
			t.Error(result.Err(), result.Warnings)
		}
	})
}

// Writing into a result never reaches the definition's defaults.
func TestResultDoesNotAliasDefaults(t *testing.T) {
	r := compile(t, strings.Replace(gadgets, "free: {type: object,", "free: {type: object, default: {a: {b: [1]}},", 1))
	create := func() map[string]any {
		return r.Version("v1").Create(t.Context(), gadget(t, "{metadata: {name: a, namespace: ns}, spec: {}}")).Object
	}
	first := create()
	free := first["spec"].(map[string]any)["free"].(map[string]any)
	free["a"].(map[string]any)["b"].([]any)[0] = "spoiled"
	require.Equal(t, map[string]any{"a": map[string]any{"b": []any{int64(1)}}}, create()["spec"].(map[string]any)["free"])
}

func FuzzDecodeAndCreate(f *testing.F) {
	f.Add([]byte(`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","namespace":"ns"},"spec":{"free":{"a":[1.0]}}}`), byte(0))
	f.Add([]byte("apiVersion: example.com/v1\nkind: Gadget\nmetadata: {generateName: a-}\nspec: {template: {metadata: {labels: {a: null}}}}\n"), byte(1))
	f.Add([]byte(`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"ownerReferences":[{},{}],"managedFields":[{"fieldsV1":{}}]}}`), byte(2))
	r := compile(f, gadgets)
	modes := []string{"", "Ignore", "Strict"}
	f.Fuzz(func(t *testing.T, body []byte, mode byte) {
		v := r.Version("v1").With(resource.RequestOptions{FieldValidation: modes[int(mode)%len(modes)], Namespace: "ns"})
		if mode&64 != 0 {
			v = r.Version("v1").With(resource.RequestOptions{ContentType: "application/yaml"})
		}
		obj, _, refusal := v.Decode(body)
		if refusal != nil {
			require.NotEmpty(t, statusOf(t, refusal).Message)
			return
		}
		before := unstructured.Clone(obj)
		result := v.Create(t.Context(), obj)
		require.Equal(t, before, obj, "the input was modified")
		if result.Err() != nil {
			return
		}
		// A stored object is accepted again.
		again := v.Create(t.Context(), result.Object)
		require.NoError(t, again.Err())
		require.Equal(t, result.Object, again.Object)
	})
}

// PUF-001: schemas that are not structural are refused. A server that has such a definition from an old version uses
// parts of it.
func TestCompileWhatIsNotStructural(t *testing.T) {
	for schema, want := range map[string]string{
		`{patternProperties: {a: {type: string}}}`:         "OpenAPIV3Schema 'patternProperties' is not supported",
		`{properties: {a: {$ref: "#/definitions/a"}}}`:     "$ref",
		`{properties: {a: {items: [{type: string}, {}]}}}`: "items",
	} {
		d := given.Definition(t, given.OldHead("Namespaced", "olds.example.com", "Old")+`
  version: v1
  preserveUnknownFields: true
  validation: {openAPIV3Schema: `+schema+`}
`)
		_, err := resource.Compile(d)
		require.ErrorContains(t, err, want, schema)
	}
}

// GEN-002: strings that are not UTF-8 are repaired in a body (DEC-006), and unchanged in a map that the caller built.
func TestStringsWithoutUTF8(t *testing.T) {
	v := compile(t, gadgets).Version("v1")
	obj := gadget(t, "{metadata: {name: a, namespace: ns}, spec: {note: x}}")
	obj["spec"].(map[string]any)["note"] = "a\xff"
	result := v.Create(t.Context(), obj)
	require.NoError(t, result.Err())
	require.Equal(t, "a\xff", result.Object["spec"].(map[string]any)["note"])
	result = v.CreateBody(t.Context(), []byte(`{"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"a","namespace":"ns"},"spec":{"note":"a`+"\xff"+`"}}`))
	require.NoError(t, result.Err())
	require.Equal(t, "a\ufffd", result.Object["spec"].(map[string]any)["note"])
}

// STR-001, MET-001: the name to be generated from a generateName is validated by all checks of names.
func TestGeneratedName(t *testing.T) {
	v := things(t, `schema: {openAPIV3Schema: {type: object, x-kubernetes-validations: [{rule: "self.metadata.name != 'b-xxxxx'"}], properties: {
		metadata: {type: object, properties: {name: {type: string, maxLength: 7}}}, size: {type: integer, maximum: 5}}}}`).Version("v1")
	create := func(prefix string) resource.Result {
		return v.Create(t.Context(), thing(t, "{metadata: {generateName: "+prefix+"}, size: 5}"))
	}
	fits := create("a-")
	answer{object: thing(t, "{metadata: {generateName: a-, generation: 1}, size: 5}")}.require(t, fits)
	require.NotContains(t, fits.Stored["metadata"], "name")

	long := create("ab-")
	answer{errors: []string{
		"FieldValueTooLong metadata.name: Too long: may not be more than 7 bytes",
		"FieldValueInvalid <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
	}}.require(t, long)
	require.Equal(t, "ab-xxxxx", long.Status().Name)

	answer{errors: []string{"FieldValueInvalid <nil>: Invalid value: failed rule: self.metadata.name != 'b-xxxxx'"}}.require(t, create("b-"))

	const subdomain = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an " +
		`alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
	answer{errors: []string{`FieldValueInvalid metadata.generateName: Invalid value: "A": ` + subdomain}}.require(t, create("A"))
}
