package cli

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crdkit/crdkit/cmd/crdkit/internal/output"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/tool/jsonschema"
)

var schemaCommand = command{
	name:  "schema",
	args:  "[-d DIRECTORY] [FLAGS] NAME...",
	short: "JSON Schemas of definitions, for editors",
	long: `With -d, it writes GROUP/KIND_VERSION.json for each version that is served, one for definitions themselves, and all.json
for files with documents of several kinds, and lists. Without -d, it prints the schema of the only version, or that of
all.json. With -kind, KIND may also be that of a list, or CustomResourceDefinition, which needs no NAME.
What a schema cannot say is told on standard error.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		var o schemaOptions
		flags.StringVar(&o.dir, "d", "", "write files into `DIRECTORY`")
		flags.BoolVar(&o.options.Open, "open", false, "allow unknown fields, which a server drops")
		flags.StringVar(&o.kind, "kind", "", "only of this `KIND`")
		flags.BoolVar(&o.quiet, "q", false, "do not tell what a schema cannot say")
		enumFlag(flags, &o.options.Draft, "draft", "`DRAFT` of JSON Schema: draft-07 (default) or 2020-12", jsonschema.Draft7, jsonschema.Draft2020_12)
		e.inputFlags(flags)
		return func(args []string) error { return e.schema(&o, args) }
	},
}

type schemaOptions struct {
	dir, kind string
	quiet     bool
	options   jsonschema.Options
}

func (e *env) schema(o *schemaOptions, args []string) error {
	var definitions []*definition
	if len(args) > 0 || !o.ofDefinitions() {
		var err error
		if definitions, err = e.readValidDefinitions("schema", args); err != nil {
			return err
		}
	}
	schemas, err := o.schemas(definitions)
	if err != nil {
		return err
	}
	if !o.quiet {
		for _, s := range schemas {
			for _, note := range s.Notes {
				e.stderr.Printf("%s %s: not expressed: %s\n", s.Kind, s.Version, note)
			}
		}
	}
	if o.dir == "" {
		document := schemas[0].Document
		if len(schemas) > 1 {
			document = jsonschema.Merge(schemas, o.options)
		}
		return e.stdout.JSON(document)
	}
	root, err := openRoot(o.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, s := range schemas {
		if err := e.writeSchema(root, s.File(), s.Document); err != nil {
			return err
		}
	}
	return e.writeSchema(root, "all.json", jsonschema.Merge(schemas, o.options))
}

// ofDefinitions reports whether only the schema of definitions themselves is wanted.
func (o *schemaOptions) ofDefinitions() bool { return strings.EqualFold(o.kind, crd.Kind) }

// schemas returns the schemas of the versions that are served.
func (o *schemaOptions) schemas(definitions []*definition) (schemas []*jsonschema.Schema, err error) {
	for _, d := range definitions {
		isList := o.kind != "" && strings.EqualFold(o.kind, d.crd.Spec.Names.ListKind)
		if o.kind != "" && !isList && !strings.EqualFold(o.kind, d.crd.Spec.Names.Kind) {
			continue
		}
		for i := range d.crd.Spec.Versions {
			if version := &d.crd.Spec.Versions[i]; version.Served {
				s, err := jsonschema.Version(d.crd, version.Name, o.options)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", d.file, err)
				}
				if isList {
					s = jsonschema.List(s, o.options)
				}
				schemas = append(schemas, s)
			}
		}
	}
	if o.ofDefinitions() || o.kind == "" && o.dir != "" && len(schemas) > 0 {
		schemas = append(schemas, jsonschema.Definition(o.options))
	}
	if len(schemas) == 0 {
		return nil, errors.New("no version of such a kind is served")
	}
	return schemas, nil
}

// openRoot opens a directory, and creates it if necessary. Writes through the root cannot leave the directory, whatever
// names definitions have.
func openRoot(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

func (e *env) writeSchema(root *os.Root, name string, document map[string]any) error {
	text, err := output.AppendJSON(nil, document)
	if err != nil {
		return err
	}
	if err := root.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if err := root.WriteFile(name, text, 0o644); err != nil {
		return err
	}
	e.stdout.Printf("%s\n", filepath.ToSlash(filepath.Join(root.Name(), name)))
	return nil
}
