package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// starts is how often each program is started: the least time of all counts, since the machine only ever adds to it.
const starts = 40

// binaries builds the programs of internal/linked, and prints how big they are and how long they take to start and end.
func binaries(w io.Writer) error {
	dir, err := os.MkdirTemp("", "report")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	fmt.Fprint(w, "\n### Programs\n\nStripped, and started without arguments: what importing costs.\n\n| program | size | start |\n|---|--:|--:|\n")
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
		start, err := leastStart(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "| %s | %.1f MB | %s |\n", p.what, float64(info.Size())/1e6, duration(start))
	}
	return nil
}

func leastStart(file string) (float64, error) {
	least := math.Inf(1)
	for range starts {
		began := time.Now()
		if err := exec.Command(file).Run(); err != nil {
			return 0, err
		}
		least = min(least, float64(time.Since(began).Nanoseconds()))
	}
	return least, nil
}
