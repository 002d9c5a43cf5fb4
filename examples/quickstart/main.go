package main

import (
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/resource"
)

//go:embed crd.yaml nightly.yaml broken.yaml
var example embed.FS

const usage = `Usage: quickstart [flags] [OBJECT...]

Creates custom objects as a Kubernetes API server would, without one: prints what it would store,
its warnings and its errors. Without arguments it does so with an example.

With -crd and no OBJECT it says whether the server would accept the CustomResourceDefinitions, with
every reason, and shows the estimated costs of their rules beside the limits.

OBJECT and -crd are files of YAML or JSON with any number of documents; - is standard input.
The exit code is 0 if all is accepted, 1 if anything is refused, 2 for wrong usage or a file that
cannot be read.

`

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the program. It returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	var options resource.RequestOptions
	var definitions, format string
	flags.StringVar(&definitions, "crd", "", "`FILE` with one or more CustomResourceDefinitions (default: the example's)")
	flags.StringVar(&options.Namespace, "n", "", "`NAMESPACE` of the objects (default: the object's own, or \"default\")")
	choice(flags, &options.FieldValidation, "field-validation",
		"what to do about unknown and duplicate fields of objects: `MODE` is Warn (default), Ignore or Strict", "Warn", "Ignore", "Strict")
	choice(flags, &format, "o", "print a list of results for programs: `FORMAT` is json or yaml", "json", "yaml")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}

	answers, err := answerAll(definitions, flags.Args(), stdin, options)
	if err == nil {
		err = report(answers, format, stdout, stderr)
	}
	if err != nil {
		fmt.Fprintln(stderr, "error:", err)
		return 2
	}
	if slices.ContainsFunc(answers, answer.refused) {
		return 1
	}
	return 0
}

// choice defines a flag that takes one of some words.
func choice(flags *flag.FlagSet, to *string, name, usage string, words ...string) {
	flags.Func(name, usage, func(word string) error {
		if !slices.Contains(words, word) {
			return fmt.Errorf("must be one of %s", strings.Join(words, ", "))
		}
		*to = word
		return nil
	})
}

// answerAll creates the objects in the files of those names, one after another, or reviews the definitions if no file is named. It
// reads all files first: there are no answers if one cannot be read.
func answerAll(definitions string, objects []string, stdin io.Reader, options resource.RequestOptions) ([]answer, error) {
	read := func(name string) ([]byte, error) {
		if name == "-" {
			return io.ReadAll(stdin)
		}
		return os.ReadFile(name)
	}
	readDefinitions := read
	if definitions == "" {
		definitions, readDefinitions = "crd.yaml", example.ReadFile
		if len(objects) == 0 {
			objects, read = []string{"nightly.yaml", "broken.yaml"}, example.ReadFile
		}
	}

	data, err := readDefinitions(definitions)
	if err != nil {
		return nil, err
	}
	if len(objects) == 0 {
		return reviewAll(definitions, data)
	}
	served, err := compile(data)
	if err != nil {
		return nil, fmt.Errorf("error parsing %s: %w", definitions, err)
	}
	var documents []document
	for _, name := range objects {
		data, err := read(name)
		if err != nil {
			return nil, err
		}
		found, err := split(name, data)
		if err != nil {
			return nil, err
		}
		documents = append(documents, found...)
	}
	if len(documents) == 0 {
		return nil, errors.New("no objects to create")
	}
	var results []answer
	for _, d := range documents {
		results = append(results, served.create(context.Background(), d, options))
	}
	return results, nil
}

// An endpoint is what answers requests for objects of one type.
type endpoint struct {
	version    *resource.Version
	namespaced bool
}

type endpoints map[objectType]endpoint

// compile prepares what the definitions in data serve. Documents of other kinds are left out.
func compile(data []byte) (endpoints, error) {
	definitions, err := crd.ParseBundle(data)
	if err != nil {
		return nil, err
	}
	served := endpoints{}
	for _, d := range definitions {
		r, err := resource.Compile(d)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", d.Name(), err)
		}
		for _, v := range d.Spec.Versions {
			if v.Served {
				t := objectType{d.Spec.Group + "/" + v.Name, d.AcceptedNames().Kind}
				served[t] = endpoint{r.Version(v.Name), d.Spec.Scope == crd.NamespaceScoped}
			}
		}
	}
	if len(served) == 0 {
		return nil, errors.New("no CustomResourceDefinition with a served version")
	}
	return served, nil
}

// A result is the answer to one request.
type result struct {
	Source   string         `json:"source"`
	Object   map[string]any `json:"object,omitempty"` // what is stored; none if the request was refused
	Warnings []string       `json:"warnings"`
	Status   *field.Status  `json:"status,omitempty"` // the refusal
}

// create answers a request to create the object of a document.
func (e endpoints) create(ctx context.Context, d document, options resource.RequestOptions) result {
	r := result{Source: d.file, Warnings: []string{}}
	to, ok := e[d.objectType]
	if !ok {
		r.Status = e.noMatch(d.objectType)
		return r
	}
	options.ContentType = d.contentType
	obj, warnings, refusal := to.version.With(options).Decode(d.body)
	r.Warnings = append(r.Warnings, warnings...)
	if refusal != nil {
		r.Status = refusal
		return r
	}
	switch meta, _ := obj["metadata"].(map[string]any); {
	case !to.namespaced:
		options.Namespace = ""
	case options.Namespace == "" && meta["namespace"] == nil:
		options.Namespace = "default"
	}
	created := to.version.With(options).Create(ctx, obj)
	r.Warnings = append(r.Warnings, created.Warnings...)
	if r.Status = created.Status(); r.Status == nil {
		r.Object = created.Object
	}
	return r
}

// noMatch refuses an object of a type that is not served.
func (e endpoints) noMatch(t objectType) *field.Status {
	var served []string
	for other := range e {
		if other.kind == t.kind {
			served = append(served, other.apiVersion)
		}
	}
	slices.Sort(served)
	message := fmt.Sprintf("no matches for kind %q in version %q", t.kind, t.apiVersion)
	if served != nil {
		message += ": it is served in " + strings.Join(served, ", ")
	}
	return &field.Status{Code: 404, Reason: field.ReasonNotFound, Message: message}
}
