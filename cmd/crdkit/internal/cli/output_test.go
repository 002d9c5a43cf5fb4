package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/internal/test/given"
)

// hostileTexts are dangerous for terminals and CI services.
var hostileTexts = []string{
	"\x1b[2J\x1b]0;title\x07", "a\n::error file=x::name", "\r\n \t::warning::x", "::add-mask::e", "\u00a0::stop-commands::x",
	"##[add-mask]e", "x ##vso[task.x]y", "\u202eevil\u2066\u200b", "\u2028::error::x\u0085", "\U000e0041",
}

// hostileDefinition returns a definition with a text at every place where a server accepts any text.
func hostileDefinition(text string) string {
	q := quoteYAML(text)
	return strings.NewReplacer("TEXT", q, "PATTERN", quoteYAML(regexp.QuoteMeta(text))).Replace(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.example.org, annotations: {note: TEXT}}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: things, kind: Thing}
  versions:
  - name: v1
    served: true
    storage: true
    deprecated: true
    deprecationWarning: "old"
    schema:
      openAPIV3Schema:
        type: object
        description: TEXT
        required: [spec]
        properties:
          spec:
            type: object
            description: TEXT
            required: [TEXT]
            properties:
              TEXT: {type: string, title: TEXT, description: TEXT, default: TEXT, enum: [TEXT, x]}
              p: {type: string, pattern: PATTERN, description: TEXT}
              maps: {type: object, additionalProperties: {type: object, properties: {TEXT: {type: integer, minimum: 3}}}}
              long: {type: object, properties: {TEXT: {type: array, items: {type: string, x-kubernetes-validations: [{rule: "self.contains('x')", message: "text"}]}}}}
            x-kubernetes-validations: [{rule: "!has(self.p) || self.p != 'no'", messageExpression: MESSAGE}]
`)
}

// quoteYAML returns a text in double quotes, which YAML reads back.
func quoteYAML(text string) string { return strconv.QuoteToASCII(strings.ToValidUTF8(text, "\ufffd")) }

// hostileFiles makes files with a text in every place, and returns the commands to run, without -o.
func hostileFiles(t *testing.T, text string) (commands [][]string, formats [][]string) {
	t.Helper()
	q := quoteYAML(text)
	definition := strings.Replace(hostileDefinition(text), "MESSAGE", strconv.Quote("'"+"m' + 'n'"), 1)
	write(t, "crd.yaml", definition)
	write(t, "new.yaml", strings.Replace(strings.Replace(definition, "minimum: 3", "minimum: 4", 1), "maps: {", "more: {type: string, maxLength: 1}\n              maps: {", 1))
	refused := strings.NewReplacer("name: things.example.org", "name: "+q, "kind: Thing", "kind: "+q, "type: integer", "type: "+q, "scope: Namespaced", "scope: "+q, "self.contains('x')", "self."+strings.Trim(q, `"`)).Replace(definition)
	write(t, "refused.yaml", refused+"unknown-"+"x: {"+q+": 1}\n"+q+": 1\n")
	object := func(name, kind, spec string) string {
		return fmt.Sprintf("apiVersion: example.org/v1\nkind: %s\nmetadata: {name: %s, namespace: %s, labels: {%s: %s}}\nspec: %s\n---\n", kind, name, q, q, q, spec)
	}
	objects := object(q, "Thing", fmt.Sprintf("{%s: %s, p: %s, maps: {%s: {%s: 1, z: %s}}, %s: x, unknown: %s}", q, quoteYAML(text+"!"), q, q, q, q, quoteYAML(text+"?"), q)) +
		object("a", q, "{}") + "{apiVersion: " + q + ", kind: " + q + "}\n---\n{kind: " + q + "}\n---\n" + object("b", "Thing", "{"+q+": x, p: "+q+"x, p: 1}") +
		strings.ReplaceAll(object("ok", "Thing", "{"+q+": x}"), "namespace: "+q+", labels: {"+q+": "+q+"}", "namespace: default") + "# Source: " + strings.ReplaceAll(text, "\n", "") + "\n---\n- " + q + "\n---\n{" + q + "\n"
	write(t, "objects.yaml", objects)
	q = string(given.JSON(t, text))
	write(t, "dump.ndjson", `{"apiVersion":"example.org/v1","kind":"Thing","metadata":{"name":`+q+`},"spec":{`+q+`:`+q+`,"p":1,"z":`+q+`}}`+"\n"+
		`{"apiVersion":"example.org/v1","kind":"Thing","metadata":{"name":"ok","namespace":"default"},"spec":{`+q+`:"y","q":`+q+`}}`+"\n{"+q+"\n")
	files := []string{"objects.yaml", "refused.yaml"}
	name := "f" + strings.NewReplacer("/", "_", "\x00", "_").Replace(text) + ".yaml"
	if len(name) < 200 && os.WriteFile(name, []byte(objects), 0o644) == nil {
		files = append(files, name)
	}
	none := "none" + name
	formats = append(formats, [][]string{
		append([]string{"validate", "-crd", "crd.yaml"}, files...), append([]string{"validate", "-strict", "-require-definitions", "-print", "-crd", "crd.yaml", none}, files...),
		{"validate", "-crd", "crd.yaml", "-old", "objects.yaml", "-n", text, "objects.yaml"}, {"validate", "-crd", "crd.yaml", "-old-git", text, "objects.yaml"},
		{"check", "crd.yaml", "refused.yaml", none}, {"check", "-old", "crd.yaml", "refused.yaml", "git://" + text}, {"compat", "crd.yaml", "new.yaml"},
		{"compat", "-accept", text, "-objects", "dump.ndjson", "crd.yaml", "new.yaml"}, {"compat", none, text}, {"audit", "-crd", "crd.yaml", "dump.ndjson", none},
		{"audit", "-crd", "crd.yaml", "-old", "new.yaml", name}, {"versions", "-min", "1.28", "crd.yaml", "refused.yaml"}, {"cost", "-over", "0%", "crd.yaml", "refused.yaml"},
		{"explain", "-crd", "crd.yaml", "thing", "thing.spec", "thing.spec.maps", "thing.spec." + text},
	}...)
	return [][]string{
		{text}, {"help", text}, {"validate", "-" + text}, {"validate", "-o", text, "crd.yaml"}, {"validate", "-timeout", text}, {"cost", "-over", text, "crd.yaml"},
		{"explain", "-crd", "crd.yaml", "thing", "thing.spec"}, {"explain", "-crd", "crd.yaml", "-version", text, "thing"}, {"explain", "-crd", "refused.yaml", text},
		{"explain", "-crd", "crd.yaml", text}, {"sample", "-crd", "crd.yaml", "thing"}, {"sample", "-full", "-broken", "-crd", "crd.yaml", "thing"}, {"sample", "-crd", "crd.yaml", "thing." + text},
		{"sample", "-crd", "crd.yaml", "-version", text, "thing"}, {"schema", "crd.yaml"}, {"schema", "-d", "schemas", "crd.yaml"}, {"schema", "-kind", text, "crd.yaml"}, {"schema", "refused.yaml"},
		{"schema", name}, {"init", "-d", "init", "crd.yaml"}, {"init", "-package", text, "crd.yaml"}, {"init", "-d", name, "crd.yaml"}, {"completion", text}, {"version", text},
		{"cost", "-fix", "crd.yaml"}, {"cost", "-fix", name},
	}, formats
}

var (
	workflowCommand = regexp.MustCompile(`##[A-Za-z]*\[`)
	annotation      = regexp.MustCompile(`^::(error|warning|notice) file=[^:,\n]*(,line=\d+,col=\d+)?(,title=[^:,\n]*)?::`)
)

// checkOutput says what in an output a terminal or a CI service would obey.
func checkOutput(text string, annotations bool) error {
	if !utf8.ValidString(text) {
		return errors.New("no UTF-8")
	}
	for _, c := range text {
		if c != '\n' && c != '\t' && (unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp)) {
			return fmt.Errorf("it has %q", c)
		}
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") && !(annotations && annotation.MatchString(line)) || workflowCommand.MatchString(line) {
			return fmt.Errorf("a CI service obeys %q", line)
		}
	}
	return nil
}

// checkCommands runs all commands in all formats on files that have a text in every place.
func checkCommands(t *testing.T, text string) {
	t.Helper()
	t.Chdir(t.TempDir())
	commands, formatted := hostileFiles(t, text)
	run := func(format string, args []string) string {
		var stdout, stderr bytes.Buffer
		Main(args, strings.NewReader(""), &stdout, &stderr)
		require.NoError(t, checkOutput(stderr.String(), false), "%q: standard error of %q: %s", text, args, &stderr)
		require.NoError(t, checkOutput(stdout.String(), format == "github"), "%q: output of %q: %s", text, args, &stdout)
		return stdout.String()
	}
	for _, args := range formatted {
		for _, format := range []string{"text", "json", "sarif", "github", "junit"} {
			out := run(format, append([]string{args[0], "-o", format}, args[1:]...))
			switch {
			case out == "": // an error on standard error
			case format == "json" || format == "sarif":
				require.True(t, json.Valid([]byte(out)), "%q: %q", text, args)
			case format == "junit":
				decoder := xml.NewDecoder(strings.NewReader(out))
				for {
					if _, err := decoder.Token(); err == io.EOF {
						break
					} else {
						require.NoError(t, err, "%q: %q", text, args)
					}
				}
			}
		}
	}
	for _, args := range commands {
		run("", args)
	}
	// JSON and YAML have the same data.
	if !utf8.ValidString(text) {
		return
	}
	var answer struct {
		Findings []struct{ Message string }
		Details  []map[string]any
	}
	out := run("json", []string{"validate", "-o", "json", "-print", "-crd", "crd.yaml", "objects.yaml"})
	require.NoError(t, json.Unmarshal([]byte(out), &answer))
	require.Len(t, answer.Details, 1, out)
	stored := answer.Details[0]
	require.Contains(t, stored["spec"], text)
	sample := run("", []string{"sample", "-full", "-crd", "crd.yaml", "thing"})
	spec, _ := given.Object(t, strings.TrimPrefix(sample, "---\n"))["spec"].(map[string]any)
	require.Equal(t, text, spec[text], sample)
}

// What a text in a file, in its name, or in an argument says is only shown, by every command in every format.
func TestHostileOutput(t *testing.T) {
	for _, text := range hostileTexts {
		checkCommands(t, text)
	}
}

// The commands find the texts of hostileFiles, so that TestHostileOutput tests something.
func TestHostileOutputReached(t *testing.T) {
	const text = "unusual-text"
	t.Chdir(t.TempDir())
	commands, formatted := hostileFiles(t, text)
	silent := 0
	for _, args := range append(commands, formatted...) {
		var out bytes.Buffer
		Main(args, strings.NewReader(""), &out, &out)
		if !strings.Contains(out.String(), text) {
			t.Logf("%q: %s", args, &out)
			silent++
		}
	}
	require.LessOrEqual(t, silent, 5)
}

func FuzzHostileOutput(f *testing.F) {
	for _, text := range hostileTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1000 {
			t.Skip("long")
		}
		checkCommands(t, text)
	})
}

// Nothing but main.go knows of the streams, so all output goes through package output. Programs are run in two
// places: git, and the one that -convert-exec names.
func TestAllOutput(t *testing.T) {
	var programs []string
	files := given.Files(t, "../*/*.go")
	for _, file := range files {
		// dist is another program, for releases.
		if dir := filepath.Base(filepath.Dir(file)); strings.HasSuffix(file, "_test.go") || dir == "output" || dir == "dist" {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				name := fmt.Sprint(n.X, ".", n.Sel)
				if name == "exec.Command" || name == "exec.CommandContext" || name == "os.StartProcess" {
					programs = append(programs, filepath.Base(file))
				}
				require.NotContains(t, []string{"os.Stdout", "os.Stderr", "fmt.Print", "fmt.Printf", "fmt.Println", "syscall.Write"}, name, file)
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.Ident); ok {
					require.NotContains(t, []string{"println", "print"}, f.Name, file)
				}
			case *ast.ImportSpec:
				require.NotContains(t, []string{`"log"`, `"log/slog"`}, n.Path.Value, file)
			}
			return true
		})
	}
	require.Equal(t, []string{"convertexec.go", "git.go"}, programs)
}
