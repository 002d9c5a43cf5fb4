package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

// maxFixes bounds how many schemas and rules of a file are fixed.
const maxFixes = 200

// fixCosts writes bounds into the files of definitions with rules over the limit. It returns the new contents of all
// files. Nothing else in a file changes.
func (e *env) fixCosts(args []string) ([]input.File, error) {
	files := e.reader.Read(args...)
	for i := range files {
		f := &files[i] // without data if it cannot be read, so that there is nothing to fix
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
			e.stderr.Printf("%s: %s: %d at %s\n", f.Name, b.Keyword, b.Value, b.Path)
		}
	}
	return files, nil
}

// fixFile returns a file with the bounds that bring its rules under the limit, and these bounds.
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

// nextFix returns the first schema's fix in a file, with its definition: the least restrictive bounds that bring all of
// its rules are within the limit or, if there are none, those for one of its rules. It returns nil if there is nothing
// to fix.
func nextFix(name string, data []byte) (*definition, *crdcheck.Fix, error) {
	for _, d := range definitionsIn(name, data) {
		for _, s := range crdcheck.Costs(d.crd).Schemas {
			fix := s.Fix
			for i := 0; fix == nil && i < len(s.Rules); i++ {
				if fixes := s.Rules[i].Fixes; len(fixes) > 0 {
					fix = &fixes[0]
				}
			}
			if fix == nil {
				continue
			}
			if d.Item != nil {
				return nil, nil, errors.New("a definition in a list is not changed")
			}
			return d, fix, nil
		}
	}
	return nil, nil, nil
}

// definitionsIn returns the definitions in a file, without those that cannot be read.
func definitionsIn(name string, data []byte) (all []*definition) {
	for _, part := range yamltext.Split(data) {
		s := &source{file: name, data: data, part: part}
		documents, _ := s.documents()
		all = append(all, readableDefinitions(documents)...)
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

// setBound returns a file with a bound set in a schema of one of its definitions. It fails if the change would affect
// anything else.
func setBound(d *definition, data []byte, b crdcheck.Bound) ([]byte, error) {
	path, ok := d.Path(b.Path)
	if ok {
		index := slices.IndexFunc(yamltext.Split(data), func(p yamltext.Part) bool { return p.Position == d.Part.Position })
		if out, err := yamltext.SetInteger(data, index, path, b.Keyword, b.Value); err == nil {
			return out, nil
		}
	}
	return nil, fmt.Errorf("%s: %d cannot be written at %s", b.Keyword, b.Value, b.Path)
}
