// Kubectlvalidate measures kubectl-validate's library on a definition and an object: decode and validate, from YAML, as
// its command does. It is a separate module, because that library needs Kubernetes 0.30. It prints two times in
// nanoseconds, each the minimum of several rounds: of decoding, and of validating the decoded object.
//
//	go run . ../testdata/pipeline.crd.yaml ../testdata/pipeline.yaml
package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"testing/fstest"
	"time"

	"sigs.k8s.io/kubectl-validate/pkg/openapiclient"
	"sigs.k8s.io/kubectl-validate/pkg/validator"
)

const (
	rounds = 100
	each   = time.Millisecond
)

func main() {
	runtime.GOMAXPROCS(1)
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "wanted: the files of a definition and of an object")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(definition, object string) error {
	document, err := os.ReadFile(definition)
	if err != nil {
		return err
	}
	body, err := os.ReadFile(object)
	if err != nil {
		return err
	}
	v, err := validator.New(openapiclient.NewLocalCRDFiles(fstest.MapFS{"definition.yaml": {Data: document}}))
	if err != nil {
		return err
	}
	_, obj, err := v.Parse(body)
	if err != nil {
		return err
	}
	if err := v.Validate(obj); err != nil {
		return err
	}
	parse := least(func() { _, _, _ = v.Parse(body) })
	validate := least(func() { _ = v.Validate(obj) })
	fmt.Printf("%.0f %.0f\n", parse, validate)
	return nil
}

func least(f func()) float64 {
	all := math.Inf(1)
	for range rounds {
		for n := 1; ; n *= 2 {
			began := time.Now()
			for range n {
				f()
			}
			if d := time.Since(began); d >= each {
				all = min(all, float64(d.Nanoseconds())/float64(n))
				break
			}
		}
	}
	return all
}
