package parity

import (
	"context"
	"encoding/json"
	"maps"
	"testing"
	"time"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/parity/internal/gen"
	"github.com/crdkit/crdkit/parity/internal/reference"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

// SSA-001 to SSA-039: what several managers do to an object, one after the other, in two versions and on /status. The managers of the
// reference get objects as its handlers give them to them: what an update sends has its defaults.
//
// Left out is what the handlers of the reference do themselves: preconditions, decoding, and the checks of the result, which are those of an
// update.
func TestApply(t *testing.T) {
	definitions := reference.NewDefinitions()
	comparison{
		pkg: "apply", functions: "Version.Apply, ApplyStatus, Create, Update, UpdateStatus", reference: "managedfields.FieldManager", cases: 1500,
		draw: func(s *gen.Source) any {
			f := gen.Flow{Source: s}
			definition, schema := f.Definition()
			return gen.InJSON(map[string]any{"definition": definition, "steps": f.Steps(schema)})
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
			flow := flow{plain: plain, ours: ours, theirs: theirs, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
			steps, _ := m["steps"].([]any)
			for _, v := range steps {
				step, ok := v.(map[string]any)
				if !ok || !flow.step(step) {
					break
				}
			}
			return flow.outcomes
		},
	}.run(t)
}

func parseManagers(definitions *reference.Definitions, text []byte) (map[string]*reference.Managers, error) {
	d, err := definitions.Parse(text)
	if err != nil {
		return nil, err
	}
	managers := map[string]*reference.Managers{}
	for _, v := range d.Spec.Versions {
		if managers[v.Name], err = reference.NewManagers(d, v.Name); err != nil {
			return nil, err
		}
	}
	return managers, nil
}

func parseApply(text []byte) (*resource.Resource, *apply.Resource, error) {
	d, err := crd.Parse(text)
	if err != nil {
		return nil, nil, err
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
	live     map[string]any // of v1; the same on both sides
	now      time.Time
	outcomes []outcome
}

// step does the same on both sides. It reports false where the flow cannot go on.
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
	live := inVersion(f.live, version)
	o := apply.Options{Manager: manager, Now: f.now, Force: s["verb"] == "force"}
	var r resource.Result
	var theirObj map[string]any
	var theirErr error
	switch s["verb"] {
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
			r = v.ApplyStatus(ctx, text, live, o)
		} else {
			r = v.Apply(ctx, text, live, o)
		}
		theirObj, theirErr = theirs.Apply(applied, live, manager, o.Force, status, f.now)
	default:
		if s["verb"] == "same" && live != nil {
			obj = unstructured.Clone(live)
		}
		// Both sides get the object as it is decoded: with its defaults, and without unknown fields.
		plain := f.plain.Version(version).With(resource.RequestOptions{Namespace: "ns"})
		decoded := plain.Read(obj)
		if decoded.Err() != nil {
			return true
		}
		next := decoded.Object
		switch {
		case live == nil:
			r = v.Create(ctx, next, o)
		case status:
			r = v.UpdateStatus(ctx, next, live, o)
		default:
			r = v.Update(ctx, next, live, o)
		}
		theirObj = theirs.Update(next, live, manager, status, f.now)
	}
	return f.compare(r, theirObj, theirErr, version, status)
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

// bare returns obj without what is up to other functions: the status of a resource that has an endpoint for it, what identifies it, and
// nulls.
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
	fields := func(obj map[string]any) any {
		meta, _ := obj["metadata"].(map[string]any)
		return meta["managedFields"]
	}
	f.outcomes = append(f.outcomes, outcome{ours: fields(r.Object), theirs: fields(theirs)})
	f.outcomes = append(f.outcomes, outcome{ours: bare(r.Object, f.hasStatus(version)), theirs: bare(theirs, f.hasStatus(version))})
	live := maps.Clone(r.Object)
	meta := maps.Clone(live["metadata"].(map[string]any))
	meta["uid"] = "u"
	live["metadata"] = meta
	f.live = inVersion(live, "v1")
	return true
}
