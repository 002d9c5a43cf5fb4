// Package bench compares the speed of this module with that of the Kubernetes packages that do the same, and of other
// validators of schemas. The benchmarks of package parity and cmd/report use it.
package bench

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/crdkit/crdkit/audit"
	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/parity/internal/reference"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// A Subject is a definition with one version, and objects of it; both sides have compiled it. Nothing in it is
// modified.
type Subject struct {
	Name       string
	Definition []byte // JSON, as it was read
	Body       []byte // Complete as JSON
	Settled    []byte // the same, or without the status, if a create drops that: settled, unless a create warns

	Complete map[string]any // valid, with all of its defaults, generation 1
	Partial  map[string]any // as it was read, with the generation
	Unknown  map[string]any // Complete, with two fields that the schema does not know
	Invalid  map[string]any // Complete, with one value of a wrong type

	// What clients send: nobody writes the generation, and most leave defaults out.
	Sent    []byte         // JSON, as it was read
	Decoded map[string]any // the same, decoded
	Live    map[string]any // what a server returns for it: complete, with uid, times and managedFields
	Labeled map[string]any // Live with another label, as in an update

	Schema   *schema.Structural
	Rules    *cel.Rules
	Resource *resource.Version
	Audit    *audit.Audit

	Definitions *reference.Definitions
	Stored      *v1.CustomResourceDefinition
	Reference   *reference.Compiled

	yaml  []byte // the object as it was read
	peers peers
}

// Files reads the pairs NAME.crd.yaml and NAME.yaml of a directory.
func Files(dir string) ([]*Subject, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.crd.yaml"))
	if err != nil {
		return nil, err
	}
	var all []*Subject
	for _, definition := range names {
		name := strings.TrimSuffix(filepath.Base(definition), ".crd.yaml")
		s, err := read(name, definition, filepath.Join(dir, name+".yaml"))
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// Listed reads the pairs that dir/objects.tsv lists: an object of dir, a tab, a definition of the directory
// definitions.
func Listed(dir, definitions string) ([]*Subject, error) {
	list, err := os.ReadFile(filepath.Join(dir, "objects.tsv"))
	if err != nil {
		return nil, err
	}
	var all []*Subject
	for lines := bufio.NewScanner(bytes.NewReader(list)); lines.Scan(); {
		object, definition, ok := strings.Cut(lines.Text(), "\t")
		if !ok {
			return nil, fmt.Errorf("objects.tsv: no tab in %q", lines.Text())
		}
		s, err := read(strings.TrimSuffix(object, ".yaml"), filepath.Join(definitions, definition), filepath.Join(dir, object))
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func read(name, definition, object string) (*Subject, error) {
	var files, documents [2][]byte
	for i, file := range []string{definition, object} {
		var err error
		if files[i], err = os.ReadFile(file); err != nil {
			return nil, err
		}
		if documents[i], err = yaml.YAMLToJSON(files[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	s, err := New(name, documents[0], documents[1])
	if err != nil {
		return nil, err
	}
	s.yaml = files[1]
	return s, nil
}

// CreateFromYAML creates the object from the YAML in its file.
func (s *Subject) CreateFromYAML() {
	s.Resource.With(resource.RequestOptions{ContentType: "application/yaml"}).CreateBody(context.Background(), s.yaml)
}

// New compiles the first version of a definition, and makes the variants of an object of it. Both are JSON.
func New(name string, definition, object []byte) (*Subject, error) {
	s := &Subject{Name: name, Definition: definition, Sent: object, Definitions: reference.NewDefinitions()}
	fail := func(err error) (*Subject, error) { return nil, fmt.Errorf("%s: %w", name, err) }
	if err := s.compile(); err != nil {
		return fail(err)
	}
	var err error
	if s.Partial, err = unstructured.Decode(object); err != nil {
		return fail(err)
	}
	meta, _ := s.Partial["metadata"].(map[string]any)
	spec, _ := s.Partial["spec"].(map[string]any)
	if meta == nil || spec == nil {
		return fail(errors.New("an object with metadata and a spec is needed"))
	}
	if err := s.send(); err != nil {
		return fail(err)
	}
	meta["generation"] = int64(1)
	s.Complete, _ = s.Reference.Schema.Default(s.Partial).(map[string]any)
	if s.Body, err = json.Marshal(s.Complete); err != nil {
		return fail(err)
	}
	if s.Complete, err = unstructured.Decode(s.Body); err != nil {
		return fail(err)
	}
	if s.Settled = s.Body; !s.Resource.Settled(s.Body) {
		withoutStatus := maps.Clone(s.Complete)
		delete(withoutStatus, "status")
		if s.Settled, err = json.Marshal(withoutStatus); err != nil {
			return fail(err)
		}
	}
	s.Unknown = unstructured.Clone(s.Complete)
	s.Unknown["colour"] = "red"
	s.Unknown["spec"].(map[string]any)["colour"] = map[string]any{"shade": int64(1)}
	s.Invalid = s.Complete
	for n := 1; len(s.validateReference(s.Invalid)) == 0; n++ { // the schema may take anything in a place
		s.Invalid = unstructured.Clone(s.Complete)
		if left := n; !spoil(s.Invalid["spec"], &left) {
			return fail(errors.New("no value of the spec can have a wrong type"))
		}
	}
	if s.peers, err = newPeers(s); err != nil {
		return fail(err)
	}
	return s, nil
}

// send makes the objects of requests from Sent.
func (s *Subject) send() (err error) {
	if s.Decoded, err = unstructured.Decode(s.Sent); err != nil {
		return err
	}
	created := s.Resource.CreateBody(context.Background(), s.Sent)
	if err := created.Err(); err != nil {
		return err
	}
	s.Live = unstructured.Clone(created.Stored)
	meta := s.Live["metadata"].(map[string]any)
	meta["uid"], meta["resourceVersion"] = "0b7a2c54-6f0e-4c58-9d0c-3f1f2f0a9c11", "4711"
	meta["creationTimestamp"] = "2026-01-02T03:04:05Z"
	meta["managedFields"] = []any{map[string]any{
		"manager": "kubectl", "operation": "Update", "apiVersion": s.Live["apiVersion"], "time": "2026-01-02T03:04:05Z",
		"fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:spec": map[string]any{}},
	}}
	s.Labeled = unstructured.Clone(s.Live)
	meta = s.Labeled["metadata"].(map[string]any)
	labels, _ := meta["labels"].(map[string]any)
	if labels == nil {
		labels = map[string]any{}
		meta["labels"] = labels
	}
	labels["stage"] = "next"
	return nil
}

func (s *Subject) compile() error {
	var err error
	if s.Stored, err = s.Definitions.Parse(s.Definition); err != nil {
		return err
	}
	version := s.Stored.Spec.Versions[0].Name
	theirs, err := reference.NewResource(s.Stored, version)
	if err != nil {
		return err
	}
	s.Reference = theirs.WithRules()
	if s.Resource, err = Compile(s.Definition); err != nil {
		return err
	}
	d, err := crd.Parse(s.Definition)
	if err != nil {
		return err
	}
	if s.Audit, err = audit.New(d, nil); err != nil {
		return err
	}
	s.Schema = s.Resource.Schema()
	s.Rules = cel.Prepare(s.Schema)
	return nil
}

// Compile returns the first version of the definition in the document.
func Compile(document []byte) (*resource.Version, error) {
	d, err := crd.Parse(document)
	if err != nil {
		return nil, err
	}
	r, err := resource.Compile(d)
	if err != nil {
		return nil, err
	}
	return r.Version(d.Spec.Versions[0].Name), nil
}

// spoil replaces the nth scalar below v by a list, and reports whether there is one. It counts n down.
func spoil(v any, n *int) bool {
	child := func(c any, put func(any)) bool {
		if !scalar(c) {
			return spoil(c, n)
		}
		if *n--; *n == 0 {
			put([]any{c})
		}
		return *n == 0
	}
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if child(v[k], func(c any) { v[k] = c }) {
				return true
			}
		}
	case []any:
		for i := range v {
			if child(v[i], func(c any) { v[i] = c }) {
				return true
			}
		}
	}
	return false
}

func scalar(v any) bool {
	switch v.(type) {
	case string, bool, int64, float64:
		return true
	}
	return false
}

// Check returns an error if the two sides have different results for a subject, because their times could not be
// compared then.
func (s *Subject) Check() error {
	ctx := context.Background()
	differ := func(what string, theirs, ours any) error {
		return fmt.Errorf("%s: %s: the reference says %v, crdkit %v", s.Name, what, theirs, ours)
	}
	// Without a rule that was kept from being checked, which a server reports in another step.
	errors := func(r resource.Result) int {
		n := len(r.Errors)
		for _, e := range r.Errors {
			if e.RulesSkipped() {
				n--
			}
		}
		return n
	}
	for _, c := range []struct {
		name     string
		obj, old map[string]any
		wrong    int // at least
	}{
		{"create", s.Complete, nil, 0}, {"create, invalid", s.Invalid, nil, 1},
		{"update", s.Complete, s.Complete, 0}, {"update, invalid", s.Invalid, s.Invalid, 0},
		{"create, as sent", s.Decoded, nil, 0}, {"update, as sent", s.Labeled, s.Live, 0},
	} {
		theirs := s.Reference.Admit(ctx, unstructured.Clone(c.obj), unstructured.Clone(c.old))
		ours := s.Resource.Create(ctx, c.obj)
		if c.old != nil {
			ours = s.Resource.Update(ctx, c.obj, c.old)
		}
		if ours.Failure != nil || len(theirs) != errors(ours) || len(theirs) < c.wrong || c.wrong == 0 && c.old == nil && len(theirs) > 0 {
			return differ(c.name, theirs, ours.Err())
		}
	}
	for _, c := range []struct {
		name         string
		theirs, ours any
	}{
		{"prune", s.pruned(), pruneOurs(s, s.Unknown)}, {"prune, nothing", s.Complete, pruneOurs(s, s.Complete)},
		{"default", s.Complete, defaultOurs(s, s.Partial)}, {"default, nothing", s.Complete, defaultOurs(s, s.Complete)},
		{"validate", len(s.validateReference(s.Complete)), len(validateOurs(s, s.Complete))},
		{"validate, invalid", len(s.validateReference(s.Invalid)), len(validateOurs(s, s.Invalid))},
	} {
		if !reflect.DeepEqual(c.theirs, c.ours) {
			return differ(c.name, c.theirs, c.ours)
		}
	}
	_, theirs := s.Reference.Rules(ctx, s.Complete)
	if ours := s.Rules.Evaluate(ctx, s.Complete, nil, nil); theirs != ours.Cost {
		return differ("cost of the rules", theirs, ours.Cost)
	}
	return s.peers.check(s)
}

// CompileOurs compiles the definition and all of its rules, and returns what is kept of them.
func (s *Subject) CompileOurs() (any, error) {
	v, err := Compile(s.Definition)
	if err != nil {
		return nil, err
	}
	v.Create(context.Background(), s.Complete)
	rules, _ := cel.Compile(v.Schema(), nil) // the version itself compiles a rule when it is first needed
	return []any{v, rules}, nil
}

// CompileReference is CompileOurs of the reference.
func (s *Subject) CompileReference() (any, error) {
	c, err := reference.CompileDefinition(s.Definition)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// RuleCount returns the number of rules in the schema.
func (s *Subject) RuleCount() int {
	rules, _ := cel.Compile(s.Schema, nil)
	return len(rules.Costs())
}
