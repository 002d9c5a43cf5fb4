package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
)

// Options say how objects are judged. A nil Options is the zero value.
type Options struct {
	// Old is the definition that the objects were stored under, or nil. With it, findings say whether the old
	// definition has them, too, and reports count what the change breaks.
	Old *crd.CustomResourceDefinition
	// Version is the version of creates and updates. Empty is the storage version.
	Version string
	// Workers is how many goroutines judge objects. Zero or less is runtime.GOMAXPROCS.
	Workers int
	// Examples is how many names of objects a finding keeps. Zero or less is 3.
	Examples int
	// Progress, if it is not nil, is called during a run a few times a second, by one goroutine at a time.
	Progress func(Progress)
}

// An Audit judges objects by one definition. It is immutable and safe for concurrent use.
type Audit struct {
	options Options
	judge   judge
	old     *judge // nil: none
}

// New prepares an audit by d. It returns an error if d is nil, if d or the old definition cannot be compiled, if d does
// not have the version of the options, or if the two definitions are not of the same group and kind. The definitions
// are not modified, and must not be modified while the Audit is in use. o may be nil.
func New(d *crd.CustomResourceDefinition, o *Options) (*Audit, error) {
	if d == nil {
		return nil, errors.New("audit: no definition")
	}
	a := &Audit{}
	if o != nil {
		a.options = *o
	}
	if err := a.judge.compile(d, a.options.Version); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	if a.options.Old == nil {
		return a, nil
	}
	a.old = &judge{}
	if err := a.old.compile(a.options.Old, ""); err != nil {
		return nil, fmt.Errorf("audit: the old definition: %w", err)
	}
	if v := a.old.resource.Version(a.options.Version); v != nil {
		a.old.main = v
	}
	if a.old.group != a.judge.group || a.old.kind != a.judge.kind {
		return nil, fmt.Errorf("audit: the old definition is one of %s in group %s, not of %s in group %s",
			a.old.kind, a.old.group, a.judge.kind, a.judge.group)
	}
	return a, nil
}

var errNull = errors.New("the object is null")

// A judge has what one definition says.
type judge struct {
	group, kind string
	resource    *resource.Resource
	main        *resource.Version   // of creates and updates
	others      []*resource.Version // the served ones besides; none if a webhook converts
	prunes      bool
	// same: main is the storage version, and the other versions have its schema and subresources. An object that is
	// settled in one of them is settled in all.
	same bool
}

func (j *judge) compile(d *crd.CustomResourceDefinition, version string) error {
	r, err := resource.Compile(d)
	if err != nil {
		return err
	}
	j.resource, j.group, j.kind = r, d.Spec.Group, d.AcceptedNames().Kind
	j.prunes = d.Spec.PreserveUnknownFields == nil || !*d.Spec.PreserveUnknownFields
	j.main = r.StorageVersion()
	if version != "" {
		j.main = r.Version(version)
	}
	if j.main == nil {
		return fmt.Errorf("there is no version %s", version)
	}
	j.same = j.main.Name() == r.StorageVersion().Name()
	if d.Spec.Conversion.Strategy == crd.ConversionWebhook {
		return nil // which only a webhook can answer
	}
	of := d.Lookup()
	storage, err := contents(of, r.StorageVersion().Name())
	if err != nil {
		return err
	}
	for _, v := range d.Spec.Versions {
		if !v.Served || v.Name == j.main.Name() {
			continue
		}
		other, err := contents(of, v.Name)
		if err != nil {
			return err
		}
		j.same = j.same && bytes.Equal(other, storage)
		j.others = append(j.others, r.Version(v.Name))
	}
	return nil
}

// contents returns the schema and the subresources of a version as JSON, without descriptions.
func contents(of *crd.Lookup, version string) ([]byte, error) {
	props, err := of.Schema(version)
	if err != nil {
		return nil, err
	}
	sub, err := of.Subresources(version)
	if err != nil {
		return nil, err
	}
	if props != nil {
		text, err := json.Marshal(props)
		if err != nil {
			return nil, err
		}
		if props, err = schema.Decode(text); err != nil { // a copy
			return nil, err
		}
		withoutTexts(props)
	}
	return json.Marshal([]any{props, sub})
}

// withoutTexts removes titles and descriptions from a schema, in place.
func withoutTexts(p *schema.JSONSchemaProps) {
	p.Title, p.Description = "", ""
	for _, child := range p.Children() { // decoding makes no nil ones
		withoutTexts(child)
	}
}

// Object judges one object. body is its JSON, which is neither modified nor kept. If ctx ends during the call, the
// outcome may be that of a canceled request.
func (a *Audit) Object(ctx context.Context, body []byte) Outcome {
	if a.judge.same && a.judge.main.SettledStored(ctx, body) {
		return Outcome{Class: Clean}
	}
	o := a.judge.object(ctx, body)
	if a.old == nil || len(o.Findings) == 0 {
		return o
	}
	before := map[place]bool{}
	for _, f := range a.old.object(ctx, body).Findings {
		before[f.place()] = true
	}
	for i := range o.Findings {
		o.Findings[i].Before = before[o.Findings[i].place()]
	}
	return o
}
