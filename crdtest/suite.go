package crdtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/patch"
	"github.com/crdkit/crdkit/unstructured"
)

// A suite is a test file in the format of OpenShift's API repository.
type suite struct {
	Name    string `json:"name"`
	CRDName string `json:"crdName"`
	Tests   struct {
		OnCreate []suiteTest `json:"onCreate"`
		OnUpdate []suiteTest `json:"onUpdate"`
	} `json:"tests"`
}

type suiteTest struct {
	Name                string           `json:"name"`
	ResourceName        string           `json:"resourceName"`
	InitialCRDPatches   []map[string]any `json:"initialCRDPatches"`
	Initial             string           `json:"initial"`
	Updated             string           `json:"updated"`
	Expected            string           `json:"expected"`
	ExpectedError       string           `json:"expectedError"`
	ExpectedStatusError string           `json:"expectedStatusError"`
}

// RunOpenShiftSuite runs test files in the format of OpenShift's API repository, each test as a subtest. Names are
// files, patterns of [filepath.Glob], and directories, in which it runs *.testsuite.yaml. A suite is about the
// definition in s that its crdName names, or about the only one.
//
// An onCreate test creates its initial object. An onUpdate test creates it, under the definition with initialCRDPatches
// if there are any, and writes its status. Then it replaces the object with the updated one, and the status with the
// updated status. expectedError and expectedStatusError are parts of the message of the refusal. expected is the object
// stored at the end; only the parts of the metadata that it has are compared.
func RunOpenShiftSuite(t *testing.T, s *Set, names ...string) {
	t.Helper()
	for _, file := range matching(t, names, "*.testsuite.yaml") {
		data, err := manifest.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		suite, err := parseSuite(data)
		if err != nil {
			t.Fatalf("%s: %v", filepath.ToSlash(file), err)
		}
		t.Run(suite.Name, func(t *testing.T) {
			t.Helper()
			d, err := s.suiteDefinition(suite)
			if err != nil {
				t.Fatalf("%s: %v", filepath.ToSlash(file), err)
			}
			run := func(test suiteTest, update bool) {
				t.Helper()
				t.Run(test.Name, func(t *testing.T) {
					t.Helper()
					failure, err := s.trySuite(t.Context(), d, test, update)
					if err != nil {
						t.Fatalf("%s: %v", filepath.ToSlash(file), err)
					}
					if failure != "" {
						t.Errorf("%s: %s", filepath.ToSlash(file), failure)
					}
				})
			}
			for _, test := range suite.Tests.OnCreate {
				run(test, false)
			}
			for _, test := range suite.Tests.OnUpdate {
				run(test, true)
			}
		})
	}
}

func parseSuite(data []byte) (*suite, error) {
	obj, err := unstructured.Decode(data)
	if err != nil {
		return nil, err
	}
	var s suite
	if err := unstructured.ToStruct(obj, &s); err != nil {
		return nil, err
	}
	if len(s.Tests.OnCreate)+len(s.Tests.OnUpdate) == 0 {
		return nil, errors.New("there are no tests in it")
	}
	if s.Name == "" {
		s.Name = s.CRDName
	}
	return &s, nil
}

func (s *Set) suiteDefinition(suite *suite) (*definition, error) {
	if suite.CRDName == "" {
		return s.find("", "")
	}
	if d := s.named(suite.CRDName); d != nil {
		return d, nil
	}
	return nil, fmt.Errorf("no definition is called %s: the definitions are %s", suite.CRDName, strings.Join(s.names(), ", "))
}

// trySuite runs one test.
func (s *Set) trySuite(ctx context.Context, d *definition, test suiteTest, update bool) (string, error) {
	initial, err := object(test.Initial)
	if err != nil {
		return "", inField("initial", err)
	}
	if test.ResourceName != "" {
		initial = named(maps.Clone(initial), test.ResourceName, "default", d.Spec.Scope == crd.NamespaceScoped)
	}
	first := d
	if len(test.InitialCRDPatches) > 0 {
		if first, err = d.patched(test.InitialCRDPatches); err != nil {
			return "", inField("initialCRDPatches", err)
		}
	}
	created, err := s.step(ctx, first, &Case{Object: initial})
	if err != nil {
		return "", inField("initial", err)
	}
	if !update {
		return created.outcome(ctx, test.ExpectedError, test.Expected)
	}
	if created.Err() != nil {
		return created.outcome(ctx, "", "")
	}
	stored := created.Object
	if status, ok := initial["status"]; ok && created.ver.status {
		a, err := s.writeStatus(ctx, first, stored, status)
		if err != nil {
			return "", err
		}
		if a.Err() != nil { // the object could not be prepared
			return a.outcome(ctx, "", "")
		}
		stored = a.Object
	}
	return s.trySuiteUpdate(ctx, d, test, stored)
}

func (s *Set) trySuiteUpdate(ctx context.Context, d *definition, test suiteTest, stored map[string]any) (string, error) {
	sent, err := object(test.Updated)
	if err != nil {
		return "", inField("updated", err)
	}
	name, namespace := identity(stored)
	sent = named(maps.Clone(sent), name, namespace, d.Spec.Scope == crd.NamespaceScoped)
	updated, err := s.step(ctx, d, &Case{Object: sent, Old: stored})
	if err != nil {
		return "", inField("updated", err)
	}
	if test.ExpectedError != "" || updated.Err() != nil {
		return updated.outcome(ctx, test.ExpectedError, "")
	}
	status, ok := sent["status"]
	if !ok || !updated.ver.status {
		return updated.outcome(ctx, test.ExpectedStatusError, test.Expected)
	}
	a, err := s.writeStatus(ctx, d, updated.Object, status)
	if err != nil {
		return "", inField("updated", err)
	}
	return a.outcome(ctx, test.ExpectedStatusError, test.Expected)
}

// writeStatus replaces the status of a stored object.
func (s *Set) writeStatus(ctx context.Context, d *definition, stored map[string]any, status any) (*answer, error) {
	sent := maps.Clone(stored)
	sent["status"] = status
	return s.step(ctx, d, &Case{Object: sent, Old: stored, Subresource: "status"})
}

// step performs a request on objects of d, and records it if d is in s.
func (s *Set) step(ctx context.Context, d *definition, c *Case) (*answer, error) {
	q, err := (&Set{definitions: []*definition{d}}).request(ctx, c)
	if err != nil {
		return nil, err
	}
	a := q.ask(ctx)
	if s.named(d.Name()) == d {
		s.notes.add(a)
	}
	return a, nil
}

// outcome compares an answer with a part of a refusal's message, or with an object.
func (a *answer) outcome(ctx context.Context, refusal, expected string) (string, error) {
	if refusal == "" {
		w := wanted{lenient: true}
		if a.Err() == nil && expected != "" {
			obj, err := object(expected)
			if err != nil {
				return "", inField("expected", err)
			}
			meta, _ := obj["metadata"].(map[string]any)
			w.exact = true
			have, _ := a.Object["metadata"].(map[string]any)
			whole := maps.Clone(have) // metadata that expected does not have is ignored
			maps.Copy(whole, meta)
			obj["metadata"] = whole
			w.object.object = obj
		}
		return a.differs(w), nil
	}
	err := a.Err()
	if err != nil && strings.Contains(err.Error(), refusal) {
		return "", nil
	}
	text := a.differs(wanted{lenient: true, errs: []Match{{Detail: refusal}}})
	if err != nil {
		text = "the message " + strconv.Quote(err.Error()) + " does not have " + strconv.Quote(refusal) + " in it\n    " + text
	}
	return text, nil
}

// patched returns a definition with a JSON patch applied to its document.
func (d *definition) patched(operations []map[string]any) (*definition, error) {
	body, err := json.Marshal(operations)
	if err != nil {
		return nil, err
	}
	text, err := patch.Patched(d.Value(), patch.TypeJSON, body)
	if err != nil {
		return nil, err
	}
	s, err := parse(string(text))
	if err != nil {
		return nil, err
	}
	return s.definitions[0], nil
}
