package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"
)

// starts is how often each program is started. The result is the minimum, because other load only adds to a time.
const starts = 40

// binaries builds the programs of internal/linked, and prints their sizes, the initialization times of their packages,
// and how long they take to start and exit.
func binaries(w io.Writer) error {
	dir, err := os.MkdirTemp("", "report")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprint(w, "\n### Programs\n\nThe cost of importing a package: stripped programs, started without arguments. \"init\" is the part of the start in which packages "+
		"initialize themselves.\n\n| program | size | init | start |\n|---|--:|--:|--:|\n")
	for _, p := range []struct{ name, what string }{
		{"schema", "`schema`, `prune`, `defaulting`, `validate`"}, {"resource", "`crd`, `resource`, with rules"},
		{"reference", "Kubernetes' packages, without rules"}, {"referencerules", "Kubernetes' packages, with rules"},
	} {
		file := filepath.Join(dir, p.name)
		if out, err := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", file, "./internal/linked/"+p.name).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", p.name, err, out)
		}
		info, err := os.Stat(file)
		if err != nil {
			return err
		}
		initializing, err := least(file, initTime)
		if err != nil {
			return err
		}
		start, err := least(file, startTime)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s | %.1f MB | %s | %s |\n", p.what, float64(info.Size())/1e6, duration(initializing), duration(start))
	}
	return nil
}

// least returns the minimum of several times that measure returns for the program in file, in nanoseconds.
func least(file string, measure func(file string) (float64, error)) (float64, error) {
	fastest := math.Inf(1)
	for range starts {
		took, err := measure(file)
		if err != nil {
			return 0, err
		}
		fastest = min(fastest, took)
	}
	return fastest, nil
}

func startTime(file string) (float64, error) {
	began := time.Now()
	err := exec.Command(file).Run()
	return float64(time.Since(began).Nanoseconds()), err
}

// initClock finds the time of one package in the runtime's output about initialization.
var initClock = regexp.MustCompile(`(?m)^init .* ([0-9.]+) ms clock,`)

func initTime(file string) (float64, error) {
	var trace bytes.Buffer
	cmd := exec.Command(file)
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		return 0, err
	}
	sum := 0.0
	clocks := initClock.FindAllSubmatch(trace.Bytes(), -1)
	for _, clock := range clocks {
		ms, err := strconv.ParseFloat(string(clock[1]), 64)
		if err != nil {
			return 0, err
		}
		sum += ms * 1e6
	}
	if len(clocks) == 0 {
		return 0, fmt.Errorf("%s: no trace of its initialization", file)
	}
	return sum, nil
}
