package explain

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/test/given"
)

func TestNearest(t *testing.T) {
	words := []string{"replicas", "revision", strings.Repeat("a", 64), strings.Repeat("b", 65)}
	for word, want := range map[string]string{
		"replica":                     "replicas",
		"Replicas":                    "replicas",
		"rpelicas":                    "replicas",
		"replicas":                    "", // not misspelt
		"revisoin":                    "revision",
		"replacement":                 "",
		strings.Repeat("a", 63):       strings.Repeat("a", 64),
		strings.Repeat("a", 63) + "c": strings.Repeat("a", 64),
		strings.Repeat("a", 65):       "", // too long to be compared
		strings.Repeat("b", 64):       "",
	} {
		require.Equal(t, want, Nearest(word, words), word)
	}
}

func TestUnknownDefinitionField(t *testing.T) {
	for misspelt, want := range map[string]string{
		"maxItem": "maxItems", "x-kubernetes-list-map-key": "x-kubernetes-list-map-keys", "mesage": "message", "shortnames": "shortNames",
		"jsonpath": "jsonPath", "openApiV3Schema": "openAPIV3Schema", "cabundle": "caBundle", "Kind": "kind", "webhok": "webhook", "storrage": "storage",
		"specReplicaPath": "specReplicasPath", "clientconfig": "clientConfig",
	} {
		require.Equal(t, []string{"did you mean " + want + "?"}, UnknownDefinitionFieldHints([]field.Segment{{Key: misspelt}}), misspelt)
	}
	require.Empty(t, UnknownDefinitionFieldHints([]field.Segment{{Key: "somethingElse"}}))
	require.Empty(t, UnknownDefinitionFieldHints(nil))
}

func TestDocumentPath(t *testing.T) {
	d := &crd.CustomResourceDefinition{APIVersion: crd.APIVersionV1}
	for path, want := range map[*field.Path]string{
		field.NewPath("spec", "version"):                                                                        "spec.versions[0].name",
		field.NewPath("spec", "additionalPrinterColumns").Index(1).Child("JSONPath"):                            "spec.versions[0].additionalPrinterColumns[1].jsonPath",
		field.NewPath("spec", "versions").Index(2).Child("additionalPrinterColumns").Index(1).Child("JSONPath"): "spec.versions[2].additionalPrinterColumns[1].jsonPath",
		field.NewPath("spec", "validation", "openAPIV3Schema", "properties").Key("JSONPath"):                    "spec.versions[0].schema.openAPIV3Schema.properties.JSONPath",
		field.NewPath("spec", "conversion", "webhookClientConfig", "url"):                                       "spec.conversion.webhook.clientConfig.url",
		field.NewPath("spec", "versions").Index(0).Child("name"):                                                "spec.versions[0].name",
	} {
		require.Equal(t, want, field.PathOf(DocumentPath(d, path.Segments())...).String())
	}
}

// Among very many words, a search ends.
func TestNearestAmongMany(t *testing.T) {
	words := slices.Repeat([]string{"something-else"}, 100_000)
	require.Equal(t, "near", Nearest("neat", append([]string{"near"}, words...)))
	require.Empty(t, Nearest("neat", append(words, "near")))
}

// A hint about a rule is one about the rule that failed, whatever the messages of others are.
func TestObjectRule(t *testing.T) {
	const schema = `{type: object, properties: {name: {type: string, maxLength: 9, x-kubernetes-validations: [
		{rule: "self == oldSelf || self.size() > 0", message: name}, {rule: "self.startsWith('x')", message: name must start with x},
		{rule: "self == oldSelf || self != 'xx'", message: name must start with x}, {rule: self == oldSelf || self != 'xxx'}]}}}`
	s := given.Structural(t, schema)
	hints := func(name string) (hints []string) {
		r := cel.Prepare(s).Evaluate(t.Context(), map[string]any{"name": name}, map[string]any{"name": "old"}, nil)
		for _, e := range r.Errors {
			hints = append(hints, ObjectHints(plan.Root(s), e, func([]field.Segment) (string, bool) { return "", false }, true)...)
		}
		require.Len(t, r.Errors, 1)
		return hints
	}
	require.Empty(t, hints("a"))
	require.Equal(t, []string{"the rule compares with the stored object: self == oldSelf || self != 'xx'"}, hints("xx"))
	require.Equal(t, []string{"the rule compares with the stored object: self == oldSelf || self != 'xxx'"}, hints("xxx"))
}
