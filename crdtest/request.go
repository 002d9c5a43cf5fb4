package crdtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/prune"
	"github.com/crdkit/crdkit/resource"
)

func inField(name string, err error) error { return fmt.Errorf("%s: %w", name, err) }

// A request is a prepared case.
type request struct {
	d           *definition
	ver         *version
	v           *resource.Version
	subresource string
	sent, old   map[string]any // old is the stored object, nil for a create
}

// An answer is the result of a request.
type answer struct {
	*request
	resource.Result
	read   map[string]any // old as the server reads it from storage
	pruned []string
	errs   field.List // those of the result, or its failure as one error with the failure's reason
}

// request prepares a case.
func (s *Set) request(ctx context.Context, c *Case) (*request, error) {
	sent, old, err := c.objects()
	if err != nil {
		return nil, err
	}
	typed := sent
	if c.Subresource == "scale" {
		typed = old
	}
	group, name, kind := typeOf(typed)
	if kind == "" && old != nil {
		group, _, kind = typeOf(old)
	}
	d, err := s.findFor(group, cmp.Or(kind, c.Kind), c.Object, c.Base, c.Old)
	if err != nil {
		return nil, err
	}
	if c.Subresource == "scale" {
		name = "" // the version of old does not matter
	}
	name = cmp.Or(name, c.Version, d.versionOf(c.Object, c.Base, c.Old))
	q := &request{d: d, subresource: c.Subresource}
	if q.v, q.ver, err = d.version(name); err != nil {
		return nil, err
	}
	objName, namespace := identity(sent)
	if old != nil {
		if meta, _ := old["metadata"].(map[string]any); !blank(meta["name"]) {
			objName, namespace = identity(old)
		}
		q.old = filled(old, d, q.ver.name, objName, namespace)
	}
	switch c.Subresource {
	case "", "status":
		q.sent = filled(sent, d, q.ver.name, objName, namespace)
	case "scale":
		q.sent = maps.Clone(sent)
		if q.sent["kind"] == nil {
			q.sent["apiVersion"], q.sent["kind"] = "autoscaling/v1", "Scale"
		}
		q.sent = named(q.sent, objName, namespace, d.Spec.Scope == "Namespaced")
	default:
		return nil, inField("Subresource", fmt.Errorf("%q is neither status nor scale", c.Subresource))
	}
	if c.Subresource != "" && old == nil {
		return nil, inField("Old", fmt.Errorf("the %s of an object can only be updated: set the stored object", c.Subresource))
	}
	if c.OldCRD != nil {
		if q.old, err = storedUnder(ctx, c.OldCRD, q.old); err != nil {
			return nil, inField("OldCRD", err)
		}
	}
	return q, nil
}

// objects returns the objects of a case; old is nil for a create.
func (c *Case) objects() (sent, old map[string]any, err error) {
	if c.Old != nil {
		if old, err = object(c.Old); err != nil {
			return nil, nil, inField("Old", err)
		}
	}
	if c.Object != nil {
		if c.Base != nil || c.Patch != "" {
			return nil, nil, inField("Object", errors.New("it cannot be set together with Base or Patch"))
		}
		if sent, err = object(c.Object); err != nil {
			return nil, nil, inField("Object", err)
		}
		return sent, old, nil
	}
	base, name := c.Base, "Base"
	if base == nil {
		base, name = c.Old, "Old"
	}
	if base == nil {
		return nil, nil, inField("Object", errors.New("set Object, Base or Old"))
	}
	if sent, err = object(base); err != nil {
		return nil, nil, inField(name, err)
	}
	if c.Patch != "" {
		if sent, err = patched(sent, c.Patch); err != nil {
			return nil, nil, inField("Patch", err)
		}
	}
	return sent, old, nil
}

// storedUnder returns an object as it would be stored under other definitions.
//
// Clauses: ECT-007.
func storedUnder(ctx context.Context, definitions any, obj map[string]any) (map[string]any, error) {
	if obj == nil {
		return nil, errors.New("it needs Old, which is not set")
	}
	s, err := setOf(definitions)
	if err != nil {
		return nil, err
	}
	group, name, kind := typeOf(obj)
	d, err := s.find(group, kind)
	if err != nil {
		return nil, err
	}
	v, _, err := d.version(name)
	if err != nil {
		return nil, err
	}
	if result := v.Create(ctx, obj); result.Err() != nil {
		return nil, fmt.Errorf("the old object is not valid under it: %w", result.Err())
	}
	read := v.Read(obj) // with its status, which a create drops
	if read.Failure != nil {
		return nil, read.Failure
	}
	return read.Object, nil
}

func setOf(v any) (*Set, error) {
	switch x := v.(type) {
	case *Set:
		if x != nil {
			return x, nil
		}
	case []byte:
		return parse(string(x))
	case string:
		if strings.Contains(x, "\n") {
			return parse(x)
		}
		return Open(x)
	}
	return nil, fmt.Errorf("a value of type %T is neither the name of a file nor a manifest nor a *Set", v)
}

// ask performs the request.
func (q *request) ask(ctx context.Context) *answer {
	var result resource.Result
	switch {
	case q.old == nil:
		result = q.v.Create(ctx, q.sent)
	case q.subresource == "status":
		result = q.v.UpdateStatus(ctx, q.sent, q.old)
	case q.subresource == "scale":
		result = q.v.UpdateScale(ctx, q.sent, q.old)
	default:
		result = q.v.Update(ctx, q.sent, q.old)
	}
	a := newAnswer(q, result)
	if q.old != nil {
		a.read = q.v.Read(q.old).Object
	}
	if keep := q.d.Spec.PreserveUnknownFields; q.subresource != "scale" && (keep == nil || !*keep) && q.v.Schema() != nil {
		a.pruned = prune.Unknown(q.v.Schema(), q.sent)
	}
	return a
}

func newAnswer(q *request, result resource.Result) *answer {
	a := &answer{request: q, Result: result, errs: result.Errors}
	if f := result.Failure; f != nil {
		a.errs = append(slices.Clone(a.errs), &field.Error{Type: field.ErrorType(f.Reason), BadValue: field.OmitValue, Detail: f.Message})
	}
	return a
}

// operation names the request.
func (a *answer) operation() string {
	verb := "create"
	if a.old != nil {
		verb = "update"
	}
	if a.subresource != "" {
		verb += " " + a.subresource + " of"
	}
	return fmt.Sprintf("%s %s %s/%s", verb, a.d.Spec.Names.Kind, a.d.Spec.Group, a.ver.name)
}

// ruled reports whether the rules were evaluated.
func (a *answer) ruled() bool {
	return a.Failure == nil && !slices.ContainsFunc(a.Errors, (*field.Error).RulesSkipped) && a.Object != nil
}

// ruleOf returns the rule that reports an error, or nil.
func (a *answer) ruleOf(e *field.Error) *constraint.Rule {
	rules := a.ver.rules()
	if i := slices.IndexFunc(rules, func(r *constraint.Rule) bool { return r.Reports(e) }); i >= 0 {
		return rules[i]
	}
	return nil
}
