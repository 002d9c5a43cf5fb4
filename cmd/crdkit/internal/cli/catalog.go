package cli

import (
	"os"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/catalog"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/tool/finding"
	"github.com/crdkit/crdkit/internal/tool/yamltext"
)

// checkTemplates returns an error if a template of -crd-template is not one.
func checkTemplates(templates []string) error {
	for _, t := range templates {
		if err := catalog.Template(t).Check(); err != nil {
			return usageError("-crd-template " + t + ": " + err.Error())
		}
	}
	return nil
}

// fromCatalogs returns the definitions that catalogs have for the kinds of objects without one of their own. The first
// template that names an existing file counts.
func (e *env) fromCatalogs(templates []string, objects []*document, known ...[]*definition) (found []*definition) {
	type versionKind struct{ apiVersion, kind string }
	done := map[versionKind]bool{}
	defined := map[groupKind]bool{}
	for _, definitions := range known {
		for _, d := range definitions {
			defined[groupKind{d.crd.Spec.Group, d.crd.AcceptedNames().Kind}] = true
		}
	}
	noted := false
	for _, d := range objects {
		id := versionKind{d.apiVersion, d.kind}
		if d.patch || done[id] || defined[groupKind{d.group(), d.kind}] || isBuiltIn(d.apiVersion) {
			continue
		}
		done[id] = true
		_, version, _ := strings.Cut(d.apiVersion, "/")
		for _, t := range templates {
			name := catalog.Template(t).File(d.group(), version, d.kind)
			if name == "" {
				continue
			}
			if _, err := os.Stat(name); os.IsNotExist(err) {
				continue
			}
			found = append(found, e.fromCatalog(name, d, version, &noted)...)
			break
		}
	}
	return found
}

// fromCatalog returns the definition in a file of a catalog.
func (e *env) fromCatalog(name string, d *document, version string, noted *bool) []*definition {
	files := e.reader.Read(name)
	if len(files) != 1 || files[0].Err != nil {
		e.documents(files) // reports the error
		return nil
	}
	f := files[0]
	parts := yamltext.Split(f.Data)
	if len(parts) == 0 {
		return nil
	}
	source := &document{
		source: &source{file: f.Name, data: f.Data, part: parts[0], pending: 1},
		header: header{apiVersion: crd.Group + "/v1", kind: crd.Kind},
	}
	source.Object = finding.Object{Part: parts[0], Locate: source.locate}
	made, unchecked, err := catalog.Definition(parts[0].Text, d.group(), version, d.kind)
	switch {
	case err != nil:
		e.report.Summary.Unreadable++
		e.report.Add(unreadableFinding(f.Name, err))
		return nil
	case made == nil:
		definitions, _ := e.splitDefinitions(e.documents(files))
		return definitions
	}
	e.report.File(f.Name)
	source.name = made.Name()
	r := newResult(source)
	if !*noted {
		*noted = true
		r.Say(finding.Note, finding.Schema, "JSON Schemas do not say whether a kind is namespaced or has a status subresource: "+
			"only what they say of fields is checked")
	}
	if len(unchecked) > 0 {
		r.Say(finding.Note, finding.Schema, "keywords that are not checked: "+strings.Join(unchecked, ", "))
	}
	e.addFindings(r)
	return []*definition{{document: source, crd: made}}
}
