package parity

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/crdcheck"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/parity/gen"
	"github.com/crdkit/crdkit/parity/internal/reference"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// SSA-001 to SSA-039: what several managers do to an object, one after the other, in two versions, on /status and on
// /scale. The managers of the reference get objects as its handlers give them to them: what an update sends has its
// defaults.
//
// Left out is what the handlers of the reference do themselves: preconditions, decoding, and the checks of the result,
// which are those of an update.
//
// A case is a definition with sixteen flows: 200,000 flows take -cases 12500, which is best done in parts with a -seed
// each.
func TestApply(t *testing.T) {
	definitions := reference.NewDefinitions()
	comparison{
		pkg: "apply", functions: "Version.Apply, ApplyStatus, ApplyScale, Create, Update, UpdateStatus, UpdateScale, Patch, PatchStatus", reference: "managedfields.FieldManager", cases: 150, tries: 300,
		draw: func(s *gen.Source) any {
			f := gen.Flow{Source: s}
			definition, schemas := f.Definition()
			flows := given.List(flowsOfDefinition, func(int) any { return f.Steps(schemas) })
			return gen.InJSON(map[string]any{"definition": definition, "flows": flows})
		},
		ask: func(sample any) []outcome {
			m, _ := sample.(map[string]any)
			text, err := json.Marshal(m["definition"])
			if err != nil {
				return nil
			}
			theirs, refused := parseManagers(definitions, text)
			plain, ours, failed := parseApply(text)
			if refused != nil || failed != nil {
				return nil // made smaller until it is none
			}
			var outcomes []outcome
			flows, _ := m["flows"].([]any)
			for _, v := range flows {
				flow := flow{plain: plain, ours: ours, theirs: theirs, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
				steps, _ := v.([]any)
				for _, v := range steps {
					step, ok := v.(map[string]any)
					if !ok || !flow.step(step) {
						break
					}
				}
				outcomes = append(outcomes, flow.outcomes...)
			}
			return outcomes
		},
	}.run(t)
}

const flowsOfDefinition = 16

func parseManagers(definitions *reference.Definitions, text []byte) (map[string]*reference.Managers, error) {
	d, err := definitions.Parse(text)
	if err != nil {
		return nil, err
	}
	if d.Spec.Group == "" || d.Spec.Names.Kind == "" || len(d.Spec.Versions) == 0 {
		return nil, errors.New("not complete") // the reference panics
	}
	return reference.NewManagers(d)
}

func parseApply(text []byte) (*resource.Resource, *apply.Resource, error) {
	d, err := crd.Parse(text)
	if err != nil {
		return nil, nil, err
	}
	if errs := crdcheck.Validate(d); len(errs) > 0 {
		return nil, nil, errs.Err()
	}
	r, err := resource.Compile(d)
	if err != nil {
		return nil, nil, err
	}
	a, err := apply.Compile(r)
	return r, a, err
}

// A flow is what happened to an object.
type flow struct {
	plain    *resource.Resource
	ours     *apply.Resource
	theirs   map[string]*reference.Managers
	live     map[string]any // as it is stored: of v1; the same on both sides
	now      time.Time
	outcomes []outcome
}

// step does the same on both sides, of which the reference gets the live object as its handlers read it. It reports
// false where the flow cannot go on.
func (f *flow) step(s map[string]any) bool {
	ctx := context.Background()
	f.now = f.now.Add(time.Hour)
	version, _ := s["version"].(string)
	manager, _ := s["manager"].(string)
	status, _ := s["status"].(bool)
	sent, _ := s["object"].(map[string]any)
	theirs := f.theirs[version]
	v := f.ours.Version(version).With(resource.RequestOptions{Namespace: "ns", Name: "n"})
	if v == nil || theirs == nil || sent == nil || s["verb"] == "" {
		return false
	}
	status = status && f.live != nil && f.hasStatus(version)
	obj := inVersion(sent, version)
	obj["kind"] = "K"
	plain := f.plain.Version(version).With(resource.RequestOptions{Namespace: "ns"})
	var live map[string]any
	if f.live != nil {
		read := plain.Read(f.live)
		if read.Err() != nil {
			return false
		}
		live = read.Object
	}
	o := apply.Options{Manager: manager, Now: f.now, Force: s["verb"] == "force"}
	var r resource.Result
	var theirObj map[string]any
	var theirErr error
	switch s["verb"] {
	case "scale", "applyScale":
		return live == nil || !theirs.HasScale() || f.scale(s, v, theirs, live, o)
	case "apply", "force":
		text, err := json.Marshal(obj)
		if err != nil {
			return false
		}
		applied, err := unstructured.DecodeJSON(text)
		if err != nil {
			return false
		}
		if status {
			r = v.ApplyStatus(ctx, text, f.live, o)
		} else {
			r = v.Apply(ctx, text, f.live, o)
		}
		theirObj, theirErr = theirs.Apply(applied, live, manager, o.Force, status, f.now)
	case "patch":
		text, err := json.Marshal(sent)
		if err != nil || live == nil {
			return live == nil
		}
		patched, err := reference.MergePatch(live, text)
		if err != nil {
			return false
		}
		decoded := plain.Read(patched)
		if decoded.Err() != nil {
			return true
		}
		if status {
			r = v.PatchStatus(ctx, "application/merge-patch+json", text, f.live, o)
		} else {
			r = v.Patch(ctx, "application/merge-patch+json", text, f.live, o)
		}
		theirObj = theirs.Update(decoded.Object, live, manager, status, f.now)
	default:
		if s["verb"] == "same" && live != nil {
			obj = unstructured.Clone(live)
			if meta, _ := sent["metadata"].(map[string]any); meta["managedFields"] != nil {
				obj["metadata"].(map[string]any)["managedFields"] = meta["managedFields"]
			}
		}
		// Both sides get the object as it is decoded: with its defaults, and without unknown fields.
		decoded := plain.Read(obj)
		if decoded.Err() != nil {
			return true
		}
		next := decoded.Object
		switch {
		case live == nil:
			r = v.Create(ctx, next, o)
		case status:
			r = v.UpdateStatus(ctx, next, f.live, o)
		default:
			r = v.Update(ctx, next, f.live, o)
		}
		theirObj = theirs.Update(next, live, manager, status, f.now)
	}
	return f.compare(r, theirObj, theirErr, version, status)
}

// scale does the same to a Scale.
func (f *flow) scale(s map[string]any, v *apply.Version, theirs *reference.Managers, live map[string]any, o apply.Options) bool {
	ctx := context.Background()
	n, _ := s["replicas"].(int)
	replicas := int64(n)
	scale := map[string]any{
		"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": map[string]any{"name": "n", "namespace": "ns"}, "spec": map[string]any{"replicas": replicas},
	}
	var r resource.Result
	force, _ := s["force"].(bool)
	applies := s["verb"] == "applyScale"
	if applies {
		o.Force = force
		text, err := json.Marshal(scale)
		if err != nil {
			return false
		}
		r = v.ApplyScale(ctx, text, f.live, o)
	} else {
		r = v.UpdateScale(ctx, scale, f.live, o)
	}
	entries, err := theirs.Scale(live, replicas, o.Manager, applies, force, f.now)
	switch {
	case err != nil:
		f.outcomes = append(f.outcomes, outcome{ours: errorText(r.Err()), theirs: err.Error(), found: true})
		return true
	case r.Failure != nil:
		f.outcomes = append(f.outcomes, outcome{ours: r.Failure.Message, theirs: "no error"})
		return true
	case r.Err() != nil:
		return true // the result is invalid, of which the managers say nothing
	}
	f.outcomes = append(f.outcomes, outcome{ours: entriesOf(r.Stored), theirs: entries})
	f.store(r.Stored)
	return true
}

func entriesOf(obj map[string]any) any {
	meta, _ := obj["metadata"].(map[string]any)
	return meta["managedFields"]
}

// store keeps an object as it is stored, which has a uid.
func (f *flow) store(obj map[string]any) {
	live := maps.Clone(obj)
	meta := maps.Clone(live["metadata"].(map[string]any))
	meta["uid"] = "u"
	live["metadata"] = meta
	f.live = live
}

func (f *flow) hasStatus(version string) bool {
	sub, err := f.plain.Definition().Lookup().Subresources(version)
	return err == nil && sub != nil && sub.Status != nil
}

// inVersion returns obj, which may be nil, with that apiVersion.
func inVersion(obj map[string]any, version string) map[string]any {
	if obj == nil {
		return nil
	}
	out := maps.Clone(obj)
	out["apiVersion"] = "g.io/" + version
	return out
}

// bare returns obj without what is up to other functions: the status of a resource that has an endpoint for it, what
// identifies it, and nulls.
func bare(obj map[string]any, status bool) any {
	out := withoutNulls(obj).(map[string]any)
	meta := out["metadata"].(map[string]any)
	for _, key := range []string{"managedFields", "generation", "uid"} {
		delete(meta, key)
	}
	if status {
		delete(out, "status")
	}
	return out
}

// withoutNulls returns a copy of v without what is null in objects: most of that is gone when an object is read back.
func withoutNulls(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, e := range x {
			if e != nil {
				out[k] = withoutNulls(e)
			}
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, e := range x {
			out[i] = withoutNulls(e)
		}
		return out
	}
	return v
}

func (f *flow) compare(r resource.Result, theirs map[string]any, err error, version string, status bool) bool {
	switch s := r.Status(); {
	case err != nil:
		ours := "no error"
		if s != nil {
			ours = s.Message
		}
		f.outcomes = append(f.outcomes, outcome{ours: ours, theirs: err.Error(), found: true})
		return true
	case r.Failure != nil:
		f.outcomes = append(f.outcomes, outcome{ours: s.Message, theirs: "no error"})
		return true
	case s != nil:
		return true // the result is invalid, of which the managers say nothing
	}
	f.outcomes = append(f.outcomes, outcome{ours: entriesOf(r.Object), theirs: entriesOf(theirs)})
	f.outcomes = append(f.outcomes, outcome{ours: bare(r.Object, f.hasStatus(version)), theirs: bare(theirs, f.hasStatus(version))})
	f.store(r.Stored)
	return true
}
