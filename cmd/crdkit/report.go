package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"sigs.k8s.io/yaml"
)

// An answer is what a request leads to.
type answer interface {
	print(stdout, stderr io.Writer) error // for people
	refused() bool
}

// report prints answers: as a list in JSON or YAML, or, with an empty format, for people.
func report(answers []answer, format string, stdout, stderr io.Writer) error {
	switch format {
	case "json":
		encoder := json.NewEncoder(stdout)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(answers)
	case "yaml":
		text, err := yaml.Marshal(answers)
		if err == nil {
			_, err = stdout.Write(text)
		}
		return err
	}
	for _, a := range answers {
		if err := a.print(stdout, stderr); err != nil {
			return err
		}
	}
	return nil
}

func (r result) refused() bool { return r.Status != nil }

// print writes what kubectl does, and the object.
func (r result) print(stdout, stderr io.Writer) error {
	for _, w := range r.Warnings {
		fmt.Fprintln(stderr, "Warning:", w)
	}
	if r.Status != nil {
		_, err := fmt.Fprintln(stderr, refusal(r.Source, r.Status))
		return err
	}
	text, err := yaml.Marshal(r.Object)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s created\n%s", title(r.Object), indented(string(text)))
	return err
}

// title returns what kubectl calls an object: backup.example.com/nightly.
func title(obj map[string]any) string {
	kind, _ := obj["kind"].(string)
	apiVersion, _ := obj["apiVersion"].(string)
	group, _, _ := strings.Cut(apiVersion, "/")
	meta, _ := obj["metadata"].(map[string]any)
	name, _ := meta["name"].(string)
	if name == "" {
		prefix, _ := meta["generateName"].(string)
		name = prefix + "*" // a server makes up the rest
	}
	return strings.ToLower(kind) + "." + group + "/" + name
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + line)
	}
	return b.String()
}

// refusal returns what kubectl prints about a refused object.
func refusal(source string, s *field.Status) string {
	if len(s.Causes) == 0 {
		origin := "server"
		if s.Reason != "" {
			origin += " (" + s.Reason + ")"
		}
		return fmt.Sprintf("Error from %s: error when creating %q: %s", origin, source, s.Message)
	}
	var lines []string
	for _, c := range s.Causes {
		if line := c.Field + ": " + c.Message; !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	text := fmt.Sprintf("The %s %q is invalid:", s.Kind, s.Name)
	if len(lines) == 1 {
		return text + " " + lines[0]
	}
	return text + "\n* " + strings.Join(lines, "\n* ")
}
