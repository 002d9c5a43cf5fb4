// Peers runs crdify and crd-schema-checker on the pairs of definitions of package compat's tests, and compares their
// answers with those in docs/compat.md. See run.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/openshift/crd-schema-checker/pkg/defaultcomparators"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/crdify/pkg/config"
	"sigs.k8s.io/crdify/pkg/runner"
	"sigs.k8s.io/yaml"
)

type pair struct{ Tool, Check, What, Theirs, Old, New string }

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "peers:", err)
		os.Exit(1)
	}
}

func run(file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var pairs []pair
	if err := json.Unmarshal(body, &pairs); err != nil {
		return err
	}
	differ := 0
	for _, p := range pairs {
		old, err := definition(p.Old)
		if err != nil {
			return err
		}
		new, err := definition(p.New)
		if err != nil {
			return err
		}
		failed, text, err := checker(old, new, p.Check)
		if p.Tool == "crdify" {
			failed, text, err = crdify(old, new)
		}
		if err != nil {
			return err
		}
		if failed != strings.HasPrefix(p.Theirs, "error") {
			differ++
			fmt.Printf("%s, %s: %s: not %q: %s\n", p.Tool, p.Check, p.What, p.Theirs, text)
		}
	}
	if differ > 0 {
		return fmt.Errorf("%d of %d pairs have another answer", differ, len(pairs))
	}
	fmt.Printf("%d pairs have the answers that are listed\n", len(pairs))
	return nil
}

// definition returns a definition whose storage version has stored objects.
func definition(text string) (*v1.CustomResourceDefinition, error) {
	d := &v1.CustomResourceDefinition{}
	if err := yaml.Unmarshal([]byte(text), d); err != nil {
		return nil, err
	}
	for _, v := range d.Spec.Versions {
		if v.Storage {
			d.Status.StoredVersions = []string{v.Name}
		}
	}
	return d, nil
}

func crdify(old, new *v1.CustomResourceDefinition) (failed bool, text string, err error) {
	r, err := runner.New(&config.Config{UnhandledEnforcement: config.EnforcementPolicyError, Conversion: config.ConversionPolicyNone}, runner.DefaultRegistry())
	if err != nil {
		return false, "", err
	}
	results := r.Run(old, new)
	body, err := json.Marshal(results)
	return results.HasFailures(), string(body), err
}

// checker runs the check with the given name or, for a change that no check is for, all checks.
func checker(old, new *v1.CustomResourceDefinition, check string) (failed bool, text string, err error) {
	all := defaultcomparators.NewDefaultComparators()
	names := []string{check}
	if check == "(none)" {
		names = all.KnownComparators()
	}
	results, errs := all.Compare(old, new, names...)
	if len(errs) > 0 {
		return false, "", errs[0]
	}
	for _, r := range results {
		if len(r.Errors) > 0 {
			failed = true
			text += fmt.Sprintf("%s: %v ", r.Name, r.Errors)
		}
	}
	return failed, text, nil
}
