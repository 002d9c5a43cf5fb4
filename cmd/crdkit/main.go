package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/registry"
	"github.com/crdkit/crdkit/resource"
)

const usage = `Usage: crdkit -crd FILE [flags] [OBJECT...]

Creates custom objects as a Kubernetes API server would, without one: prints what it would store,
its warnings and its errors.

Without OBJECT it says whether the server would accept the CustomResourceDefinitions, with every
reason, and shows the estimated costs of their rules beside the limits, and bounds with which those
over a limit fit.

OBJECT and -crd are files of YAML or JSON with any number of documents; - is standard input. -crd may
be a directory, too.
The exit code is 0 if all is accepted, 1 if anything is refused, 2 for wrong usage or a file that
cannot be read.

`

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run is the program. It returns the exit code.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("crdkit", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprint(stderr, usage)
		flags.PrintDefaults()
	}
	var options resource.RequestOptions
	var definitions, format string
	var versions bool
	flags.StringVar(&definitions, "crd", "", "`FILE` or directory with one or more CustomResourceDefinitions")
	flags.StringVar(&options.Namespace, "n", "", "`NAMESPACE` of the objects (default: the object's own, or \"default\")")
	choice(flags, &options.FieldValidation, "field-validation",
		"what to do about unknown and duplicate fields of objects: `MODE` is Warn (default), Ignore or Strict", "Warn", "Ignore", "Strict")
	choice(flags, &format, "o", "print a list of results for programs: `FORMAT` is json or yaml", "json", "yaml")
	flags.BoolVar(&versions, "versions", false, "without OBJECT: say which versions of Kubernetes would accept the definitions")
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}

	if definitions == "" {
		flags.Usage()
		return 2
	}
	answers, err := answerAll(definitions, flags.Args(), versions, stdin, options)
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
func answerAll(definitions string, objects []string, versions bool, stdin io.Reader, options resource.RequestOptions) ([]answer, error) {
	reg, err := readDefinitions(definitions, stdin)
	if err != nil {
		return nil, err
	}
	if len(objects) == 0 {
		return reviewAll(reg, versions), nil
	}
	if err := reg.Compile(); err != nil {
		return nil, err
	}
	var documents []document
	for _, name := range objects {
		data, err := read(name, stdin)
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
		results = append(results, create(context.Background(), reg, d, options))
	}
	return results, nil
}

func read(name string, stdin io.Reader) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(stdin)
	}
	return os.ReadFile(name)
}

func readDefinitions(name string, stdin io.Reader) (*registry.Registry, error) {
	if name != "-" {
		return registry.Load(name)
	}
	data, err := io.ReadAll(stdin)
	if err != nil {
		return nil, err
	}
	return registry.Parse(data)
}

// A result is the answer to one request.
type result struct {
	Source   string         `json:"source"`
	Object   map[string]any `json:"object,omitempty"` // what is stored; none if the request was refused
	Warnings []string       `json:"warnings"`
	Status   *field.Status  `json:"status,omitempty"` // the refusal
}

// create answers a request to create the object of a document.
func create(ctx context.Context, reg *registry.Registry, d document, options resource.RequestOptions) result {
	options.ContentType = d.contentType
	created := reg.With(options).CreateBody(ctx, d.body)
	r := result{Source: d.file, Warnings: append([]string{}, created.Warnings...)}
	if r.Status = created.Status(); r.Status == nil {
		r.Object = created.Object
	}
	return r
}
