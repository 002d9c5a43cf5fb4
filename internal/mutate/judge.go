package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A verdict says what the tests say of a mutation.
type verdict struct {
	*mutation
	noticedBy string // the package whose tests fail, or empty
	took      time.Duration
	err       error // the tests could not be run, or not all of them in time
}

// judge runs the tests that could notice m, until one does. A test binary that does not end within timeout has noticed it.
func judge(ctx context.Context, m *mutation, timeout time.Duration) (v verdict) {
	v.mutation = m
	start := time.Now()
	defer func() { v.took = time.Since(start) }()
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
	if v.noticedBy, v.err = test(ctx, m.in.Dir, overlay, timeout, m.in.ImportPath); v.noticedBy == "" && v.err == nil {
		if above := m.in.module.dependents(m.in.listed); len(above) > 0 {
			v.noticedBy, v.err = test(ctx, m.in.Dir, overlay, timeout, above...)
		}
	}
	v.noticedBy = m.in.module.short(v.noticedBy)
	return v
}

// test runs the tests of packages, one after the other, and returns the first package whose tests fail, or nothing. Tests that pass come
// from go's cache when they ran before.
func test(ctx context.Context, dir, overlay string, timeout time.Duration, packages ...string) (failed string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	args := []string{"test", "-p", "1", "-vet", "off", "-failfast", "-timeout", timeout.String(), "-overlay", overlay}
	cmd := exec.CommandContext(ctx, "go", append(args, packages...)...)
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second
	confine(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return "", err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		// The summary of a package: FAIL, its path and the time or why there is none, with tabs between them.
		if line := strings.Split(lines.Text(), "\t"); line[0] == "FAIL" && len(line) > 1 && failed == "" {
			var why string
			if failed, why, _ = strings.Cut(line[1], " "); strings.Contains(why, "[") {
				failed, err = "", fmt.Errorf("%s", why)
			}
			cancel()
		}
	}
	switch waited := cmd.Wait(); {
	case failed != "" || err != nil:
		return failed, err
	case waited != nil:
		return "", fmt.Errorf("go test: %w\n%s", waited, stderr.String())
	}
	return "", nil
}
