package cli

import (
	"errors"
	"flag"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/origin"
	"github.com/crdkit/crdkit/internal/tool/finding"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// A repository has files that are no manifests, manifests that are not complete, and manifests that are encrypted.

// repositoryFlags defines the flags about what is read of a directory.
func (e *env) repositoryFlags(flags *flag.FlagSet) {
	listFlag(flags, &e.skip, "skip", "`PATTERN` of files in directories that are not read, as in .crdkitignore; may be repeated")
	listFlag(flags, &e.skipKinds, "skip-kind", "`KIND` or KIND.GROUP of documents that are skipped; may be repeated")
	flags.BoolVar(&e.strictInput, "strict-input", false, "a file in a directory that is not a manifest is an error")
	flags.BoolVar(&e.allowEmpty, "allow-empty", false, "input without any manifest is fine")
}

// skipPatterns returns the patterns of the flags.
func (e *env) skipPatterns() (all []input.Pattern) {
	for _, text := range e.skip {
		all = append(all, input.NewPattern(".", text))
	}
	return all
}

// notManifest reports whether a document of a file that was found in a directory is something else than a manifest, such
// as values.yaml, package.json or a JSON patch. A manifest that lacks its kind still has metadata.
func (d *document) notManifest(isObject bool) bool {
	return d.found && d.Item == nil && (!isObject || (d.kind == "" || d.apiVersion == "") && !d.hasMetadata)
}

// skipped reports whether the flags say that the document is skipped.
func (e *env) skipped(d *document) bool {
	return slices.ContainsFunc(e.skipKinds, func(text string) bool {
		return text == d.kind || text == d.kind+"."+d.group()
	})
}

// patches returns the names of the files that are patches of the kustomizations that were found: parts of objects. A
// kustomization that cannot be read has none.
func patches(r *input.Reader) map[string]bool {
	all := map[string]bool{}
	for _, name := range r.Kustomizations {
		data, err := r.Small(name)
		if err != nil {
			continue
		}
		k, err := unstructured.Decode(data)
		if err != nil {
			continue
		}
		add := func(file any) {
			if text, ok := file.(string); ok && text != "" && !strings.Contains(text, "\n") {
				all[path.Join(filepath.ToSlash(filepath.Dir(name)), text)] = true
			}
		}
		for _, key := range []string{"patches", "patchesStrategicMerge", "patchesJson6902", "configurations", "transformers", "generators"} {
			items, _ := k[key].([]any)
			for _, item := range items {
				add(item)
				if m, ok := item.(map[string]any); ok {
					add(m["path"])
				}
			}
		}
	}
	return all
}

// sopsKey is the member of a file that SOPS has encrypted, and sopsValue how its values begin.
const (
	sopsKey   = "sops"
	sopsValue = "ENC["
)

// encrypted returns an object without what SOPS has added, and the paths of its encrypted values. It returns nil for
// other objects.
func encrypted(obj map[string]any) (rest map[string]any, paths [][]field.Segment) {
	about, _ := obj[sopsKey].(map[string]any)
	if about["mac"] == nil && about["version"] == nil {
		return nil, nil
	}
	rest = unstructured.Clone(obj)
	delete(rest, sopsKey)
	left := maxEncrypted
	var at []field.Segment // of the value that is visited
	var walk func(v any)
	walk = func(v any) {
		switch x := v.(type) {
		case map[string]any:
			for key, v := range x {
				at = append(at, field.Segment{Key: key})
				walk(v)
				at = at[:len(at)-1]
			}
		case []any:
			for i, v := range x {
				at = append(at, field.Segment{Index: i, IsIndex: true})
				walk(v)
				at = at[:len(at)-1]
			}
		case string:
			if left -= len(at); strings.HasPrefix(x, sopsValue) && left >= 0 {
				paths = append(paths, slices.Clone(at))
			}
		}
	}
	walk(rest)
	return rest, paths
}

// maxEncrypted is how many keys and indexes the paths of all strings of an encrypted object may have; values behind are
// validated like others.
const maxEncrypted = 1_000_000

// withoutEncrypted removes the errors about encrypted values from a result: those at one of the paths, and those of
// rules that see one. It adds a note to r.
func withoutEncrypted(r *result, response *resource.Result, paths [][]field.Segment) {
	var all pathTree
	for _, p := range paths {
		all.add(p)
	}
	about := func(e *field.Error) bool {
		found := all.find(e.Path.Segments())
		return found != nil && (found.ends || e.Cause().Keyword == origin.Validations)
	}
	response.Errors = slices.DeleteFunc(slices.Clone(response.Errors), about)
	if len(response.Errors) == 1 && response.Errors[0].RulesSkipped() {
		response.Errors = nil
	}
	r.Add(finding.Finding{
		Severity: finding.Note, Code: finding.Encrypted, Message: fmt.Sprintf("SOPS has encrypted %s of this object, which cannot be validated, and neither can rules about what is encrypted", valuesText(len(paths))),
	}, r.At(sopsKey))
}

// A pathTree is a set of paths. Both its methods take time linear in the path.
type pathTree struct {
	below map[field.Segment]*pathTree
	ends  bool // a path ends here
}

func (t *pathTree) add(path []field.Segment) {
	for _, s := range path {
		next := t.below[s]
		if next == nil {
			if t.below == nil {
				t.below = map[field.Segment]*pathTree{}
			}
			next = &pathTree{}
			t.below[s] = next
		}
		t = next
	}
	t.ends = true
}

// find returns the paths that begin with that one, or nil without any.
func (t *pathTree) find(path []field.Segment) *pathTree {
	for _, s := range path {
		if t = t.below[s]; t == nil {
			return nil
		}
	}
	return t
}

func valuesText(n int) string {
	if n == 1 {
		return "1 value"
	}
	return fmt.Sprintf("%d values", n)
}

// errEmpty is the error of input without manifests.
var errEmpty = errors.New("there is no manifest in the input: what writes it may have failed; -allow-empty accepts this")
