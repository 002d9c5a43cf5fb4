package given

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/schema"
)

var update = flag.Bool("update", false, "write what the tests would compare with, such as the want parts of cases")

// Update reports whether the tests write the files that they would compare with: the flag -update.
func Update() bool { return *update }

// A Case is one file. Its methods fail the test if the file lacks what they read.
type Case struct {
	t       *testing.T
	archive *manifest.Archive
	used    map[string]bool // the parts that were read
	changed bool
}

// Cases calls check in a subtest for each file that the pattern matches. It fails if there is none, and for a part that
// check did not use.
func Cases(t *testing.T, pattern string, check func(t *testing.T, c *Case)) {
	for _, path := range Files(t, pattern) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			c := newCase(t, string(File(t, path)))
			check(t, c)
			for _, p := range c.archive.Files {
				require.True(t, c.used[p.Name], "the test does not look at the part %s", p.Name)
			}
			if c.changed {
				require.NoError(t, os.WriteFile(path, []byte(c.archive.String()), 0o644))
			}
		})
	}
}

func newCase(t *testing.T, text string) *Case {
	return &Case{t: t, archive: manifest.ParseArchive(text), used: map[string]bool{}}
}

// find returns the part of that name, or nil.
func (c *Case) find(name string) *manifest.File {
	c.used[name] = true
	return c.archive.File(name)
}

// add adds a part, for an update.
func (c *Case) add(name, text string) {
	c.archive.Files, c.changed = append(c.archive.Files, manifest.File{Name: name, Text: text}), true
}

// Text returns the text of the part of that name, and whether there is one.
func (c *Case) Text(name string) (string, bool) {
	if p := c.find(name); p != nil {
		return strings.TrimSuffix(p.Text, "\n"), true
	}
	return "", false
}

// Has reports whether there is a value of that name: a part name.yaml or name.json.
func (c *Case) Has(name string) bool {
	return c.find(name+".yaml") != nil || c.find(name+".json") != nil
}

// Value returns the value in the part name.yaml, or in name.json if the form of numbers matters: YAML has no 1.0
// (DEC-010).
func (c *Case) Value(name string) any {
	p := c.find(name + ".yaml")
	if p == nil {
		p = c.find(name + ".json")
	}
	require.NotNil(c.t, p, "no part %s.yaml or %s.json", name, name)
	return c.decode(p)
}

// Object is Value for an object.
func (c *Case) Object(name string) map[string]any {
	m, ok := c.Value(name).(map[string]any)
	require.True(c.t, ok, "%s is not an object", name)
	return m
}

func (c *Case) decode(p *manifest.File) (v any) {
	data := []byte(p.Text)
	if strings.HasSuffix(p.Name, ".yaml") {
		var err error
		data, err = yaml.YAMLToJSON(data)
		require.NoError(c.t, err, p.Name)
	}
	require.NoError(c.t, kjson.UnmarshalCaseSensitivePreserveInts(data, &v), p.Name)
	return v
}

// Schema returns the schema in the part schema.yaml or schema.json. It need not be structural.
func (c *Case) Schema() *schema.Structural {
	doc, _ := c.Value("schema").(map[string]any)
	return Compiled(c.t, doc)
}

// Node returns the node for a value that the schema describes, other than a whole resource.
func (c *Case) Node() schema.Node {
	doc := map[string]any{"properties": map[string]any{"value": c.Value("schema")}}
	return Compiled(c.t, doc).Root().Property("value")
}

// WantLines compares got with the lines of the part of that name.
func (c *Case) WantLines(name string, got []string) {
	text := ""
	for _, line := range got {
		text += line + "\n"
	}
	c.WantText(name, text)
}

// WantText compares got with the part of that name.
func (c *Case) WantText(name, got string) {
	p := c.find(name)
	switch {
	case *update && p == nil:
		c.add(name, got)
		return
	case *update && p.Text != got:
		p.Text, c.changed = got, true
	}
	require.NotNil(c.t, p, "no part %s", name)
	require.Equal(c.t, p.Text, got, name)
}

// WantValue compares got with the value in the part name.yaml or name.json. An update keeps a part with an equal
// value unchanged.
func (c *Case) WantValue(name string, got any) {
	if !c.Has(name) && *update {
		c.add(name+".yaml", YAML(got))
	}
	want := c.Value(name)
	if p := c.find(name + ".yaml"); *update && ExactJSON(want) != ExactJSON(got) {
		text := YAML
		if p == nil {
			p, text = c.find(name+".json"), func(v any) string { return ExactJSON(v) + "\n" }
		}
		p.Text, c.changed = text(got), true
		want = c.decode(p)
	}
	require.Equal(c.t, want, got, name)
}

// YAML returns v as YAML.
func YAML(v any) string {
	data, err := yaml.Marshal(v)
	if err != nil {
		return err.Error() + "\n"
	}
	return string(data)
}

// ExactJSON returns v as JSON in which a float64 stays one: 1.0 is written 1.0.
func ExactJSON(v any) string {
	data, err := patch.Exact(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
