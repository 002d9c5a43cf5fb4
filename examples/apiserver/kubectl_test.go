package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The scripts run kubectl with the server (KCT).
func TestKubectl(t *testing.T) {
	runScripts(t, "testdata/kubectl/*.txt")
}

// The scripts follow documents about definitions step by step, with similar manifests: the documentation page, the page
// about schemas, a tutorial, and the design of versions. Where those are outdated, the scripts have the current output
// (clauses DOC and SEED).
func TestWalkthroughs(t *testing.T) {
	runScripts(t, "testdata/walkthroughs/*.txt")
}

// kubectl get -w shows each change at once, as a row and as an object.
func TestKubectlWatch(t *testing.T) {
	needKubectl(t)
	s, dir := start(t), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "crd.yaml"), []byte(scriptFile(t, "testdata/kubectl/1-objects.txt", "crd.yaml")), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "one.yaml"), []byte(scriptFile(t, "testdata/kubectl/1-objects.txt", "one.yaml")), 0o600))
	s.sh(t, dir, "kubectl create -f crd.yaml")
	rows := s.background(t, dir, "kubectl get gliders -w --output-watch-events --no-headers")
	objects := s.background(t, dir, `kubectl get gliders --watch-only -o jsonpath='{.metadata.name} {.spec.colour}{"\n"}'`)
	time.Sleep(3 * time.Second) // both are watching by then
	for _, c := range []struct{ command, row, object string }{
		{"kubectl create -f one.yaml", `ADDED +one +white +1 +[0-9]+s`, `one white`},
		{`kubectl patch gl one --type=merge -p '{"spec":{"colour":"red"}}'`, `MODIFIED +one +red +1 +[0-9]+s`, `one red`},
		{"kubectl delete gl one", `DELETED +one +red +1 +[0-9]+s`, `one red\none red`},
	} {
		s.sh(t, dir, c.command)
		require.Eventually(t, func() bool { return regexp.MustCompile("(?m)^" + c.row + "$").MatchString(rows.String()) }, 10*time.Second, 10*time.Millisecond,
			"%s: %s", c.command, rows)
		require.Eventually(t, func() bool { return regexp.MustCompile("(?m)^" + c.object + "$").MatchString(objects.String()) }, 10*time.Second, 10*time.Millisecond,
			"%s: %s", c.command, objects)
	}
	require.Len(t, strings.Split(strings.TrimSpace(rows.String()), "\n"), 3)
}

// background starts a command that runs until the test ends, and returns its output.
func (s *instance) background(t *testing.T, dir, command string) *buffer {
	t.Helper()
	out := new(buffer)
	c := exec.CommandContext(t.Context(), "sh", "-c", "exec "+command)
	c.Dir, c.Env, c.Stdout, c.Stderr, c.WaitDelay = dir, s.env(), out, out, time.Second
	require.NoError(t, c.Start())
	t.Cleanup(func() { c.Wait() })
	return out
}

// scriptFile returns a file of a script.
func scriptFile(t *testing.T, script, name string) string {
	t.Helper()
	text, err := os.ReadFile(script)
	require.NoError(t, err)
	_, files := parseScript(string(text))
	require.Contains(t, files, name)
	return files[name]
}

// Other versions of kubectl in the same directory as the one in PATH have the same results, from 1.27 on.
func TestOtherKubectls(t *testing.T) {
	needKubectl(t)
	binary, err := exec.LookPath("kubectl")
	require.NoError(t, err)
	binary, err = filepath.EvalSymlinks(binary)
	require.NoError(t, err)
	others, err := filepath.Glob(filepath.Join(filepath.Dir(binary), "kubectl.1.*"))
	require.NoError(t, err)
	for _, other := range others {
		name := filepath.Base(other)
		var minor int
		if _, err := fmt.Sscanf(name, "kubectl.1.%d", &minor); err != nil || minor < 27 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			s, dir := start(t), t.TempDir()
			require.NoError(t, os.Symlink(other, filepath.Join(dir, "kubectl")))
			s.path = dir + ":" + s.path
			for _, file := range []string{"crd.yaml", "one.yaml", "two.yaml"} {
				content := scriptFile(t, "testdata/kubectl/1-objects.txt", file)
				require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600))
			}
			for _, c := range []struct{ command, want string }{
				{"kubectl version -o json", fmt.Sprintf(`"gitVersion": "v1\.%d\.`, minor)},
				{"kubectl apply -f crd.yaml", "created$"},
				{"kubectl create -f one.yaml --validate=strict", "created$"},
				{"kubectl apply -f two.yaml", "created$"},
				{"sed 's/red/yellow/' two.yaml | kubectl apply -f -", "configured$"},
				{"kubectl get gl", `(?m)^two +yellow +2 +[0-9]+s$`},
				{"kubectl explain glider.spec.wing.span", "In metres"},
				{"kubectl scale gl one --replicas=2", "scaled$"},
				{"kubectl patch gl one --type=merge -p '{\"spec\":{\"colour\":\"red\"}}'", "patched$"},
				{"kubectl get gl --field-selector spec.colour=red -o name", "^glider.sky.example.com/one$"},
				{"kubectl create namespace other && kubectl get ns", `(?m)^other +Active`},
				{"kubectl delete gl --all", `"two"( from default namespace)? deleted$`},
				{"kubectl delete -f crd.yaml", "deleted$"},
			} {
				require.Regexp(t, c.want, strings.Join(s.sh(t, dir, c.command), "\n"), c.command)
			}
		})
	}
}
