package crdcheck_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
)

// lamp is a valid definition, which the tests change.
var lamp = given.Kind("Namespaced", "lamps.example.com", "Lamp", "{type: object}")

// oldLamp is the same in v1beta1.
var oldLamp = given.OldHead("Namespaced", "lamps.example.com", "Lamp") + `
  preserveUnknownFields: false
  versions: [{name: v1, served: true, storage: true}]
  validation: {openAPIV3Schema: {type: object}}
`

// A change is what a test changes in a definition. All texts are YAML; empty ones change nothing.
type change struct {
	base    string // lamp if empty
	doc     string // merged into the document: null drops a key, a list stands for the whole
	spec    string // merged into the spec
	version string // merged into its first version
	schema  string // the first version's schema, in the place of what is there
}

// document returns the definition as JSON.
func (c change) document(t testing.TB) []byte {
	t.Helper()
	base := c.base
	if base == "" {
		base = lamp
	}
	doc := value(t, base).(map[string]any)
	merge(doc, value(t, c.doc))
	spec := doc["spec"].(map[string]any)
	merge(spec, value(t, c.spec))
	if c.version != "" || c.schema != "" {
		version := spec["versions"].([]any)[0].(map[string]any)
		merge(version, value(t, c.version))
		if c.schema != "" {
			version["schema"] = map[string]any{"openAPIV3Schema": value(t, c.schema)}
		}
	}
	return given.JSON(t, doc)
}

func value(t testing.TB, text string) (v any) {
	t.Helper()
	require.NoError(t, yaml.Unmarshal([]byte(text), &v), text)
	return v
}

func merge(to map[string]any, patch any) {
	m, _ := patch.(map[string]any)
	for k, v := range m {
		old, isMap := to[k].(map[string]any)
		_, into := v.(map[string]any)
		switch {
		case v == nil:
			delete(to, k)
		case isMap && into:
			merge(old, v)
		default:
			to[k] = v
		}
	}
}

// requireErrors compares what a create of doc, or an update of old to it, is refused for. In want, P is the path of the
// schema of all versions.
func requireErrors(t *testing.T, doc, old []byte, want ...string) {
	t.Helper()
	require.Equal(t, spelled(want), errorsOf(t, doc, old))
}

// errorsOf returns the errors of a create of doc, or of an update of old to it. It requires a cause of each that is not
// about the metadata.
func errorsOf(t *testing.T, doc, old []byte) []string {
	t.Helper()
	var errs field.List
	if old == nil {
		errs = crdcheck.Validate(given.Definition(t, doc))
	} else {
		errs = crdcheck.ValidateUpdate(given.Definition(t, doc), given.Definition(t, old))
	}
	for _, e := range errs {
		if at := e.Path.Segments(); len(at) > 0 && at[0].Key == "metadata" {
			require.Zero(t, e.Cause(), "%v", e)
		} else {
			require.NotZero(t, e.Cause().Keyword, "%v", e)
		}
	}
	return given.Texts(errs)
}

// spelled puts the names of long texts into errors.
func spelled(want []string) (out []string) {
	for _, text := range want {
		if strings.HasPrefix(text, "P.") || strings.HasPrefix(text, "P:") {
			text = "spec.validation.openAPIV3Schema" + text[1:]
		}
		out = append(out, strings.NewReplacer("within P", "within spec.validation.openAPIV3Schema", "in P.", "in spec.validation.openAPIV3Schema.",
			"M1035", m1035, "M1123S", m1123s).Replace(text))
	}
	return out
}

// EMD-008.
const (
	m1035 = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an " +
		"alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
	m1123s = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an " +
		"alphanumeric character (e.g. 'example.com', regex used for validation is " +
		`'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
)

// A row is a change, and what is said against it on create.
type row struct {
	name string
	change
	want []string
}

func requireRows(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) { requireErrors(t, r.document(t), nil, r.want...) })
	}
}
