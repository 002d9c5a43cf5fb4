package registry_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

const gadgets = "testdata/gadgets.yaml"

func load(t testing.TB, names ...string) *registry.Registry {
	t.Helper()
	reg, err := registry.Load(names...)
	require.NoError(t, err)
	return reg
}

func names(reg *registry.Registry) (out []string) {
	for _, d := range reg.Definitions() {
		out = append(out, d.Name())
	}
	return out
}

// A file that is too large is an error, and what is no file is skipped in a directory.
func TestLoadSizes(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), given.File(t, gadgets), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "large.yaml"), nil, 0o644))
	require.NoError(t, os.Truncate(filepath.Join(dir, "large.yaml"), 1<<40))
	if mkfifo, err := exec.LookPath("mkfifo"); err == nil {
		require.NoError(t, exec.Command(mkfifo, filepath.Join(dir, "pipe.yaml")).Run())
	}
	for _, load := range []func() (*registry.Registry, error){
		func() (*registry.Registry, error) { return registry.Load(dir) },
		func() (*registry.Registry, error) { return registry.LoadFS(os.DirFS(dir), ".") },
	} {
		reg, err := load()
		require.ErrorContains(t, err, "large.yaml: the file is larger than the limit of 64 MiB")
		require.NotContains(t, err.Error(), "\n")
		require.NotEmpty(t, reg.Definitions())
	}
}

// REG-001: Load of a file, a directory or a pattern, LoadFS, Parse and New return the same registry.
func TestLoad(t *testing.T) {
	data := given.File(t, gadgets)
	definitions, err := crd.ParseBundle(data)
	require.NoError(t, err)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"gadgets.yml": string(data), "kustomization.yaml": "resources: [gadgets.yml]\n", "README.md": "# no YAML: {{", "below/other.yaml": "kind: ]",
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	files := fstest.MapFS{"crds/gadgets.yaml": {Data: data}}
	for name, read := range map[string]func() (*registry.Registry, error){
		"file":         func() (*registry.Registry, error) { return registry.Load(gadgets) },
		"file twice":   func() (*registry.Registry, error) { return registry.Load(gadgets, "testdata/*.yaml", gadgets) },
		"directory":    func() (*registry.Registry, error) { return registry.Load(dir) },
		"pattern":      func() (*registry.Registry, error) { return registry.Load(filepath.Join(dir, "g*")) },
		"FS":           func() (*registry.Registry, error) { return registry.LoadFS(files, "crds/gadgets.yaml") },
		"FS directory": func() (*registry.Registry, error) { return registry.LoadFS(files, "crds") },
		"FS pattern":   func() (*registry.Registry, error) { return registry.LoadFS(files, "*/*.yaml") },
		"FS top": func() (*registry.Registry, error) {
			return registry.LoadFS(fstest.MapFS{"gadgets.json": {Data: data}}, ".")
		},
		"text":        func() (*registry.Registry, error) { return registry.Parse(data) },
		"definitions": func() (*registry.Registry, error) { return registry.New(append(definitions, nil)...) },
	} {
		t.Run(name, func(t *testing.T) {
			reg, err := read()
			require.NoError(t, err)
			require.Equal(t, []string{"gadgets.example.com", "zones.example.com"}, names(reg))
		})
	}
}

// REG-002: each document that cannot be read is reported with its position, and does not hide the rest.
func TestBadDocuments(t *testing.T) {
	data := given.File(t, gadgets)
	const bad = "apiVersion: v1\nkind: Namespace\n---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec: 1\n---\n"
	files := fstest.MapFS{
		"a/1.yaml":   {Data: []byte(bad + string(data) + "---\nkind: ]\n")},
		"a/2.yaml":   {Data: []byte("# x\n{{- if .Values.crds }}\nkind: A\n{{ end }}")},
		"a/3.yaml":   {Data: []byte(strings.ReplaceAll(string(data), "zones.example.com", "areas.example.com"))},
		"a/none.yml": {Data: []byte("")},
		"empty/x.md": {},
	}
	reg, err := registry.LoadFS(files, "a", "gone.yaml", "gone/*.yaml", "empty")
	require.Equal(t, []string{"gadgets.example.com", "zones.example.com"}, names(reg))
	require.NoError(t, reg.Compile())
	for _, want := range []string{
		"a/1.yaml:4: crd: spec: must be an object, not the number 1",
		"a/1.yaml:53: crd: ",
		"a/2.yaml:2: {{ begins a template, of Helm for example",
		"a/3.yaml:1: two definitions are called gadgets.example.com: the other one is at a/1.yaml:8",
		"a/3.yaml:30: zones.example.com and areas.example.com both define the kind Zone of the group example.com: the other one is at a/1.yaml:37",
		"gone.yaml: file does not exist",
		"no file matches gone/*.yaml",
		"no .yaml, .yml or .json file in the directory empty",
	} {
		require.ErrorContains(t, err, want)
	}
	var one *registry.Error
	require.ErrorAs(t, err, &one)
	require.Equal(t, "a/1.yaml", one.Source.File)
	require.Equal(t, 4, one.Source.Line)
	var parse *crd.ParseError
	require.ErrorAs(t, err, &parse)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NotErrorIs(t, err, registry.ErrNoDefinitions)

	reg, err = registry.Parse([]byte("apiVersion: v1\nkind: Namespace\n"))
	require.EqualError(t, err, "no CustomResourceDefinition in the text, which has 1 other documents")
	require.ErrorIs(t, err, registry.ErrNoDefinitions)
	require.Empty(t, reg.Definitions())
	require.Nil(t, reg.Find("example.com/v1", "Gadget"))
	_, err = registry.Load("[")
	require.ErrorIs(t, err, filepath.ErrBadPattern)
	definitions, err := crd.ParseBundle(data)
	require.NoError(t, err)
	_, err = registry.New(definitions[0], definitions[0])
	require.EqualError(t, err, "two definitions are called gadgets.example.com")
}

// REG-003: finding definitions by type and by name; the methods of a Definition.
func TestFind(t *testing.T) {
	reg := load(t, gadgets)
	d := reg.Find("example.com/v1beta1", "Gadget")
	require.NotNil(t, d)
	require.Same(t, d, reg.Definition("gadgets.example.com"))
	require.Equal(t, []any{"gadgets.example.com", "example.com", "Gadget", true, "v1"},
		[]any{d.Name(), d.Group(), d.Kind(), d.Namespaced(), d.StorageVersion()})
	require.Equal(t, []string{"v1", "v1beta1"}, d.Served())
	require.Equal(t, "testdata/gadgets.yaml:1", d.Source.String())
	require.Equal(t, "testdata/gadgets.yaml:3", d.Source.At(3))
	require.False(t, reg.Definition("zones.example.com").Namespaced())
	for _, kind := range [][2]string{{"example.com/v1alpha1", "Gadget"}, {"example.com/v2", "Gadget"}, {"example.com/v1", "gadget"}, {"other/v1", "Gadget"}, {"v1", "Pod"}, {}} {
		require.Nil(t, reg.Find(kind[0], kind[1]), kind)
	}
	require.Nil(t, reg.Definition("gadgets"))

	reg, err := registry.Parse([]byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b}\nspec: {}"))
	require.NoError(t, err)
	require.ErrorContains(t, reg.Compile(), "a.b: resource: ")
}

// REG-004: one call validates an object of any of the definitions.
func TestValidate(t *testing.T) {
	reg := load(t, gadgets)
	ctx := t.Context()
	const gadget = "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g}\n"
	obj := given.Object(t, gadget+"spec: {name: a}")
	created := reg.Create(ctx, obj)
	require.NoError(t, created.Err())
	require.Equal(t, map[string]any{"name": "a", "color": "red"}, created.Object["spec"])
	require.Equal(t, "default", created.Object["metadata"].(map[string]any)["namespace"])
	require.Equal(t, map[string]any{"name": "g"}, obj["metadata"], "the argument is not modified")
	changed := unstructured.Clone(created.Object)
	changed["spec"].(map[string]any)["name"] = "b"
	changed["metadata"].(map[string]any)["resourceVersion"] = "1"
	created.Object["metadata"].(map[string]any)["resourceVersion"] = "1"
	require.EqualError(t, reg.Update(ctx, changed, created.Object).Err(), `Gadget.example.com "g" is invalid: spec.name: Invalid value: "b": the name is immutable`)

	zone := reg.With(resource.RequestOptions{Namespace: "team"}).Create(ctx, given.Object(t, "{apiVersion: example.com/v1, kind: Zone, metadata: {name: z}}"))
	require.NoError(t, zone.Err(), "the namespace does not count")
	require.NotContains(t, zone.Object["metadata"], "namespace")

	for _, tt := range []struct {
		name, body string
		options    resource.RequestOptions
		err        string // empty: accepted
		warning    string
	}{
		{name: "YAML", body: gadget},
		{name: "YAML, with a document separator", body: "# a comment\n---\n" + gadget},
		{name: "YAML behind a separator", body: "--- {apiVersion: example.com/v1, kind: Gadget, metadata: {name: g}}"},
		{name: "JSON", body: `{"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "g"}}`},
		{name: "YAML that begins like JSON", body: `{apiVersion: example.com/v1, kind: Gadget, metadata: {name: g}}`},
		{name: "too large", body: gadget + "spec: {size: 11}", err: `Gadget.example.com "g" is invalid: spec.size: Invalid value: 11: `},
		{name: "the object's namespace", body: gadget + "metadata: {name: g, namespace: own}", warning: "line 4: key \"metadata\" already set in map"},
		{name: "lines of the whole text", body: "# a comment\n---\n" + gadget + "spec: {}\nspec: {}", warning: "line 7: key \"spec\" already set in map"},
		{name: "another namespace", body: "apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: g, namespace: own}", options: resource.RequestOptions{Namespace: "team"},
			err: "the namespace of the provided object does not match the namespace sent on the request"},
		{name: "unknown field", body: gadget + "spec: {sise: 1}", warning: `unknown field "spec.sise"`},
		{name: "unknown field, strict", body: gadget + "spec: {sise: 1}", options: resource.RequestOptions{FieldValidation: "Strict"}, err: "strict decoding error"},
		{name: "deprecated version", body: strings.Replace(gadget, "v1", "v1beta1", 1), warning: "example.com/v1beta1 Gadget is deprecated; use example.com/v1 Gadget"},
		{name: "version that is not served", body: strings.Replace(gadget, "v1", "v1alpha1", 1),
			err: `no matches for kind "Gadget" in version "example.com/v1alpha1": it is served in example.com/v1, example.com/v1beta1`},
		{name: "unknown kind", body: "{apiVersion: v1, kind: Pod}", err: `no matches for kind "Pod" in version "v1"`},
		{name: "no type", body: "{}", err: `no matches for kind "" in version ""`},
		{name: "nothing", body: "# nothing", err: "there is no object in the text"},
		{name: "two documents", body: gadget + "---\n" + gadget, err: "there are 2 documents in the text: create them one by one"},
		{name: "no YAML", body: "a: ]", err: "unstructured: "},
		{name: "no object", body: "[]", err: "unstructured: "},
		{name: "JSON as YAML", body: `{"apiVersion": "example.com/v1", "kind": "Gadget", "metadata": {"name": "g"}}`, options: resource.RequestOptions{ContentType: "application/yaml"}},
		{name: "YAML as JSON", body: gadget, options: resource.RequestOptions{ContentType: "application/json"}, err: "invalid character"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			result := reg.With(tt.options).CreateBody(ctx, []byte(tt.body))
			if tt.err != "" {
				require.ErrorContains(t, result.Err(), tt.err)
				var status *field.Status
				require.ErrorAs(t, result.Err(), &status)
				require.GreaterOrEqual(t, status.Code, 400)
				return
			}
			require.NoError(t, result.Err())
			require.NotEmpty(t, result.Object)
			require.Equal(t, tt.warning, strings.Join(result.Warnings, "\n"))
		})
	}
	_, err := reg.Version("example.com/v1", "Nothing")
	require.Error(t, err)
	v, err := reg.Version("example.com/v1", "Gadget")
	require.NoError(t, err)
	require.NotNil(t, v.Schema())
	broken, err := registry.Parse([]byte("apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: a.b}\n" +
		"spec: {group: b, names: {kind: A, plural: a}, versions: [{name: v1, served: true}]}"))
	require.NoError(t, err)
	result := broken.Create(ctx, map[string]any{"apiVersion": "b/v1", "kind": "A"})
	require.Equal(t, 500, result.Failure.Code)
	require.ErrorContains(t, result.Err(), "a.b: resource: ")
	require.Equal(t, 404, broken.Update(ctx, nil, nil).Failure.Code)
}

// REG-005: the answer for an object that a webhook converts is unknown, or Go code converts.
func TestConversion(t *testing.T) {
	data := given.File(t, gadgets)
	text := strings.Replace(string(data), "  scope: Namespaced\n", "  scope: Namespaced\n  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: 'https://example.com/'}}}\n", 1)
	reg, err := registry.Parse([]byte(text))
	require.NoError(t, err)
	obj := given.Object(t, "{apiVersion: example.com/v1beta1, kind: Gadget, metadata: {name: g}, spec: {size: 3}}")
	created := reg.Create(t.Context(), obj)
	require.NoError(t, created.Err())
	require.Equal(t, "example.com/v1beta1", created.Object["apiVersion"])
	require.True(t, created.Unconverted)
	require.Nil(t, created.Stored)

	fails := conversion.ConverterFunc(func(context.Context, []map[string]any, string) ([]map[string]any, error) {
		return nil, errors.New("not today")
	})
	other, err := reg.WithConverter("gadgets.example.com", fails)
	require.NoError(t, err)
	require.ErrorContains(t, other.Create(t.Context(), obj).Err(), "not today")
	require.NoError(t, reg.Create(t.Context(), obj).Err(), "the first registry is as it was")
	require.NoError(t, other.Create(t.Context(), given.Object(t, "{apiVersion: example.com/v1, kind: Zone, metadata: {name: z}}")).Err())
	_, err = reg.WithConverter("nothing", fails)
	require.EqualError(t, err, "registry: no definition is called nothing")
}

func TestConcurrent(t *testing.T) {
	reg := load(t, gadgets)
	given.Concurrently(1, func() {
		if err := reg.CreateBody(t.Context(), []byte("{apiVersion: example.com/v1, kind: Gadget, metadata: {name: g}}")).Err(); err != nil {
			t.Error(err)
		}
	})
}

// No text causes a panic.
func FuzzParse(f *testing.F) {
	f.Add(given.File(f, gadgets), []byte("{apiVersion: example.com/v1, kind: Gadget, metadata: {name: g}}"))
	f.Add([]byte("{{ }}\n---\nkind: A"), []byte("---\n---\n{}"))
	f.Fuzz(func(t *testing.T, definitions, body []byte) {
		reg, err := registry.Parse(definitions)
		if (err == nil) != (len(reg.Definitions()) > 0) && err == nil {
			t.Error("neither definitions nor an error")
		}
		_ = reg.Compile()
		_ = reg.CreateBody(t.Context(), body).Err()
	})
}

// A registry for another version of Kubernetes answers as its server does, and shares what it has compiled.
func TestFor(t *testing.T) {
	reg, err := registry.Parse([]byte(given.Kind("Cluster", "things.example.com", "Thing",
		"{type: object, properties: {spec: {type: object, properties: {num: {type: integer, format: int32}, s: {type: string}}}}}")))
	require.NoError(t, err)
	require.Equal(t, "1.37", reg.Kubernetes())
	body := []byte(`{"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"num": 3000000000}}`)
	for version, accepted := range map[string]bool{"": false, "1.30": true, "1.35": true, "1.36": false, "1.38": false} {
		of, err := reg.For(version)
		require.NoError(t, err)
		require.Equal(t, accepted, of.CreateBody(t.Context(), body).Err() == nil, version)
		if version != "" {
			require.Equal(t, version, of.Kubernetes())
		}
	}
	old, err := reg.For("1.35")
	require.NoError(t, err)
	compiled, err := reg.Definitions()[0].Compile()
	require.NoError(t, err)
	same, err := compiled.For("1.35")
	require.NoError(t, err)
	is, err := old.Definitions()[0].Compile()
	require.NoError(t, err)
	require.Same(t, same, is)

	_, err = reg.For("1.29")
	require.EqualError(t, err, `registry: unknown version "1.29" of Kubernetes: must be a minor version from 1.30 to 1.38, without a patch release`)

	converted, err := old.WithConverter("things.example.com", conversion.ConverterFunc(
		func(_ context.Context, objects []map[string]any, _ string) ([]map[string]any, error) {
			return objects, nil
		}))
	require.NoError(t, err)
	require.Equal(t, "1.35", converted.Kubernetes())
	require.NoError(t, converted.CreateBody(t.Context(), body).Err())
	again, err := converted.For("1.34")
	require.NoError(t, err)
	require.NotNil(t, again.Definitions()[0].Converter())
}
