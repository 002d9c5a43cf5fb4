package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed judge.txt
var program string

// modules are the modules of Kubernetes that the program needs. They have the same versions.
var modules = []string{"k8s.io/apiextensions-apiserver", "k8s.io/apiserver", "k8s.io/apimachinery"}

// build builds the program for a version of Kubernetes in dir, unless it is there already, and returns its path.
func build(dir, version string, replace []string) (string, error) {
	binary := filepath.Join(dir, "judge")
	if _, err := os.Stat(binary); err == nil {
		return filepath.Abs(binary)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644); err != nil {
		return "", err
	}
	// An empty module first: the go command needs one to look for versions.
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module judge\n\ngo 1.24.0\n"), 0o644); err != nil {
		return "", err
	}
	module, err := moduleVersion(dir, version)
	if err != nil {
		return "", err
	}
	language, err := goVersion(dir, module)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(goMod(module, language, replace)), 0o644); err != nil {
		return "", err
	}
	if _, err := goCommand(dir, "build", "-mod=mod", "-o", "judge", "."); err != nil {
		return "", err
	}
	return filepath.Abs(binary)
}

// goMod returns the go.mod file of the program.
func goMod(module, language string, replace []string) string {
	text := fmt.Sprintf("module judge\n\ngo %s\n\nrequire (\n", language)
	for _, name := range modules {
		text += "\t" + name + " " + module + "\n"
	}
	return text + ")\n\n" + strings.Join(append(slices.Clone(replace), ""), "\n")
}

// moduleVersion returns the version of Kubernetes' modules for a version of Kubernetes: v0.37.2 for 1.37.2, and for
// 1.37 the newest release.
func moduleVersion(dir, version string) (string, error) {
	rest, ok := strings.CutPrefix(version, "1.")
	if !ok {
		return "", errors.New("must be a version such as 1.37, 1.37.2 or 1.38.0-beta.0")
	}
	if strings.Contains(rest, ".") {
		return "v0." + rest, nil
	}
	out, err := goCommand(dir, "list", "-m", "-versions", modules[0])
	if err != nil {
		return "", err
	}
	return newest(strings.Fields(out), "v0."+rest+".")
}

// newest returns the last of versions, which are in order, that is a release with that prefix.
func newest(versions []string, prefix string) (string, error) {
	for _, v := range slices.Backward(versions) {
		if strings.HasPrefix(v, prefix) && !strings.Contains(v, "-") {
			return v, nil
		}
	}
	return "", fmt.Errorf("there is no release %s*", prefix)
}

// goVersion returns the version of Go that a version of the modules needs.
func goVersion(dir, module string) (string, error) {
	out, err := goCommand(dir, "mod", "download", "-json", modules[0]+"@"+module)
	if err != nil {
		return "", err
	}
	var downloaded struct{ GoMod string }
	if err := json.Unmarshal([]byte(out), &downloaded); err != nil {
		return "", err
	}
	text, err := os.ReadFile(downloaded.GoMod)
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if version, ok := strings.CutPrefix(line, "go "); ok {
			return strings.TrimSpace(version), nil
		}
	}
	return "1.24.0", nil
}

// goCommand runs the go command in dir, with a toolchain that is new enough for the module there, and returns its
// output.
func goCommand(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOTOOLCHAIN=auto", "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS"))
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, problems.String())
	}
	return string(out), nil
}

// A judge is a program, which runs. It is started again if it stops: a version may need more time or memory for a
// question than the program allows itself.
type judge struct {
	binary string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
}

func start(binary string) (*judge, error) {
	j := &judge{binary: binary}
	return j, j.restart()
}

func (j *judge) restart() (err error) {
	j.cmd = exec.Command(j.binary)
	j.cmd.Stderr = io.Discard // logs
	if j.in, err = j.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := j.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	j.out = bufio.NewReaderSize(out, 1<<20)
	return j.cmd.Start()
}

// ask returns the answer to a question. That of a program that stops says so.
func (j *judge) ask(q *question) (*answer, error) {
	text, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}
	line, err := j.exchange(append(text, '\n'))
	if err != nil {
		stopped := j.stop()
		if stopped == nil {
			stopped = err
		}
		return &answer{Failure: "stopped: " + stopped.Error()}, j.restart()
	}
	a := &answer{}
	if err := json.Unmarshal(line, a); err != nil {
		return nil, err
	}
	// Before 1.34, an object without a time has null instead. A server sets the time.
	if meta, is := a.Object["metadata"].(map[string]any); is && meta["creationTimestamp"] == nil {
		delete(meta, "creationTimestamp")
	}
	return a, nil
}

func (j *judge) exchange(text []byte) ([]byte, error) {
	if _, err := j.in.Write(text); err != nil {
		return nil, err
	}
	return j.out.ReadBytes('\n')
}

func (j *judge) stop() error {
	j.in.Close()
	return j.cmd.Wait()
}
