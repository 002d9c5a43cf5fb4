package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// example are the arguments for the example of the quickstart, in its directory.
var example = []string{"-crd", "crd.yaml", "nightly.yaml", "broken.yaml"}

const exampleDir = "../../examples/quickstart"

// What the program prints about an object that is fine and one that is not. Both streams go to one terminal.
func TestExample(t *testing.T) {
	golden, err := filepath.Abs("testdata")
	require.NoError(t, err)
	t.Chdir(exampleDir)
	for _, tt := range []struct {
		file string
		args []string
	}{
		{"example.txt", nil},
		{"example.json", []string{"-o", "json"}},
		{"example.yaml", []string{"-o", "yaml"}},
	} {
		t.Run(tt.file, func(t *testing.T) {
			var out bytes.Buffer
			require.Equal(t, 1, run(append(tt.args, example...), strings.NewReader(""), &out, &out))
			file := filepath.Join(golden, tt.file)
			if *update {
				require.NoError(t, os.WriteFile(file, out.Bytes(), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), out.String())
		})
	}
}

// JSON and YAML say the same.
func TestFormats(t *testing.T) {
	t.Chdir(exampleDir)
	results := map[string]any{}
	for _, format := range []string{"json", "yaml"} {
		var out, errs bytes.Buffer
		require.Equal(t, 1, run(append([]string{"-o", format}, example...), strings.NewReader(""), &out, &errs))
		require.Empty(t, errs.String())
		var list []any
		if format == "json" {
			require.NoError(t, json.Unmarshal(out.Bytes(), &list))
		} else {
			require.NoError(t, yaml.Unmarshal(out.Bytes(), &list))
		}
		require.Len(t, list, 2)
		results[format] = list
	}
	require.Equal(t, results["json"], results["yaml"])
}

const bundle = `
apiVersion: apps/v1
kind: Deployment
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Widget, plural: widgets}
  versions:
  - name: v1
    served: true
    storage: true
    schema: &schema
      openAPIV3Schema:
        type: object
        properties:
          size: {type: integer, minimum: 1, default: 3}
          mode: {type: string, enum: [a, b]}
  - {name: v1beta1, served: true, storage: false, deprecated: true, schema: *schema}
  - {name: v1alpha1, served: false, storage: false, schema: *schema}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: zones.example.org}
spec:
  group: example.org
  scope: Cluster
  names: {kind: Zone, plural: zones}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {low: {type: integer}, high: {type: integer}}
        x-kubernetes-validations:
        - {rule: "!has(self.low) || !has(self.high) || self.low <= self.high", message: low must not be over high}
`

// widget returns a document of YAML, and its lines more.
func widget(name string, lines ...string) string {
	return "apiVersion: example.org/v1\nkind: Widget\nmetadata: {name: " + name + "}\n" + strings.Join(append(lines, ""), "\n")
}

// created returns what is printed about a widget.
func created(name, size string) string {
	return "widget.example.org/" + name + ` created
  apiVersion: example.org/v1
  kind: Widget
  metadata:
    generation: 1
    name: ` + name + `
    namespace: default
  size: ` + size + "\n"
}

// With an exit code of 2 nothing is on standard output.
func TestRun(t *testing.T) {
	const crd = "crd.yaml"
	for _, tt := range []struct {
		name   string
		args   []string // after -crd FILE
		object string   // of object.yaml, and standard input
		code   int
		stdout string
		stderr string // the whole of it
	}{
		{
			name: "an object that is fine", args: []string{"object.yaml"}, object: widget("a", "size: 2"),
			stdout: created("a", "2"),
		},
		{
			name: "defaults, from standard input", args: []string{"-"}, object: widget("a"),
			stdout: created("a", "3"),
		},
		{
			name: "the name is still to be made", args: []string{"-"},
			object: `{"apiVersion": "example.org/v1", "kind": "Zone", "metadata": {"generateName": "z-"}}`,
			stdout: "zone.example.org/z-* created\n  apiVersion: example.org/v1\n  kind: Zone\n  metadata:\n    generateName: z-\n    generation: 1\n",
		},
		{
			name: "a cluster-scoped kind has no namespace", args: []string{"-n", "team", "-"},
			object: `{"apiVersion": "example.org/v1", "kind": "Zone", "metadata": {"name": "z", "namespace": "x"}}`,
			stdout: "zone.example.org/z created\n  apiVersion: example.org/v1\n  kind: Zone\n  metadata:\n    generation: 1\n    name: z\n",
		},

		{
			name: "documents: empty ones do not count", args: []string{"-"},
			object: "\uFEFF# first\n---\n" + widget("a") + "--- # second\n" + widget("b") + "---\r\nnull\n---\n# end\n---",
			stdout: created("a", "3") + created("b", "3"),
		},
		{
			name: "documents: the same file twice, with one that is refused", code: 1, args: []string{"object.yaml", "object.yaml"},
			object: widget("a", "size: 0") + "---\n" + widget("b"),
			stdout: created("b", "3") + created("b", "3"),
			stderr: strings.Repeat("The Widget \"a\" is invalid: size: Invalid value: 0: size in body should be greater than or equal to 1\n", 2),
		},
		{
			name: "documents: JSON one after another, and between YAML", args: []string{"-"},
			object: `{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"a"}}
				{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"b"}}` +
				"\n---\n" + widget("c") + "---\n{apiVersion: example.org/v1, kind: Widget, metadata: {name: d}}\n",
			stdout: created("a", "3") + created("b", "3") + created("c", "3") + created("d", "3"),
		},
		{
			name: "list: items of YAML", args: []string{"-"},
			object: "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: example.org/v1, kind: Widget, metadata: {name: a}}\n" +
				"- {apiVersion: v1, kind: List, items: [{apiVersion: example.org/v1, kind: Widget, metadata: {name: b}}]}\n",
			stdout: created("a", "3") + created("b", "3"),
		},
		{
			name: "list: items of JSON keep what occurs twice", args: []string{"-"},
			object: `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"a"},"size":1,"size":2}]}`,
			stdout: created("a", "2"), stderr: "Warning: duplicate field \"size\"\n",
		},
		{
			name: "list: empty", code: 2, args: []string{"-"}, object: "apiVersion: v1\nkind: List\nitems: []\n",
			stderr: "error: no objects to create\n",
		},
		{
			name: "list: a key of YAML twice", code: 2, args: []string{"-"},
			object: "apiVersion: v1\nkind: List\nitems:\n- apiVersion: example.org/v1\n  kind: Widget\n  kind: Widget\n",
			stderr: "error: error parsing -: a List in which keys occur twice: yaml: unmarshal errors:\n  line 6: key \"kind\" already set in map\n",
		},

		{
			name: "warnings: unknown and duplicate fields, by the file's lines", args: []string{"object.yaml"},
			object: "---\n" + widget("a", "size: 2") + "---\n" + widget("b", "size: 1", "size: 2", "colour: red"),
			stdout: created("a", "2") + created("b", "2"),
			stderr: "Warning: line 11: key \"size\" already set in map\nWarning: unknown field \"colour\"\n",
		},
		{
			name: "warnings: a deprecated version", args: []string{"-"},
			object: `{"apiVersion": "example.org/v1beta1", "kind": "Widget", "metadata": {"name": "a"}}`,
			stdout: strings.Replace(created("a", "3"), "/v1\n", "/v1beta1\n", 1),
			stderr: "Warning: example.org/v1beta1 Widget is deprecated; use example.org/v1 Widget\n",
		},
		{
			name: "warnings: with Ignore there are none", args: []string{"-field-validation", "Ignore", "-"},
			object: widget("a", "size: 1", "size: 2", "colour: red"), stdout: created("a", "2"),
		},
		{
			name: "refused: an unknown field, with Strict", code: 1, args: []string{"-field-validation", "Strict", "object.yaml"},
			object: widget("a", "colour: red"),
			stderr: `Error from server (BadRequest): error when creating "object.yaml": Widget in version "v1" cannot be handled as a Widget: ` +
				"strict decoding error: unknown field \"colour\"\n",
		},
		{
			name: "refused: several errors", code: 1, args: []string{"-"}, object: widget("a", "size: 0", "mode: c"),
			stderr: "The Widget \"a\" is invalid:\n* mode: Unsupported value: \"c\": supported values: \"a\", \"b\"\n" +
				"* size: Invalid value: 0: size in body should be greater than or equal to 1\n",
		},
		{
			name: "refused: no reason", code: 1, args: []string{"-"},
			object: `{"apiVersion": "example.org/v1", "kind": "Widget", "metadata": {"name": "a", "resourceVersion": "7"}}`,
			stderr: "Error from server: error when creating \"-\": resourceVersion should not be set on objects to be created\n",
		},
		{
			name: "refused: by a rule", code: 1, args: []string{"-"},
			object: `{"apiVersion": "example.org/v1", "kind": "Zone", "metadata": {"name": "z"}, "low": 2, "high": 1}`,
			stderr: "The Zone \"z\" is invalid: <nil>: Invalid value: low must not be over high\n",
		},
		{
			name: "namespace: the request's", args: []string{"-n", "team", "-"}, object: widget("a"),
			stdout: strings.Replace(created("a", "3"), "default", "team", 1),
		},
		{
			name: "namespace: the object's own", args: []string{"-"}, object: widget("a, namespace: own"),
			stdout: strings.Replace(created("a", "3"), "default", "own", 1),
		},
		{
			name: "namespace: two", code: 1, args: []string{"-n", "team", "-"}, object: widget("a, namespace: own"),
			stderr: "Error from server (BadRequest): error when creating \"-\": " +
				"the namespace of the provided object does not match the namespace sent on the request\n",
		},

		{
			name: "type: a version that is not served", code: 1, args: []string{"-"},
			object: strings.Replace(widget("a"), "/v1", "/v1alpha1", 1),
			stderr: `Error from server (NotFound): error when creating "-": no matches for kind "Widget" in version "example.org/v1alpha1"` +
				": it is served in example.org/v1, example.org/v1beta1\n",
		},
		{
			name: "type: an unknown kind, and none", code: 1, args: []string{"-"}, object: "apiVersion: v1\nkind: Pod\n---\nmetadata: {}\n",
			stderr: "Error from server (NotFound): error when creating \"-\": no matches for kind \"Pod\" in version \"v1\"\n" +
				"Error from server (NotFound): error when creating \"-\": no matches for kind \"\" in version \"\"\n",
		},

		{
			name: "unreadable: a missing file after one that is fine", code: 2, args: []string{"object.yaml", "missing.yaml"},
			object: widget("a"), stderr: "error: open missing.yaml: no such file or directory\n",
		},
		{
			name: "unreadable: no YAML", code: 2, args: []string{"object.yaml"}, object: widget("a") + "---\n\n\n" + widget("b", "size: ]"),
			stderr: "error: error parsing object.yaml: yaml: line 9: did not find expected node content\n",
		},
		{name: "no documents", code: 2, args: []string{"-"}, stderr: "error: no objects to create\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, crd, bundle)
			write(t, "object.yaml", tt.object)
			var stdout, stderr bytes.Buffer
			code := run(append([]string{"-crd", crd}, tt.args...), strings.NewReader(tt.object), &stdout, &stderr)
			require.Equal(t, tt.stderr, stderr.String())
			require.Equal(t, tt.stdout, stdout.String())
			require.Equal(t, tt.code, code)
		})
	}
}

// What is no object has no type to find an endpoint by.
func TestNoObject(t *testing.T) {
	t.Chdir(exampleDir)
	for _, text := range []string{"{} 5", "5", "[]", "kind: [Widget]", `{"apiVersion": "v1", "kind": "List", "items": 5}`} {
		var stdout, stderr bytes.Buffer
		require.Equal(t, 2, run([]string{"-crd", example[1], "-"}, strings.NewReader(text), &stdout, &stderr), text)
		require.Contains(t, stderr.String(), "error: error parsing -: ", text)
		require.Empty(t, stdout.String(), text)
	}
}

func TestDefinitions(t *testing.T) {
	for _, tt := range []struct{ name, text, stderr string }{
		{"no definition", "apiVersion: v1\nkind: ConfigMap\n", "no CustomResourceDefinition in crd.yaml"},
		{"no storage version", strings.ReplaceAll(bundle, "storage: true", "storage: false"), "widgets.example.org: resource: "},
		{"no YAML", "a: ]", "crd.yaml:1: crd: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "crd.yaml", tt.text)
			var stdout, stderr bytes.Buffer
			require.Equal(t, 2, run([]string{"-crd", "crd.yaml", "-"}, strings.NewReader(widget("a")), &stdout, &stderr))
			require.Contains(t, stderr.String(), "error: "+tt.stderr)
			require.Empty(t, stdout.String())
		})
	}
}

// hosts returns a definition whose schema has those properties.
func hosts(properties ...string) string {
	return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: hosts.example.org}
spec:
  group: example.org
  scope: Cluster
  names: {kind: Host, plural: hosts}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          ` + strings.Join(properties, "\n          ") + "\n"
}

const (
	accepted = "customresourcedefinition.apiextensions.k8s.io/hosts.example.org accepted\n"
	refused  = "customresourcedefinition.apiextensions.k8s.io/hosts.example.org refused\n"

	cheap = `list: {type: array, maxItems: 10, items: {type: string, maxLength: 253, x-kubernetes-validations: [` +
		`{rule: "self.matches('^[a-z.]+$')", messageExpression: "self + ' is no host'"}]}}`
	dear = `many: {type: array, maxItems: 1000, items: {type: string, x-kubernetes-validations: [{rule: "self.contains('x')"}]}}`
)

// Definitions alone.
func TestReview(t *testing.T) {
	const root = "* spec.validation.openAPIV3Schema"
	const over = " exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength " +
		"where arrays, maps, and strings are declared)\n"
	for _, tt := range []struct {
		name, text string
		code       int
		stdout     string
		stderr     string // the whole of it
	}{
		{name: "without rules", text: hosts("a: {type: string}"), stdout: accepted},
		{
			name: "several, among other objects", text: bundle + "---\n" + hosts("a: {type: string}"),
			stdout: strings.Replace(accepted, "hosts", "widgets", 1) + strings.Replace(accepted, "hosts", "zones", 1) +
				"  v1                                COST  TIMES  PRODUCT  LIMIT\n" +
				"  x-kubernetes-validations[0].rule  9     1      9        10000000\n" +
				"  total                                          9        100000000\n" + accepted,
		},
		{
			name: "rules within their limits", text: hosts(cheap),
			stdout: accepted +
				"  v1                                                                    COST  TIMES  PRODUCT  LIMIT\n" +
				"  properties[list].items.x-kubernetes-validations[0].rule               307   10     3070     10000000\n" +
				"  properties[list].items.x-kubernetes-validations[0].messageExpression  104   1      104      10000000\n" +
				"  total                                                                              3174     100000000\n",
		},
		{
			name: "a rule that runs any number of times",
			text: hosts("ports: {type: array, items: {type: integer, x-kubernetes-validations: [{rule: self > 0}]}}"),
			stdout: accepted +
				"  v1                                                        COST  TIMES      PRODUCT  LIMIT\n" +
				"  properties[ports].items.x-kubernetes-validations[0].rule  2     unbounded  3145728  10000000\n" +
				"  total                                                                      3145728  100000000\n",
		},
		{
			name: "a rule over its limit, and the schema over its own", text: hosts(dear), code: 1,
			stdout: refused +
				"  v1                                                       COST    TIMES  PRODUCT    LIMIT\n" +
				"  properties[many].items.x-kubernetes-validations[0].rule  314574  1000   314574000  10000000 exceeded\n" +
				"  total                                                                   314574000  100000000 exceeded\n" +
				"  spec.versions[0].schema.openAPIV3Schema.properties[many].items.x-kubernetes-validations[0] fits with\n" +
				"    maxLength: 16384 at spec.versions[0].schema.openAPIV3Schema.properties[many].items\n",
			stderr: "The CustomResourceDefinition \"hosts.example.org\" is invalid:\n" +
				root + ".properties[many].items.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of " +
				"31.5x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)\n" +
				root + ".properties[many].items.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding " +
				"cost limit for entire OpenAPIv3 schema\n" +
				root + ": Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema" +
				strings.Replace(over, "more than 100x", "3.1x", 1),
		},
		{
			name: "warnings", text: hosts("a: {type: string, format: odd}"), stdout: accepted,
			stderr: "Warning: unrecognized format \"odd\"\n",
		},
		{
			name: "refused: no warnings, every reason, no estimates for a schema that is not structural", code: 1,
			text:   hosts("a: {format: odd}", "b: {type: array}", "c: {type: string, x-kubernetes-validations: [{rule: self == 'c'}]}"),
			stdout: refused,
			stderr: "The CustomResourceDefinition \"hosts.example.org\" is invalid:\n" +
				root + ".properties[a].type: Required value: must not be empty for specified object fields\n" +
				root + ".properties[b].items: Required value: must be specified\n",
		},
		{
			name: "unreadable: no definition", text: "apiVersion: v1\nkind: ConfigMap\n", code: 2,
			stderr: "error: no CustomResourceDefinition in crd.yaml, which has 1 other documents\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "crd.yaml", tt.text)
			var stdout, stderr bytes.Buffer
			code := run([]string{"-crd", "crd.yaml"}, strings.NewReader(""), &stdout, &stderr)
			require.Equal(t, tt.stderr, stderr.String())
			require.Equal(t, tt.stdout, stdout.String())
			require.Equal(t, tt.code, code)
		})
	}
}

// With -versions a review has what each version of Kubernetes says.
func TestReviewVersions(t *testing.T) {
	text := hosts("a: {type: string, maxLength: 20, x-kubernetes-validations: [{rule: isIP(self)}]}")
	var stdout, stderr bytes.Buffer
	require.Zero(t, run([]string{"-versions", "-crd", "-"}, strings.NewReader(text), &stdout, &stderr))
	require.Contains(t, stdout.String(), "  Kubernetes 1.30: refused\n    spec.validation.openAPIV3Schema.properties[a].x-kubernetes-validations[0].rule: Invalid value")
	require.Contains(t, stdout.String(), "rule: isIP came with 1.31\n  Kubernetes 1.31 to 1.37: accepted\n")
}

// TestCases runs the commands of docs/cases.md: definitions that projects had trouble with, and the answers beside them.
func TestCases(t *testing.T) {
	t.Chdir("../..")
	page, err := os.ReadFile("docs/cases.md")
	require.NoError(t, err)
	files, err := filepath.Glob("docs/cases/*.yaml")
	require.NoError(t, err)
	require.Len(t, regexp.MustCompile("`go run [^`]*`").FindAllString(string(page), -1), len(files))
	for _, file := range files {
		args := "-versions -crd " + file
		require.Contains(t, string(page), "`go run ./cmd/crdkit "+args+"`")
		golden := strings.TrimSuffix(file, ".yaml") + ".txt"
		require.Contains(t, string(page), "("+strings.TrimPrefix(golden, "docs/")+")")
		var out bytes.Buffer
		require.Less(t, run(strings.Fields(args), strings.NewReader(""), &out, &out), 2, file)
		if *update {
			require.NoError(t, os.WriteFile(golden, out.Bytes(), 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		require.Equal(t, string(want), out.String(), file)
	}
}

// For programs the exit code and the estimates are the same, and all is on standard output.
func TestReviewFormats(t *testing.T) {
	for _, tt := range []struct {
		text string
		code int
		want string // the versions
	}{
		{hosts(cheap), 0, `[{"name": "v1", "total": 3174, "limit": 100000000, "rules": [{"path": "properties[list].items", "index": 0,
			"cost": 307, "cardinality": 10, "product": 3070, "messageCost": 104, "limit": 10000000}]}]`},
		{hosts(dear), 1, `[{"name": "v1", "total": 314574000, "limit": 100000000, "rules": [{"path": "properties[many].items", "index": 0,
			"cost": 314574, "cardinality": 1000, "product": 314574000, "messageCost": 0, "limit": 10000000}]}]`},
		{hosts("a: {format: odd}"), 1, `[]`},
	} {
		for _, format := range []string{"json", "yaml"} {
			var stdout, stderr bytes.Buffer
			require.Equal(t, tt.code, run([]string{"-o", format, "-crd", "-"}, strings.NewReader(tt.text), &stdout, &stderr))
			require.Empty(t, stderr.String())
			var reviews []struct {
				Definition string
				Accepted   bool
				Warnings   []string
				Status     *struct{ Reason string }
				Versions   any
			}
			require.NoError(t, yaml.Unmarshal(stdout.Bytes(), &reviews)) // JSON is YAML
			require.Len(t, reviews, 1)
			r := reviews[0]
			require.Equal(t, "hosts.example.org", r.Definition)
			require.Equal(t, tt.code == 0, r.Accepted)
			require.Equal(t, r.Accepted, r.Status == nil)
			require.NotNil(t, r.Warnings)
			versions, err := json.Marshal(r.Versions)
			require.NoError(t, err)
			require.JSONEq(t, tt.want, string(versions))
		}
	}
}

// A number that a program cannot calculate with is none.
func TestUnbounded(t *testing.T) {
	text, err := json.Marshal([]amount{unbounded, unbounded.plus(1), amount(2).plus(3)})
	require.NoError(t, err)
	require.Equal(t, "[null,null,5]", string(text))
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		name   string
		args   []string
		code   int
		stderr string // how it starts
	}{
		{"help", []string{"-h"}, 0, "Usage: crdkit -crd FILE [flags] [OBJECT...]\n"},
		{"no definitions", []string{"object.yaml"}, 2, "Usage: "},
		{"unknown flag", []string{"-f", "x"}, 2, "flag provided but not defined: -f\nUsage: "},
		{"format", []string{"-o", "xml"}, 2, "invalid value \"xml\" for flag -o: must be one of json, yaml\nUsage: "},
		{
			"field validation", []string{"-field-validation", "strict"}, 2,
			"invalid value \"strict\" for flag -field-validation: must be one of Warn, Ignore, Strict\nUsage: ",
		},
		{"no such definition", []string{"-crd", "missing.yaml", "-"}, 2, "error: stat missing.yaml: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			require.Equal(t, tt.code, run(tt.args, strings.NewReader(""), &stdout, &stderr))
			require.Truef(t, strings.HasPrefix(stderr.String(), tt.stderr), "%s", stderr.String())
			require.Empty(t, stdout.String())
		})
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}
