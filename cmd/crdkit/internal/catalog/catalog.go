package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/unstructured"
)

// A Template is a pattern of the names of files, with {group}, {version} and {kind}, which is in lower case.
type Template string

// Check returns an error if t cannot name the files of kinds.
func (t Template) Check() error {
	switch text := string(t); {
	case strings.Contains(text, "{{"):
		return errors.New("a template of another form: write {group}, {kind} and {version}, as in catalog/{group}/{kind}_{version}.json")
	case !strings.Contains(text, "{kind}"):
		return errors.New("the template has no {kind}, as in catalog/{group}/{kind}_{version}.json")
	case strings.HasPrefix(text, "https://"), strings.HasPrefix(text, "http://"):
		return errors.New("crdkit does not fetch anything: clone or download the catalog, and name its directory")
	}
	return nil
}

// A name of an API group, a version or a kind that cannot lead out of the directory of a template.
var plainName = regexp.MustCompile(`^[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?$`)

// File returns the name of the file of a kind. It is empty if a server has no kinds of that name.
func (t Template) File(group, version, kind string) string {
	for _, name := range []string{group, version, kind} {
		if !plainName.MatchString(name) || strings.Contains(name, "..") {
			return ""
		}
	}
	return strings.NewReplacer("{group}", group, "{version}", version, "{kind}", strings.ToLower(kind)).Replace(string(t))
}

// Definition returns a definition of a kind with the schema of a document in JSON or YAML, and the keywords of it that
// are not checked. It returns nil if the document is no JSON Schema of objects. The definition is namespaced, since a
// JSON Schema does not say what is not, and has no subresources.
func Definition(data []byte, group, version, kind string) (d *crd.CustomResourceDefinition, unchecked []string, err error) {
	doc, err := unstructured.Decode(data)
	if err != nil {
		return nil, nil, err
	}
	if doc["apiVersion"] != nil || doc["properties"] == nil && doc["$schema"] == nil && doc["type"] == nil {
		return nil, nil, nil
	}
	c := converter{unchecked: map[string]bool{}}
	root := c.schema(doc, 0)
	if c.err != nil {
		return nil, nil, c.err
	}
	root["type"] = "object"
	if properties, ok := root["properties"].(map[string]any); ok {
		for _, name := range []string{"apiVersion", "kind"} {
			if properties[name] != nil {
				properties[name] = map[string]any{"type": "string"} // what the file is for
			}
		}
		if properties["metadata"] != nil {
			properties["metadata"] = map[string]any{"type": "object"} // a server has its own schema of it
		}
	}
	plural := strings.ToLower(kind) + "s"
	body, err := json.Marshal(map[string]any{
		"apiVersion": crd.Group + "/v1", "kind": crd.Kind, "metadata": map[string]any{"name": plural + "." + group},
		"spec": map[string]any{
			"group": group, "scope": string(crd.NamespaceScoped),
			"names": map[string]any{"kind": kind, "plural": plural},
			"versions": []any{map[string]any{
				"name": version, "served": true, "storage": true, "schema": map[string]any{"openAPIV3Schema": root},
			}},
		},
	})
	if err != nil {
		return nil, nil, fmt.Errorf("the schema cannot be encoded: %w", err)
	}
	if d, err = crd.Parse(body); err != nil {
		return nil, nil, fmt.Errorf("the schema cannot be used: %w", err)
	}
	return d, c.names(), nil
}
