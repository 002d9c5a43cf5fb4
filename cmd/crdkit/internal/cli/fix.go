package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/position"
)

// maxFixes bounds how many rules of a file are fixed.
const maxFixes = 200

// fixCosts writes bounds into the files of definitions with rules over the limit, and returns the files as they are then. Nothing else in a
// file changes.
func (e *env) fixCosts(args []string) ([]input.File, error) {
	files := e.reader.Read(args...)
	for i := range files {
		f := &files[i]
		if f.Err != nil {
			continue
		}
		fixed, bounds, err := fixFile(f.Name, f.Data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if len(bounds) == 0 {
			continue
		}
		name := filepath.FromSlash(f.Name)
		info, err := os.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s: only a file can be fixed", f.Name)
		}
		if err := os.WriteFile(name, fixed, info.Mode().Perm()); err != nil {
			return nil, err
		}
		f.Data = fixed
		for _, b := range bounds {
			fmt.Fprintf(e.stderr, "%s: %s: %d at %s\n", f.Name, b.Keyword, b.Value, b.Path)
		}
	}
	return files, nil
}

// fixFile returns a file with bounds in it, with which its rules fit, and these bounds.
func fixFile(name string, data []byte) ([]byte, []crdcheck.Bound, error) {
	var written []crdcheck.Bound
	for range maxFixes {
		d, fix, err := nextFix(name, data)
		if err != nil || fix == nil {
			return data, written, err
		}
		for _, b := range fix.Bounds {
			if data, err = setBound(d, data, b); err != nil {
				return nil, nil, err
			}
			if d, err = definitionAt(name, data, d.crd.Name()); err != nil {
				return nil, nil, fmt.Errorf("%s: %d cannot be written at %s: %w", b.Keyword, b.Value, b.Path, err)
			}
			written = append(written, b)
		}
	}
	return nil, nil, errors.New("too many rules are over the limit")
}

// nextFix returns a rule's fix with the fewest bounds, of a definition in a file with rules over the limit. It is nil if there is none.
func nextFix(name string, data []byte) (*definition, *crdcheck.Fix, error) {
	for _, d := range definitionsIn(name, data) {
		for _, s := range crdcheck.Costs(d.crd).Schemas {
			for i := range s.Rules {
				if fixes := s.Rules[i].Fixes; len(fixes) > 0 {
					if d.base != nil {
						return nil, nil, errors.New("a definition in a list is not changed")
					}
					fix := slices.MinFunc(fixes, func(a, b crdcheck.Fix) int { return len(a.Bounds) - len(b.Bounds) })
					return d, &fix, nil
				}
			}
		}
	}
	return nil, nil, nil
}

// definitionsIn returns the definitions in a file that can be read.
func definitionsIn(name string, data []byte) (all []*definition) {
	for _, part := range position.Split(data) {
		s := &source{file: name, data: data, part: part}
		documents, _ := s.documents()
		for _, d := range documents {
			if !d.isDefinition() {
				continue
			}
			if def, err := newDefinition(d); err == nil {
				all = append(all, def)
			}
		}
	}
	return all
}

func definitionAt(file string, data []byte, name string) (*definition, error) {
	for _, d := range definitionsIn(file, data) {
		if d.crd.Name() == name {
			return d, nil
		}
	}
	return nil, errors.New("the file cannot be read any more")
}

// setBound returns the file of a definition with a keyword set in one of its schemas. It is an error if the definition would not be what it was,
// with that bound.
func setBound(d *definition, data []byte, b crdcheck.Bound) ([]byte, error) {
	refused := fmt.Errorf("%s: %d cannot be written at %s", b.Keyword, b.Value, b.Path)
	path, ok := d.path(b.Path)
	if !ok {
		return nil, refused
	}
	value := strconv.FormatInt(b.Value, 10)
	keyword := append(slices.Clip(path), field.Segment{Key: b.Keyword})
	var out []byte
	if at, there := d.locate().Value(keyword); there {
		from := offset(data, at)
		old, _ := d.locate().Plain(keyword)
		if d.part.JSON {
			old = number(data[from:])
		}
		if old == "" || !bytes.HasPrefix(data[from:], []byte(old)) {
			return nil, refused
		}
		out = slices.Concat(data[:from], []byte(value), data[from+len(old):])
	} else {
		at, ok := d.locate().Value(path)
		if !ok {
			return nil, refused
		}
		from := offset(data, at)
		inserted := b.Keyword + ": " + value
		if d.part.JSON {
			inserted = strconv.Quote(b.Keyword) + ": " + value
		}
		if from < len(data) && data[from] == '{' {
			from++
			rest := bytes.TrimLeft(data[from:], " \t\r\n")
			blank := string(data[from : len(data)-len(rest)])
			switch {
			case len(rest) > 0 && rest[0] == '}':
			case strings.Contains(blank, "\n"): // a line for each key
				inserted = blank + inserted + ","
			default:
				inserted += ", "
			}
		} else {
			eol := "\n"
			if i := bytes.IndexByte(data, '\n'); i > 0 && data[i-1] == '\r' {
				eol = "\r\n"
			}
			inserted += eol + strings.Repeat(" ", at.Column-1)
		}
		out = slices.Concat(data[:from], []byte(inserted), data[from:])
	}
	after, err := definitionAt(d.file, out, d.crd.Name())
	if err != nil {
		return nil, refused
	}
	if !sameBut(d.json(), after.json(), path, b) {
		return nil, refused
	}
	return out, nil
}

// sameBut reports whether a document is what it was before, with a bound set at a path.
func sameBut(before, after []byte, path []field.Segment, b crdcheck.Bound) bool {
	var old, now any
	if json.Unmarshal(before, &old) != nil || json.Unmarshal(after, &now) != nil {
		return false
	}
	at := old
	for _, s := range path {
		switch v := at.(type) {
		case map[string]any:
			at = v[s.Key]
		case []any:
			if !s.IsIndex || s.Index >= len(v) {
				return false
			}
			at = v[s.Index]
		}
	}
	schema, ok := at.(map[string]any)
	if !ok {
		return false
	}
	schema[b.Keyword] = float64(b.Value)
	return reflect.DeepEqual(old, now)
}

// number returns the number that a text begins with.
func number(text []byte) string {
	return string(text[:len(text)-len(bytes.TrimLeft(text, "+-.0123456789eE"))])
}

// offset returns where a place is in a file.
func offset(data []byte, at position.Position) int {
	from := 0
	for range at.Line - 1 {
		i := bytes.IndexByte(data[from:], '\n')
		if i < 0 {
			return len(data)
		}
		from += i + 1
	}
	if at.Line == 1 && bytes.HasPrefix(data, []byte("\ufeff")) {
		from += len("\ufeff")
	}
	for range at.Column - 1 {
		_, size := utf8.DecodeRune(data[from:])
		from += size
	}
	return from
}
