package crd

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/keyword"
	"github.com/crdkit/crdkit/schema"
)

const (
	headV1      = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
	headV1beta1 = "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\n"
)

func ptr[T any](v T) *T { return &v }

func mustParse(t testing.TB, data string) *CustomResourceDefinition {
	t.Helper()
	d, err := Parse([]byte(data))
	require.NoError(t, err)
	return d
}

// everyV1 has every key that a v1 document may have, outside of schemas, in the form in which it is written.
const everyV1 = `{
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {
    "name": "lamps.example.com", "generateName": "l", "namespace": "n", "selfLink": "/l", "uid": "u1", "resourceVersion": "7", "generation": 3,
    "creationTimestamp": "2024-01-02T03:04:05Z", "deletionTimestamp": "2024-02-02T03:04:05Z", "deletionGracePeriodSeconds": 0,
    "labels": {"app": "lamp"}, "annotations": {"note": "bright"}, "finalizers": ["f.example.com/x"],
    "ownerReferences": [{"apiVersion": "v1", "kind": "House", "name": "h", "uid": "u2", "controller": true, "blockOwnerDeletion": false}],
    "managedFields": [{"manager": "m", "operation": "Apply", "apiVersion": "v1", "time": "2024-01-02T03:04:05Z",
      "fieldsType": "FieldsV1", "fieldsV1": {"f:spec": {}}, "subresource": "status"}]
  },
  "spec": {
    "group": "example.com",
    "names": {"plural": "lamps", "singular": "lamp", "shortNames": ["l"], "kind": "Lamp", "listKind": "LampList", "categories": ["all"]},
    "scope": "Namespaced",
    "preserveUnknownFields": true,
    "conversion": {"strategy": "Webhook", "webhook": {
      "clientConfig": {"url": "https://x", "caBundle": "YWJj", "service": {"namespace": "n", "name": "s", "path": "/p", "port": 8443}},
      "conversionReviewVersions": ["v1"]}},
    "versions": [{
      "name": "v1", "served": true, "storage": true, "deprecated": true, "deprecationWarning": "old",
      "schema": {"openAPIV3Schema": {"type": "object"}},
      "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n", "labelSelectorPath": ".status.s"}},
      "additionalPrinterColumns": [{"name": "Watt", "type": "integer", "format": "int32", "description": "d", "priority": 1, "jsonPath": ".spec.watt"}],
      "selectableFields": [{"jsonPath": ".spec.colour"}]
    }]
  },
  "status": {
    "conditions": [{"type": "Established", "status": "True", "lastTransitionTime": "2024-01-02T03:04:05Z", "reason": "r", "message": "m", "observedGeneration": 2}],
    "acceptedNames": {"plural": "lamps", "kind": "Lamp"},
    "storedVersions": ["v1"],
    "observedGeneration": 3
  }
}`

// everyV1beta1 has the keys that only a v1beta1 document has.
const everyV1beta1 = `{
  "apiVersion": "apiextensions.k8s.io/v1beta1",
  "kind": "CustomResourceDefinition",
  "spec": {
    "version": "v1",
    "validation": {"openAPIV3Schema": {"type": "object"}},
    "subresources": {"status": {}},
    "additionalPrinterColumns": [{"name": "Watt", "type": "integer", "JSONPath": ".spec.watt"}],
    "selectableFields": [{"jsonPath": ".spec.colour"}],
    "conversion": {"strategy": "Webhook", "webhookClientConfig": {"url": "https://x"}, "conversionReviewVersions": ["v1"]},
    "versions": [{"name": "v1", "additionalPrinterColumns": [{"JSONPath": ".a"}]}]
  }
}`

// TYP-002 to TYP-007: each key has its field.
func TestParseEveryKey(t *testing.T) {
	at := time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)
	require.Equal(t, &CustomResourceDefinition{
		APIVersion: APIVersionV1,
		Metadata: map[string]any{
			"name": "lamps.example.com", "generateName": "l", "namespace": "n", "selfLink": "/l", "uid": "u1", "resourceVersion": "7",
			"generation": int64(3), "creationTimestamp": "2024-01-02T03:04:05Z", "deletionTimestamp": "2024-02-02T03:04:05Z",
			"deletionGracePeriodSeconds": int64(0), "labels": map[string]any{"app": "lamp"}, "annotations": map[string]any{"note": "bright"},
			"finalizers": []any{"f.example.com/x"},
			"ownerReferences": []any{map[string]any{"apiVersion": "v1", "kind": "House", "name": "h", "uid": "u2",
				"controller": true, "blockOwnerDeletion": false}},
			"managedFields": []any{map[string]any{"manager": "m", "operation": "Apply", "apiVersion": "v1", "time": "2024-01-02T03:04:05Z",
				"fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:spec": map[string]any{}}, "subresource": "status"}},
		},
		Spec: Spec{
			Group: "example.com",
			Names: Names{Plural: "lamps", Singular: "lamp", ShortNames: []string{"l"}, Kind: "Lamp", ListKind: "LampList", Categories: []string{"all"}},
			Scope: NamespaceScoped,
			Versions: []Version{{
				Name: "v1", Served: true, Storage: true, Deprecated: true, DeprecationWarning: ptr("old"),
				Schema: &Validation{OpenAPIV3Schema: &schema.JSONSchemaProps{Type: "object"}},
				Subresources: &Subresources{Status: &SubresourceStatus{}, Scale: &SubresourceScale{
					SpecReplicasPath: ".spec.n", StatusReplicasPath: ".status.n", LabelSelectorPath: ptr(".status.s")}},
				AdditionalPrinterColumns: []Column{{Name: "Watt", Type: "integer", Format: "int32", Description: "d", Priority: 1, JSONPath: ".spec.watt"}},
				SelectableFields:         []SelectableField{{JSONPath: ".spec.colour"}},
			}},
			Conversion: &Conversion{Strategy: ConversionWebhook, ConversionReviewVersions: []string{"v1"},
				WebhookClientConfig: &WebhookClientConfig{URL: ptr("https://x"), CABundle: []byte("abc"),
					Service: &ServiceReference{Namespace: "n", Name: "s", Path: ptr("/p"), Port: 8443}}},
			PreserveUnknownFields: ptr(true),
		},
		Status: Status{
			Conditions:         []Condition{{Type: Established, Status: "True", LastTransitionTime: at, Reason: "r", Message: "m", ObservedGeneration: 2}},
			AcceptedNames:      Names{Plural: "lamps", Kind: "Lamp"},
			StoredVersions:     []string{"v1"},
			ObservedGeneration: 3,
		},
	}, mustParse(t, everyV1))

	// BET-001: v1beta1 keeps its top-level fields, and CDC-002: its columns have JSONPath.
	d := mustParse(t, everyV1beta1)
	d.Spec.Names, d.Spec.Conversion = Names{}, nil
	require.Equal(t, Spec{
		Scope:                    NamespaceScoped,
		Version:                  "v1",
		Validation:               &Validation{OpenAPIV3Schema: &schema.JSONSchemaProps{Type: "object"}},
		Subresources:             &Subresources{Status: &SubresourceStatus{}},
		AdditionalPrinterColumns: []Column{{Name: "Watt", Type: "integer", JSONPath: ".spec.watt"}},
		SelectableFields:         []SelectableField{{JSONPath: ".spec.colour"}},
		Versions:                 []Version{{Name: "v1", AdditionalPrinterColumns: []Column{{JSONPath: ".a"}}}},
		PreserveUnknownFields:    ptr(true),
	}, d.Spec)
}

// The table of known keys has exactly the keys of the two documents above.
func TestKnownKeysAreTheKeys(t *testing.T) {
	for _, row := range []struct {
		name     string
		document string
		others   string // a second document that may have the key
		known    reflect.Type
	}{
		{"v1", everyV1, "", knownV1()},
		{"v1beta1", everyV1beta1, everyV1, knownV1beta1()},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, findings, err := ParseStrict([]byte(row.document))
			require.NoError(t, err)
			require.Empty(t, findings)
			var tags func(typ reflect.Type)
			tags = func(typ reflect.Type) {
				switch {
				case typ == reflect.TypeFor[keyword.SchemaKeys]() || typ == reflect.TypeFor[keyword.Opaque]():
				case typ.Kind() == reflect.Struct:
					for i := range typ.NumField() {
						f := typ.Field(i)
						if tag := f.Tag.Get("json"); tag != "" {
							require.Contains(t, row.document+row.others, `"`+tag+`":`, "a key in no document")
						}
						tags(f.Type)
					}
				case typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map:
					tags(typ.Elem())
				}
			}
			tags(row.known)
		})
	}
}

// Each row has a text after the head, and the resulting value in the spec or the metadata.
func TestParse(t *testing.T) {
	for _, row := range []struct {
		name string
		text string
		want func(d *CustomResourceDefinition) any
		is   any
	}{
		{"CDC-001: YAML 1.1 numbers and booleans", headV1 + "spec: {preserveUnknownFields: yes, versions: [{served: On, additionalPrinterColumns: [{priority: 1e1}]}]}",
			func(d *CustomResourceDefinition) any { return d.Spec.Versions }, []Version{{Served: true, AdditionalPrinterColumns: []Column{{Priority: 10}}}}},
		{"CDC-001: YAML keys that are booleans", headV1 + "spec: {versions: [{schema: {openAPIV3Schema: {properties: {n: {type: string}}}}}]}",
			func(d *CustomResourceDefinition) any {
				return d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["false"].Type
			}, "string"},
		{"CDC-002: keys are case-sensitive", headV1 + "spec: {Group: x, scope: Cluster}",
			func(d *CustomResourceDefinition) any { return d.Spec.Group + d.Spec.Scope }, "Cluster"},
		{"CDC-002: v1 has no JSONPath", headV1 + "spec: {versions: [{additionalPrinterColumns: [{JSONPath: .a}]}]}",
			func(d *CustomResourceDefinition) any { return d.Spec.Versions[0].AdditionalPrinterColumns }, []Column{{}}},
		{"CDC-002: a null is no key", headV1 + "metadata: null\nspec: {versions: null, names: null, conversion: null}\nstatus: null",
			func(d *CustomResourceDefinition) any { return d.Spec.Versions }, []Version(nil)},
		{"an empty list is a list", headV1 + "spec: {versions: []}",
			func(d *CustomResourceDefinition) any { return d.Spec.Versions }, []Version{}},
		{"CDC-002: a null in a list is an empty element", headV1 + "spec: {versions: [null], names: {shortNames: [null, a]}}",
			func(d *CustomResourceDefinition) any { return []any{d.Spec.Versions, d.Spec.Names.ShortNames} },
			[]any{[]Version{{}}, []string{"", "a"}}},
		{"CDC-002: a null label is an empty one", headV1 + "metadata: {labels: {a: null}}",
			func(d *CustomResourceDefinition) any { return d.Metadata["labels"] }, map[string]any{"a": ""}},
		{"CDC-003: unknown keys are dropped", headV1 + "bogus: 1\nmetadata: {clusterName: x}\nspec: {bogus: 1}",
			func(d *CustomResourceDefinition) any { return d.Metadata }, map[string]any{}},
		{"CDC-003: of equal keys the last one counts", headV1 + "spec: {group: a, group: b}",
			func(d *CustomResourceDefinition) any { return d.Spec.Group }, "b"},
		{"TYP-004: status: {} switches on", headV1 + "spec: {versions: [{subresources: {status: {}}}, {subresources: {status: null}}, {subresources: {}}]}",
			func(d *CustomResourceDefinition) any {
				return []any{d.Spec.Versions[0].Subresources.Status != nil, d.Spec.Versions[1].Subresources.Status != nil, d.Spec.Versions[2].Subresources}
			}, []any{true, false, &Subresources{}}},
		{"schema: {} is a Validation without a schema", headV1 + "spec: {versions: [{schema: {}}, {schema: {openAPIV3Schema: null}}, {}]}",
			func(d *CustomResourceDefinition) any { return d.Spec.Versions },
			[]Version{{Schema: &Validation{}}, {Schema: &Validation{}}, {}}},
		{"BET-002: webhook: {} flattens to nothing", headV1 + "spec: {conversion: {strategy: None, webhook: {}}}",
			func(d *CustomResourceDefinition) any { return d.Spec.Conversion }, &Conversion{Strategy: ConversionNone}},
		{"v1 has no flat webhook", headV1 + "spec: {conversion: {strategy: Webhook, webhookClientConfig: {url: x}}}",
			func(d *CustomResourceDefinition) any { return d.Spec.Conversion }, &Conversion{Strategy: ConversionWebhook}},
		{"a caBundle as a list of bytes", headV1 + "spec: {conversion: {webhook: {clientConfig: {caBundle: [97, null, 98]}}}}",
			func(d *CustomResourceDefinition) any { return d.Spec.Conversion.WebhookClientConfig.CABundle }, []byte{'a', 0, 'b'}},
		{"times are in UTC", headV1 + "metadata: {creationTimestamp: '2024-01-02T03:04:05.6+02:00'}",
			func(d *CustomResourceDefinition) any { return d.Metadata }, map[string]any{"creationTimestamp": "2024-01-02T01:04:05Z"}},
		{"empty metadata are absent", headV1 + "metadata: {name: '', labels: {}, finalizers: [], generation: 0, creationTimestamp: null}",
			func(d *CustomResourceDefinition) any { return d.Metadata }, map[string]any{}},
		{"documents without content do not count", "# a file\n---\n" + headV1 + "spec: {group: g}\n---\n# nothing\n",
			func(d *CustomResourceDefinition) any { return d.Spec.Group }, "g"},
		{"a server finds Kind and APIVERSION", `{"APIVERSION": "apiextensions.k8s.io/v1", "Kind": "CustomResourceDefinition", "spec": {"group": "g"}}`,
			func(d *CustomResourceDefinition) any { return d.Spec.Group }, "g"},
	} {
		t.Run(row.name, func(t *testing.T) { require.Equal(t, row.is, row.want(mustParse(t, row.text))) })
	}
}

// TYP-001: the apiVersion and kind of a definition, in both of its versions.
func TestNamesOfTheDocument(t *testing.T) {
	require.Equal(t, "apiextensions.k8s.io", Group)
	require.Equal(t, "CustomResourceDefinition", Kind)
	require.Equal(t, "customresourcecleanup.apiextensions.k8s.io", CleanupFinalizer)
	for _, apiVersion := range []string{"apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"} {
		d := mustParse(t, "kind: CustomResourceDefinition\napiVersion: "+apiVersion)
		require.Equal(t, apiVersion, d.APIVersion)
	}
}

func TestParseErrors(t *testing.T) {
	v1 := func(rest string) string {
		return `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", ` + rest + `}`
	}
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "# nothing\n", "crd: no object: the text is empty or null"},
		{"no object", "[]", "crd: document 1 is an array, not an object"},
		{"two documents", headV1 + "---\n" + headV1, "crd: 2 objects instead of one"},
		{"CDC-005: no kind", "apiVersion: apiextensions.k8s.io/v1", "crd: kind: is missing"},
		{"CDC-005: no apiVersion", "kind: CustomResourceDefinition", "crd: apiVersion: is missing"},
		{"CDC-005: an empty kind", "apiVersion: apiextensions.k8s.io/v1\nkind: ''", "crd: kind: is missing"},
		{"CDC-005: a kind that is no text", "apiVersion: apiextensions.k8s.io/v1\nkind: 1", "crd: kind: must be a string, not the number 1"},
		{"CDC-005: another kind", "apiVersion: apps/v1\nkind: Deployment",
			`crd: kind: must be CustomResourceDefinition of apiextensions.k8s.io, not "Deployment" of "apps/v1"`},
		{"CDC-005: case matters in values", "apiVersion: apiextensions.k8s.io/v1\nkind: customResourceDefinition",
			`crd: kind: must be CustomResourceDefinition of apiextensions.k8s.io, not "customResourceDefinition" of "apiextensions.k8s.io/v1"`},
		{"CDC-005: another version", "apiVersion: apiextensions.k8s.io/v2\nkind: CustomResourceDefinition",
			`crd: apiVersion: must be apiextensions.k8s.io/v1 or apiextensions.k8s.io/v1beta1, not "apiextensions.k8s.io/v2"`},
		{"Kind of a wrong type in addition to kind", v1(`"Kind": 1`), "crd: Kind: must be a string, not the number 1"},

		{"CDC-006: a spec that is a list", v1(`"spec": []`), "crd: spec: must be an object, not a list"},
		{"CDC-006: a boolean in quotes", v1(`"spec": {"preserveUnknownFields": "true"}`), "crd: spec.preserveUnknownFields: must be a boolean, not a string"},
		{"CDC-006: a name that is a number", v1(`"spec": {"versions": [{}, {"name": 1}]}`), "crd: spec.versions[1].name: must be a string, not the number 1"},
		{"CDC-006: versions as an object", v1(`"spec": {"versions": {}}`), "crd: spec.versions: must be a list, not an object"},
		{"CDC-006: status: true", v1(`"spec": {"versions": [{"subresources": {"status": true}}]}`),
			"crd: spec.versions[0].subresources.status: must be an object, not a boolean"},
		{"CDC-006: in a schema", v1(`"spec": {"versions": [{"schema": {"openAPIV3Schema": {"properties": {"a": {"type": ["string"]}}}}}]}`),
			"crd: spec.versions[0].schema.openAPIV3Schema.properties.a.type: must be a string, not a list"},
		{"CDC-006: a schema that is a text", v1(`"spec": {"versions": [{"schema": {"openAPIV3Schema": "x"}}]}`),
			"crd: spec.versions[0].schema.openAPIV3Schema: must be an object, not a string"},
		{"CDC-007: 1.0 in JSON", v1(`"spec": {"versions": [{"additionalPrinterColumns": [{"priority": 1.0}]}]}`),
			"crd: spec.versions[0].additionalPrinterColumns[0].priority: must be an integer from -2147483648 to 2147483647 without point or exponent, not the number 1"},
		{"CDC-007: a port beyond 32 bits", v1(`"spec": {"conversion": {"webhook": {"clientConfig": {"service": {"port": 2147483648}}}}}`),
			"crd: spec.conversion.webhook.clientConfig.service.port: must be an integer from -2147483648 to 2147483647 without point or exponent, not the number 2147483648"},
		{"no base64", v1(`"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": "%"}}}}`),
			"crd: spec.conversion.webhook.clientConfig.caBundle: must be base64: illegal base64 data at input byte 0"},
		{"no byte", v1(`"spec": {"conversion": {"webhook": {"clientConfig": {"caBundle": [256]}}}}`),
			"crd: spec.conversion.webhook.clientConfig.caBundle[0]: must be an integer from 0 to 255 without point or exponent, not the number 256"},
		{"no time", v1(`"metadata": {"creationTimestamp": "yesterday"}`),
			`crd: metadata.creationTimestamp: must be a time as in RFC 3339, not "yesterday"`},
		{"a label that is a number", v1(`"metadata": {"labels": {"a/b": 1, "c": 2}}`), "crd: metadata.labels.a/b: must be a string, not the number 1"},
		{"an owner that is a text", v1(`"metadata": {"ownerReferences": ["x"]}`), "crd: metadata.ownerReferences[0]: must be an object, not a string"},
		{"the first of two, by field", v1(`"status": {"storedVersions": 1}, "spec": {"scope": 1, "group": 2}`), "crd: spec.group: must be a string, not the number 2"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d, err := Parse([]byte(row.text))
			require.Nil(t, d)
			require.EqualError(t, err, row.want)
			var parseError *ParseError
			require.ErrorAs(t, err, &parseError)
			_, findings, err := ParseStrict([]byte(row.text))
			require.EqualError(t, err, row.want)
			require.Nil(t, findings)
		})
	}
}

func TestDefaults(t *testing.T) {
	for _, row := range []struct {
		name, text string
		want       func(d *CustomResourceDefinition) any
		is         any
	}{
		{"DFT-001: names", headV1 + "spec: {names: {kind: LampPost}}",
			func(d *CustomResourceDefinition) any { return d.Spec.Names },
			Names{Kind: "LampPost", Singular: "lamppost", ListKind: "LampPostList"}},
		{"DFT-001: names that are given", headV1 + "spec: {names: {kind: Lamp, singular: s, listKind: L}}",
			func(d *CustomResourceDefinition) any { return d.Spec.Names }, Names{Kind: "Lamp", Singular: "s", ListKind: "L"}},
		{"DFT-001: no kind", headV1, func(d *CustomResourceDefinition) any { return d.Spec.Names }, Names{}},
		{"DFT-001: conversion", headV1, func(d *CustomResourceDefinition) any { return d.Spec.Conversion }, &Conversion{Strategy: "None"}},
		{"DFT-002: no strategy, no review versions", headV1 + "spec: {conversion: {}}",
			func(d *CustomResourceDefinition) any { return d.Spec.Conversion }, &Conversion{}},
		{"DFT-001: port", headV1 + "spec: {conversion: {webhook: {clientConfig: {service: {}}}}}",
			func(d *CustomResourceDefinition) any { return d.Spec.Conversion.WebhookClientConfig.Service.Port }, int32(443)},
		{"DFT-001: a port of null", headV1 + "spec: {conversion: {webhook: {clientConfig: {service: {port: null}}}}}",
			func(d *CustomResourceDefinition) any { return d.Spec.Conversion.WebhookClientConfig.Service.Port }, int32(443)},
		{"DFT-001: a port of 0 stays", headV1 + "spec: {conversion: {webhook: {clientConfig: {service: {port: 0}}}}}",
			func(d *CustomResourceDefinition) any { return d.Spec.Conversion.WebhookClientConfig.Service.Port }, int32(0)},
		{"DFT-002: scope of v1 stays", headV1, func(d *CustomResourceDefinition) any { return d.Spec.Scope }, ""},
		{"DFT-002: storedVersions", headV1 + "spec: {versions: [{name: a}, {name: b, storage: true}, {name: c, storage: true}]}",
			func(d *CustomResourceDefinition) any { return d.Status.StoredVersions }, []string{"b"}},
		{"DFT-002: storedVersions that are given", headV1 + "spec: {versions: [{name: b, storage: true}]}\nstatus: {storedVersions: [x]}",
			func(d *CustomResourceDefinition) any { return d.Status.StoredVersions }, []string{"x"}},
		{"DFT-002: no storage version", headV1 + "spec: {versions: [{name: b}]}",
			func(d *CustomResourceDefinition) any { return d.Status.StoredVersions }, []string(nil)},
		{"v1's preserveUnknownFields", headV1, func(d *CustomResourceDefinition) any { return *d.Spec.PreserveUnknownFields }, false},

		{"DFT-003: preserveUnknownFields", headV1beta1, func(d *CustomResourceDefinition) any { return *d.Spec.PreserveUnknownFields }, true},
		{"DFT-003: preserveUnknownFields that is given", headV1beta1 + "spec: {preserveUnknownFields: false}",
			func(d *CustomResourceDefinition) any { return *d.Spec.PreserveUnknownFields }, false},
		{"DFT-003: scope", headV1beta1, func(d *CustomResourceDefinition) any { return d.Spec.Scope }, "Namespaced"},
		{"DFT-003: versions, then storedVersions", headV1beta1 + "spec: {version: v1}",
			func(d *CustomResourceDefinition) any { return []any{d.Spec.Versions, d.Status.StoredVersions} },
			[]any{[]Version{{Name: "v1", Served: true, Storage: true}}, []string{"v1"}}},
		{"DFT-003: version", headV1beta1 + "spec: {versions: [{name: v2}, {name: v1}]}",
			func(d *CustomResourceDefinition) any { return d.Spec.Version }, "v2"},
		{"DFT-003: review versions", headV1beta1 + "spec: {conversion: {strategy: Webhook}}",
			func(d *CustomResourceDefinition) any { return d.Spec.Conversion.ConversionReviewVersions }, []string{"v1beta1"}},
		{"DFT-003: no review versions without webhook", headV1beta1 + "spec: {conversion: {strategy: None}}",
			func(d *CustomResourceDefinition) any { return d.Spec.Conversion.ConversionReviewVersions }, []string(nil)},
	} {
		t.Run(row.name, func(t *testing.T) { require.Equal(t, row.is, row.want(mustParse(t, row.text))) })
	}
}

// CDC-003, CDC-004.
func TestParseStrict(t *testing.T) {
	inSchema := func(text string) string {
		return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":` + text + `}}]}}`
	}
	at := "spec.versions[0].schema.openAPIV3Schema."
	for _, row := range []struct {
		name, text string
		want       []string
	}{
		{"all is known", everyV1, nil},
		{"in document order", inSchema(`{"properties":{"b":{"readOnly":true},"a":{"not":{"x":1},"allOf":[{},{"y":1}]}},"const":1}`),
			[]string{`unknown field "` + at + `properties.b.readOnly"`, `unknown field "` + at + `properties.a.not.x"`,
				`unknown field "` + at + `properties.a.allOf[1].y"`, `unknown field "` + at + `const"`}},
		{"CDC-004: blind", inSchema(`{"items":{"x":1,"type":"a","type":"b"},"additionalProperties":{"x":1},"additionalItems":{"x":1},
			"dependencies":{"a":{"x":1}},"default":{"x":1,"x":2},"example":{"x":1},"enum":[{"x":1,"x":1}]}`), nil},
		{"duplicates", inSchema(`{"type":"object","type":"object","properties":{"a":{},"a":{}}}`),
			[]string{`duplicate field "` + at + `type"`, `duplicate field "` + at + `properties.a"`}},
		{"case", inSchema(`{"Type":"object"}`), []string{`unknown field "` + at + `Type"`}},
		{"each once", inSchema(`{"allOf":[{"x":1,"x":1}],"oneOf":[{"x":1}]}`),
			[]string{`unknown field "` + at + `allOf[0].x"`, `unknown field "` + at + `oneOf[0].x"`}},
		{"metadata and status", `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"x":1,"labels":{"y":"1","y":"2"}},"status":{"conditions":[{"x":1}]}}`,
			[]string{`unknown field "metadata.x"`, `duplicate field "metadata.labels.y"`, `unknown field "status.conditions[0].x"`}},
		{"v1beta1's keys in v1", strings.Replace(everyV1beta1, "v1beta1", "v1", 1),
			[]string{`unknown field "spec.version"`, `unknown field "spec.validation"`, `unknown field "spec.subresources"`,
				`unknown field "spec.additionalPrinterColumns"`, `unknown field "spec.selectableFields"`,
				`unknown field "spec.conversion.webhookClientConfig"`, `unknown field "spec.conversion.conversionReviewVersions"`,
				`unknown field "spec.versions[0].additionalPrinterColumns[0].JSONPath"`}},
		{"YAML: its own text, then keys in order", headV1 + "zz: 1\nspec:\n  group: a\n  group: b\naa: 1\n",
			[]string{"yaml: unmarshal errors:\n  line 6: key \"group\" already set in map", `unknown field "aa"`, `unknown field "zz"`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d, findings, err := ParseStrict([]byte(row.text))
			require.NoError(t, err)
			require.Equal(t, row.want, findings)
			require.Equal(t, mustParse(t, row.text), d)
		})
	}
}

func TestParseAll(t *testing.T) {
	definition := func(group string) string { return headV1 + "spec: {group: " + group + "}\n" }
	deployment := "apiVersion: apps/v1\nkind: Deployment\n"
	for _, row := range []struct {
		name, text       string
		groups           []string // of ParseAll
		err              string
		bundle           []string // of ParseBundle
		bundleErr        string
		sameErrInBundles bool
	}{
		{name: "nothing", text: "---\n# nothing\n---\n"},
		{name: "two", text: definition("a") + "---\n" + definition("b"), groups: []string{"a", "b"}, bundle: []string{"a", "b"}},
		{name: "empty documents between", text: "---\n" + definition("a") + "---\n---\n# x\n---\n" + definition("b"),
			groups: []string{"a", "b"}, bundle: []string{"a", "b"}},
		{name: "another kind", text: definition("a") + "---\n" + deployment + "---\n" + definition("b"),
			err:    `crd: document 2: kind: must be CustomResourceDefinition of apiextensions.k8s.io, not "Deployment" of "apps/v1"`,
			bundle: []string{"a", "b"}},
		{name: "a misspelt kind", text: strings.Replace(definition("a"), "kind: Custom", "kind: Costum", 1),
			err: `crd: document 1: kind: must be CustomResourceDefinition of apiextensions.k8s.io, not "CostumResourceDefinition" of "apiextensions.k8s.io/v1"`, sameErrInBundles: true},
		{name: "no kind", text: definition("a") + "---\na: 1\n", err: "crd: document 2: kind: is missing", sameErrInBundles: true},
		{name: "a list", text: "apiVersion: v1\nkind: List\nitems:\n- " + strings.ReplaceAll(definition("a"), "\n", "\n  ") + "\n- {apiVersion: v1, kind: Pod}\n",
			err:    `crd: document 1: items[1].kind: must be CustomResourceDefinition of apiextensions.k8s.io, not "Pod" of "v1"`,
			bundle: []string{"a"}},
		{name: "a server's list, whose items have no type", text: "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinitionList\nitems: [{spec: {group: a}}]",
			groups: []string{"a"}, bundle: []string{"a"}},
		{name: "items of a wrong type", text: "apiVersion: v1\nkind: List\nitems: {}",
			err: "crd: document 1: items: must be a list, not an object", sameErrInBundles: true},
		{name: "an error in an item", text: "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitionList\nitems: [{}, {spec: 1}]",
			err: "crd: document 1: items[1].spec: must be an object, not the number 1", sameErrInBundles: true},
		{name: "a list without items", text: "apiVersion: v1\nkind: List\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			check := func(parse func([]byte) ([]*CustomResourceDefinition, error), want []string, wantErr string) {
				all, err := parse([]byte(row.text))
				if wantErr != "" {
					require.EqualError(t, err, wantErr)
					require.Nil(t, all)
					return
				}
				require.NoError(t, err)
				var groups []string
				for _, d := range all {
					groups = append(groups, d.Spec.Group)
				}
				require.Equal(t, want, groups)
			}
			check(ParseAll, row.groups, row.err)
			if row.sameErrInBundles {
				row.bundleErr = row.err
			}
			check(ParseBundle, row.bundle, row.bundleErr)
		})
	}
}

// Documents may be 10,000 levels deep. Deeper ones are an error and do not crash (CDC-008).
func TestParseDeep(t *testing.T) {
	deep := func(n int) string {
		return `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"schema":{"openAPIV3Schema":` +
			strings.Repeat(`{"not":`, n) + "{}" + strings.Repeat("}", n) + `}}]}}`
	}
	mustParse(t, deep(9000))
	_, err := Parse([]byte(deep(10000)))
	require.ErrorContains(t, err, "exceeded max depth")
}

// Documents that a server decodes differently: it merges objects of duplicate keys and checks the type of each, accepts
// numbers that are too large under unknown keys, and uses the later of two spellings of kind.
func TestReadUnlikeAServer(t *testing.T) {
	doc := func(rest string) string {
		return `{"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", ` + rest + `}`
	}
	d := mustParse(t, doc(`"spec": {"group": "g"}, "spec": {"names": {"kind": "Lamp"}}`))
	require.Equal(t, "Lamp", d.Spec.Names.Kind)
	require.Empty(t, d.Spec.Group, "the last of equal keys counts as a whole")
	require.Equal(t, "g", mustParse(t, doc(`"spec": 5, "spec": {"group": "g"}`)).Spec.Group, "of any type")

	_, err := Parse([]byte(doc(`"odd": 1e400`)))
	require.EqualError(t, err, "crd: document 1: json: cannot unmarshal number 1e400 into Go value of type float64")

	mustParse(t, doc(`"Kind": "Other"`))
	mustParse(t, `{"Kind": "Other", "kind": "CustomResourceDefinition", "APIVERSION": "v9", "apiVersion": "apiextensions.k8s.io/v1"}`)
}
