package cli

import (
	"flag"
	"os"
	"path/filepath"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/input"
	"github.com/crdkit/crdkit/crd"
)

// oldDocuments are the flags that name the documents before a change.
type oldDocuments struct{ dir, ref string }

func (o *oldDocuments) flags(flags *flag.FlagSet) {
	flags.StringVar(&o.dir, "old", "", "validate updates: `NAME` has the documents before, by kind, namespace and name")
	flags.StringVar(&o.ref, "old-git", "", "validate updates: the commit `REF` has the documents before, at the same names")
}

// read returns the documents before the change. args are the names of those after it. It reports false if neither flag
// is set. The files of old documents are not counted.
func (o *oldDocuments) read(e *env, args []string) (documents []*document, ok bool, err error) {
	files := e.report.Summary.Files
	defer func() { e.report.Summary.Files = files }()
	switch {
	case o.dir != "" && o.ref != "":
		return nil, false, usageError("-old and -old-git are not for the same time")
	case o.dir != "":
		return e.read(o.dir), true, nil
	case o.ref == "":
		return nil, false, nil
	}
	var found []input.File
	seen := map[string]bool{}
	for _, name := range args {
		if name == input.Stdin || strings.Contains(name, "://") {
			return nil, false, usageError("-old-git needs the names of files or directories, not " + name)
		}
		if strings.ContainsAny(name, "*?[") {
			name = filepath.Dir(name)
		}
		for _, f := range e.reader.Git(o.ref, name) {
			if !seen[f.Name] {
				seen[f.Name] = true
				found = append(found, f)
			}
		}
	}
	return e.documents(found), true, nil
}

func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// definitionsByName returns the definitions among documents, by name, without those that cannot be read.
func definitionsByName(documents []*document) map[string]*crd.CustomResourceDefinition {
	all := map[string]*crd.CustomResourceDefinition{}
	for _, d := range readableDefinitions(documents) {
		all[d.crd.Name()] = d.crd
	}
	return all
}
