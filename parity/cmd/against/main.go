// Against measures this working tree beside an earlier commit, and both beside the reference, in one process: the time
// of the same code differs by more between two processes than most changes make. It is run from the directory of its
// module, and prints a Markdown table:
//
//	go run ./cmd/against -rounds 7 0760c07
//	go run ./cmd/against -op Create HEAD
//
// The module of the earlier commit is built under another path, in a temporary directory. Both commits must have the
// package internal/bench with the functions that testdata/beside.go calls.
package main

import (
	"archive/tar"
	"bytes"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// The path of the earlier commit's module. It begins with that of package bench's module, so that the program may
// import the internal packages of both.
const (
	module = "github.com/crdkit/crdkit"
	then   = module + "/parity/then"
)

//go:embed testdata/beside.go
var program []byte

func main() {
	rounds := flag.String("rounds", "7", "rounds; the least figure of all counts")
	each := flag.String("each", "20ms", "time for one side of an operation in one round")
	operation := flag.String("op", "", "only operations whose name starts with this")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: go run ./cmd/against [flags] commit")
		os.Exit(2)
	}
	if err := run(os.Stdout, flag.Arg(0), "-rounds", *rounds, "-each", *each, "-op", *operation); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(w io.Writer, commit string, args ...string) error {
	dir, err := os.MkdirTemp("", "against-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := checkout(commit, dir); err != nil {
		return err
	}
	binary, err := build(dir)
	if err != nil {
		return err
	}
	return command(w, ".", binary, args...)
}

// checkout writes the Go files of the commit into dir, with the other module path.
func checkout(commit, dir string) error {
	archive, err := exec.Command("git", "-C", "..", "archive", commit).Output()
	if err != nil {
		return fmt.Errorf("git archive %s: %w", commit, err)
	}
	for r := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		content, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		if ext := filepath.Ext(h.Name); ext == ".go" || ext == ".mod" {
			content = bytes.ReplaceAll(content, []byte(module), []byte(then))
		}
		if err := write(filepath.Join(dir, h.Name), content); err != nil {
			return err
		}
	}
}

func write(name string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return os.WriteFile(name, content, 0o600)
}

// build builds the program in the parity module of the earlier commit, which then depends on the working tree.
func build(dir string) (string, error) {
	parity := filepath.Join(dir, "parity")
	root, err := filepath.Abs("..")
	if err != nil {
		return "", err
	}
	if err := write(filepath.Join(parity, "cmd", "beside", "main.go"), program); err != nil {
		return "", err
	}
	var sums []byte
	for _, name := range []string{"go.sum", filepath.Join(parity, "go.sum")} {
		b, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		sums = append(sums, b...)
	}
	if err := write(filepath.Join(parity, "go.sum"), sums); err != nil {
		return "", err
	}
	edit := []string{"mod", "edit"}
	for path, d := range map[string]string{module: root, module + "/parity": filepath.Join(root, "parity")} {
		edit = append(edit, "-require="+path+"@v0.0.0", "-replace="+path+"="+d)
	}
	if err := command(os.Stderr, parity, "go", edit...); err != nil {
		return "", err
	}
	binary := filepath.Join(dir, "beside")
	return binary, command(os.Stderr, parity, "go", "build", "-mod=mod", "-o", binary, "./cmd/beside")
}

func command(w io.Writer, dir, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir, c.Stdout, c.Stderr = dir, w, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}
