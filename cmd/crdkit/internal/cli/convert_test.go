package cli

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/conversion"
)

// convertMode makes the test binary a program for -convert-exec.
const convertMode = "CRDKIT_TEST_CONVERT"

func TestMain(m *testing.M) {
	switch os.Getenv(convertMode) {
	case "":
		os.Exit(m.Run())
	case "rename":
		review, _ := io.ReadAll(os.Stdin)
		response, err := conversion.Respond(context.Background(), review, conversion.ConverterFunc(renameVersion))
		if err != nil {
			panic(err)
		}
		_, _ = os.Stdout.Write(response)
	case "long":
		for range maxReview/1024 + 1 {
			_, _ = os.Stdout.Write(make([]byte, 1024))
		}
	default:
		_, _ = os.Stderr.WriteString("out of order\n")
		os.Exit(3)
	}
}

// renameVersion converts Widgets, and forgets the version in the spec.
func renameVersion(_ context.Context, objects []map[string]any, apiVersion string) ([]map[string]any, error) {
	for i, obj := range objects {
		if spec, ok := obj["spec"].(map[string]any); ok {
			delete(spec, "version")
		}
		objects[i] = conversion.None(obj, apiVersion)
	}
	return objects, nil
}

// A program converts the objects of an audit, with a server's checks.
func TestConvertExec(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no programs")
	}
	program, err := os.Executable()
	require.NoError(t, err)
	definition, dump := scriptFile(t, "audit-webhook.txtar", "crd.yaml"), scriptFile(t, "audit-webhook.txtar", "dump.json")
	enter(t, definition)
	write(t, "dump.json", dump)
	run := func(mode string) (int, string) {
		t.Setenv(convertMode, mode)
		var out bytes.Buffer
		code := Main([]string{"audit", "-crd", "crd.yaml", "-convert-exec", program, "dump.json"}, strings.NewReader(""), &out, withoutProgress{&out})
		return code, out.String()
	}
	code, text := run("rename")
	require.Zero(t, code, text)
	require.Contains(t, text, "widgets.example.com: 2 objects, 2 clean, 0 changed, 0 broken")
	require.NotContains(t, text, "webhook")
	code, text = run("fail")
	require.Equal(t, 1, code)
	require.Contains(t, text, "exit status 3: out of order")
	code, text = run("long")
	require.Equal(t, 1, code)
	require.Contains(t, text, "the response is longer than 16 MiB")
}

// The script in docs/conversion.md asks a webhook at a URL.
func TestConvertWithCurl(t *testing.T) {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip(err)
	}
	page, err := os.ReadFile("../../../../docs/conversion.md")
	require.NoError(t, err)
	script := regexp.MustCompile("(?s)```sh\n(#!/bin/sh\n.*?)```").FindSubmatch(page)
	require.NotNil(t, script)
	definition, dump := scriptFile(t, "audit-webhook.txtar", "crd.yaml"), scriptFile(t, "audit-webhook.txtar", "dump.json")
	enter(t, definition)
	write(t, "dump.json", dump)
	require.NoError(t, os.WriteFile("convert", script[1], 0o700))

	mux := http.NewServeMux()
	mux.HandleFunc("POST /convert", func(w http.ResponseWriter, r *http.Request) {
		review, _ := io.ReadAll(r.Body)
		response, err := conversion.Respond(r.Context(), review, conversion.ConverterFunc(renameVersion))
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		_, _ = w.Write(response)
	})
	mux.Handle("/moved", http.RedirectHandler("/convert", http.StatusTemporaryRedirect))
	mux.HandleFunc("/broken", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "oops", http.StatusInternalServerError) })
	webhook := httptest.NewServer(mux)
	defer webhook.Close()
	for path, want := range map[string]string{
		"/convert": "widgets.example.com: 2 objects, 2 clean, 0 changed, 0 broken",
		"/broken":  "500",
		"/moved":   "redirects",
	} {
		t.Setenv("CONVERT_URL", webhook.URL+path)
		var out bytes.Buffer
		code := Main([]string{"audit", "-crd", "crd.yaml", "-convert-exec", "./convert", "dump.json"}, strings.NewReader(""), &out, withoutProgress{&out})
		require.Equal(t, path != "/convert", code != 0, out.String())
		require.Contains(t, out.String(), want)
	}
}

// The commands of docs/conversion.md work on the definitions of its example. The one on a git repository has tests of its
// own.
func TestConversionPage(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("no programs")
	}
	const root = "../../../../"
	page, err := os.ReadFile(root + "docs/conversion.md")
	require.NoError(t, err)
	program, err := os.Executable()
	require.NoError(t, err)
	config, err := filepath.Abs(root + "examples/unittest/config")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.CopyFS("config", os.DirFS(config)))
	require.NoError(t, os.Symlink(program, "convert"))
	write(t, "dump.json", `{"apiVersion":"example.com/v1","kind":"Other","metadata":{"name":"a"}}`)
	t.Setenv(convertMode, "rename")
	ran, git := 0, committed(t)
	for _, m := range regexp.MustCompile("`crdkit ([a-z]+ [^`]*config/crd[^`]*)`").FindAllSubmatch(page, -1) {
		args := strings.Fields(string(m[1]))
		ran++
		if strings.Contains(string(m[1]), "git://") && !git {
			continue
		}
		var out bytes.Buffer
		code := Main(args, strings.NewReader(""), &out, withoutProgress{&out})
		require.NotEqual(t, 2, code, "%s: %s", args, out.String())
		require.NotContains(t, out.String(), "no such file", args)
	}
	require.Equal(t, 4, ran)
}

// committed commits the files of the current directory to a new repository, and reports whether there is a git.
func committed(t *testing.T) bool {
	git, err := exec.LookPath("git")
	if err != nil {
		return false
	}
	for _, args := range [][]string{{"init", "-q", "-b", "main"}, {"add", "config"}, {"commit", "-q", "-m", "config"}} {
		out, err := exec.Command(git, append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	return true
}
