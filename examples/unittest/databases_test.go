package unittest

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/crdkit/crdkit/crdtest"
)

var definitions = flag.String("crds", "config/crd/*.yaml", "the definitions to test: the program mutate has others")

const base = `
spec:
  storage: {size: 1Gi}
  users: [{name: ada, role: owner}, {name: bob}]`

func TestDatabases(t *testing.T) {
	crds := crdtest.Load(t, *definitions)
	crds.Accepted(t)
	// The first release accepted more. These are the intended breaking changes.
	crds.AcceptedUpdate(t, crdtest.Load(t, "testdata/before.yaml"), crdtest.Required("spec"), crdtest.Required("spec.storage"),
		crdtest.NotSupported("spec.engine"), crdtest.Invalid("spec.replicas"), crdtest.Match{Path: "spec.storage.size"})

	crds.Run(t, []crdtest.Case{
		{Name: "defaults", Object: base, Want: `spec: {engine: postgres, replicas: 1, users: [{name: ada, role: owner}, {name: bob, role: reader}]}`},
		{Name: "a struct", Object: &Database{Spec: DatabaseSpec{Replicas: 3, Storage: Storage{Size: "10Gi"}}}, Want: `spec: {replicas: 3}`},
		{Name: "an unknown field is dropped", Base: base, Patch: `spec: {replica: 3}`, Pruned: []string{"spec.replica"}},

		// Required fields.
		{Name: "a spec is required", Object: `{}`, Errs: []crdtest.Match{crdtest.Required("spec")}},
		{Name: "storage is required", Base: base, Patch: `spec: {storage: null}`, Errs: []crdtest.Match{crdtest.Required("spec.storage")}},
		{Name: "a size is required", Base: base, Patch: `spec: {storage: {size: null}}`, Errs: []crdtest.Match{crdtest.Required("spec.storage.size")}},
		{Name: "a user has a name", Base: base, Patch: `spec: {users: [{role: owner}]}`, Errs: []crdtest.Match{crdtest.Required("spec.users[0].name")}},
		{Name: "a backup has an interval", Base: base, Patch: `spec: {backup: {}}`, Errs: []crdtest.Match{crdtest.Required("spec.backup.every")}},

		// Single values.
		{Name: "two engines", Base: base, Patch: `spec: {engine: oracle}`, Errs: []crdtest.Match{crdtest.NotSupported("spec.engine")}},
		{Name: "one replica at least", Base: base, Patch: `spec: {replicas: 0}`, Errs: []crdtest.Match{crdtest.Invalid("spec.replicas")}},
		{Name: "five replicas", Base: base, Patch: `spec: {replicas: 5}`},
		{Name: "five replicas at most", Base: base, Patch: `spec: {replicas: 6}`, Errs: []crdtest.Match{crdtest.Invalid("spec.replicas")}},
		{Name: "a size has a unit", Base: base, Patch: `spec: {storage: {size: "10"}}`, Errs: []crdtest.Match{crdtest.Invalid("spec.storage.size")}},
		{Name: "a size is short", Base: base, Patch: `spec: {storage: {size: 10000000000000000Gi}}`, Errs: []crdtest.Match{crdtest.TooLong("spec.storage.size")}},
		{Name: "a name is not empty", Base: base, Patch: `spec: {users: [{name: ""}]}`, Errs: []crdtest.Match{crdtest.Invalid("spec.users[0].name")}},
		{Name: "three roles", Base: base, Patch: `spec: {users: [{name: ada, role: root}]}`, Errs: []crdtest.Match{crdtest.NotSupported("spec.users[0].role")}},
		{Name: "an interval is a duration", Base: base, Patch: `spec: {backup: {every: daily}}`, Errs: []crdtest.Match{crdtest.TypeInvalid("spec.backup.every")}},
		{Name: "a day", Base: base, Patch: `spec: {backup: {every: 24h}}`},
		{Name: "a long extension", Base: base, Patch: `spec: {extensions: [` + strings.Repeat("x", 64) + `]}`, Errs: []crdtest.Match{crdtest.TooLong("spec.extensions[0]")}},

		// Lists and maps.
		{Name: "each user once", Base: base, Patch: `spec: {users: [{name: ada}, {name: ada, role: owner}]}`, Errs: []crdtest.Match{crdtest.Duplicate("spec.users[1]")}},
		{Name: "each extension once", Base: base, Patch: `spec: {extensions: [postgis, postgis]}`, Errs: []crdtest.Match{crdtest.Duplicate("spec.extensions[1]")}},
		{Name: "four extensions at most", Base: base, Patch: `spec: {extensions: [a, b, c, d, e]}`, Errs: []crdtest.Match{crdtest.TooMany("spec.extensions")}},
		{Name: "sixteen users at most", Base: base, Patch: `spec: {users: [` + names(17) + `]}`, Errs: []crdtest.Match{crdtest.TooMany("spec.users")}},
		{Name: "eight parameters at most", Base: base, Patch: `spec: {parameters: {a: "", b: "", c: "", d: "", e: "", f: "", g: "", h: "", i: ""}}`,
			Errs: []crdtest.Match{crdtest.TooMany("spec.parameters")}},

		// Rules, each satisfied and violated.
		{Name: "postgres has extensions", Base: base, Patch: `spec: {extensions: [postgis]}`},
		{Name: "mysql has none", Base: base, Patch: `spec: {engine: mysql, extensions: [postgis]}`, Errs: []crdtest.Match{crdtest.RuleFails("spec", "has(self.extensions)")}},
		{Name: "the engine stays", Old: base, Patch: `spec: {engine: mysql}`, Errs: []crdtest.Match{crdtest.RuleFails("spec.engine", "self == oldSelf")}},
		{Name: "storage grows", Old: base, Patch: `spec: {storage: {size: 1Ti}}`, Want: `spec: {storage: {size: 1Ti}}`},
		{Name: "storage does not shrink", Old: base, Patch: `spec: {storage: {size: 512Mi}}`, Errs: []crdtest.Match{crdtest.RuleFails("spec.storage", "oldSelf.size")}},

		// Objects of the first release.
		{Name: "many replicas may stay", OldCRD: "testdata/before.yaml", Old: `{kind: Database, spec: {replicas: 9, storage: {size: 1Gi}}}`,
			Patch: `metadata: {labels: {a: b}}`, Want: `spec: {replicas: 9}`},
		{Name: "but not become more", OldCRD: "testdata/before.yaml", Old: `{kind: Database, spec: {replicas: 9, storage: {size: 1Gi}}}`,
			Patch: `spec: {replicas: 10}`, Errs: []crdtest.Match{crdtest.Invalid("spec.replicas")}},

		// Subresources.
		{Name: "the status", Old: base, Object: `status: {phase: Ready, readyReplicas: 1}`, Subresource: "status", Want: `status: {phase: Ready, readyReplicas: 1}`},
		{Name: "three phases", Old: base, Object: `status: {phase: Great}`, Subresource: "status", Errs: []crdtest.Match{crdtest.NotSupported("status.phase")}},
		{Name: "a create has no status", Base: base, Patch: `status: {phase: Ready}`, Want: `{apiVersion: example.com/v1, kind: Database, spec: {engine: postgres,
			replicas: 1, storage: {size: 1Gi}, users: [{name: ada, role: owner}, {name: bob, role: reader}]}}`, WantExact: true},
		{Name: "the scale", Old: base, Object: `spec: {replicas: 3}`, Subresource: "scale", Want: `spec: {replicas: 3}`},

		// The old version.
		{Name: "v1beta1 is deprecated", Version: "v1beta1", Object: `spec: {storage: {size: 1Gi}}`, Want: `spec: {engine: postgres, replicas: 1}`,
			Warnings: []string{"example.com/v1beta1 Database is deprecated; use example.com/v1 Database"}},
		{Name: "a spec is required in v1beta1", Version: "v1beta1", Object: `{}`, Errs: []crdtest.Match{crdtest.Required("spec")}},
		{Name: "storage is required in v1beta1", Version: "v1beta1", Object: `spec: {}`, Errs: []crdtest.Match{crdtest.Required("spec.storage")}},
		{Name: "a size is required in v1beta1", Version: "v1beta1", Object: `spec: {storage: {}}`, Errs: []crdtest.Match{crdtest.Required("spec.storage.size")}},
		{Name: "one replica at least in v1beta1", Version: "v1beta1", Object: `spec: {replicas: 0, storage: {size: 1Gi}}`, Errs: []crdtest.Match{crdtest.Invalid("spec.replicas")}},
	})
	crdtest.RunFiles(t, crds, "testdata/*.txtar")

	crds.RequireCoverage(t, 1.0)
}

// names returns n users.
func names(n int) string {
	var users []string
	for i := range n {
		users = append(users, fmt.Sprintf("{name: u%d}", i))
	}
	return strings.Join(users, ", ")
}

// FuzzDatabases starts from samples of the definition: `go test -fuzz Databases`.
func FuzzDatabases(f *testing.F) {
	crds, err := crdtest.Open(*definitions)
	if err != nil {
		f.Fatal(err)
	}
	crdtest.Fuzz(f, crds, "Database")
}
