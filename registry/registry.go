package registry

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/manifest"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// A Registry holds definitions, finds them by the type of an object, and handles requests for the objects of all of
// them. It is immutable and safe for concurrent use.
type Registry struct {
	definitions []*Definition
	byKind      map[groupKind]*Definition
	options     resource.RequestOptions
	kubernetes  string // the version of the server; empty for the newest release
}

type groupKind struct{ group, kind string }

// Definitions returns the definitions in the order in which they were read.
func (r *Registry) Definitions() []*Definition { return slices.Clone(r.definitions) }

// Definition returns the definition with that name, such as widgets.example.com, or nil.
func (r *Registry) Definition(name string) *Definition {
	for _, d := range r.definitions {
		if d.Name() == name {
			return d
		}
	}
	return nil
}

// Find returns the definition that serves objects of that apiVersion (group/version) and kind, or nil. Versions that
// are not served are not found.
func (r *Registry) Find(apiVersion, kind string) *Definition {
	group, version, _ := strings.Cut(apiVersion, "/")
	if d := r.byKind[groupKind{group, kind}]; d != nil && d.CRD.Serves(version) {
		return d
	}
	return nil
}

// Version returns the version that handles requests for objects of that apiVersion and kind. The error is a
// [*field.Status] with code 404 if no definition serves them, or the reason why the definition does not compile.
func (r *Registry) Version(apiVersion, kind string) (*resource.Version, error) {
	d := r.Find(apiVersion, kind)
	if d == nil {
		return nil, r.noMatch(apiVersion, kind)
	}
	compiled, err := d.Compile()
	if err != nil {
		return nil, err
	}
	options := r.options
	if !d.Namespaced() {
		options.Namespace = ""
	}
	_, version, _ := strings.Cut(apiVersion, "/")
	return compiled.Version(version).With(options), nil
}

// noMatch returns the refusal for objects of a type that is not served.
func (r *Registry) noMatch(apiVersion, kind string) *field.Status {
	var served []string
	for _, d := range r.definitions {
		if d.Kind() != kind {
			continue
		}
		for _, version := range d.Served() {
			served = append(served, d.Group()+"/"+version)
		}
	}
	message := fmt.Sprintf("no matches for kind %q in version %q", kind, apiVersion)
	if served != nil {
		message += ": it is served in " + strings.Join(served, ", ")
	}
	return &field.Status{Code: 404, Reason: refusal.ReasonNotFound, Message: message}
}

// Compile compiles all definitions, and returns an error that joins the errors of those that do not compile.
func (r *Registry) Compile() error {
	var errs []error
	for _, d := range r.definitions {
		if _, err := d.Compile(); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// With returns r for requests with those options. Their namespace applies to namespaced kinds only. If neither the
// options nor an object has a namespace, it is default, as for kubectl. With an empty content type,
// [Registry.CreateBody] detects it.
func (r *Registry) With(options resource.RequestOptions) *Registry {
	out := *r
	out.options = options
	return &out
}

// WithConverter returns r with a converter for the objects of the named definition, which replaces the definition's
// conversion strategy. It is an error if there is no such definition. Compiled definitions are shared with r.
func (r *Registry) WithConverter(name string, conv conversion.Converter) (*Registry, error) {
	d := r.Definition(name)
	if d == nil {
		return nil, fmt.Errorf("registry: no definition is called %s", name)
	}
	return r.replacing(func(other *Definition) *Definition {
		if other == d {
			return d.converting(conv)
		}
		return other
	}), nil
}

// For returns r for a server of that minor version of Kubernetes, "1.30" to "1.38": see [resource.Resource.For]. Other
// versions are errors. Compiled definitions share with those of r what does not differ.
func (r *Registry) For(kubernetes string) (*Registry, error) {
	m, err := since.ParseServed(kubernetes)
	if err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	out := r.replacing(func(d *Definition) *Definition { return d.on(kubernetes) })
	out.kubernetes = m.String()
	return out, nil
}

// Kubernetes returns the minor version of Kubernetes whose server answers, such as 1.37.
func (r *Registry) Kubernetes() string { return cmp.Or(r.kubernetes, since.Newest.String()) }

// replacing returns r with other definitions of the same kinds.
func (r *Registry) replacing(by func(*Definition) *Definition) *Registry {
	out := *r
	out.definitions = slices.Clone(r.definitions)
	out.byKind = make(map[groupKind]*Definition, len(r.byKind))
	for i, d := range out.definitions {
		out.definitions[i] = by(d)
		out.byKind[groupKind{d.Group(), d.Kind()}] = out.definitions[i]
	}
	return &out
}

// Create handles a request to create obj, in the version of its apiVersion and kind: see [resource.Version.Create]. If
// no definition serves these, the result's Failure is 404. If the definition does not compile, it is 500.
//
// Create does not modify obj, and its result shares nothing with the registry.
func (r *Registry) Create(ctx context.Context, obj map[string]any) resource.Result {
	v, failure := r.versionFor(obj, r.options)
	if failure != nil {
		return resource.Result{Failure: failure}
	}
	return v.Create(ctx, obj)
}

// Update handles a request to replace old with obj: see [resource.Version.Update]. old is the stored object, in any
// version. The request's version is that of obj. Failures are those of [Registry.Create].
func (r *Registry) Update(ctx context.Context, obj, old map[string]any) resource.Result {
	v, failure := r.versionFor(obj, r.options)
	if failure != nil {
		return resource.Result{Failure: failure}
	}
	return v.Update(ctx, obj, old)
}

// CreateBody is [Registry.Create] for a request's body: one object, JSON or YAML. If the options have no content type,
// it is detected from the text. Unknown and duplicate fields are reported as warnings of the result, or the request is
// refused because of them, depending on the options; line numbers refer to body. A text that is not an object, or has
// more than one, is refused with code 400. Until [resource.Result.Patch] is called, body must not change.
func (r *Registry) CreateBody(ctx context.Context, body []byte) resource.Result {
	text, options := body, r.options
	if options.ContentType == "" && !isJSON(body) {
		options.ContentType = "application/yaml"
		switch documents := manifest.Split(body); len(documents) {
		case 0:
			return badRequest(errors.New("there is no object in the text"))
		case 1: // a server reads the first document only, even if it is empty
			text = append(bytes.Repeat([]byte("\n"), documents[0].Line-1), documents[0].Text...)
		default:
			return badRequest(fmt.Errorf("there are %d documents in the text: create them one by one", len(documents)))
		}
	}
	obj, err := unstructured.Decode(text)
	if err != nil {
		return badRequest(err)
	}
	v, failure := r.versionFor(obj, options)
	if failure != nil {
		return resource.Result{Failure: failure}
	}
	return v.CreateBody(ctx, text)
}

func badRequest(err error) resource.Result {
	return resource.Result{Failure: refusal.BadRequest(err.Error())}
}

func isJSON(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) && json.Valid(text)
}

// versionFor returns the version that handles a request for an object with those options.
func (r *Registry) versionFor(obj map[string]any, options resource.RequestOptions) (*resource.Version, *field.Status) {
	apiVersion, _ := obj["apiVersion"].(string)
	kind, _ := obj["kind"].(string)
	meta, _ := obj["metadata"].(map[string]any)
	if options.Namespace == "" && (meta["namespace"] == nil || meta["namespace"] == "") {
		options.Namespace = "default"
	}
	v, err := r.With(options).Version(apiVersion, kind)
	var failure *field.Status
	if err != nil && !errors.As(err, &failure) {
		failure = &field.Status{Code: 500, Reason: refusal.ReasonInternalError, Message: err.Error()}
	}
	return v, failure
}
