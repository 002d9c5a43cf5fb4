package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/cli"
)

func main() {
	var r release
	var date string
	flag.StringVar(&r.version, "version", "", "`VERSION` with its v")
	flag.StringVar(&date, "date", "", "`TIME` of all files, in RFC 3339")
	flag.StringVar(&r.bin, "bin", "", "`DIRECTORY` with the programs")
	flag.StringVar(&r.out, "out", "", "`DIRECTORY` of the release")
	flag.Parse()
	var err error
	if r.date, err = time.Parse(time.RFC3339, date); err == nil {
		err = r.make()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

// A release is what to make, and from what.
type release struct {
	version  string
	date     time.Time
	bin, out string
}

// A platform has a program and its archive.
type platform struct {
	OS, Arch string
	Program  string // the file's name
	Archive  string
	Sum      string
}

// A file is a file of an archive, or of a release.
type file struct {
	name string
	data []byte
	exec bool
}

func (r *release) make() error {
	common, err := r.commonFiles()
	if err != nil {
		return err
	}
	dirs, err := filepath.Glob(filepath.Join(r.bin, "*_*"))
	if err != nil {
		return err
	}
	slices.Sort(dirs)
	var platforms []platform
	var files []file
	for _, dir := range dirs {
		var p platform
		p.OS, p.Arch, _ = strings.Cut(filepath.Base(dir), "_")
		p.Program = "crdkit"
		if p.OS == "windows" {
			p.Program += ".exe"
		}
		path := filepath.Join(dir, p.Program)
		program, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		base := fmt.Sprintf("crdkit_%s_%s_%s", strings.TrimPrefix(r.version, "v"), p.OS, p.Arch)
		pack, end := tarball, ".tar.gz"
		if p.OS == "windows" {
			pack, end = zipped, ".zip"
		}
		p.Archive = base + end
		data, err := pack(append([]file{{p.Program, program, true}}, common...), r.date)
		if err != nil {
			return err
		}
		p.Sum = sum(data)
		bom, err := bill(path, r.version)
		if err != nil {
			return err
		}
		platforms = append(platforms, p)
		files = append(files, file{name: p.Archive, data: data}, file{name: base + ".cdx.json", data: bom})
	}
	if len(platforms) == 0 {
		return errors.New("there are no programs in " + r.bin)
	}
	for _, t := range []struct{ name, text string }{{"crdkit.krew.yaml", krew}, {"crdkit.rb", formula}} {
		text, err := fill(t.text, r.version, platforms)
		if err != nil {
			return err
		}
		files = append(files, file{name: t.name, data: text})
	}
	return r.write(files)
}

// commonFiles returns what is in the archive of each platform.
func (r *release) commonFiles() ([]file, error) {
	var files []file
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: name, data: data})
	}
	for _, c := range []struct{ shell, name string }{{"bash", "crdkit.bash"}, {"zsh", "_crdkit"}, {"fish", "crdkit.fish"}} {
		var out bytes.Buffer
		if code := cli.Main([]string{"completion", c.shell}, strings.NewReader(""), &out, os.Stderr); code != 0 {
			return nil, fmt.Errorf("completion %s: exit code %d", c.shell, code)
		}
		files = append(files, file{name: "completions/" + c.name, data: out.Bytes()})
	}
	return append(files, file{name: "man/crdkit.1", data: []byte(cli.Manual(r.version, r.date))}), nil
}

// write writes the files, and checksums of all of them.
func (r *release) write(files []file) error {
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	slices.SortFunc(files, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	var sums strings.Builder
	for _, f := range files {
		fmt.Fprintf(&sums, "%s  %s\n", sum(f.data), f.name)
	}
	for _, f := range append(files, file{name: "checksums.txt", data: []byte(sums.String())}) {
		if err := os.WriteFile(filepath.Join(r.out, f.name), f.data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
