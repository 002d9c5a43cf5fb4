package cli

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
)

var initCommand = command{
	name:  "init",
	args:  "[-d DIRECTORY] NAME...",
	short: "a first Go test of definitions, with package crdtest",
	long: `NAME are files and directories with definitions. The test is written into crds_test.go, which must not be there.
Run it once with CRDTEST_UPDATE=1: it makes samples of objects, which are golden files from then on.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var dir, pkg string
		flags.StringVar(&dir, "d", ".", "write into `DIRECTORY`")
		flags.StringVar(&pkg, "package", "crds", "`NAME` of the package")
		e.inputFlags(flags)
		return func(args []string) error { return e.init(dir, pkg, args) }
	},
}

// packageName matches conventional package names.
var packageName = regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)

func (e *env) init(dir, pkg string, args []string) error {
	if !packageName.MatchString(pkg) {
		return usageError(pkg + " is no name of a package")
	}
	for _, name := range args {
		if name == input.Stdin || strings.Contains(name, "://") {
			return usageError("a test reads files: " + name + " is none")
		}
	}
	definitions, err := e.readValidDefinitions("init", args)
	if err != nil {
		return err
	}
	text, err := generateTest(dir, pkg, definitions)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	file := filepath.Join(dir, "crds_test.go")
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already, and stays as it is", filepath.ToSlash(file))
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	e.stdout.Printf("%s is written. In its directory:\n\n    go get github.com/crdkit/crdkit@latest\n    CRDTEST_UPDATE=1 go test .   # makes testdata/samples\n    go test .\n", filepath.ToSlash(file))
	return nil
}

// generateTest returns the Go file with a test of definitions.
func generateTest(dir, pkg string, definitions []*definition) ([]byte, error) {
	var files []string
	// The test names each file, since package crdtest does not read directories recursively.
	for _, d := range definitions {
		name, err := filepath.Rel(dir, filepath.FromSlash(d.file))
		if err != nil {
			name = d.file
		}
		files = append(files, strconv.Quote(filepath.ToSlash(name)))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"testing\"\n\n\t\"github.com/crdkit/crdkit/crdtest\"\n)\n\n", pkg)
	fmt.Fprintf(&b, "func TestDefinitions(t *testing.T) {\n\tcrds := crdtest.Load(t, %s)\n\tcrds.Accepted(t) // as by kubectl apply\n", strings.Join(slices.Compact(files), ", "))
	for _, d := range definitions {
		n := &d.crd.Spec.Names
		version, err := d.crd.StorageVersion()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.file, err)
		}
		samples := strconv.Quote("testdata/samples/" + n.Plural + "." + d.crd.Spec.Group)
		fmt.Fprintf(&b, "\n\tcrds.WriteSamples(t, %s, %q, %q) // with CRDTEST_UPDATE=1\n\tcrdtest.RunFiles(t, crds, %s)\n", samples, n.Kind, version, samples)
	}
	b.WriteString("}\n")
	return []byte(b.String()), nil
}
