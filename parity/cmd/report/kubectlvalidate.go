package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"

	"github.com/crdkit/crdkit/parity/internal/bench"
)

// kubectlValidate compares kubectl-validate's library, which is in a separate module with Kubernetes 0.30, with a whole
// create. The two run in separate processes, one after the other. Features that are newer than Kubernetes 1.30 cannot
// be compared.
func kubectlValidate(w io.Writer, subjects []*bench.Subject, o options) error {
	fmt.Fprint(w, "\n### kubectl-validate\n\nof a whole object: what `Parse` and `Validate` of kubectl-validate v0.0.4 take, a create from YAML, and an audit's share, from JSON.\n\n"+
		"| subject | crdkit, create | audit | kubectl-validate, parse | validate | both / create | both / audit |\n|---|--:|--:|--:|--:|--:|--:|\n")
	for _, s := range subjects {
		definition, object := filepath.Join("..", "testdata", s.Name+".crd.yaml"), filepath.Join("..", "testdata", s.Name+".yaml")
		cmd := exec.Command("go", "run", ".", definition, object)
		cmd.Dir = "kubectlvalidate"
		out, err := cmd.Output()
		if err != nil {
			fmt.Fprintf(w, "| %s | | | | refuses it | | |\n", s.Name)
			continue
		}
		var parse, validate float64
		if _, err := fmt.Sscan(string(out), &parse, &validate); err != nil {
			return fmt.Errorf("kubectl-validate: %q: %w", out, err)
		}
		ours := bench.Measure(o.rounds, o.each, s.CreateFromYAML, func() { s.Audit.Object(context.Background(), s.Body) })
		create, audit := ours[0].Nanoseconds, ours[1].Nanoseconds
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s |\n", s.Name, duration(create), duration(audit), duration(parse), duration(validate),
			times((parse+validate)/create), times((parse+validate)/audit))
	}
	return nil
}
