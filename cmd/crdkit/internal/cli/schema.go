package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/crdkit/crdkit/internal/jsonschema"
)

var schemaCommand = command{
	name:  "schema",
	args:  "[-d DIRECTORY] [FLAGS] NAME...",
	short: "JSON Schemas of definitions, for editors",
	long: `With -d, it writes GROUP/KIND_VERSION.json for each version that is served, and all.json for files with
documents of several kinds. Without -d, it prints the schema of the only version, or that of all.json.
What a schema cannot say is told on standard error.`,
	setup: func(e *env, flags *flag.FlagSet) func([]string) error {
		s := schemas{options: jsonschema.Options{Draft: jsonschema.Draft7}}
		flags.StringVar(&s.dir, "d", "", "write files into `DIRECTORY`")
		flags.BoolVar(&s.options.Open, "open", false, "allow unknown fields, which a server drops")
		flags.StringVar(&s.kind, "kind", "", "only of this `KIND`")
		flags.BoolVar(&s.quiet, "q", false, "do not tell what a schema cannot say")
		choice(flags, &s.options.Draft, "draft", "`DRAFT` of JSON Schema: draft-07 (default) or 2020-12", jsonschema.Draft7, jsonschema.Draft2020_12)
		e.inputFlags(flags)
		return func(args []string) error { return e.schema(&s, args) }
	},
}

// schemas is what schema is asked for.
type schemas struct {
	dir, kind string
	quiet     bool
	options   jsonschema.Options
}

func (e *env) schema(s *schemas, args []string) error {
	definitions, err := e.wellNamed("schema", args)
	if err != nil {
		return err
	}
	var all []*jsonschema.Schema
	for _, d := range definitions {
		if s.kind != "" && !strings.EqualFold(s.kind, d.crd.Spec.Names.Kind) {
			continue
		}
		for i := range d.crd.Spec.Versions {
			if version := &d.crd.Spec.Versions[i]; version.Served {
				made, err := jsonschema.Version(d.crd, version.Name, s.options)
				if err != nil {
					return fmt.Errorf("%s: %w", d.file, err)
				}
				all = append(all, made)
			}
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("no version of such a kind is served")
	}
	for _, made := range all {
		for _, note := range made.Notes {
			if !s.quiet {
				fmt.Fprintf(e.stderr, "%s %s: not expressed: %s\n", made.Kind, made.Version, note)
			}
		}
	}
	if s.dir == "" {
		document := all[0].Document
		if len(all) > 1 {
			document = jsonschema.Merge(all, s.options)
		}
		text, err := schemaText(document)
		if err == nil {
			_, err = e.stdout.Write(text)
		}
		return err
	}
	root, err := openRoot(s.dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, made := range all {
		if err := e.writeSchema(root, made.File(), made.Document); err != nil {
			return err
		}
	}
	return e.writeSchema(root, "all.json", jsonschema.Merge(all, s.options))
}

// openRoot opens a directory, which is made if need be: nothing is written elsewhere, whatever definitions call themselves.
func openRoot(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

func (e *env) writeSchema(root *os.Root, name string, document map[string]any) error {
	text, err := schemaText(document)
	if err != nil {
		return err
	}
	if dir := filepath.Dir(name); dir != "." {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := root.WriteFile(name, text, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintln(e.stdout, filepath.ToSlash(filepath.Join(root.Name(), name)))
	return err
}

func schemaText(document map[string]any) ([]byte, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(document)
	return []byte(b.String()), err
}
