package input

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// IgnoreFile is the name of a file with patterns of files that are not read, one on a line, in the directory that they
// are about.
const IgnoreFile = ".crdkitignore"

// A Pattern matches names of files with slashes: the name itself, a directory around it or, for a pattern without a
// slash, the last part of one of them. * and ? match all but slashes, and ** matches slashes, too.
type Pattern struct {
	dir string // names are relative to it
	exp *regexp.Regexp
}

// NewPattern returns the pattern of a text, about names that are relative to a directory.
func NewPattern(dir, text string) Pattern {
	text = strings.TrimSuffix(filepath.ToSlash(text), "/")
	anchored := strings.Contains(text, "/")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "./"), "/")
	exp := regexp.QuoteMeta(text)
	for _, r := range [][2]string{{`\*\*/`, "(.*/)?"}, {`\*\*`, ".*"}, {`\*`, "[^/]*"}, {`\?`, "[^/]"}} {
		exp = strings.ReplaceAll(exp, r[0], r[1])
	}
	if !anchored {
		exp = "(.*/)?" + exp
	}
	return Pattern{filepath.ToSlash(filepath.Clean(dir)), regexp.MustCompile("^" + exp + "(/|$)")} // Invariant: quoted text compiles
}

// matches reports whether a name matches.
func (p *Pattern) matches(name string) bool {
	if p.dir != "." {
		rest, below := strings.CutPrefix(name, p.dir+"/")
		if !below {
			return false
		}
		name = rest
	}
	return p.exp.MatchString(name)
}

// maxIgnoreFile is the size of the largest [IgnoreFile] that is read.
const maxIgnoreFile = 1 << 20

// ignored adds the patterns of a directory's [IgnoreFile].
func (r *Reader) ignored(dir string) {
	data, err := os.ReadFile(filepath.Join(dir, IgnoreFile))
	if err != nil || len(data) > maxIgnoreFile {
		return
	}
	for line := range bytes.Lines(data) {
		if text := strings.TrimSpace(string(line)); text != "" && text[0] != '#' {
			r.Skip = append(r.Skip, NewPattern(dir, text))
		}
	}
}

// skips reports whether a file that was found in a directory is not read, and counts it.
func (r *Reader) skips(name string) bool {
	name = filepath.ToSlash(filepath.Clean(name))
	for i := range r.Skip {
		if r.Skip[i].matches(name) {
			r.Skipped++
			return true
		}
	}
	return false
}

// isTemplate reports whether a file is a template of a Helm chart, which is not YAML.
func isTemplate(name string) bool {
	for dir := filepath.Dir(name); ; dir = filepath.Dir(dir) {
		if filepath.Base(dir) == "templates" {
			if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "Chart.yaml")); err == nil {
				return true
			}
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}
