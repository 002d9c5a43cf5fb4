package input

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// gitRun runs git with some configuration that makes commits possible.
func gitRun(t *testing.T, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	options := []string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main", "-c", "safe.bareRepository=all"}
	out, err := exec.Command("git", append(options, args...)...).CombinedOutput()
	require.NoError(t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

func TestGit(t *testing.T) {
	tree(t, map[string]string{"crds/a.yaml": "1", "crds/sub/b.json": "22", "crds/x.txt": "", "crds/.h/c.yaml": "", "other.yaml": "3"})
	gitRun(t, "init", "-q")
	gitRun(t, "add", ".")
	gitRun(t, "commit", "-q", "-m", "first")
	gitRun(t, "tag", "v1")
	require.NoError(t, os.Remove("crds/a.yaml"))
	r := &Reader{Limits: DefaultLimits}
	require.Equal(t, []string{"v1:crds/a.yaml 1", "v1:crds/sub/b.json 22"}, lines(r.Read("git://v1?path=crds")))
	require.Equal(t, []string{"v1:crds/a.yaml 1"}, lines(r.Read("git://v1?path=crds/a.yaml")))
	require.Equal(t, []string{"v1:crds/a.yaml 1", "v1:crds/sub/b.json 22"}, lines(r.Git("v1", "crds")))
	require.Equal(t, []string{"v1:crds/a.yaml 1", "v1:crds/sub/b.json 22", "v1:other.yaml 3"}, lines(r.Read("git://v1")))
	require.Empty(t, r.Read("git://v1?path=none"))
	require.Equal(t, []string{"--help:crds: this is no name of a commit"}, lines(r.Read("git://--help?path=crds")))
	require.Equal(t, []string{"git://v1?crds: the form is git://REF?path=PATH"}, lines(r.Read("git://v1?crds")))
	require.Contains(t, lines(r.Read("git://v2"))[0], "v2:.: git does not know the commit v2")
	require.Equal(t, []string{":.: this is no name of a commit", "a:b:.: this is no name of a commit"}, lines(append(r.Read("git://"), r.Read("git://a:b")...)))
	require.Empty(t, r.Git("v1", "none"))
	require.Equal(t, []string{"v1:crds/x.txt"}, lines(r.Git("v1", "crds/x.txt")), "a file that is named is read whatever its name is")
	require.Equal(t, []string{"v1:crds/.h/c.yaml"}, lines(r.Read("git://v1?path=crds/.h/c.yaml")))
	small := &Reader{Limits: Limits{File: 1, Total: 9, Files: 9, Wait: time.Minute}}
	require.Equal(t, []string{"v1:crds/a.yaml 1", "v1:crds/sub/b.json: the file is larger than the limit of 1 bytes"}, lines(small.Read("git://v1?path=crds")))
}

// What git answers is checked, in case that it is another git.
func TestGitAnswers(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	tree(t, nil)
	dir, err := filepath.EvalSymlinks(".")
	require.NoError(t, err)
	dir, err = filepath.Abs(dir)
	require.NoError(t, err)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	id := func(digit string) string { return strings.Repeat(digit, 40) }
	// Links and modules are no files.
	listing := `120000 blob ` + id("3") + `\tlink.yaml\000160000 commit ` + id("4") + `\tmodule.yaml\000100644 blob ` + id("1") +
		`\ta.yaml\000100644 blob ` + id("2") + `\tb.yaml\000100644 blob 2\tno-id.yaml\000`
	wait := time.Minute
	answers := func(parse, list, blobs string) []string {
		script := "#!" + shell + "\nfor a in \"$@\"; do\n  case $a in\n  --show-toplevel) printf 'true\\n" + dir + "\\n';;\n  --verify) " + parse +
			";;\n  ls-tree) " + list + ";;\n  cat-file) " + blobs + ";;\n  esac\ndone\n"
		require.NoError(t, os.WriteFile("git", []byte(script), 0o755))
		start := time.Now()
		r := &Reader{Limits: Limits{File: 9, Total: 99, Files: 2, Wait: wait}}
		defer func() { require.Less(t, time.Since(start), 30*time.Second) }()
		return lines(r.Git("r", "."))
	}
	commit, list := "echo "+id("a"), "printf '"+listing+"'"
	for answer, want := range map[string][]string{
		"id blob 1\na\nid blob 2\nbb\n":    {"r:a.yaml a", "r:b.yaml bb"},
		"id missing\nid blob 1\na\n":       {"r:a.yaml: the clone does not have this file, and crdkit does not fetch: clone without --filter", "r:b.yaml a"},
		"id\n":                             {`r:a.yaml: git cat-file answers "id\n"`},
		"id blob many\n":                   {`r:a.yaml: strconv.ParseUint: parsing "many": invalid syntax`},
		"id blob -1\n":                     {`r:a.yaml: strconv.ParseUint: parsing "-1": invalid syntax`},
		"id blob 9\na":                     {"r:a.yaml: unexpected EOF", `r:b.yaml: git cat-file answers ""`},
		"id blob 1\na":                     {"r:a.yaml a", `r:b.yaml: git cat-file answers ""`},
		"id blob 1\na\n":                   {"r:a.yaml a", `r:b.yaml: git cat-file answers ""`},
		"id blob 99\n":                     {"r:a.yaml: the file is larger than the limit of 9 bytes", `r:b.yaml: git cat-file answers ""`},
		"id blob 0\n\nid blob 0\n\nmore\n": {"r:a.yaml", "r:b.yaml"},
	} {
		require.Equal(t, want, answers(commit, list, "printf '"+answer+"'"), answer)
	}
	require.Equal(t, []string{"r:a.yaml: fatal: no"}, answers(commit, list, "echo fatal: no >&2; exit 1"))
	require.Equal(t, []string{`r:.: git does not know the commit r: git rev-parse answers "--x"`}, answers("echo --x", list, "exit 1"))
	require.Equal(t, []string{"r:.: unexpected EOF"}, answers(commit, "printf 100644", "exit 1"))
	// What never ends is ended, even if a program that git has started does not end.
	long := "printf '100644 blob " + id("1") + "\\t%s.yaml\\000' a b c"
	require.Equal(t, []string{"r:.: there are more files than the limit of 2: nothing is read"}, answers(commit, long+"; sleep 60", "exit 1"))
	wait = time.Second
	require.Equal(t, []string{"r:.: git did not end in time"}, answers(commit, "while :; do printf 'x\\000'; done", "exit 1"))
	require.Equal(t, []string{"r:.: git did not end in time"}, answers(commit, "sleep 60", "exit 1"))
	require.Equal(t, []string{"r:a.yaml: git did not end in time"}, answers(commit, list, "sleep 60"))
	require.Equal(t, []string{"r:.: git is run in the current directory, which must be in the repository: git did not end in time"},
		lines((&Reader{Limits: Limits{Wait: -1}}).Git("r", ".")))

	t.Setenv("PATH", t.TempDir())
	r := &Reader{Limits: Limits{Wait: time.Minute}}
	require.Contains(t, lines(r.Git("r", "."))[0], `r:.: git is run in the current directory, which must be in the repository: exec: "git": executable file not found`)
}

// The repository is that of the current directory.
func TestGitOtherRepositories(t *testing.T) {
	tree(t, map[string]string{"a/crds/a.yaml": "1", "b/b.yaml": "2", "a/module/c.yaml": "3", "none/x.yaml": ""})
	for _, dir := range []string{"b", "a/module", "a"} {
		gitRun(t, "-C", dir, "init", "-q")
		gitRun(t, "-C", dir, "add", ".")
		gitRun(t, "-C", dir, "commit", "-q", "-m", "first")
		gitRun(t, "-C", dir, "tag", "v1")
	}
	gitRun(t, "-C", "a", "worktree", "add", "-q", "../worktree")
	gitRun(t, "clone", "-q", "--bare", "a", "bare")
	top, err := filepath.Abs(".")
	require.NoError(t, err)
	enter := func(dir string) { t.Chdir(filepath.Join(top, dir)) }
	r := &Reader{Limits: DefaultLimits}
	const outside = "it is not in the repository of the current directory: run crdkit in its repository"

	enter("a/crds")
	require.Equal(t, []string{"v1:a.yaml 1"}, lines(r.Git("v1", ".")))
	require.Equal(t, []string{"v1:a.yaml 1"}, lines(r.Git("v1", "a.yaml")))
	require.Equal(t, []string{"v1:../crds/a.yaml 1"}, lines(r.Git("v1", "../crds")))
	require.Equal(t, []string{"v1:../../b: " + outside}, lines(r.Git("v1", "../../b")))
	require.Equal(t, []string{"v1:../module: " + outside}, lines(r.Git("v1", "../module")))
	require.Equal(t, []string{"v1:../module/none/c.yaml: " + outside}, lines(r.Git("v1", "../module/none/c.yaml")))
	require.Equal(t, []string{"v1:" + filepath.ToSlash(top) + "/a/crds/a.yaml 1"}, lines(r.Git("v1", filepath.Join(top, "a/crds"))))
	enter("worktree")
	require.Equal(t, []string{"v1:crds/a.yaml 1"}, lines(r.Git("v1", "crds")))
	enter("none")
	require.Contains(t, lines(r.Git("v1", "."))[0], "v1:.: git is run in the current directory, which must be in the repository: fatal: not a git repository")
	if os.Symlink(filepath.Join(top, "a/crds"), filepath.Join(top, "b/link")) == nil {
		require.NoError(t, os.Symlink("crds", filepath.Join(top, "a/link")))
		enter("b")
		require.Equal(t, []string{"v1:link: " + outside}, lines(r.Git("v1", "link")))
		enter("a")
		require.Equal(t, []string{"v1:link/a.yaml 1"}, lines(r.Git("v1", "link")))
	}
	// A bare repository must be named.
	enter("bare")
	require.Contains(t, lines(r.Git("v1", "crds"))[0], "safe.bareRepository")
	t.Setenv("GIT_DIR", ".")
	require.Equal(t, []string{"v1:crds/a.yaml 1"}, lines(r.Git("v1", "crds")))
	require.Equal(t, []string{"v1:../a: " + outside}, lines(r.Git("v1", "../a")))
}

// bareRepository makes the current directory one: HEAD, config, objects and refs. The contents of its file are missing.
func bareRepository(t *testing.T, dir string) {
	t.Helper()
	source := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(source, "a.yaml"), []byte("from the embedded repository"), 0o644))
	gitRun(t, "-C", source, "init", "-q")
	gitRun(t, "-C", source, "add", ".")
	gitRun(t, "-C", source, "commit", "-q", "-m", "first")
	blob := gitRun(t, "-C", source, "rev-parse", "HEAD:a.yaml")
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(source, ".git"))))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "objects", blob[:2])))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "hooks")))
}

// Nothing that a configuration names is run: neither by that of a directory with the files of a repository, which is
// never asked, nor by that of the current directory's repository.
func TestGitRunsNothing(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	programs := t.TempDir()
	mark, script := filepath.Join(programs, "mark"), filepath.Join(programs, "program")
	require.NoError(t, os.WriteFile(script, []byte("#!"+shell+"\necho \"$0 $*\" >>"+mark+"\nexit 1\n"), 0o755))
	hooks := filepath.Join(programs, "hooks")
	require.NoError(t, os.Mkdir(hooks, 0o755))
	for _, h := range []string{"post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman", "post-rewrite"} {
		require.NoError(t, os.Symlink(script, filepath.Join(hooks, h)))
	}
	require.NoError(t, os.Symlink(script, filepath.Join(programs, "git-remote-helper")))
	t.Setenv("PATH", os.Getenv("PATH")+string(os.PathListSeparator)+programs)
	promisor := "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\tpromisor = true\n"
	remote := func(url string) string { return promisor + "\turl = " + url + "\n[protocol]\n\tallow = always\n" }
	configurations := map[string]string{
		"core.sshCommand":     remote("ssh://host.invalid/x") + "[core]\n\tsshCommand = " + script + "\n[protocol \"ssh\"]\n\tallow = always\n",
		"remote.uploadpack":   remote(filepath.ToSlash(programs)) + "[remote \"origin\"]\n\tuploadpack = " + script + "\n[protocol \"file\"]\n\tallow = always\n",
		"remote.vcs":          remote("x") + "[remote \"origin\"]\n\tvcs = helper\n[protocol \"helper\"]\n\tallow = always\n",
		"ext":                 remote("ext::"+script+" %S") + "[protocol \"ext\"]\n\tallow = always\n",
		"core.gitProxy":       remote("git://127.0.0.1:1/x") + "[core]\n\tgitProxy = " + script + "\n[protocol \"git\"]\n\tallow = always\n",
		"credential.helper":   remote("http://127.0.0.1:1/x") + "[credential]\n\thelper = " + script + "\n[core]\n\taskPass = " + script + "\n",
		"core.fsmonitor":      "[core]\n\tfsmonitor = " + script + "\n",
		"core.hooksPath":      "[core]\n\thooksPath = " + hooks + "\n",
		"core.pager":          "[core]\n\tpager = " + script + "\n[pager]\n\tls-tree = " + script + "\n\trev-parse = " + script + "\n",
		"alias":               "[alias]\n\trev-parse = !" + script + "\n\tls-tree = !" + script + "\n\tcat-file = !" + script + "\n",
		"diff.textconv":       "[diff \"x\"]\n\ttextconv = " + script + "\n\tcommand = " + script + "\n[diff]\n\texternal = " + script + "\n",
		"filter":              "[filter \"x\"]\n\tsmudge = " + script + "\n\tclean = " + script + "\n\tprocess = " + script + "\n\trequired = true\n",
		"gpg.program, editor": "[gpg]\n\tprogram = " + script + "\n[log]\n\tshowSignature = true\n[core]\n\teditor = " + script + "\n",
	}
	// control counts the programs that an unguarded git runs, so that the test tests something.
	control := 0
	for name, configuration := range configurations {
		t.Run(name, func(t *testing.T) {
			ran := func() string {
				text, _ := os.ReadFile(mark)
				_ = os.Remove(mark)
				return string(text)
			}
			tree(t, map[string]string{"manifests/a.yaml": "the old one"})
			gitRun(t, "init", "-q")
			gitRun(t, "add", ".")
			gitRun(t, "commit", "-q", "-m", "first")
			bareRepository(t, "manifests")
			appendTo := func(file, text string) {
				f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY|os.O_CREATE, 0o644)
				require.NoError(t, err)
				_, err = f.WriteString(text)
				require.NoError(t, err)
				require.NoError(t, f.Close())
			}
			attributes := "* filter=x diff=x\n"
			appendTo("manifests/config", configuration)
			require.NoError(t, os.MkdirAll("manifests/info", 0o755))
			appendTo("manifests/info/attributes", attributes)

			unguarded := exec.Command("git", "-c", "safe.bareRepository=all", "-C", "manifests", "cat-file", "-p", "HEAD:a.yaml")
			unguarded.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0")
			_ = unguarded.Run()
			if ran() != "" {
				control++
			}
			r := &Reader{Limits: DefaultLimits}
			require.Equal(t, []string{"main:manifests/a.yaml the old one"}, lines(r.Git("main", "manifests")))
			require.Equal(t, []string{"main:manifests/a.yaml the old one"}, lines(r.Git("main", "manifests/a.yaml")))
			require.Equal(t, []string{"main:manifests/a.yaml the old one"}, lines(r.Read("git://main?path=manifests")))
			require.Empty(t, ran())

			// Whoever enters the directory gets an error, and nothing is run.
			top, err := filepath.Abs(".")
			require.NoError(t, err)
			t.Chdir("manifests")
			require.Contains(t, lines(r.Git("HEAD", "."))[0], "safe.bareRepository")
			require.Empty(t, ran())

			// The configuration of the current directory's own repository runs nothing either.
			t.Setenv("GIT_DIR", ".")
			for _, f := range r.Git("HEAD", "a.yaml") {
				require.Error(t, f.Err)
			}
			require.Empty(t, ran())
			require.NoError(t, os.Unsetenv("GIT_DIR"))
			t.Chdir(top)
			appendTo(".git/config", strings.Replace(configuration, "repositoryformatversion = 1", "", 1))
			require.NoError(t, os.MkdirAll(".git/info", 0o755))
			appendTo(".git/info/attributes", attributes)
			require.Equal(t, []string{"main:manifests/a.yaml the old one"}, lines(r.Git("main", "manifests")))
			require.Empty(t, ran())
		})
	}
	require.GreaterOrEqual(t, control, 3, "an unguarded git runs the programs of several configurations")
}

// Variables that make git run something, or allow it, are not passed on. Those that say where the repository is are.
func TestGitEnvironment(t *testing.T) {
	for _, name := range []string{"GIT_SSH_COMMAND", "GIT_ALLOW_PROTOCOL", "GIT_PROXY_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_TRACE", "GIT_EXEC_PATH", "GIT_CONFIG_PARAMETERS"} {
		t.Setenv(name, "hostile")
	}
	t.Setenv("GIT_CONFIG_COUNT", "0")
	env := gitEnvironment()
	require.NotContains(t, strings.Join(env, "\n"), "=hostile")
	require.Subset(t, env, []string{"GIT_CONFIG_COUNT=0", "GIT_CONFIG_NOSYSTEM=1", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"})
}

// What git says is kept up to a limit, however it is written.
func TestPrefix(t *testing.T) {
	var p prefix
	for range 3 {
		n, err := p.Write(bytes.Repeat([]byte("x"), maxPrefix/2+1))
		require.NoError(t, err)
		require.Equal(t, maxPrefix/2+1, n)
	}
	require.Len(t, p, maxPrefix)
}
