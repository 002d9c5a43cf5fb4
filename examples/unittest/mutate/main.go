package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"text/tabwriter"
)

const tested = "github.com/crdkit/crdkit/examples/unittest"

// A mutation is a change of the definition: the first occurrence of old is replaced by new.
type mutation struct{ name, old, new string }

var mutations = []mutation{
	{"drop the rule about extensions", "            x-kubernetes-validations:\n            - message: only postgres has extensions\n              rule: '!has(self.extensions) || self.engine == ''postgres'''\n", ""},
	{"drop the transition rule of the engine", "                x-kubernetes-validations:\n                - message: the engine cannot be changed\n                  rule: self == oldSelf\n", ""},
	{"let storage shrink", "compareTo(quantity(oldSelf.size)) >= 0", "compareTo(quantity(oldSelf.size)) <= 0"},
	{"loosen a maximum", "maximum: 5", "maximum: 6"},
	{"tighten a maximum", "maximum: 5", "maximum: 4"},
	{"loosen a minimum", "minimum: 1", "minimum: 0"},
	{"remove a default", "                default: postgres\n", ""},
	{"change a default", "default: reader", "default: writer"},
	{"make a list atomic", "                x-kubernetes-list-map-keys:\n                - name\n                x-kubernetes-list-type: map\n", "                x-kubernetes-list-type: atomic\n"},
	{"let a set have duplicates", "x-kubernetes-list-type: set", "x-kubernetes-list-type: atomic"},
	{"one more engine", "                - mysql\n", "                - mysql\n                - oracle\n"},
	{"one engine less", "                - postgres\n                - mysql\n", "                - postgres\n"},
	{"loosen a pattern", "^[1-9][0-9]*(Mi|Gi|Ti)$", "^[1-9][0-9]*(Mi|Gi|Ti)?$"},
	{"drop a format", "                    format: duration\n", ""},
	{"a field need not be there", "            required:\n            - storage\n", ""},
	{"keep unknown fields", "            description: A DatabaseSpec says what database is wanted.\n", "            x-kubernetes-preserve-unknown-fields: true\n"},
	{"no status subresource", "      status: {}\n  - deprecated: true", "  - deprecated: true"},
	{"a list without a bound", "                maxItems: 16\n", ""},
}

// apply returns the definition with the mutation.
func (m mutation) apply(text string) (string, error) {
	if !strings.Contains(text, m.old) {
		return "", fmt.Errorf("%s: the definition has no %q", m.name, m.old)
	}
	return strings.Replace(text, m.old, m.new, 1), nil
}

var failed = regexp.MustCompile(`(?m)^ *--- FAIL: (\S+)`)

// failures returns the failed tests in the output of a run. If there are failed cases, it returns only these.
func failures(output []byte) (names []string) {
	var all []string
	for _, m := range failed.FindAllSubmatch(output, -1) {
		name := string(m[1])
		all = append(all, name)
		if _, c, ok := strings.Cut(name, "/"); ok {
			names = append(names, strings.ReplaceAll(c, "_", " "))
		}
	}
	if len(names) == 0 {
		return all
	}
	return names
}

func main() {
	survived, err := run(os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
	}
	if err != nil || survived > 0 {
		os.Exit(1)
	}
}

// run prints the table, and returns how many mutations no test noticed.
func run(w io.Writer) (survived int, err error) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", tested).Output()
	if err != nil {
		return 0, fmt.Errorf("go list %s: %w", tested, err)
	}
	pkg := strings.TrimSpace(string(dir))
	text, err := os.ReadFile(filepath.Join(pkg, "config", "crd", "example.com_databases.yaml"))
	if err != nil {
		return 0, err
	}
	tmp, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(tmp)
	tests := filepath.Join(tmp, "unittest.test")
	if out, err := exec.Command("go", "test", "-c", "-o", tests, tested).CombinedOutput(); err != nil {
		return 0, fmt.Errorf("go test -c: %w\n%s", err, out)
	}
	if names, out := test(pkg, tests, filepath.Join(pkg, "config", "crd", "*.yaml")); len(names) > 0 {
		return 0, fmt.Errorf("the tests fail without a mutation\n%s", out)
	}

	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "MUTATION\tFAILING\tFIRST OF THEM")
	for _, m := range mutations {
		mutated, err := m.apply(string(text))
		if err != nil {
			return survived, err
		}
		file := filepath.Join(tmp, "crd.yaml")
		if err := os.WriteFile(file, []byte(mutated), 0o644); err != nil {
			return survived, err
		}
		names, _ := test(pkg, tests, file)
		if len(names) == 0 {
			survived++
			fmt.Fprintf(table, "%s\t0\tNONE\n", m.name)
			continue
		}
		fmt.Fprintf(table, "%s\t%d\t%s\n", m.name, len(names), names[0])
	}
	fmt.Fprintf(table, "%d of %d mutations are noticed\t\t\n", len(mutations)-survived, len(mutations))
	return survived, table.Flush()
}

// test runs the tests against a definition and returns those that fail.
func test(pkg, tests, definition string) ([]string, []byte) {
	cmd := exec.Command(tests, "-test.run", "TestDatabases", "-crds", definition)
	cmd.Dir = pkg
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err == nil {
		return nil, out.Bytes()
	}
	if names := failures(out.Bytes()); len(names) > 0 {
		return names, out.Bytes()
	}
	return []string{"the definition cannot be loaded"}, out.Bytes()
}
