package wasmstrip

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const source = `package main

import "runtime"

//go:noinline
func line() int {
	_, _, n, _ := runtime.Caller(1)
	return n
}

func main() {
	defer func() { println("line", line(), "after", recover().(error).Error()) }()
	var m map[string]int
	for i := range 3 {
		runtime.GC() // which reads the other tables
		_ = append(make([]int, i), 1)
	}
	m["a"] = 1
}
`

// A program without the tables still runs, collects garbage and recovers from panics. It only lacks line numbers.
func TestStrip(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o644))
	program := filepath.Join(dir, "main.wasm")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", program, "main.go")
	build.Dir, build.Env = dir, append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	data, err := os.ReadFile(program)
	require.NoError(t, err)
	before := strings.Count(string(data), "main.go")
	require.Positive(t, before)
	length := len(data)
	require.NoError(t, Strip(data))
	require.Len(t, data, length)
	require.Less(t, strings.Count(string(data), "main.go"), before)
	again := append([]byte(nil), data...)
	require.NoError(t, Strip(again))
	require.Equal(t, data, again)

	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node to run the program; the browser's tests run a stripped one")
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, data, 0o644))
	out, err = exec.Command(node, filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js"), program).CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "line 0 after assignment to entry in nil map")
}

func TestOtherPrograms(t *testing.T) {
	begin := "\x00asm\x01\x00\x00\x00"
	for name, program := range map[string]string{
		"nothing":               "",
		"no program":            "MZ and something else",
		"no sections":           begin,
		"a section too long":    begin + "\x0b\x7f\x00",
		"a length without end":  begin + "\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
		"no segments":           begin + "\x0b\x01\x00",
		"a segment too long":    begin + "\x0b\x06\x01\x00\x41\x00\x0b\x7f",
		"another kind":          begin + "\x0b\x06\x01\x01\x41\x00\x0b\x00",
		"data":                  begin + "\x0b\x08\x01\x00\x41\x00\x0b\x02ab",
		"a header and no more":  begin + "\x0b\x0e\x01\x00\x41\x00\x0b\x08" + string(header),
		"tables in wrong order": begin + "\x0b\x56\x01\x00\x41\x00\x0b\x50" + string(header) + "\x01" + strings.Repeat("\x00", 71),
	} {
		data := []byte(program)
		require.Error(t, Strip(data), name)
		require.Equal(t, program, string(data), name)
	}
}
