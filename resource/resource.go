package resource

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/selector"
	"github.com/crdkit/crdkit/internal/settled"
	"github.com/crdkit/crdkit/internal/verdict"
	"github.com/crdkit/crdkit/protocol"
	"github.com/crdkit/crdkit/schema"
)

// A Resource is a compiled CustomResourceDefinition. It is immutable and safe for concurrent use.
type Resource struct {
	group      string
	kind       string
	plural     string
	namespaced bool
	prunes     bool                          // preserveUnknownFields is not true (PUF-001)
	definition *crd.CustomResourceDefinition // for discovery: without schemas, which are most of its size
	versions   map[string]*version
	storage    *version
	conversion *conversion.Definition
	converter  conversion.Converter // nil: the strategy None
}

// A version is what a Version has in common with those that With makes of it.
type version struct {
	resource  *Resource
	name      string
	groupText string             // the apiVersion of its objects
	schema    *schema.Structural // nil: none, where preserveUnknownFields is true
	root      *plan.Node         // of the schema
	ruled     bool               // the schema has rules
	rules     *cel.Rules         // compiled when they are first needed
	hasStatus bool
	// statusOptional: an object that has nothing wrong with it has nothing wrong with it without its status.
	statusOptional bool
	// takesOddKeys: the schema knows, or keeps, keys that look like kind or apiVersion (DEC-002).
	takesOddKeys bool
	// statusDefault is what a status that was dropped is replaced by when the object is read again; nil for nothing.
	statusDefault any
	// statusDefaultNormal: reading the default again changes nothing about it.
	statusDefaultNormal bool
	scale               *scale // nil: none
	selectable          *selector.Selectable
	columns             func() *columns // of a table, parsed when they are first needed
	deprecation         string          // the warning of a deprecated version; empty for none
	// created and updated are what the text of an object has to be, in a create and in an update that changes nothing; nil: not known.
	created, updated *settled.Root
	transitions      bool // a rule may be about old values
	optionalOld      bool // a rule about old values is evaluated without one, too
}

// A Version is a version of a custom resource, ready to answer requests. It is immutable and safe for concurrent use.
//
// A nil Version is one that the definition does not have. It refuses requests as a server does that has no such path (404), and has nothing
// to say otherwise: its methods return nil or zero values.
type Version struct {
	*version
	options RequestOptions
}

// RequestOptions are what a request has besides its object. The zero value is an ordinary request with a JSON body.
type RequestOptions struct {
	// Namespace is that of the request's URL. Empty is the object's own.
	Namespace string
	// Name is that of the request's URL, for updates and patches, also of subresources: an object of another name is refused. Empty is
	// the name of the old object. A create has none in its URL.
	Name string
	// FieldValidation says what becomes of unknown and duplicate fields, which are dropped in any case: a warning ("" or
	// [FieldValidationWarn]), nothing, or a refusal. Another word is an error of each request (DEC-012).
	FieldValidation string
	// ContentType is that of a body: "" or application/json, application/yaml, in any case, with any parameters (DEC-017).
	ContentType string
	// Limit is how many errors an answer has, and how long they are together; the same goes for its warnings of each kind. The zero value is
	// the default.
	Limit field.Limit
	// Defaults is how much defaults may add to an object, one that was sent or one that is stored. An object that would get more is refused:
	// with 413, or 500 if it is stored. The zero value is the default.
	Defaults defaulting.Limit
	// Admit is called in creates, updates and patches, once the object is decoded and before it is validated, where a server runs its
	// mutating admission. It gets the object as it is to be written and the stored one, both with their defaults, in the version of the
	// request; old is nil in a create. It must not modify them, and returns the object to go on with, which is pruned and gets defaults
	// again, or an error: a [field.Status] in it is the refusal, any other error is one of the server (500). For a request to /status, all
	// of obj but its status and its managedFields is put back afterwards. An update that then changes nothing but times of managedFields
	// keeps the stored ones. Nil admits everything.
	Admit func(ctx context.Context, obj, old map[string]any) (map[string]any, error)
}

// What RequestOptions.FieldValidation may be.
const (
	FieldValidationWarn   = "Warn"
	FieldValidationIgnore = "Ignore"
	FieldValidationStrict = "Strict"
)

// A Result is the answer to a request.
type Result struct {
	// Object is the server's answer where there are no errors and no failure: what is stored, read back. With errors it is the
	// object as it was judged, with a failure it may be nil.
	Object map[string]any
	// Stored is what a server has in its store after the request: the object in the storage version, with no defaults but those that it
	// had when it was validated. [Version.Read] takes it in any version, and updates take it as the old object. It is nil where the request
	// stores nothing: one that is refused, that reads, or that deletes the object. Only a failure to read back what was written comes
	// with a Stored, as a server has written it by then.
	//
	// It shares what it can with Object, often everything. Like Object it has no uid, creationTimestamp or generated name that was not sent:
	// who makes these up sets them in both. An update leaves a resourceVersion in it as it was sent.
	Stored map[string]any
	// Errors are those of a 422, in the server's order of checks.
	Errors field.List
	// Warnings are what the server sends in Warning headers, before it cuts those: in order, each text once. They come with a refusal, too.
	Warnings []string
	// Failure is a refusal that is no list of errors: 400, 409, 415, 500.
	Failure *field.Status
	// Deleted says that an update took the last finalizer from an object that was being deleted, so that the server deletes it
	// (DEL-004). Object is what it answers with.
	Deleted bool
	// Cost is what the rules of the schema spent of their budget, 0 where none ran.
	Cost int64

	subject map[string]any // the object that a Status names
	// sent is the object as it came, for Patch; onStatus and keepsStatus say to which of the two endpoints, and that there are two.
	sent                  map[string]any
	onStatus, keepsStatus bool
	about                 *named // what Errors are about if it is not the subject
}

// named is what a Status says that its errors are about.
type named struct{ group, kind, name string }

// options returns that of the options of a request.
func options(kind string) *named { return &named{group: optionsGroup, kind: kind} }

// Status returns the refusal as the Status that a server answers with, or nil if the request was accepted.
func (r Result) Status() *field.Status {
	switch {
	case r.Failure != nil:
		return r.Failure
	case len(r.Errors) == 0:
		return nil
	case r.about != nil:
		return r.Errors.Status(r.about.group, r.about.kind, r.about.name)
	}
	// It is named as it names itself: a wrong kind may be what is wrong.
	apiVersion, _ := r.subject["apiVersion"].(string)
	group, _, _ := objectmeta.GroupVersion(apiVersion)
	kind, _ := r.subject["kind"].(string)
	name, _ := metadata(r.subject)["name"].(string)
	return r.Errors.Status(group, kind, name)
}

// Err returns [Result.Status] as an error, nil if the request was accepted. errors.As finds a *[field.Status] in it, and each
// *[field.Error].
func (r Result) Err() error {
	s := r.Status()
	if s == nil {
		return nil
	}
	return refusalError{s, r.Errors}
}

// A refusalError prints as its Status, and unwraps to that and the errors behind it.
type refusalError struct {
	*field.Status
	errs field.List
}

func (e refusalError) Unwrap() []error {
	all := []error{e.Status}
	if err := e.errs.Err(); err != nil {
		all = append(all, err)
	}
	return all
}

// Compile prepares d: the schemas of all its versions. It refuses what a server could not serve: a definition without a storage
// version, and a schema that is not structural, with all its violations, unless preserveUnknownFields is true. Whether a server
// would take the definition at all is not asked here: see [CompileChecked]. d must not be modified afterwards; nil is an error.
//
// Rules are compiled when an object first needs them, and one that does not compile is an error of that object.
func Compile(d *crd.CustomResourceDefinition) (*Resource, error) {
	if d == nil {
		return nil, errors.New("resource: no definition")
	}
	return compile(d, nil)
}

// compile prepares d, with what checked has compiled of it; nil for nothing.
func compile(d *crd.CustomResourceDefinition, checked *crdcheck.Checked) (*Resource, error) {
	r := &Resource{
		group:      d.Spec.Group,
		kind:       d.AcceptedNames().Kind,
		plural:     d.AcceptedNames().Plural,
		namespaced: d.Spec.Scope != crd.ClusterScoped,
		prunes:     d.Spec.PreserveUnknownFields == nil || !*d.Spec.PreserveUnknownFields,
		definition: withoutSchemas(d),
		versions:   make(map[string]*version, len(d.Spec.Versions)),
	}
	storage, err := d.StorageVersion()
	if err != nil {
		return nil, fmt.Errorf("resource: %w", err)
	}
	of := d.Lookup()
	for i := range d.Spec.Versions {
		name := d.Spec.Versions[i].Name
		if r.versions[name] != nil {
			continue // of two versions of one name, the first is served (BET-006)
		}
		v, err := r.compileVersion(of, name, checked)
		if err != nil {
			return nil, fmt.Errorf("resource: version %s: %w", name, err)
		}
		r.versions[name] = v
	}
	r.storage = r.versions[storage]
	if r.conversion, err = conversion.Compile(d); err != nil {
		return nil, fmt.Errorf("resource: %w", err)
	}
	r.prepareRules(checked)
	return r, nil
}

// withoutSchemas returns a copy of d that does not keep its schemas in memory.
func withoutSchemas(d *crd.CustomResourceDefinition) *crd.CustomResourceDefinition {
	c := *d
	c.Spec.Validation = nil
	c.Spec.Versions = slices.Clone(d.Spec.Versions)
	for i := range c.Spec.Versions {
		c.Spec.Versions[i].Schema = nil
	}
	return &c
}

func (r *Resource) compileVersion(of *crd.Lookup, name string, checked *crdcheck.Checked) (*version, error) {
	v := &version{resource: r, name: name, groupText: objectmeta.APIVersion(r.group, name)}
	props, err := of.Schema(name)
	if err != nil {
		return nil, err
	}
	if v.schema, err = r.compileSchema(name, props, checked); err != nil {
		return nil, err
	}
	if v.schema != nil {
		v.root = plan.Root(v.schema)
		v.ruled = v.root.Below&plan.HasRules != 0
		v.statusOptional = optionalStatus(v.root)
		v.takesOddKeys = takesOddKeys(v.root)
		if p := v.root.Prop("status"); p != nil && p.Node.Default != nil {
			v.statusDefault = p.Node.Default
			v.statusDefaultNormal = verdict.OK(p.Node, p.Node.Default, verdict.Schema|verdict.Embedded|verdict.Stored)
		}
	}
	sub, err := of.Subresources(name)
	if err != nil {
		return nil, err
	}
	if sub != nil {
		v.hasStatus, v.scale = sub.Status != nil, newScale(sub.Scale)
	}
	if v.selectable, err = r.selectableFields(of, name); err != nil {
		return nil, err
	}
	printed, err := of.Columns(name)
	if err != nil {
		return nil, err
	}
	v.columns = lazyColumns(printed)
	v.deprecation, _ = of.DeprecationWarning(name)
	v.settle()
	return v, nil
}

// has reports whether objects of that group and kind are r's.
func (r *Resource) has(group, kind string) bool { return group == r.group && kind == r.kind }

// WithConverter returns r for which conv takes objects from one version to another, wherever a request needs that: whatever the
// definition's conversion strategy is. [conversion.Definition.Webhook] makes one that asks a webhook. Without a converter the
// strategy None does it, and with the strategy Webhook requests that need a conversion are refused.
func (r *Resource) WithConverter(conv conversion.Converter) *Resource {
	out := *r
	out.converter = conv
	out.versions = make(map[string]*version, len(r.versions))
	for name, v := range r.versions {
		of := *v
		of.resource = &out
		out.versions[name] = &of
		if v == r.storage {
			out.storage = &of
		}
	}
	return &out
}

// Version returns the version of that name for requests without options, or nil if the definition has none, served or not.
func (r *Resource) Version(name string) *Version {
	v := r.versions[name]
	if v == nil {
		return nil
	}
	return &Version{version: v}
}

// Versions returns the versions of the definition in its order, served or not, each for requests without options. Of two versions of one
// name there is the first. The slice is the caller's.
func (r *Resource) Versions() []*Version {
	out := make([]*Version, 0, len(r.versions))
	for i := range r.definition.Spec.Versions {
		v := r.versions[r.definition.Spec.Versions[i].Name]
		if !slices.ContainsFunc(out, func(has *Version) bool { return has.version == v }) {
			out = append(out, &Version{version: v})
		}
	}
	return out
}

// StorageVersion returns the version that objects are stored in, which [Result.Stored] is of, for requests without options.
func (r *Resource) StorageVersion() *Version { return &Version{version: r.storage} }

// Definition returns the definition that r was compiled from, without the schemas of its versions: [Version.Schema] has those, compiled,
// and a Resource does not keep the documents in memory. It must not be modified.
func (r *Resource) Definition() *crd.CustomResourceDefinition { return r.definition }

// With returns v for requests with those options, instead of any that v has.
func (v *Version) With(o RequestOptions) *Version {
	if v == nil {
		return nil
	}
	return &Version{version: v.version, options: o}
}

// Name returns the version's name.
func (v *Version) Name() string {
	if v == nil {
		return ""
	}
	return v.name
}

// Schema returns the version's compiled schema, or nil if it has none. It must not be modified.
func (v *Version) Schema() *schema.Structural {
	if v == nil {
		return nil
	}
	return v.schema
}

// refuse returns r as a refusal.
func (r Result) refuse(s *field.Status) Result {
	r.Failure = s
	return r
}

// InvalidOptions returns the answer to a request whose options are wrong: kind is theirs, such as PatchOptions.
func InvalidOptions(kind string, errs field.List) Result {
	return Result{Errors: errs, about: options(kind)}
}

// result starts the answer to a request.
func (v *Version) result() Result {
	var r Result
	if v.deprecation != "" {
		r.Warnings = append(r.Warnings, v.deprecation) // STR-017, DEC-018
	}
	return r
}

// canceled returns a failure if the request's context is done: nothing that follows would be waited for.
func canceled(ctx context.Context) *field.Status {
	if err := ctx.Err(); err != nil {
		return refusal.Internal(err)
	}
	return nil
}

// GroupResource returns the name of r in refusals.
func (r *Resource) GroupResource() protocol.GroupResource {
	return protocol.GroupResource{Group: r.group, Resource: r.plural}
}

// APIResources returns the entries that v has in the APIResourceList of its group and version, as [protocol.APIResources] does. It returns
// nil for a version that is not served, or is not there.
func (v *Version) APIResources() []protocol.APIResource {
	if v == nil {
		return nil
	}
	return protocol.APIResources(v.resource.definition, v.name)
}
