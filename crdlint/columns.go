package crdlint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/internal/tool/explain"
	"github.com/crdkit/crdkit/schema"
)

var deadColumn = Lint{
	Name: "dead-column", Severity: Warning, Title: "a printer column that is always empty or invalid",
	Why: "A column whose path leads nowhere, or to a value of another type, is an empty cell or <invalid> for " +
		"every object, without an error anywhere.",
	check: checkDeadColumns,
}

func checkDeadColumns(l *linter) {
	lookup := l.d.Lookup()
	for _, v := range l.versions {
		columns, err := lookup.Columns(v.Name)
		if err != nil {
			continue
		}
		at := fmt.Sprintf("spec.versions[%d].additionalPrinterColumns", slices.IndexFunc(l.d.Spec.Versions, func(w crd.Version) bool { return w.Name == v.Name }))
		if len(v.AdditionalPrinterColumns) == 0 {
			if len(l.d.Spec.AdditionalPrinterColumns) == 0 || l.d.APIVersion != crd.APIVersionV1beta1 {
				continue // the default
			}
			at = "spec.additionalPrinterColumns"
		}
		for i := range columns {
			if problem, fix := columnProblem(v.props, &columns[i]); problem != "" && l.more() {
				l.add(fmt.Sprintf("%s[%d].jsonPath", at, i), nil, fix, "column %s of %s: %s", columns[i].Name, v.Name, problem)
			}
		}
	}
}

// metadataSchema has the fields of the metadata that columns can show.
var metadataSchema = func() *schema.JSONSchemaProps {
	text := &schema.JSONSchemaProps{Type: "string"}
	date := &schema.JSONSchemaProps{Type: "string", Format: "date-time"}
	integer := &schema.JSONSchemaProps{Type: "integer"}
	texts := &schema.JSONSchemaProps{Type: "object", AdditionalProperties: &schema.SchemaOrBool{Allows: true, Schema: text}}
	list := &schema.JSONSchemaProps{Type: "array", Items: &schema.SchemaOrArray{Schema: text}}
	objects := &schema.JSONSchemaProps{Type: "array"}
	return &schema.JSONSchemaProps{Type: "object", Properties: map[string]*schema.JSONSchemaProps{
		"name": text, "generateName": text, "namespace": text, "selfLink": text, "uid": text, "resourceVersion": text, "generation": integer,
		"creationTimestamp": date, "deletionTimestamp": date, "deletionGracePeriodSeconds": integer, "labels": texts, "annotations": texts,
		"finalizers": list, "ownerReferences": objects, "managedFields": objects,
	}}
}()

// columnProblem returns why a column has no value in any object, and what to do about it, or "". It understands paths
// of names, indexes, wildcards and filters, and finds nothing in others.
func columnProblem(root *schema.JSONSchemaProps, c *crd.Column) (problem, fix string) {
	steps, ok := pathSteps(c.JSONPath)
	if !ok || len(steps) == 0 {
		return "", ""
	}
	p, way := root, ""
	for i, s := range steps {
		if i == 0 && s.name == "metadata" {
			p, way = metadataSchema, ".metadata"
			continue
		}
		if i == 0 && (s.name == "apiVersion" || s.name == "kind") {
			p, way = &schema.JSONSchemaProps{Type: "string"}, "."+s.name
			continue
		}
		next, known := s.in(p)
		if !known {
			return "", ""
		}
		if next == nil {
			where := way
			if where == "" {
				where = "the object"
			}
			switch {
			case s.list:
				return fmt.Sprintf("%s is no list", where), "use the name of a field"
			case p.Type == "array":
				return fmt.Sprintf("%s is a list, and has no field %s", where, s.name), "select an item with [0] or with a filter"
			case p.Type != "object" && p.Type != "":
				advice := "use the path of a field"
				if strings.HasPrefix(way, ".metadata.labels.") || strings.HasPrefix(way, ".metadata.annotations.") {
					advice = `escape the dots in the key: \.`
				}
				return fmt.Sprintf("%s is of type %s, and has no field %s", where, p.Type, s.name), advice
			}
			names := slices.Sorted(maps.Keys(p.Properties))
			advice := "use a field that the schema declares"
			if near := explain.Nearest(s.name, names); near != "" {
				advice = "use " + near
			}
			return fmt.Sprintf("%s has no field %s", where, s.name), advice
		}
		p, way = next, way+s.text
	}
	return typeProblem(p, way, c)
}

// typeProblem returns why a column cannot print a value of p.
func typeProblem(p *schema.JSONSchemaProps, way string, c *crd.Column) (problem, fix string) {
	if p.Type == "" || p.XIntOrString {
		return "", ""
	}
	fix = "use the type string"
	switch c.Type {
	case "integer", "number":
		if p.Type != "integer" && p.Type != "number" {
			return fmt.Sprintf("it has the type %s, and %s is of type %s: every cell is empty", c.Type, way, p.Type), fix
		}
	case "boolean":
		if p.Type != "boolean" {
			return fmt.Sprintf("it has the type boolean, and %s is of type %s: every cell is empty", way, p.Type), fix
		}
	case "date":
		switch {
		case p.Type != "string":
			return fmt.Sprintf("it has the type date, and %s is of type %s: no cell is a date", way, p.Type), fix
		case p.Format == "date":
			return fmt.Sprintf("it has the type date, and %s has the format date: a date without a time prints as <invalid>", way), fix
		}
	}
	return "", ""
}

// A pathStep is a step of a column's path.
type pathStep struct {
	name string // of a field
	list bool   // an index, a slice, a wildcard in brackets or a filter
	text string
}

// in returns the schema of the values of the step in those of p, or nil if there are none. It reports false if that is
// not known.
func (s pathStep) in(p *schema.JSONSchemaProps) (next *schema.JSONSchemaProps, known bool) {
	if schemadoc.Preserves(p) || p.XEmbeddedResource || p.XIntOrString || p.Type == "" {
		return nil, false
	}
	if s.list {
		switch {
		case p.Type == "object" && s.text == "[*]":
			return nil, false // the values of a map
		case p.Type != "array":
			return nil, true
		case p.Items == nil || p.Items.Schema == nil:
			return nil, false
		}
		return p.Items.Schema, true
	}
	if q := p.Properties[s.name]; q != nil {
		return q, true
	}
	if p.AdditionalProperties != nil {
		return p.AdditionalProperties.Schema, p.AdditionalProperties.Schema != nil
	}
	return nil, true
}

// pathSteps returns the steps of a path, and false if it has others.
func pathSteps(path string) (steps []pathStep, ok bool) {
	for path != "" {
		switch {
		case path[0] == '.':
			var name strings.Builder
			i := 1
			for ; i < len(path) && path[i] != '.' && path[i] != '['; i++ {
				if path[i] == '\\' && i+1 < len(path) {
					i++
				}
				if strings.IndexByte("{}()'\"*@$,| \t", path[i]) >= 0 {
					return nil, false
				}
				name.WriteByte(path[i])
			}
			if i > 1 {
				steps = append(steps, pathStep{name: name.String(), text: path[:i]})
			} else if i < len(path) && path[i] == '.' || i == len(path) {
				return nil, false // a recursive descent, or nothing
			}
			path = path[i:]
		case path[0] == '[':
			end := strings.IndexByte(path, ']')
			if end < 0 || strings.Count(path[:end], "[") > 1 {
				return nil, false
			}
			inner := path[1:end]
			switch {
			case strings.HasPrefix(inner, "?(") && strings.HasSuffix(inner, ")") || inner == "*" || strings.Trim(inner, "-0123456789:") == "" && inner != "":
				steps = append(steps, pathStep{list: true, text: path[:end+1]})
			case len(inner) > 2 && inner[0] == '\'' && inner[len(inner)-1] == '\'' && !strings.ContainsAny(inner[1:len(inner)-1], `'\,`):
				steps = append(steps, pathStep{name: strings.ReplaceAll(inner[1:len(inner)-1], `\.`, "."), text: path[:end+1]})
			default:
				return nil, false
			}
			path = path[end+1:]
		default:
			return nil, false
		}
	}
	return steps, true
}

var noColumns = Lint{
	Name: "no-columns", Severity: Note, Title: "kubectl get shows names only",
	Why: "Without columns of its own, kubectl get shows the name and the age of an object, and not what state it " +
		"is in. Columns of a priority over 0 are shown with -o wide only, and columns replace the age.",
	check: checkNoColumns,
}

func checkNoColumns(l *linter) {
	lookup := l.d.Lookup()
	for _, v := range l.versions {
		columns, err := lookup.Columns(v.Name)
		if err != nil || !v.Served {
			continue
		}
		own := len(v.AdditionalPrinterColumns) > 0 || l.d.APIVersion == crd.APIVersionV1beta1 &&
			len(l.d.Spec.AdditionalPrinterColumns) > 0
		at := l.pathOfVersion(v)
		switch {
		case !own:
			if !v.Deprecated && printable(v.props.Properties["status"]) && l.more() {
				l.add(at, nil, "set additionalPrinterColumns: a column for what users look for first, such as .status.phase or "+
					"the condition Ready",
					"%s has a status, and no columns that show it", v.Name)
			}
		case !slices.ContainsFunc(columns, func(c crd.Column) bool { return c.Priority == 0 }) && l.more():
			l.add(at+".additionalPrinterColumns", nil, "leave out the priority of the most important ones",
				"all columns of %s have a priority over 0", v.Name)
		case !slices.ContainsFunc(columns, func(c crd.Column) bool { return c.Priority == 0 && c.Type == "date" }) &&
			l.more():
			l.add(at+".additionalPrinterColumns", nil, "add {name: Age, type: date, jsonPath: .metadata.creationTimestamp}",
				"the columns of %s do not show the age: columns replace it", v.Name)
		}
	}
}

// printable reports whether a status has a field or conditions that a column can show.
func printable(status *schema.JSONSchemaProps) bool {
	if status == nil {
		return false
	}
	for name, p := range status.Properties {
		if p != nil && (name == "conditions" || p.Type != "object" && p.Type != "array") {
			return true
		}
	}
	return false
}

// pathOfVersion returns the path of a version in the document.
func (l *linter) pathOfVersion(v *version) string {
	return fmt.Sprintf("spec.versions[%d]", slices.IndexFunc(l.d.Spec.Versions,
		func(w crd.Version) bool { return w.Name == v.Name }))
}

var wideColumns = Lint{
	Name: "wide-columns", Severity: Note, Title: "columns that make the table too wide",
	Why: "kubectl get prints the columns of priority 0 on one line. An object or a list is printed as JSON, and " +
		"more than ten columns wrap in most terminals.",
	check: checkWideColumns,
}

const maxColumns = 10

func checkWideColumns(l *linter) {
	lookup := l.d.Lookup()
	for _, v := range l.versions {
		columns, err := lookup.Columns(v.Name)
		if err != nil || !v.Served || len(v.AdditionalPrinterColumns) == 0 {
			continue
		}
		at := l.pathOfVersion(v) + ".additionalPrinterColumns"
		visible := 0
		for i := range columns {
			c := &columns[i]
			if c.Priority > 0 {
				continue
			}
			visible++
			if what := structured(shown(v.props, c.JSONPath)); what != "" && l.more() {
				l.add(fmt.Sprintf("%s[%d].jsonPath", at, i), nil, "show a field in it, or set priority: 1",
					"column %s of %s prints %s as JSON: %s",
					c.Name, v.Name, what, c.JSONPath)
			}
		}
		if visible > maxColumns && l.more() {
			l.add(at, nil, "set priority: 1 for the less important ones", "%s shows %d columns", v.Name, visible)
		}
	}
}

// structured returns what p is if it is no text, number or boolean, and no list of these.
func structured(p *schema.JSONSchemaProps) string {
	switch {
	case p == nil:
	case p.Type == "object":
		return "an object"
	case p.Type == "array" && p.Items != nil && p.Items.Schema != nil && p.Items.Schema.Type == "object":
		return "a list of objects"
	}
	return ""
}

// shown returns the schema of the values that a path of names and lists leads to, or nil.
func shown(p *schema.JSONSchemaProps, path string) *schema.JSONSchemaProps {
	steps, ok := pathSteps(path)
	if !ok || len(steps) == 0 || steps[0].name == "metadata" {
		return nil
	}
	for _, s := range steps {
		next, known := s.in(p)
		if !known || next == nil {
			return nil
		}
		p = next
	}
	return p
}

var deadScale = Lint{
	Name: "dead-scale", Severity: Warning, Title: "a scale whose paths lead nowhere",
	Why: "The subresource scale reads and writes the fields of its paths. If the schema does not declare such a " +
		"field, or not as an integer, kubectl scale and autoscalers fail, or change nothing.",
	check: checkDeadScale,
}

func checkDeadScale(l *linter) {
	lookup := l.d.Lookup()
	for _, v := range l.versions {
		s, err := lookup.Subresources(v.Name)
		if err != nil || s.Scale == nil {
			continue
		}
		at := "spec.subresources.scale."
		if v.Subresources != nil {
			at = l.pathOfVersion(v) + ".subresources.scale."
		}
		check := func(keyword, path, typ string) {
			problem, fix := columnProblem(v.props, &crd.Column{JSONPath: path, Type: "string"})
			if got := shown(v.props, path); problem == "" && got != nil && got.Type != "" && got.Type != typ {
				problem, fix = fmt.Sprintf("%s is of type %s", path, got.Type), "use the path of a field of type "+typ
			}
			if problem != "" && l.more() {
				l.add(at+keyword, nil, fix, "%s of %s: %s", keyword, v.Name, problem)
			}
		}
		check("specReplicasPath", s.Scale.SpecReplicasPath, "integer")
		check("statusReplicasPath", s.Scale.StatusReplicasPath, "integer")
		if path := s.Scale.LabelSelectorPath; path != nil {
			check("labelSelectorPath", *path, "string")
		}
	}
}
