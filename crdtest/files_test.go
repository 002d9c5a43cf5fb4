package crdtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/test/given"
)

// ECT-013: golden files.
func TestRunFiles(t *testing.T) {
	RunFiles(t, Load(t, "testdata/widgets.yaml"), "testdata/*.txtar")
}

// ECT-013: an update rewrites the answers, and only them; without one they are compared.
func TestTryFile(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	const object = "-- object.yaml --\nspec: {name: a}\n"
	for _, c := range []struct{ name, text, failure, updated string }{
		{"in order", "Why.\n" + object + "-- want.yaml --\nspec: {size: 3}\n", "", "Why.\n" + object + "-- want.yaml --\nspec: {size: 3}\n"},
		{"no answer yet", object, "", object + `-- want.yaml --
apiVersion: demo.example.com/v1
kind: Widget
metadata:
  generation: 1
  name: test
  namespace: default
spec:
  color: red
  name: a
  size: 3
`},
		{"another answer", object + "-- want.yaml --\nspec: {size: 4}\n", "2: create Widget demo.example.com/v1: the answer differs (-want +got)\n    - spec.size: 4\n    + spec.size: 3\n",
			object + "-- want.yaml --\napiVersion: demo.example.com/v1\n"},
		{"an error too many", object + "-- errors.txt --\nRequired spec.name\n", "2: create Widget demo.example.com/v1: errors differ (-want +got)\n    - Required spec.name\n    object", object + "-- want.yaml --\n"},
		{"errors in another order", "-- object.yaml --\nspec: {name: A, size: 11}\n-- errors.txt --\nInvalid spec.size: spec.size in body should be less than or equal to 10\n\nInvalid spec.name: spec.name in body should match '^[a-z]+$'\n", "",
			"-- object.yaml --\nspec: {name: A, size: 11}\n-- errors.txt --\nInvalid spec.size: spec.size in body should be less than or equal to 10\n\n"},
		{"an error that nobody expects", "-- object.yaml --\nspec: {name: A}\n-- want.yaml --\nspec: {}\n", "2: create Widget demo.example.com/v1: errors differ (-want +got)\n    + Invalid spec.name: spec.name in body should match",
			"-- object.yaml --\nspec: {name: A}\n-- errors.txt --\nInvalid spec.name: spec.name in body should match '^[a-z]+$'\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := s.tryFile(t.Context(), manifest.ParseArchive(c.text), false)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(got, c.failure) && (c.failure == "") == (got == "" || c.name == "no answer yet"), got)

			a := manifest.ParseArchive(c.text)
			_, err = s.tryFile(t.Context(), a, true)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(a.String(), c.updated), a.String())
			got, err = s.tryFile(t.Context(), manifest.ParseArchive(a.String()), false)
			require.NoError(t, err)
			require.Empty(t, got, "what an update wrote is as expected")
		})
	}
	for text, want := range map[string]string{
		"":                                  "there is no object.yaml",
		object + "-- other.yaml --\n":       "line 3: other.yaml is not one of object.yaml, old.yaml",
		"-- object.yaml --\na: [":           "Object: ",
		object + "-- want.yaml --\na: [":    "Want: ",
		object + "-- oldcrd.yaml --\na: 1":  "OldCRD: it needs Old, which is not set",
		"-- object.yaml --\nkind: Gadget\n": "no definition has the kind Gadget",
	} {
		_, err := s.tryFile(t.Context(), manifest.ParseArchive(text), false)
		require.ErrorContains(t, err, want)
	}
}

// ECT-013: files may be named by their directory.
func TestRunFilesOfDirectory(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	before := len(s.notes.of(s.definitions[0].versions["v1"]))
	RunFiles(t, s, "testdata")
	require.Len(t, s.notes.of(s.definitions[0].versions["v1"]), before+2)
	RunOpenShiftSuite(t, s, "testdata/suites")
	require.Greater(t, len(s.notes.of(s.definitions[0].versions["v1"])), before+2)
}

// ECT-013: a golden file may be about a status.
func TestStatusFile(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	const text = "-- object.yaml --\nstatus: {phase: x}\n-- old.yaml --\nspec: {name: a}\n-- subresource.txt --\nstatus\n" +
		"-- errors.txt --\nNotSupported status.phase: supported values: \"Up\", \"Down\"\n"
	failure, err := s.tryFile(t.Context(), manifest.ParseArchive(text), false)
	require.NoError(t, err)
	require.Empty(t, failure)
}

// ECT-013: an environment variable is as good as the flag, and works where some packages do not have it.
func TestUpdating(t *testing.T) {
	require.False(t, *update)
	for value, want := range map[string]bool{"": false, "0": false, "false": false, "1": true, "true": true, "yes": true} {
		t.Setenv("CRDTEST_UPDATE", value)
		require.Equal(t, want, updating(), value)
	}
	t.Setenv("CRDTEST_UPDATE", "1")
	file := filepath.Join(t.TempDir(), "a.txtar")
	require.NoError(t, os.WriteFile(file, []byte("-- object.yaml --\nspec: {name: a}\n-- want.yaml --\nspec: {size: 99}\n"), 0o644))
	RunFiles(t, Load(t, "testdata/widgets.yaml"), file)
	require.Contains(t, string(given.File(t, file)), "  size: 3\n")
}

// ECT-013, ECT-019: samples as golden files hold as they were written, and those that are there are left alone.
func TestWriteSamples(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	dir := filepath.Join(t.TempDir(), "samples")
	s.WriteSamples(t, dir, "Widget", "v1")
	require.NoDirExists(t, dir, "nothing is written but for an update")

	t.Setenv("CRDTEST_UPDATE", "1")
	s.WriteSamples(t, dir, "Widget", "v1")
	t.Setenv("CRDTEST_UPDATE", "")
	files := given.Files(t, filepath.Join(dir, "*"))
	samples := s.Sample(t, "Widget", "v1")
	require.Len(t, files, 2+len(samples.Broken))
	RunFiles(t, s, dir)
	text := func(name string) string {
		return string(given.File(t, filepath.Join(dir, name)))
	}
	require.Contains(t, text("spec.size-maximum-10.txtar"), "Breaks spec.size: maximum 10\n-- object.yaml --\n")
	require.Contains(t, text("spec.size-maximum-10.txtar"), "-- errors.txt --\nInvalid spec.size: ")
	require.Contains(t, text("spec.name.txtar"), "-- old.yaml --\n")
	require.Contains(t, text("spec.name.txtar"), "Invalid spec.name: the name is immutable\n")
	require.Contains(t, text("status.phase-enum-up-down.txtar"), "-- subresource.txt --\nstatus\n-- errors.txt --\nNotSupported status.phase")
	for _, row := range s.Coverage().Rows {
		require.True(t, row.Failures > 0 || row.name() == samples.Missing[0], row.name())
	}

	require.NoError(t, os.WriteFile(filepath.Join(dir, "minimal.txtar"), []byte("mine"), 0o644))
	require.NoError(t, os.Remove(filepath.Join(dir, "full.txtar")))
	s.writeSamples(t, dir, "Widget", "v1")
	require.Equal(t, "mine", text("minimal.txtar"))
	require.NotEmpty(t, text("full.txtar"))
	require.Equal(t, []string{"object", "spec.a-b", "x"}, []string{fileName("*"), fileName("spec.a[*]: b!"), fileName("x: rule self == 'y'")})
}

// ECT-014: suites as they are.
func TestRunOpenShiftSuite(t *testing.T) {
	RunOpenShiftSuite(t, Load(t, "testdata/widgets.yaml"), "testdata/suites/*.testsuite.yaml")
}

// ECT-014: what fails, and what is no suite.
func TestTrySuite(t *testing.T) {
	s := Load(t, "testdata/widgets.yaml")
	d := s.definitions[0]
	const good, bad = "spec: {name: a}", "spec: {name: A}"
	for _, c := range []struct {
		name   string
		test   suiteTest
		update bool
		want   string
	}{
		{"refused", suiteTest{Initial: bad}, false, "+ Invalid spec.name"},
		{"not refused", suiteTest{Initial: good, ExpectedError: "x"}, false, `- an error: ~"x"`},
		{"refused for another reason", suiteTest{Initial: bad, ExpectedError: "immutable"}, false, `does not have "immutable" in it`},
		{"stored otherwise", suiteTest{Initial: good, Expected: "spec: {name: a}"}, false, "+ spec.color"},
		{"initial is refused", suiteTest{Initial: bad, Updated: good}, true, "+ Invalid spec.name"},
		{"initial status is refused", suiteTest{Initial: "{spec: {name: a}, status: {phase: x}}", Updated: good}, true, "+ NotSupported status.phase"},
		{"update is refused", suiteTest{Initial: good, Updated: bad}, true, "+ Invalid spec.name"},
		{"update is not refused", suiteTest{Initial: good, Updated: good, ExpectedError: "x"}, true, `- an error: ~"x"`},
		{"status is not refused", suiteTest{Initial: good, Updated: "{spec: {name: a}, status: {phase: Up}}", ExpectedStatusError: "x"}, true, `- an error: ~"x"`},
	} {
		got, err := s.trySuite(t.Context(), d, c.test, c.update)
		require.NoError(t, err, c.name)
		require.Contains(t, got, c.want, c.name)
	}
	for _, update := range []bool{false, true} {
		got, err := s.trySuite(t.Context(), d, suiteTest{Initial: good, Updated: good}, update)
		require.NoError(t, err, "a suite need not say what is stored")
		require.Empty(t, got)
	}
	for want, test := range map[string]suiteTest{
		"initial: ":           {Initial: "a: ["},
		"updated: ":           {Initial: good, Updated: "a: ["},
		"expected: ":          {Initial: good, Updated: good, Expected: "a: ["},
		"initialCRDPatches: ": {Initial: good, Updated: good, InitialCRDPatches: []map[string]any{{"op": "remove", "path": "/x"}}},
	} {
		_, err := s.trySuite(t.Context(), d, test, true)
		require.ErrorContains(t, err, want)
	}
	_, err := parseSuite([]byte("name: x"))
	require.EqualError(t, err, "there are no tests in it")
	_, err = parseSuite([]byte("tests: {onCreate: [{name: a}], onUpdate: [{name: b}]}"))
	require.NoError(t, err)
	_, err = s.suiteDefinition(&suite{CRDName: "gadgets.example.com"})
	require.EqualError(t, err, "no definition is called gadgets.example.com: the definitions are widgets.demo.example.com")
}

// Whatever is in a suite or a golden file, nothing panics.
func FuzzFiles(f *testing.F) {
	s, err := Open("testdata/widgets.yaml")
	require.NoError(f, err)
	f.Add("tests: {onCreate: [{name: a, initial: 'spec: {name: a}', expected: 'kind: A'}], onUpdate: [{initial: 'spec: {name: a}', updated: 'spec: {}', initialCRDPatches: [{op: add, path: /spec, value: 1}]}]}")
	f.Add("-- object.yaml --\nspec: {name: a}\n-- old.yaml --\n{}\n-- errors.txt --\nx")
	f.Add("-- object.yaml --\nspec: []\nmetadata: 1\n-- want.yaml --\n[]")
	f.Fuzz(func(t *testing.T, text string) {
		for _, update := range []bool{false, true} {
			_, _ = s.tryFile(t.Context(), manifest.ParseArchive(text), update)
		}
		suite, err := parseSuite([]byte(text))
		if err != nil {
			return
		}
		for _, test := range append(suite.Tests.OnCreate, suite.Tests.OnUpdate...) {
			for _, update := range []bool{false, true} {
				_, _ = s.trySuite(t.Context(), s.definitions[0], test, update)
			}
		}
	})
}
