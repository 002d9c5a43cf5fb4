// Suites runs tests of Kubernetes, of controller-runtime and of operators against package server, and prints how many
// pass and why the others fail:
//
//	go run ./suites kubernetes                    # test/integration of k8s.io/apiextensions-apiserver
//	go run ./suites controller-runtime            # the packages of controller-runtime whose tests start envtest
//	go run ./suites controller-runtime pkg/cache  # some of them
//	go run ./suites jobset                        # of an operator
//	go run ./suites -source ../lws lws            # the same, from a checkout of the version that operators.go names
//
// It copies the module from Go's module cache, or a checkout, into a temporary directory, and makes its tests start
// programs of this module. The tests of Kubernetes start examples/apiserver with an etcd, to which they also write
// directly. All others start the programs of ./envtest. The first build takes minutes.
//
// The files known-*.txt list the tests that are known to fail. The exit code is 1 if any other test fails.
package main

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string) int {
	flags := flag.NewFlagSet("suites", flag.ContinueOnError)
	var o options
	flags.StringVar(&o.run, "run", "", "run the tests alone whose names match the `REGEXP`")
	flags.DurationVar(&o.timeout, "timeout", 10*time.Minute, "of a process of tests")
	flags.StringVar(&o.log, "log", "", "`FILE` for the output of the tests")
	flags.StringVar(&o.source, "source", "", "use a checkout in `DIRECTORY` instead of the module cache")
	flags.Usage = func() {
		fmt.Fprintf(flags.Output(), "usage: suites [flags] %s [PACKAGE...]\n", strings.Join(slices.Sorted(maps.Keys(suites)), "|"))
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return 2
	}
	s := suites[flags.Arg(0)]
	if s == nil {
		flags.Usage()
		return 2
	}
	if flags.NArg() > 1 {
		o.packages = flags.Args()[1:]
	} else {
		o.packages = s.packages
	}
	ok, err := o.suite(ctx, s)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
	}
	if err != nil || !ok {
		return 1
	}
	return 0
}

type options struct {
	run, log, source string
	timeout          time.Duration
	packages         []string
}

// A suite is the tests of a module.
type suite struct {
	module   string // path@version
	packages []string
	known    string // the list of tests that fail
	// prepare changes the copy of the module in a directory to use the server. It returns environment variables for the
	// tests, and a function that stops the processes that it has started. Programs are built into bin.
	prepare func(ctx context.Context, source, bin string) (env []string, stop func(), err error)
	// ginkgo means that the cases are specs of Ginkgo, not functions.
	ginkgo bool
}

var suites = map[string]*suite{
	"kubernetes": kubernetes, "controller-runtime": controllerRuntime,
	"jobset": jobset, "lws": lws, "rabbitmq": rabbitmq, "grafana": grafana, "trainer": trainer, "kro": kro, "keda": keda, "kuberay": kuberay,
	"kueue": kueue, "karpenter": karpenter,
	"cluster-api": clusterAPI,
}

// suite runs the tests of a suite, and reports whether all failures are known.
func (o options) suite(ctx context.Context, s *suite) (ok bool, err error) {
	reasons, err := parseKnown(s.known)
	if err != nil {
		return false, err
	}
	log, err := os.Create(cmp.Or(o.log, os.DevNull)) // a file, which commands do not wait for
	if err != nil {
		return false, err
	}
	defer log.Close()
	dir, err := os.MkdirTemp("", "suites-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	source, bin := filepath.Join(dir, "source"), filepath.Join(dir, "bin")
	if o.source != "" {
		err = os.CopyFS(source, os.DirFS(o.source))
	} else {
		err = checkout(ctx, s.module, source)
	}
	if err != nil {
		return false, err
	}
	env, stop, err := s.prepare(ctx, source, bin)
	if err != nil {
		return false, err
	}
	defer stop()
	total := &tally{}
	for _, p := range o.packages {
		tests := o.functions
		if s.ginkgo {
			tests = o.specs
		}
		cases, err := tests(ctx, source, p, env, log)
		if err != nil {
			return false, fmt.Errorf("%s: %w", p, err)
		}
		t := &tally{}
		for _, c := range cases {
			t.count(p, c, reasons)
		}
		fmt.Printf("%-40s %s\n", p, t)
		for _, name := range t.unknown {
			fmt.Printf("    FAILS: %s\n", name)
		}
		for _, name := range t.mended {
			fmt.Printf("    passes, though it is listed: %s\n", name)
		}
		total.add(t)
	}
	fmt.Printf("%-40s %s\n", s.module, total)
	for _, reason := range slices.Sorted(maps.Keys(total.reasons)) {
		fmt.Printf("    %3d: %s\n", total.reasons[reason], reason)
	}
	return len(total.unknown) == 0, nil
}

// functions runs the test functions of a package, each in its own process, so that a panic ends only one of them.
func (o options) functions(ctx context.Context, source, p string, env []string, log io.Writer) (out []result, err error) {
	dir := filepath.Join(source, p)
	// This is the name that go test gives it. Tests expect it in managedFields.
	binary := filepath.Join(dir, filepath.Base(p)+".test")
	if err := command(ctx, source, nil, log, "go", "test", "-c", "-o", binary, "./"+p).Run(); err != nil {
		return nil, err
	}
	c := command(ctx, dir, env, log, binary, "-test.list", cmp.Or(o.run, "^Test"))
	c.Stdout = nil
	names, err := c.Output()
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Fields(string(names)) {
		err := runGroup(command(ctx, dir, env, log, binary, "-test.v", "-test.run", "^"+name+"$", "-test.timeout", o.timeout.String()))
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out = append(out, result{name, err != nil})
	}
	return out, nil
}

// specs runs the specs of a package.
func (o options) specs(ctx context.Context, source, p string, env []string, log io.Writer) ([]result, error) {
	report := filepath.Join(source, "report.json")
	os.Remove(report)
	failed := runGroup(command(ctx, source, env, log, "go", "test", "-count=1", "-timeout", o.timeout.String(), "./"+p,
		"-ginkgo.json-report="+report, "-ginkgo.focus="+o.run))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	text, err := os.ReadFile(report)
	if err != nil {
		return nil, fmt.Errorf("there is no report: %w", failed)
	}
	out, err := parseReport(text)
	if err == nil && len(out) == 0 { // its tests are functions
		return o.functions(ctx, source, p, env, log)
	}
	return out, err
}

// runGroup runs a command in its own process group, and then kills the rest of the group: tests that panic leave
// servers running.
func runGroup(c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	kill := func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	c.Cancel = kill
	if err := c.Start(); err != nil {
		return err
	}
	err := c.Wait()
	_ = kill() // an error if nothing is left
	return err
}

// command returns a command that writes to a log.
func command(ctx context.Context, dir string, env []string, log io.Writer, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = dir, append(os.Environ(), env...), log, log
	return c
}

// checkout copies a module from the module cache.
func checkout(ctx context.Context, module, to string) error {
	dir, err := download(ctx, os.TempDir(), module)
	if err != nil {
		return err
	}
	return os.CopyFS(to, os.DirFS(dir))
}

// download returns the directory of a module in the module cache. Without a version, it is the one that the module in
// the directory in requires.
func download(ctx context.Context, in, module string) (dir string, err error) {
	c := exec.CommandContext(ctx, "go", "mod", "download", "-json", module)
	c.Dir, c.Stderr = in, os.Stderr
	out, err := c.Output()
	var about struct{ Dir, Error string }
	if json.Unmarshal(out, &about) == nil && about.Error != "" {
		return "", fmt.Errorf("%s: %s", module, about.Error)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", module, err)
	}
	return about.Dir, nil
}

// build builds a package of a module of this repository.
func build(ctx context.Context, dir, p, binary string) error {
	c := exec.CommandContext(ctx, "go", "build", "-o", binary, p)
	c.Dir, c.Stderr = dir, os.Stderr
	return c.Run()
}

// root returns the directory of examples/apiserver.
func root(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	return strings.TrimSpace(string(out)), err
}
