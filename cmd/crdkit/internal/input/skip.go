package input

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
	text = strings.TrimSuffix(filepath.ToSlash(strings.ToValidUTF8(text, "\uFFFD")), "/")
	anchored := strings.Contains(text, "/")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "./"), "/")
	exp := regexp.QuoteMeta(text)
	for _, r := range [][2]string{{`\*\*/`, "(.*/)?"}, {`\*\*`, ".*"}, {`\*`, "[^/]*"}, {`\?`, "[^/]"}} {
		exp = strings.ReplaceAll(exp, r[0], r[1])
	}
	if !anchored {
		exp = "(.*/)?" + exp
	}
	return Pattern{filepath.ToSlash(filepath.Clean(dir)), regexp.MustCompile("^" + exp + "(/|$)")} // Invariant: quoted text in UTF-8 compiles
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

// Limits of the files that say what is not read, and of their patterns, each of which every file is compared with.
const (
	maxSmallFile = 1 << 20
	maxPatterns  = 1000
)

// Small returns a file that says something about others: an [IgnoreFile] or a kustomization. It must be a regular file
// of at most 1 MiB. It counts towards the limits.
func (r *Reader) Small(name string) ([]byte, error) {
	info, err := os.Stat(name)
	switch {
	case err != nil:
		return nil, cause(err)
	case r.late != nil:
		return nil, r.late
	case !info.Mode().IsRegular():
		return nil, errors.New("this is not a regular file")
	case info.Size() == 0:
		return nil, nil // nothing, or a file such as those of /proc
	case info.Size() > maxSmallFile:
		return nil, fmt.Errorf("the file is larger than the limit of %s", bytesText(maxSmallFile))
	}
	return r.open(name, info.Size())
}

// ignored adds the patterns of a directory's [IgnoreFile], if there is one, once.
func (r *Reader) ignored(dir string) error {
	if dir = filepath.Clean(dir); slices.Contains(r.ignores, dir) {
		return nil
	}
	r.ignores = append(r.ignores, dir)
	data, err := r.Small(filepath.Join(dir, IgnoreFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for line := range bytes.Lines(data) {
		text := strings.TrimSpace(string(line))
		if text == "" || text[0] == '#' {
			continue
		}
		if len(r.Skip) >= maxPatterns {
			return fmt.Errorf("there are more than %d patterns", maxPatterns)
		}
		r.Skip = append(r.Skip, NewPattern(dir, text))
	}
	return nil
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
