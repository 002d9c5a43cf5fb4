package jsonschema

import (
	"bufio"
	"encoding/json"
	"flag"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/test/given"
)

var withAJV = flag.Bool("ajv", false, "install ajv with npm, and check schemas with it")

// TestAJV asks ajv, the validator of JSON Schema that most editors and tools for JavaScript use.
func TestAJV(t *testing.T) {
	if !*withAJV {
		t.Skip("without -ajv")
	}
	v := startAJV(t)
	t.Run("patterns", func(t *testing.T) { randomPatterns(t, v) })
	t.Run("lists", func(t *testing.T) { lists(t, v) })
	t.Run("recorded", func(t *testing.T) { recordedObjects(t, v) })
	t.Run("all kinds", func(t *testing.T) { allKinds(t, v) })
	t.Run("recorded definitions", func(t *testing.T) { recordedDefinitions(t, v) })
}

// An ajv is a running testdata/ajv/check.js.
type ajv struct {
	in  *json.Encoder
	out *bufio.Reader
}

// startAJV installs ajv, and starts node. Without npm, the test fails: -ajv asks for it.
func startAJV(t *testing.T) *ajv {
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json", "check.js"} {
		data := given.File(t, filepath.Join("testdata", "ajv", name))
		require.NotContains(t, string(data), `"resolved"`, "%s names no registry", name)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), data, 0o644))
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = dir
	out, err := install.CombinedOutput()
	require.NoError(t, err, string(out))
	// It ends with its input.
	node := exec.Command("node", "check.js")
	node.Dir, node.Stderr = dir, os.Stderr
	stdin, err := node.StdinPipe()
	require.NoError(t, err)
	stdout, err := node.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, node.Start())
	t.Cleanup(func() {
		require.NoError(t, stdin.Close())
		require.NoError(t, node.Wait())
	})
	return &ajv{json.NewEncoder(stdin), bufio.NewReader(stdout)}
}

type (
	question struct {
		Draft   Draft             `json:"draft,omitempty"`
		Schema  map[string]any    `json:"schema,omitempty"`
		Objects []json.RawMessage `json:"objects"`
		Pattern *string           `json:"pattern,omitempty"`
		Texts   []string          `json:"texts,omitempty"`
	}
	answer struct {
		Error   string
		Refused []string // for each object, why
		Matches []bool   // for each text
	}
)

func (v *ajv) ask(t *testing.T, q question) (a answer) {
	t.Helper()
	require.NoError(t, v.in.Encode(q))
	line, err := v.out.ReadBytes('\n')
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(line, &a))
	return a
}

// Made-up patterns match in ECMAScript what they match in RE2, or are left out.
func randomPatterns(t *testing.T, v *ajv) {
	parts := []string{
		"a", "b", "Z", "0", "-", " ", "_", "{", "}", "]", "/", ",", "é", "😀", ".", "^", "$", "|", "(", ")", "(?:", "(?i)", "(?i:", "(?s)", "(?P<n>", "(?<m>",
		"*", "+", "?", "{2}", "{1,}", "{0,2}", "{,2}", "[", "[^", "[]", "[a-", "[[:alpha:]]", "[[:^space:]x]", `\-`, `\ `, `\_`, `\"`, `\@`, `\/`, `\.`, `\\`, `\]`, `\[`, `\{`,
		`\d`, `\D`, `\w`, `\W`, `\s`, `\S`, `\b`, `\B`, `\A`, `\z`, `\a`, `\f`, `\n`, `\t`, `\v`, `\07`, `\12`, `\x41`, `\x{41}`, `\pN`, `\p{Thai}`, `\Q.\E`, `\C`,
	}
	letters := []rune("abZz0-9 _{}[]/.\\\"@,^$\n\r\t\v\f\a\u00a0\u2028\u0e01éÉ😀K\u212a")
	r := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var b strings.Builder
		for range r.IntN(5) {
			b.WriteRune(letters[r.IntN(len(letters))])
		}
		return b.String()
	}
	translated, left := 0, 0
	for range 60_000 {
		var b strings.Builder
		for range 1 + r.IntN(7) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		pattern := b.String()
		re, err := regexp.Compile(pattern)
		if err != nil {
			continue
		}
		got, ok := ecma(pattern)
		if !ok {
			left++
			continue
		}
		translated++
		texts := []string{"", "a", "ab", "a-b", "Z0"}
		for range 20 {
			texts = append(texts, text())
		}
		a := v.ask(t, question{Pattern: &got, Texts: texts})
		require.Empty(t, a.Error, "%s as %s", pattern, got)
		for i, text := range texts {
			require.Equal(t, re.MatchString(text), a.Matches[i], "%s as %s of %q", pattern, got, text)
		}
	}
	t.Logf("%d patterns are translated, %d left out", translated, left)
	require.Greater(t, translated, 10_000)
	require.Less(t, left, translated)
}

// The schemas of recorded definitions compile in both drafts, and refuse no object that a server accepted without a
// warning of unknown fields.
func recordedObjects(t *testing.T, v *ajv) {
	dir := os.Getenv("CRDKIT_CONFORMANCE")
	if dir == "" {
		t.Skip("CRDKIT_CONFORMANCE names no directory of recorded responses")
	}
	type row struct {
		CRD, Version, Op string
		Object           json.RawMessage
		Errors           []any
		Warnings         []string
		Failure          any
	}
	objects := map[string]map[string][]json.RawMessage{} // by file and version
	for _, area := range []string{"suites", "random"} {
		for _, file := range given.Files(t, filepath.Join(dir, area, "crds", "*")) {
			objects[file] = map[string][]json.RawMessage{}
		}
		for _, file := range given.Files(t, filepath.Join(dir, area, "*.jsonl")) {
			for c := range given.Rows[row](t, file) {
				unknown := slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.HasPrefix(w, "unknown field") })
				if c.Op == "create" && len(c.Errors) == 0 && c.Failure == nil && !unknown {
					of := objects[filepath.Join(dir, area, c.CRD)]
					of[c.Version] = append(of[c.Version], c.Object)
				}
			}
		}
	}
	for _, draft := range []Draft{Draft7, Draft2020_12} {
		t.Run(string(draft), func(t *testing.T) {
			schemas, accepted := 0, 0
			for _, file := range slices.Sorted(maps.Keys(objects)) {
				d := given.Definition(t, given.File(t, file))
				for i := range d.Spec.Versions {
					version := d.Spec.Versions[i].Name
					s, err := Version(d, version, Options{Draft: draft})
					require.NoError(t, err, file)
					some := objects[file][version]
					a := v.ask(t, question{Draft: draft, Schema: s.Document, Objects: some})
					require.Empty(t, a.Error, "%s %s", file, version)
					for i, why := range a.Refused {
						require.Empty(t, why, "%s %s: %s", file, version, some[i])
					}
					schemas++
					accepted += len(a.Refused)
				}
			}
			t.Logf("%d schemas accept %d objects", schemas, accepted)
			require.Greater(t, accepted, schemas)
		})
	}
}

// Lists are validated by the schemas of their items, and so are the items of a List.
func lists(t *testing.T, v *ajv) {
	const item = `{"apiVersion": "example.org/v1", "kind": "Tap", "metadata": {"name": "a"}, "spec": {"size": 1}}`
	bare := `{"metadata": {"name": "a"}, "spec": {"size": 1}}`
	wrong := strings.Replace(bare, "1", `"x"`, 1)
	d := given.Definition(t, given.Kind("Namespaced", "taps.example.org", "Tap", `{type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}`))
	for _, draft := range []Draft{Draft7, Draft2020_12} {
		o := Options{Draft: draft}
		s, err := Version(d, "v1", o)
		require.NoError(t, err)
		list := func(apiVersion, kind, item string) json.RawMessage {
			return json.RawMessage(`{"apiVersion": "` + apiVersion + `", "kind": "` + kind + `", "metadata": {"resourceVersion": "1"}, "items": [` + item + `]}`)
		}
		objects := []json.RawMessage{
			list("example.org/v1", "TapList", item), list("example.org/v1", "TapList", bare), list("example.org/v1", "TapList", wrong),
			list("v1", "List", item), list("v1", "List", strings.Replace(item, `"size": 1`, `"sise": 1`, 1)),
			json.RawMessage(strings.Replace(item, `1}`, `"x"}`, 1)),
		}
		a := v.ask(t, question{Draft: draft, Schema: Merge([]*Schema{s, Definition(o)}, o), Objects: objects})
		require.Empty(t, a.Error)
		for i, refused := range []bool{false, false, true, false, true, true} {
			require.Equal(t, refused, a.Refused[i] != "", "%s: %s: %s", draft, objects[i], a.Refused[i])
		}
		a = v.ask(t, question{Draft: draft, Schema: List(s, o).Document, Objects: objects[:4]})
		require.Empty(t, a.Error)
		for i, refused := range []bool{false, false, true, true} {
			require.Equal(t, refused, a.Refused[i] != "", "%s: %s: %s", draft, objects[i], a.Refused[i])
		}
		for text, why := range map[string]string{
			`{spec: {scope: namespaced}}`: "scope", `{spec: {versions: [{name: v1, schema: {openAPIV3Schema: {type: objct}}}]}}`: "type",
			`{spec: {versions: [{name: v1, schema: {openAPIV3Schema: {properties: {a: {enmu: [x]}}}}}]}}`: "must NOT have additional properties",
			`{spec: {names: {plurals: taps}}}`: "must NOT have additional properties",
		} {
			obj := given.Object(t, string(given.JSON(t, d)))
			overlay(obj, given.Object(t, text))
			a = v.ask(t, question{Draft: draft, Schema: Definition(o).Document, Objects: []json.RawMessage{given.JSON(t, d), given.JSON(t, obj)}})
			require.Empty(t, a.Error)
			require.Empty(t, a.Refused[0])
			require.Contains(t, a.Refused[1], why)
		}
	}
}

// overlay merges objects of other into obj.
func overlay(obj, other map[string]any) {
	for name, v := range other {
		below, ok := v.(map[string]any)
		if there, is := obj[name].(map[string]any); ok && is {
			overlay(there, below)
		} else {
			obj[name] = v
		}
	}
}

// One schema for many recorded definitions and for definitions compiles, and refuses none of ten of them.
func allKinds(t *testing.T, v *ajv) {
	dir := os.Getenv("CRDKIT_CONFORMANCE")
	if dir == "" {
		t.Skip("CRDKIT_CONFORMANCE names no directory of recorded responses")
	}
	for _, draft := range []Draft{Draft7, Draft2020_12} {
		o := Options{Draft: draft}
		all := []*Schema{Definition(o)}
		var objects []json.RawMessage
		for i, file := range given.Files(t, filepath.Join(dir, "suites", "crds", "*")) {
			text := given.File(t, file)
			d := given.Definition(t, text)
			s, err := Version(d, d.Spec.Versions[0].Name, o)
			require.NoError(t, err)
			all = append(all, s)
			if i < 10 && d.APIVersion == crd.APIVersionV1 {
				objects = append(objects, given.JSON(t, given.Object(t, text)))
			}
		}
		require.Greater(t, len(all), 75)
		a := v.ask(t, question{Draft: draft, Schema: Merge(all, o), Objects: objects})
		require.Empty(t, a.Error)
		require.NotEmpty(t, a.Refused)
		for i, why := range a.Refused {
			require.Empty(t, why, "%s", objects[i])
		}
	}
}

// The schema of definitions refuses none that a server accepted without a warning of unknown fields.
func recordedDefinitions(t *testing.T, v *ajv) {
	dir := os.Getenv("CRDKIT_CONFORMANCE")
	if dir == "" {
		t.Skip("CRDKIT_CONFORMANCE names no directory of recorded responses")
	}
	type row struct {
		Name     string
		CRD      json.RawMessage
		Errors   []any
		Warnings []string
		Failure  any
	}
	var accepted []json.RawMessage
	for _, file := range []string{"small", "projects"} {
		for r := range given.Rows[row](t, filepath.Join(dir, "crds", file+".jsonl")) {
			unknown := slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.HasPrefix(w, "unknown field") })
			if len(r.Errors) == 0 && r.Failure == nil && !unknown && strings.Contains(string(r.CRD[:60]), "/v1\"") {
				accepted = append(accepted, r.CRD)
			}
		}
	}
	require.Greater(t, len(accepted), 500)
	for _, draft := range []Draft{Draft7, Draft2020_12} {
		for some := range slices.Chunk(accepted, 100) {
			a := v.ask(t, question{Draft: draft, Schema: Definition(Options{Draft: draft}).Document, Objects: some})
			require.Empty(t, a.Error)
			for i, why := range a.Refused {
				require.Empty(t, why, "%s", some[i])
			}
		}
	}
	t.Logf("%d definitions are accepted", len(accepted))
}
