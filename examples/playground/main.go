package main

import (
	"bytes"
	"compress/gzip"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/crdkit/crdkit/examples/playground/internal/wasmstrip"
)

//go:embed web
var web embed.FS

func main() {
	address := flag.String("addr", "127.0.0.1:8090", "serve the page at this `ADDRESS`")
	out := flag.String("o", "", "write the files of the page into the directory `DIR`, for any static host, and serve nothing")
	flag.Parse()
	if err := run(*address, *out, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(1)
	}
}

func run(address, out string, log io.Writer) error {
	fmt.Fprintln(log, "building the library for WebAssembly ...")
	files, err := build()
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "%.2f MB to download, %.1f MB as WebAssembly\n", float64(files.compressed())/1e6, float64(files.wasm)/1e6)
	if out != "" {
		return files.write(out)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	fmt.Fprintf(log, "http://%s/\n", listener.Addr())
	server := &http.Server{Handler: files, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}

// A site has the files of the page.
type site struct {
	files map[string][]byte // by name
	wasm  int               // the length of the program before it was compressed
}

// program is the name of the compressed program. The worker decompresses it, so that any static host can serve it.
const program = "crdkit.wasm.gz"

// inlined are the packages that are compiled with inlining: the allocator and the parsers, which gain most. Without
// inlining in the other packages, the program is a sixth smaller.
var inlined = []string{
	"runtime", "internal/runtime/maps", "github.com/crdkit/crdkit/internal/jsonscan", "github.com/crdkit/crdkit/internal/schemadoc",
	"go.yaml.in/yaml/v3",
}

// build returns the files of the page, with the library as a program.
func build() (*site, error) {
	s := &site{files: map[string][]byte{}}
	err := fs.WalkDir(web, "web", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			s.files[strings.TrimPrefix(path, "web/")], err = web.ReadFile(path)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	root, err := goCommand("", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	// wasm_exec.js must come from the Go version that builds the program.
	if s.files["wasm_exec.js"], err = os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js")); err != nil {
		return nil, err
	}
	source, err := goCommand("", "list", "-m", "-f", "{{.Dir}}", "github.com/crdkit/crdkit")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "playground")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	binary := filepath.Join(dir, "crdkit.wasm")
	args := []string{"build", "-trimpath", "-buildvcs=false", "-tags", "crdkit_nox509", "-ldflags", "-s -w", "-o", binary, "-gcflags", "all=-l"}
	for _, pkg := range inlined {
		args = append(args, "-gcflags", pkg+"=")
	}
	if _, err := goCommand(filepath.Join(source, "examples", "playground", "wasm"), args...); err != nil {
		return nil, err
	}
	wasm, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	if err := wasmstrip.Strip(wasm); err != nil {
		return nil, err
	}
	s.wasm = len(wasm)
	s.files[program] = compress(wasm)
	return s, nil
}

// goCommand runs go in a directory, for js/wasm if it builds, and returns what it prints.
func goCommand(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	if args[0] == "build" {
		cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWORK=off")
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, stderr.Bytes())
	}
	return strings.TrimSpace(string(stdout)), nil
}

func compress(data []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is valid
	_, _ = w.Write(data)                                  // a buffer takes everything
	_ = w.Close()
	return b.Bytes()
}

// compressed returns the size of the download.
func (s *site) compressed() (n int) {
	for name, data := range s.files {
		if name != program {
			data = compress(data)
		}
		n += len(data)
	}
	return n
}

// write writes the files into a directory, and creates it if necessary.
func (s *site) write(dir string) error {
	for name, data := range s.files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// policy allows the page to load only its own files. The page has the same policy in a meta element, for static hosts.
const policy = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// types are the content types by file extension.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml", ".yaml": "text/plain; charset=utf-8", ".gz": "application/octet-stream",
}

// ServeHTTP serves the files.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	if name == "" {
		name = "index.html"
	}
	data, ok := s.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Type", types[filepath.Ext(name)])
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-cache")
	if name != program && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		h.Set("Vary", "Accept-Encoding")
		data = compress(data)
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}
