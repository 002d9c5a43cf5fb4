package main

import (
	"context"
	"embed"
	"fmt"
	"io"
	"os"

	"go.yaml.in/yaml/v2"

	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/registry"
)

//go:embed crd.yaml nightly.yaml broken.yaml
var files embed.FS

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) error {
	// Read the definitions in an embedded file. registry.Load reads from disk: registry.Load("config/crd/bases").
	definitions, err := registry.LoadFS(files, "crd.yaml")
	if err != nil {
		return err
	}

	// Would a server accept them?
	for _, d := range definitions.Definitions() {
		if err := crdcheck.Validate(d.CRD).Err(); err != nil {
			return fmt.Errorf("%s: %w", d.Name(), err)
		}
		fmt.Fprintln(out, d.Source, "defines", d.Name(), "and would be accepted")
	}

	// How would it respond to these objects?
	for _, name := range []string{"nightly.yaml", "broken.yaml"} {
		body, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		if err := create(ctx, out, definitions, name, body); err != nil {
			return err
		}
	}
	return nil
}

// create prints the result of creating an object.
func create(ctx context.Context, out io.Writer, definitions *registry.Registry, name string, body []byte) error {
	result := definitions.CreateBody(ctx, body)
	for _, warning := range result.Warnings {
		fmt.Fprintf(out, "\n%s: warning: %s", name, warning)
	}
	if refusal := result.Status(); refusal != nil { // result.Err() is the same as a Go error
		fmt.Fprintf(out, "\n%s would be refused with code %d:\n", name, refusal.Code)
		for _, cause := range refusal.Causes {
			fmt.Fprintf(out, "  %s: %s\n", cause.Field, cause.Message)
		}
		return nil
	}
	stored, err := yaml.Marshal(result.Object)
	if err == nil {
		_, err = fmt.Fprintf(out, "\n%s would be stored as:\n%s", name, stored)
	}
	return err
}
