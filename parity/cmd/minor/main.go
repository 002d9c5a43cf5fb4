// Minor shows where two versions of Kubernetes answer differently. It builds a program with the packages of each, asks
// both the same questions about definitions, rules, objects and updates, counts the differences that crdkit has too and
// those that are listed deviations, and prints groups of the others, each with its smallest example. Run it in the directory of the parity module:
//
//	go run ./cmd/minor 1.36 1.37
//	go run ./cmd/minor -seed 2 -n 5000 1.37.2 1.38.0-beta.0
//
// A version without a patch release is the newest release of its minor version. docs/kubernetes.md says what to do with
// the groups, and how to replace modules that cannot be had.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// options are the flags.
type options struct {
	seed       uint64
	n          int
	recorded   string
	definition string
	replace    replacements
	keep       string
}

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "the `SEED` of the generated questions")
	flag.IntVar(&o.n, "n", 2000, "the `NUMBER` of generated definitions; each comes with objects and updates")
	flag.StringVar(&o.recorded, "recorded", "../../shared/conformance", "a `DIRECTORY` of recorded questions, which may be missing")
	flag.StringVar(&o.definition, "definitions", "..", "a `DIRECTORY` with YAML files that have definitions")
	flag.Var(&o.replace, "replace", "use `MODULE=PATH[@VERSION]` for a module; can be repeated")
	flag.StringVar(&o.keep, "dir", "", "build in this `DIRECTORY` and keep it; programs that are there already are used again")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: minor [flags] OLD NEW")
		flag.PrintDefaults()
		os.Exit(2)
	}
	if err := run(o, flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "minor:", err)
		os.Exit(1)
	}
}

func run(o options, oldVersion, newVersion string) error {
	dir := o.keep
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "minor"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	var judges [2]*judge
	for i, version := range [...]string{oldVersion, newVersion} {
		binary, err := build(filepath.Join(dir, version), version, o.replace)
		if err != nil {
			return fmt.Errorf("%s: %w", version, err)
		}
		if judges[i], err = start(binary); err != nil {
			return fmt.Errorf("%s: %w", version, err)
		}
		defer func() { _ = judges[i].stop() }()
	}
	questions, err := allQuestions(o)
	if err != nil {
		return err
	}
	differences, err := compare(judges, questions)
	if err != nil {
		return err
	}
	fmt.Printf("# Kubernetes %s and %s\n\n%d questions, %d differences\n\n", oldVersion, newVersion, len(questions), len(differences))
	counts := map[explanation]int{}
	var rest []*difference
	for _, d := range differences {
		why := explain(d, [2]string{oldVersion, newVersion})
		if why == unexplained {
			// A validator that has panicked is in use again in the same process, and then reports less.
			panicked, err := panicsAfresh(judges, d.question)
			if err != nil {
				return err
			}
			if panicked {
				why = panics
			}
		}
		counts[why]++
		if why == unexplained {
			rest = append(rest, d)
		}
	}
	for _, why := range slices.Sorted(maps.Keys(counts)) {
		fmt.Printf("- %s: %d\n", cmp.Or(string(why), "unexplained"), counts[why])
	}
	for _, g := range grouped(questions, rest) {
		g.print(os.Stdout, oldVersion, newVersion)
	}
	return nil
}

// replacements are replaced modules, as in a go.mod file.
type replacements []string

// String implements [flag.Value].
func (r *replacements) String() string { return strings.Join(*r, " ") }

// Set implements [flag.Value].
func (r *replacements) Set(text string) error {
	module, by, ok := strings.Cut(text, "=")
	if !ok || module == "" || by == "" {
		return fmt.Errorf("must be MODULE=PATH[@VERSION]")
	}
	*r = append(*r, fmt.Sprintf("replace %s => %s", module, strings.Replace(by, "@", " ", 1)))
	return nil
}
