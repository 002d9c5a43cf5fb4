package crdtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
)

// Samples are objects made from a schema alone.
type Samples struct {
	// Minimal is a valid object with little more than what is required.
	Minimal map[string]any
	// Full is a valid object with as many fields as possible. It is nil if none was found.
	Full map[string]any
	// Broken are objects that are refused for one reason, in the order of the schema.
	Broken []Counterexample
	// Missing are the constraints and rules for which no such object was found, named as by [Row].
	Missing []string
}

// A Counterexample is an object that violates one constraint or one rule.
type Counterexample struct {
	Breaks string // named as by a [Row]: spec.size: maximum 10
	Object map[string]any
	Old    map[string]any // for a transition rule: the object that it replaces; else nil
	Errors field.List     // the server's errors
}

// Sample makes objects for a version of the definition of that kind. An empty version is the storage version, an empty
// kind the only one. It ends the test if there is no such kind or version, or if no valid object was found.
//
// All returned objects were checked: the valid objects are accepted, and each broken one is refused with errors at one
// path only. This takes from milliseconds to some seconds for a large definition with many rules.
func (s *Set) Sample(t testing.TB, kind, version string) *Samples {
	t.Helper()
	samples, err := s.Samples(t.Context(), kind, version)
	if err != nil {
		t.Fatalf("crdtest: %v", err)
	}
	return samples
}

// Samples is [Set.Sample] for a program that is not a test: it returns an error where Sample ends the test.
func (s *Set) Samples(ctx context.Context, kind, version string) (*Samples, error) {
	d, err := s.find("", kind)
	if err != nil {
		return nil, err
	}
	m, err := d.samples(ctx, version)
	if err != nil {
		return nil, err
	}
	if err := m.breakAll(ctx); err != nil {
		return nil, err
	}
	return &m.Samples, nil
}

// WriteSamples writes the samples of [Set.Sample] into a directory as golden files for [RunFiles], with a server's
// answers: minimal.txtar, full.txtar, and a file for each violated constraint and rule. It does nothing without
// -crdtest.update or CRDTEST_UPDATE, so it may stay before RunFiles:
//
//	crds.WriteSamples(t, "testdata/samples", "Widget", "v1")
//	crdtest.RunFiles(t, crds, "testdata/samples")
//
// The directory is created if it does not exist. Existing files are not touched: they are tests now, and RunFiles
// updates their answers. It ends the test where Sample does, and if a file cannot be written.
func (s *Set) WriteSamples(t testing.TB, dir, kind, version string) {
	t.Helper()
	if updating() {
		s.writeSamples(t, dir, kind, version)
	}
}

func (s *Set) writeSamples(t testing.TB, dir, kind, version string) {
	t.Helper()
	samples := s.Sample(t, kind, version)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatalf("crdtest: %v", err)
	}
	taken := map[string]bool{}
	write := func(name, comment string, object, old map[string]any, status bool) {
		t.Helper()
		if object == nil {
			return
		}
		for base, i := name, 2; taken[name]; i++ {
			name = base + "-" + strconv.Itoa(i)
		}
		taken[name] = true
		file := filepath.Join(dir, name+".txtar")
		if _, err := os.Stat(file); err == nil {
			return
		}
		a := &manifest.Archive{Comment: comment + "\n"}
		a.Set(objectFile, yamltext.Encode(object))
		if old != nil {
			a.Set(oldFile, yamltext.Encode(old))
		}
		if status {
			a.Set(pathFile, "status")
		}
		if _, err := s.tryFile(t.Context(), a, true); err != nil {
			t.Fatalf("crdtest: %s: %v", file, err)
		}
		if err := os.WriteFile(file, []byte(a.String()), 0o644); err != nil {
			t.Fatalf("crdtest: %v", err)
		}
	}
	write("minimal", "An object with what is required.", samples.Minimal, nil, false)
	write("full", "An object with as many fields as possible.", samples.Full, nil, false)
	for _, b := range samples.Broken {
		old := b.Old
		status := s.isStatus(b)
		if status && old == nil {
			old = samples.Minimal
		}
		write(fileName(b.Breaks), "Breaks "+strings.ReplaceAll(b.Breaks, "\n", " "), b.Object, old, status)
	}
}

// isStatus reports whether only a status request violates what b breaks: a create ignores the status.
func (s *Set) isStatus(b Counterexample) bool {
	c := &Case{Object: b.Object}
	if b.Old != nil { // an any with a nil map is not nil
		c.Old = b.Old
	}
	q, err := s.request(context.Background(), c)
	return err == nil && q.ver.status && q.ask(context.Background()).Err() == nil
}

// fileName returns a file name for a row: letters and digits, separated by single dashes.
func fileName(row string) string {
	row, _, _ = strings.Cut(row, ": rule ")
	var b strings.Builder
	for _, r := range strings.ToLower(row) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '.':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	name := strings.Trim(b.String(), "-.")
	if len(name) > maxName {
		name = strings.Trim(name[:maxName], "-.")
	}
	if name == "" {
		return "object"
	}
	return name
}

const maxName = 100

// A maker makes the samples of a version.
type maker struct {
	Samples
	d      *definition
	ver    *version
	from   *sample.Maker
	schema *schema.Structural
}

// samples returns the valid samples of a version. It is an error if no minimal one is found.
func (d *definition) samples(ctx context.Context, name string) (*maker, error) {
	m, err := d.maker(name)
	if err != nil {
		return nil, err
	}
	if err := m.make(ctx); err != nil {
		return nil, err
	}
	return m, nil
}

// make makes the valid samples.
func (m *maker) make(ctx context.Context) (err error) {
	if m.Minimal, err = m.from.Minimal(ctx); err != nil {
		return fmt.Errorf("no valid object of %s was found: %w", m.d.Name(), err)
	}
	if full, err := m.from.Full(ctx); err == nil {
		m.Full = full
	}
	return nil
}

func (d *definition) maker(name string) (*maker, error) {
	v, ver, err := d.version(name)
	if err != nil {
		return nil, err
	}
	v = v.With(resource.RequestOptions{FieldValidation: resource.FieldValidationIgnore, Defaults: defaulting.Limit{Values: maxDefaults}})
	return &maker{d: d, ver: ver, from: sample.For(d.CustomResourceDefinition, v, ver.rules()), schema: v.Schema()}, nil
}

// maxDefaults bounds the values that defaults add to a sample.
const maxDefaults = 200_000

// A breakable is a constraint or a rule, and what makes an object that breaks only that.
type breakable struct {
	row    Row
	broken func(ctx context.Context) (sample.Broken, error)
}

// breakables returns the constraints of the version in the order of the schema, and then its rules.
func (m *maker) breakables() (all []breakable) {
	constraints, _ := constraint.List(m.schema)
	for _, c := range constraints {
		broken := func(ctx context.Context) (sample.Broken, error) { return m.from.Break(ctx, c) }
		all = append(all, breakable{constraintRow(c), broken})
	}
	for _, r := range m.ver.rules() {
		broken := func(ctx context.Context) (sample.Broken, error) { return m.from.BreakRule(ctx, r) }
		all = append(all, breakable{ruleRow(r), broken})
	}
	return all
}

func (m *maker) breakAll(ctx context.Context) error {
	broken, missing, err := m.from.BreakAll(ctx)
	for _, b := range broken {
		m.Broken = append(m.Broken, Counterexample(b))
	}
	m.Missing = missing
	return err
}

// validate returns the version's answer for an object that may have a status.
func (m *maker) validate(ctx context.Context, obj map[string]any) *answer {
	return newAnswer(&request{d: m.d, ver: m.ver}, m.from.Submit(ctx, obj, nil))
}
