package resource

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/defaulting"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/query"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/resource/internal/settled"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/server/protocol"
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
	converter  conversion.Converter // nil: the definition's strategy
	// webhook: objects are converted by a webhook, and there is no converter in its place.
	webhook bool
	family  *family // r for other servers
	builtIn
	answering
}

// What other packages of this module may ask for. The names are unexported, so that they are not part of the API.
type (
	builtIn   = plan.BuiltInHolder
	answering = since.Answering
)

// A version is the part of a Version that With does not change.
type version struct {
	resource  *Resource
	name      string
	groupText string             // the apiVersion of its objects
	schema    *schema.Structural // nil: none; preserveUnknownFields is true
	revised   *revisions         // schema for other servers
	root      *plan.Node         // of the schema
	hasRules  bool               // the schema has rules
	rules     *ruleset.Rules     // compiled when they are first needed
	hasStatus bool
	// statusOptional: a valid object stays valid without its status.
	statusOptional bool
	// acceptsTypeAliases: the schema declares, or preserves, keys that can be read as kind or apiVersion (DEC-002).
	acceptsTypeAliases bool
	// statusDefault is the default that replaces a dropped status when the object is read back; nil for none.
	statusDefault any
	// statusDefaultNormal: reading the default again changes nothing.
	statusDefaultNormal bool
	scale               *scale                   // nil: none
	selectable          func() *query.Selectable // like columns, prepared on the first call
	columns             func() *columns          // of a table
	deprecation         string                   // the warning of a deprecated version; empty for none
	// created and updated describe the texts that [Version.Settled] and [Version.SettledUpdate] accept; nil: none.
	created, updated *settled.Root
	transitions      bool // a rule may use old values
	optionalOld      bool // a rule has optionalOldSelf
}

// A Version is a version of a custom resource, ready to answer requests. It is immutable and safe for concurrent use.
//
// A nil Version is a version that the definition does not have. It refuses requests like a server that does not have
// the path (404). Its other methods return nil or zero values.
type Version struct {
	*version
	options RequestOptions
}

// RequestOptions are the parameters of a request besides its object. The zero value is an ordinary request with a JSON
// body.
type RequestOptions struct {
	// Namespace is the namespace in the request's URL. Empty means the object's own.
	Namespace string
	// Name is the name in the request's URL, for updates and patches, including those of subresources. An object of
	// another name is refused. Empty means the name of the old object. The URL of a create has no name.
	Name string
	// FieldValidation says what happens for unknown and duplicate fields, which are dropped in any case: a warning (""
	// or [FieldValidationWarn]), nothing, or a refusal. Any other value is an error of each request.
	FieldValidation string
	// ContentType is the content type of a body: "" or application/json, application/yaml, in any case, with any
	// parameters.
	ContentType string
	// DryRun says that the caller stores nothing. A server checks the resourceVersion of a new object only when it
	// stores the object: in a dry run any is accepted, and stays in the answer.
	DryRun bool
	// Limit bounds the number and the total length of the errors in an answer, and of its warnings of each kind. The
	// zero value is the default.
	Limit field.Limit
	// Defaults bounds what defaults may add to an object, whether it was sent or is stored. An object that would exceed
	// it is refused: with 413, or with 500 if it is stored. The zero value is the default.
	Defaults defaulting.Limit
	// Admit is called in creates, updates and patches, after the object is decoded and before it is validated. This is
	// where a server runs its mutating admission. Admit gets the object to be written and the stored one, both with
	// their defaults, in the version of the request; old is nil in a create. It must not modify them. It returns the
	// object to continue with, which is pruned and defaulted again, or an error. A [field.Status] in the error is the
	// refusal; any other error is a server error (500). In a request to /status, everything in obj but its status and
	// its managedFields is restored afterwards. An update that then changes only times in managedFields keeps the
	// stored ones. Nil admits everything.
	Admit func(ctx context.Context, obj, old map[string]any) (map[string]any, error)
}

// The values of RequestOptions.FieldValidation.
const (
	FieldValidationWarn   = "Warn"
	FieldValidationIgnore = "Ignore"
	FieldValidationStrict = "Strict"
)

// A Result is the answer to a request.
type Result struct {
	// Object is the server's answer if there are no errors and no failure: what is stored, read back. With errors it is
	// the object that was validated; with a failure it may be nil.
	Object map[string]any
	// Stored is what a server has in its store after the request: the object in the storage version, with no defaults
	// but those that it had when it was validated. [Version.Read] accepts it for any version, and updates accept it as
	// the old object. It is nil if the request stores nothing: if it is refused, only reads, or deletes the object, and
	// if the result is Unconverted. The one failure with a Stored is the failure to read back what was written, because
	// a server has written it by then.
	//
	// It shares what it can with Object, often everything. Like Object, it has no uid, creationTimestamp or generated
	// name that was not sent: the caller that generates them sets them in both. An update keeps a resourceVersion in it
	// as it was sent.
	Stored map[string]any
	// Errors are the errors of a 422, in the server's order of checks.
	Errors field.List
	// Warnings are what the server sends in Warning headers, before it shortens them: in order, without repetition. A
	// refusal can have warnings, too.
	Warnings []string
	// Ratcheted are the failures of rules that an update may keep, because the values have not changed. Their texts are
	// among the Warnings.
	Ratcheted field.List
	// Failure is a refusal that is not a list of errors: 400, 409, 415, 500.
	Failure *field.Status
	// Unconverted says that the definition leaves a conversion to a webhook, and that no converter was given in its
	// place: see [Resource.WithConverter]. Without a failure, the request is valid: Errors and Warnings are the
	// server's, and Object is the object that was validated. What the server stores and answers is not known. With a
	// failure, the stored object has another version than the request, and the whole answer is not known.
	Unconverted bool
	// Deleted says that an update removed the last finalizer of an object that was being deleted, so that the server
	// deletes it (DEL-004). Object is the server's answer.
	Deleted bool
	// Cost is what the rules of the schema used of their budget, 0 if none was evaluated.
	Cost int64

	subject map[string]any // the object that a Status names
	// sent is the object as it was sent, for Patch, or nil if body has it. onStatus says that it was sent to /status,
	// keepsStatus that the version has that endpoint.
	sent                  map[string]any
	body                  []byte
	onStatus, keepsStatus bool
	about                 // the object of Errors if it is not the subject
}

type about = refusal.About // unexported, so that it is not part of the API

// Status returns the refusal as the Status that a server answers with, or nil if the request was accepted.
func (r Result) Status() *field.Status {
	switch {
	case r.Failure != nil:
		return r.Failure
	case len(r.Errors) == 0:
		return nil
	}
	if s := refusal.Status(r.about, r.Errors); s != nil {
		return s
	}
	// The Status has the object's own kind and group: a wrong kind may be the error.
	group, _, _ := objectmeta.GroupVersion(textOf(r.subject, "apiVersion"))
	return r.Errors.Status(group, textOf(r.subject, "kind"), textOf(metadata(r.subject), "name"))
}

// Err returns [Result.Status] as an error, nil if the request was accepted. errors.As finds a *[field.Status] in it,
// and each *[field.Error].
//
//go:noinline
func (r Result) Err() error {
	s := r.Status()
	if s == nil {
		return nil
	}
	return refusalError{s, r.Errors}
}

// A refusalError prints as its Status, and unwraps to the Status and its errors.
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

// Compile prepares d: the schemas of all its versions. It refuses what a server could not serve: a definition without a
// storage version, and a schema that is not structural, with all its violations, unless preserveUnknownFields is true.
// It does not check whether a server would accept the definition: see [CompileChecked]. d must not be modified
// afterwards; nil is an error.
//
// Rules are compiled when an object first needs them. If a rule does not compile, it is an error of that object.
func Compile(d *crd.CustomResourceDefinition) (*Resource, error) {
	if d == nil {
		return nil, errors.New("resource: no definition")
	}
	return compile(d, nil)
}

// compile prepares d. It reuses what checked has compiled; checked may be nil.
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
			continue // of two versions with the same name, the first is served (BET-006)
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
	r.webhook = callsWebhook(d)
	r.family = &family{newest: r}
	r.prepareRules(checked)
	return r, nil
}

// withoutSchemas returns a copy of d that does not refer to its schemas, so that they can be freed.
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
	v := &version{resource: r, name: name, groupText: objectmeta.APIVersion(r.group, name), revised: new(revisions)}
	props, err := of.Schema(name)
	if err != nil {
		return nil, err
	}
	if v.schema, err = r.compileSchema(name, props, checked); err != nil {
		return nil, err
	}
	if v.schema != nil {
		v.root = plan.Root(v.schema)
		v.hasRules = v.root.Below&plan.HasRules != 0
		v.statusOptional = optionalStatus(v.root)
		v.acceptsTypeAliases = acceptsTypeAliases(v.root)
		v.setStatusDefault()
	}
	sub, err := of.Subresources(name)
	if err != nil {
		return nil, err
	}
	v.hasStatus, v.scale = sub.Status != nil, newScale(sub.Scale)
	selectable, err := of.SelectableFields(name)
	if err != nil {
		return nil, err
	}
	v.selectable = r.lazySelectable(selectable)
	printed, err := of.Columns(name)
	if err != nil {
		return nil, err
	}
	v.columns = lazyColumns(printed)
	v.deprecation, _ = of.DeprecationWarning(name)
	v.settle()
	return v, nil
}

// has reports whether r defines that group and kind.
func (r *Resource) has(group, kind string) bool { return group == r.group && kind == r.kind }

// callsWebhook reports whether a server converts the objects of d by a webhook.
func callsWebhook(d *crd.CustomResourceDefinition) bool {
	return d.Spec.Conversion != nil && d.Spec.Conversion.Strategy == crd.ConversionWebhook
}

// WithConverter returns a copy of r that uses conv to convert objects between versions, whatever the definition's
// conversion strategy is. [conversion.Definition.Webhook] returns a converter that calls a webhook. Without a
// converter, objects are converted as the strategy None does; with the strategy Webhook, the results of requests that
// need a conversion are [Result.Unconverted].
func (r *Resource) WithConverter(conv conversion.Converter) *Resource {
	out := r.family.newest.copy()
	out.converter = conv
	out.webhook = conv == nil && callsWebhook(r.definition)
	out.family = &family{newest: out}
	return out.as(r.profile())
}

// native returns the built-in kind of v, or nil.
func (v *Version) native() *plan.BuiltIn { return plan.BuiltInOf(&v.resource.builtIn) }

// Version returns the version of that name, served or not, for requests without options. It returns nil if the
// definition does not have it.
func (r *Resource) Version(name string) *Version {
	v := r.versions[name]
	if v == nil {
		return nil
	}
	return &Version{version: v}
}

// Versions returns the versions of the definition in its order, served or not, for requests without options. Of
// versions with the same name it returns the first. The slice is the caller's.
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

// StorageVersion returns the version in which objects are stored, for requests without options. [Result.Stored] is in
// this version.
func (r *Resource) StorageVersion() *Version { return &Version{version: r.storage} }

// Definition returns the definition that r was compiled from, without the schemas of its versions: [Version.Schema] has
// the compiled ones, and a Resource does not keep their documents in memory. It must not be modified.
func (r *Resource) Definition() *crd.CustomResourceDefinition { return r.definition }

// With returns v for requests with the options o. They replace the options of v.
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

// refuse returns r with the refusal s.
func (r Result) refuse(s *field.Status) Result {
	r.Failure = s
	return r
}

// result begins the answer to a request.
func (v *Version) result() Result {
	var r Result
	if v.deprecation != "" {
		r.Warnings = append(r.Warnings, v.deprecation) // STR-017, DEC-018
	}
	return r
}

// canceled returns a failure if the context has ended.
func canceled(ctx context.Context) *field.Status {
	if err := ctx.Err(); err != nil {
		return refusal.Internal(err)
	}
	return nil
}

// begin begins the answer to a request. If ok is false, r is the whole answer: the version does not exist, or the
// context has ended.
func (v *Version) begin(ctx context.Context) (r Result, ok bool) {
	if v == nil {
		return Result{Failure: refusal.NoVersion()}, false
	}
	r = v.result()
	r.Failure = canceled(ctx)
	return r, r.Failure == nil
}

// GroupResource returns the name of r as refusals show it.
func (r *Resource) GroupResource() GroupResource {
	return GroupResource{Group: r.group, Resource: r.plural}
}

// APIResources returns the entries of v in the APIResourceList of its group and version, as [protocol.APIResources]
// does. It returns nil for a version that is not served or does not exist.
func (v *Version) APIResources() []protocol.APIResource {
	if v == nil {
		return nil
	}
	return protocol.APIResources(v.resource.definition, v.name)
}
