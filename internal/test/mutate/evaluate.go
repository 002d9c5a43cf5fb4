package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A verdict is the result of the tests for a mutation.
type verdict struct {
	*mutation
	noticedBy string        // the package whose tests fail, or empty
	cpu       time.Duration // of the builds and tests that finished
	err       error         // the tests could not be run, or not all of them in time
}

// evaluate runs the tests that could notice m, until one fails. A test binary that does not end within timeout has
// noticed it.
func evaluate(ctx context.Context, m *mutation, timeout time.Duration) (v verdict) {
	v.mutation = m
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		v.err = err
		return v
	}
	defer os.RemoveAll(dir)
	changed, overlay := filepath.Join(dir, filepath.Base(m.file.path)), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{m.file.path: changed}})
	if err == nil {
		err = os.WriteFile(overlay, replace, 0o600)
	}
	if err == nil {
		err = os.WriteFile(changed, m.text(), 0o600)
	}
	if err != nil {
		v.err = err
		return v
	}
	for _, packages := range [][]string{{m.in.ImportPath}, m.in.module.dependents(m.in.listed)} {
		if len(packages) == 0 || v.noticedBy != "" || v.err != nil {
			continue
		}
		t := tests{packages, overlay, m.in.Dir, timeout}
		var cpu time.Duration
		v.noticedBy, cpu, v.err = t.run(ctx)
		v.cpu += cpu
	}
	v.noticedBy = m.in.module.short(v.noticedBy)
	return v
}

// tests are the tests of some packages, with an overlay.
type tests struct {
	packages []string
	overlay  string
	dir      string
	timeout  time.Duration // of each package
}

// run runs the tests of the packages one by one, and returns the first package whose tests fail, or "". Results of
// tests that passed before come from go's test cache.
func (t *tests) run(ctx context.Context) (failed string, cpu time.Duration, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	args := []string{"test", "-p", "1", "-vet", "off", "-failfast", "-timeout", t.timeout.String(), "-overlay", t.overlay}
	cmd := exec.CommandContext(ctx, "go", append(args, t.packages...)...)
	cmd.Dir = t.dir
	cmd.WaitDelay = 5 * time.Second
	confine(cmd)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", 0, err
	}
	if err := cmd.Start(); err != nil {
		return "", 0, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		// The summary of a package: FAIL, its path, and the time; or its path and [build failed].
		if line := strings.Split(lines.Text(), "\t"); line[0] == "FAIL" && len(line) > 1 && failed == "" && err == nil {
			var why string
			if failed, why, _ = strings.Cut(line[1], " "); why != "" {
				failed, err = "", errors.New(why)
			}
			cancel()
		}
	}
	waited := cmd.Wait()
	cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if failed == "" && err == nil && waited != nil {
		err = fmt.Errorf("go test: %w\n%s", waited, stderr.String())
	}
	return failed, cpu, err
}
