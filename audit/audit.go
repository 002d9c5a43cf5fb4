package audit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
)

// Options say how objects are audited. A nil Options is the zero value.
type Options struct {
	// Old is the definition that the objects were stored under, or nil. With it, findings say whether the old
	// definition has them, too, and reports count what the change breaks.
	Old *crd.CustomResourceDefinition
	// Kubernetes is the minor version of the server, such as "1.36": see [resource.Resource.For]. Empty is the newest
	// release.
	Kubernetes string
	// OldKubernetes is the minor version of the server before an upgrade, or empty. With it, findings say whether that
	// server has them, too, with the definition Old or, if that is nil, with the same one. If it is not the version of
	// Kubernetes, there are findings [Store] and [Warn], too.
	OldKubernetes string
	// Version is the version of creates and updates. Empty is the storage version.
	Version string
	// Converter converts objects in place of the definition's strategy, for both definitions. With the strategy Webhook
	// and without a Converter, objects of other versions than the storage version are checked in their own version
	// only: see [Outcome.Unconverted].
	Converter conversion.Converter
	// Workers is how many goroutines audit objects. Zero or less is runtime.GOMAXPROCS.
	Workers int
	// Examples is how many names of objects a finding keeps. Zero or less is 3.
	Examples int
}

// An Audit finds out what one definition means for objects. It is immutable and safe for concurrent use.
type Audit struct {
	options  Options
	checker  checker
	old      *checker // nil: none
	upgrades bool     // checker and old are of different versions of Kubernetes
}

// New prepares an audit by d. It returns an error if d is nil, if d or the old definition cannot be compiled, if d does
// not have the version of the options, if a version of Kubernetes is unknown, or if the two definitions are not of the
// same group and kind. The definitions are not modified, and must not be modified while the Audit is in use. o may be
// nil.
func New(d *crd.CustomResourceDefinition, o *Options) (*Audit, error) {
	if d == nil {
		return nil, errors.New("audit: no definition")
	}
	a := &Audit{}
	if o != nil {
		a.options = *o
	}
	r, err := resource.Compile(d)
	if err == nil {
		err = a.checker.set(d, r, a.options.Kubernetes, a.options.Version, a.options.Converter)
	}
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	if a.options.Old == nil && a.options.OldKubernetes == "" {
		return a, nil
	}
	if a.options.Old == nil {
		a.options.Old = d
	} else if r, err = resource.Compile(a.options.Old); err != nil {
		return nil, fmt.Errorf("audit: the old definition: %w", err)
	}
	a.old = &checker{}
	before := cmp.Or(a.options.OldKubernetes, a.options.Kubernetes)
	if err := a.old.set(a.options.Old, r, before, "", a.options.Converter); err != nil {
		return nil, fmt.Errorf("audit: the old definition: %w", err)
	}
	a.upgrades = a.old.minor != a.checker.minor
	if v := a.old.resource.Version(a.options.Version); v != nil {
		a.old.version = v
	}
	if a.old.group != a.checker.group || a.old.kind != a.checker.kind {
		return nil, fmt.Errorf("audit: the old definition is one of %s in group %s, not of %s in group %s",
			a.old.kind, a.old.group, a.checker.kind, a.checker.group)
	}
	return a, nil
}

var errNull = errors.New("the object is null")

// A checker checks objects by one definition.
type checker struct {
	group, kind   string
	minor         since.Minor // of the server
	resource      *resource.Resource
	version       *resource.Version   // of creates and updates
	otherVersions []*resource.Version // the other served versions; none if a webhook converts that is not called
	hasStatus     map[string]bool     // the versions with a status subresource
	prunes        bool
	listed        []string // status.storedVersions
	renames       bool     // a conversion changes the apiVersion only
	// sameSchema: version is the storage version, and the other versions have the same schema and subresources. An
	// object that is settled in one of them is settled in all.
	sameSchema bool
}

// set prepares c for d, which is compiled as r. kubernetes is the version of the server, version that of creates and
// updates.
func (c *checker) set(
	d *crd.CustomResourceDefinition, r *resource.Resource, kubernetes, version string, conv conversion.Converter,
) error {
	minor, err := since.ParseServed(kubernetes)
	if err != nil {
		return err
	}
	c.minor = minor
	if r, err = r.For(kubernetes); err != nil {
		return err
	}
	if conv != nil {
		r = r.WithConverter(conv)
	}
	c.resource, c.group, c.kind = r, d.Spec.Group, d.AcceptedNames().Kind
	c.listed = slices.Clone(d.Status.StoredVersions)
	c.prunes = d.Spec.PreserveUnknownFields == nil || !*d.Spec.PreserveUnknownFields
	c.version = r.StorageVersion()
	if version != "" {
		c.version = r.Version(version)
	}
	if c.version == nil {
		return fmt.Errorf("there is no version %s", version)
	}
	c.hasStatus = map[string]bool{}
	of := d.Lookup()
	for i := range d.Spec.Versions {
		name := d.Spec.Versions[i].Name
		if sub, err := of.Subresources(name); err == nil {
			c.hasStatus[name] = sub.Status != nil
		}
	}
	c.sameSchema = c.version.Name() == r.StorageVersion().Name()
	c.renames = conv == nil
	if conv == nil && d.Spec.Conversion.Strategy == crd.ConversionWebhook {
		return nil // only the webhook knows the objects of other versions
	}
	storage, err := comparableJSON(of, r.StorageVersion().Name())
	if err != nil {
		return err
	}
	for _, v := range d.Spec.Versions {
		if !v.Served || v.Name == c.version.Name() {
			continue
		}
		other, err := comparableJSON(of, v.Name)
		if err != nil {
			return err
		}
		c.sameSchema = c.sameSchema && conv == nil && bytes.Equal(other, storage)
		c.otherVersions = append(c.otherVersions, r.Version(v.Name))
	}
	return nil
}

// comparableJSON returns the schema and the subresources of a version as JSON, without descriptions, to compare
// versions.
func comparableJSON(of *crd.Lookup, version string) ([]byte, error) {
	props, err := of.Schema(version)
	if err != nil {
		return nil, err
	}
	sub, err := of.Subresources(version)
	if err != nil {
		return nil, err
	}
	if props != nil {
		props = withoutDescriptions(props)
	}
	return json.Marshal([]any{props, sub})
}

// withoutDescriptions returns a copy of a schema without titles and descriptions.
func withoutDescriptions(p *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	q := *p
	q.Title, q.Description = "", ""
	return schemadoc.MapChildren(&q, func(_ schema.Location, child *schema.JSONSchemaProps) *schema.JSONSchemaProps {
		return withoutDescriptions(child)
	})
}

// Object audits one object. body is its JSON, which is neither modified nor kept. If ctx ends during the call, the
// outcome may be that of a canceled request.
func (a *Audit) Object(ctx context.Context, body []byte) Outcome {
	// Of an object that is settled, a server may still warn about the finalizers.
	warns := a.upgrades && bytes.Contains(body, []byte(`"finalizers"`))
	if a.checker.sameSchema && !warns && a.checker.version.SettledStored(ctx, body) {
		return Outcome{Class: Clean, Version: a.checker.version.Name()}
	}
	now := a.checker.check(ctx, body)
	if a.old == nil || len(now.outcome.Findings) == 0 && (!a.upgrades || now.obj == nil) {
		return now.outcome
	}
	was := a.old.check(ctx, body)
	before := map[findingKey]bool{}
	for i := range was.outcome.Findings {
		before[a.keyBefore(&was.outcome.Findings[i])] = true
	}
	for i := range now.outcome.Findings {
		f := &now.outcome.Findings[i]
		f.Before = before[a.keyBefore(f)]
	}
	if a.upgrades {
		now.compare(was)
		now.finish()
	}
	return now.outcome
}
