package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// This file compares the command crdkit with kubectl.

// buildCommand builds crdkit into a directory.
func buildCommand(t *testing.T, dir string) {
	t.Helper()
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "crdkit"), "./cmd/crdkit")
	build.Dir = "../.."
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
}

const tapDefinition = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: taps.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Tap, plural: taps, singular: tap}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer, maximum: 9}
              zone: {type: string}
              parts:
                type: array
                items: {type: object, required: [id], properties: {id: {type: string}}}
`

var (
	unknownText = regexp.MustCompile(`unknown field "[^"]+"`)
	twiceText   = regexp.MustCompile(`key "[^"]+" already set in map|duplicate field "[^"]+"`)
)

// In each mode of field validation, the command accepts what kubectl sends successfully, and names the same unknown
// fields. It also says where a key comes twice, which kubectl does not notice, but refuses it only with strict-body: a
// server does so if it gets the text itself.
func TestFieldValidation(t *testing.T) {
	needKubectl(t)
	s, dir := start(t), t.TempDir()
	buildCommand(t, dir)
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("crd.yaml", tapDefinition)
	require.Contains(t, strings.Join(s.sh(t, dir, "kubectl apply -f crd.yaml"), "\n"), "created")

	const head = "apiVersion: example.org/v1\nkind: Tap\nmetadata: {name: a}\n"
	const jsonHead = `{"apiVersion": "example.org/v1", "kind": "Tap", "metadata": {"name": "a"}, "spec": `
	for _, c := range []struct{ name, file, text string }{
		{"known fields", "tap.yaml", head + "spec: {size: 1, zone: x, parts: [{id: a}]}\n"},
		{"an unknown field", "tap.yaml", head + "spec: {sise: 1}\n"},
		{"unknown fields at several levels", "tap.yaml", head + "spec: {sise: 1, parts: [{id: a}, {id: b, ident: b}]}\nsepc: {}\n"},
		{"an unknown field of metadata", "tap.yaml", "apiVersion: example.org/v1\nkind: Tap\nmetadata: {name: a, labls: {}}\n"},
		{"an invalid value and an unknown field", "tap.yaml", head + "spec: {size: 10, sise: 1}\n"},
		{"a key that comes twice", "tap.yaml", head + "spec:\n  size: 1\n  size: 2\n"},
		{"a key that comes twice, the last value is invalid", "tap.yaml", head + "spec:\n  size: 1\n  size: 10\n"},
		{"a key that is merged and set", "tap.yaml", head + "spec:\n  <<: {size: 1, zone: x}\n  size: 2\n"},
		{"JSON", "tap.json", jsonHead + `{"size": 1}}`},
		{"JSON with an unknown field", "tap.json", jsonHead + `{"sise": 1}}`},
		{"JSON with a key that comes twice", "tap.json", jsonHead + `{"size": 1, "size": 2}}`},
	} {
		write(c.file, c.text)
		texts := func(pattern *regexp.Regexp, lines []string) []string {
			found := pattern.FindAllString(strings.Join(lines, "\n"), -1)
			slices.Sort(found)
			return slices.Compact(found)
		}
		accepted := func(lines []string) bool { return len(lines) == 0 || !strings.HasPrefix(lines[len(lines)-1], "[exit ") }
		twice := strings.Contains(c.name, "twice") || strings.Contains(c.name, "merged")
		for _, mode := range []string{"strict", "warn", "ignore"} {
			validate := " --validate=" + mode
			if mode == "strict" {
				validate = "" // the default
			}
			want := s.sh(t, dir, "kubectl create --dry-run=server"+validate+" -f "+c.file)
			got := s.sh(t, dir, "./crdkit validate -crd crd.yaml -field-validation "+mode+" "+c.file)
			require.Equal(t, accepted(want), accepted(got), "%s, %s\nkubectl: %q\ncrdkit: %q", c.name, mode, want, got)
			require.Equal(t, texts(unknownText, want), texts(unknownText, got), "%s, %s\nkubectl: %q\ncrdkit: %q", c.name, mode, want, got)
			require.Empty(t, texts(twiceText, want), "%s, %s: kubectl notices keys", c.name, mode)
			require.Equal(t, twice && mode != "ignore", texts(twiceText, got) != nil, "%s, %s: %q", c.name, mode, got)
		}
		if !strings.HasSuffix(c.file, ".json") {
			continue // what follows sends the text as it is, and kubectl says that it is JSON
		}
		want := s.sh(t, dir, "kubectl create --raw '/apis/example.org/v1/namespaces/default/taps?fieldValidation=Strict&dryRun=All' -f "+c.file)
		got := s.sh(t, dir, "./crdkit validate -crd crd.yaml -field-validation strict-body "+c.file)
		require.Equal(t, accepted(want), accepted(got), "%s\nkubectl: %q\ncrdkit: %q", c.name, want, got)
		require.Equal(t, texts(unknownText, want), texts(unknownText, got), "%s\nkubectl: %q\ncrdkit: %q", c.name, want, got)
		require.Equal(t, texts(twiceText, want), texts(twiceText, got), "%s\nkubectl: %q\ncrdkit: %q", c.name, want, got)
	}
}

// With -as apply, the command merges an object into one that kubectl get prints as kubectl apply --server-side does, and
// has the same conflicts.
func TestServerSideApply(t *testing.T) {
	needKubectl(t)
	s, dir := start(t), t.TempDir()
	buildCommand(t, dir)
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("crd.yaml", strings.Replace(tapDefinition, "type: array", "type: array\n                x-kubernetes-list-type: map\n                x-kubernetes-list-map-keys: [id]", 1))
	const head = "apiVersion: example.org/v1\nkind: Tap\nmetadata: {name: a}\n"
	write("a.yaml", head+"spec: {size: 1, zone: x, parts: [{id: a}, {id: b}]}\n")
	write("b.yaml", head+"spec: {parts: [{id: c}]}\n")
	write("merged.yaml", head+"spec: {zone: x, parts: [{id: b}, {id: d}]}\n")
	write("conflict.yaml", head+"spec: {size: 2, parts: [{id: c}]}\n")
	for _, command := range []string{
		"kubectl apply -f crd.yaml",
		"kubectl apply --server-side --field-manager=a -f a.yaml",
		"kubectl apply --server-side --field-manager=b -f b.yaml",
		"kubectl get tap a -o yaml --show-managed-fields > live.yaml",
	} {
		require.NotContains(t, strings.Join(s.sh(t, dir, command), "\n"), "[exit", command)
	}
	merged := s.sh(t, dir, "kubectl apply --server-side --dry-run=server --field-manager=a -f merged.yaml -o jsonpath='{.spec}'")
	require.Contains(t, merged[0], `"c"`)
	printed := s.sh(t, dir, "./crdkit validate -crd crd.yaml -old live.yaml -as apply -manager a -print merged.yaml > printed.yaml && "+
		"kubectl create --dry-run=client --validate=ignore -f printed.yaml -o jsonpath='{.spec}'")
	require.Equal(t, merged, printed[len(printed)-1:])

	conflict := regexp.MustCompile(`(?m)[Cc]onflict with "\w+": \S+`)
	refused := strings.Join(s.sh(t, dir, "kubectl apply --server-side --dry-run=server --field-manager=b -f conflict.yaml"), "\n")
	found := strings.Join(s.sh(t, dir, "./crdkit validate -crd crd.yaml -old live.yaml -as apply -manager b conflict.yaml"), "\n")
	require.Equal(t, []string{`conflict with "a": .spec.size`}, conflict.FindAllString(refused, -1), refused)
	require.Equal(t, conflict.FindAllString(refused, -1), conflict.FindAllString(found, -1), found)
}
