package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/cel/ruleset"
	"github.com/crdkit/crdkit/internal/since"
	"github.com/crdkit/crdkit/kubeversion"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/schema"
	"github.com/crdkit/crdkit/unstructured"
)

// An explanation says why crdkit need not change for a difference: it has it as a fact, or the deviation is listed in
// docs/kubernetes.md. The empty one says that it is unexplained.
type explanation string

const (
	unexplained explanation = ""
	known       explanation = "facts of crdkit"
	refused     explanation = "objects that a server refuses before it validates them"
	panics      explanation = "panics of Kubernetes"
)

// deviations are the differences between versions that crdkit deliberately does not reproduce.
var deviations = []struct {
	name explanation
	of   func(d *difference) bool
}{
	{"costs of evaluations", func(d *difference) bool { return d.kind == "cost" && d.question.Kind == "object" }},
	{"estimates of accepted rules", func(d *difference) bool { return d.kind == "cost" && d.question.Kind == "definition" }},
	{"metadata that a server prepares before it checks it", func(d *difference) bool { return d.kind == "type" && d.only(prepared) }},
	{"which rules an error about a total cost names", func(d *difference) bool { return d.only(contributed) }},
	{"the status of a definition, which a server drops", func(d *difference) bool {
		return d.kind == "warning" && onlyChanges(d.answers[0].Warnings, d.answers[1].Warnings, definitionStatus)
	}},
	{panics, func(d *difference) bool { return d.answers[0].panicked() || d.answers[1].panicked() }},
	{"old objects that cannot be read", func(d *difference) bool { return d.kind == "text" && d.only(unreadable) }},
	{"texts of the compiler of rules", func(d *difference) bool { return d.kind == "text" && d.only(compiler) }},
	{"texts of definitions", func(d *difference) bool { return d.kind == "text" && d.question.Kind == "definition" }},
	{"rules that only newer versions compile, in stored definitions", func(d *difference) bool {
		return slices.ContainsFunc(d.answers[0].Errors, func(p problem) bool {
			evaluated := d.question.Kind == "object" || strings.HasSuffix(p.Field, ".default") // compiled as if it were stored
			return evaluated && compiler.MatchString(p.Text)
		})
	}},
}

var (
	compiler    = regexp.MustCompile(`compilation failed|compile error|compiler initialization`) // the compiler's own words
	contributed = regexp.MustCompile(`contributed to estimated rule cost total`)
	unreadable  = regexp.MustCompile(`^\S+ \S+ old: .*: json: cannot unmarshal`)
	prepared    = regexp.MustCompile(`^metadata\.(managedFields|ownerReferences)`)

	definitionStatus = regexp.MustCompile(`^unknown field "status\.`)
)

// only reports whether all errors that one answer has and the other has not match.
func (d *difference) only(of *regexp.Regexp) bool {
	return onlyChanges(texts(d.answers[0]), texts(d.answers[1]), of)
}

// onlyChanges reports whether there are texts that only one list has, and all of them match.
func onlyChanges(before, after []string, of *regexp.Regexp) bool {
	removed, added := changes(before, after)
	all := append(removed, added...)
	return len(all) > 0 && !slices.ContainsFunc(all, func(text string) bool { return !of.MatchString(text) })
}

// explain returns why a difference between two versions is none of crdkit.
func explain(d *difference, versions [2]string) explanation {
	var ours [2]*answer
	var err error
	for i, version := range versions {
		if ours[i], err = ask(d.question, version); err != nil {
			break
		}
	}
	if err == nil && sameChange(d.kind, d.answers, ours) {
		return known
	}
	for _, deviation := range deviations {
		if deviation.of(d) {
			return deviation.name
		}
	}
	if status := new(field.Status); errors.As(err, &status) && status.Code == http.StatusBadRequest {
		return refused
	}
	d.ours, d.notAsked = ours, err
	return unexplained
}

// sameChange reports whether two pairs of answers differ in the same way in a kind of difference. What both versions
// have may differ: the programs do less than a server.
func sameChange(kind string, a, b [2]*answer) bool {
	var part func(a *answer) []string
	switch kind {
	case "decoding", "verdict":
		for i := range a {
			if (len(a[i].Errors) == 0) != (len(b[i].Errors) == 0) {
				return false
			}
		}
		return true
	case "type":
		part = (*answer).types
	case "warning":
		part = func(a *answer) []string { return a.Warnings }
	case "cost":
		part = func(a *answer) []string { return a.Costs }
	case "text":
		// Only errors that both report are compared: some checks of a server end a request before others, and crdkit is
		// asked with the kind of the definition.
		theirs, ours := slices.Concat(a[0].types(), a[1].types()), slices.Concat(b[0].types(), b[1].types())
		part = func(a *answer) (all []string) {
			for _, p := range a.Errors {
				if slices.Contains(theirs, p.fieldAndType()) && slices.Contains(ours, p.fieldAndType()) {
					all = append(all, p.text())
				}
			}
			return all
		}
	case "object":
		return reflect.DeepEqual(a[0].Object, b[0].Object) && reflect.DeepEqual(a[1].Object, b[1].Object)
	default:
		return false
	}
	removed, added := changes(part(a[0]), part(a[1]))
	if len(removed)+len(added) == 0 {
		return false // crdkit has nothing of what differs
	}
	ourRemoved, ourAdded := changes(part(b[0]), part(b[1]))
	return slices.Equal(removed, ourRemoved) && slices.Equal(added, ourAdded)
}

func (a *answer) panicked() bool { return strings.HasPrefix(a.Failure, "panic: ") }

func texts(a *answer) (all []string) {
	for _, p := range a.Errors {
		all = append(all, p.text())
	}
	return all
}

func (p problem) text() string { return p.fieldAndType() + " " + p.Text }

// changes returns what only the old and only the new list has, sorted.
func changes(before, after []string) (removed, added []string) {
	only := func(a, b []string) (out []string) {
		for _, s := range a {
			if !slices.Contains(b, s) {
				out = append(out, s)
			}
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	return only(before, after), only(after, before)
}

// ask returns crdkit's answer to a question, for a version such as 1.36 or 1.38.0-beta.0.
func ask(q *question, version string) (*answer, error) {
	parts := strings.Split(version, ".")
	if len(parts) < 2 {
		return nil, fmt.Errorf("%s is not a version", version)
	}
	minor := parts[0] + "." + parts[1]
	text, err := json.Marshal(q.Definition)
	if err != nil {
		return nil, err
	}
	d, err := crd.Parse(text)
	if err != nil {
		return nil, err
	}
	a := &answer{}
	if q.Kind == "definition" {
		v, err := kubeversion.Check(d, minor)
		if err != nil {
			return nil, err
		}
		for _, e := range v.Errors {
			a.Errors = append(a.Errors, problem{string(e.Type), e.Field, e.ErrorBody()})
		}
		for _, path := range v.Unknown {
			a.Warnings = append(a.Warnings, fmt.Sprintf("unknown field %q", path))
		}
		return a, nil
	}
	// The programs know no subresources: they check a status that a server drops.
	d.Spec.Subresources = nil
	for i := range d.Spec.Versions {
		d.Spec.Versions[i].Subresources = nil
	}
	obj, err := object(q.Object)
	if err != nil {
		return nil, err
	}
	old, err := object(q.Old)
	if err != nil {
		return nil, err
	}
	// They do not check the kind of an object either. A server that finds another kind checks nothing else.
	kind, apiVersion := obj["kind"], obj["apiVersion"]
	if text, ok := kind.(string); ok && text != "" {
		d.Spec.Names.Kind = text
	}
	for _, o := range []map[string]any{obj, old} {
		if o != nil {
			o["kind"], o["apiVersion"] = d.Spec.Names.Kind, d.Spec.Group+"/"+q.Version
		}
	}
	compiled, err := resource.Compile(d)
	if err != nil {
		return nil, err
	}
	if compiled, err = compiled.For(minor); err != nil {
		return nil, err
	}
	v := compiled.Version(q.Version)
	if a.Costs, err = spent(compiled, v.Schema(), q); err != nil {
		return nil, err
	}
	var r resource.Result
	if old == nil {
		r = v.Create(context.Background(), obj)
	} else {
		r = v.Update(context.Background(), obj, old)
	}
	if r.Failure != nil {
		return nil, r.Failure
	}
	// They evaluate rules only for objects without other errors.
	ofRule := func(e *field.Error) bool { return e.Cause().Keyword == "x-kubernetes-validations" || e.RulesSkipped() }
	others := slices.ContainsFunc(r.Errors, func(e *field.Error) bool { return !ofRule(e) })
	for _, e := range r.Errors {
		if !others || !ofRule(e) {
			a.Errors = append(a.Errors, problem{string(e.Type), e.Field, e.ErrorBody()})
		}
	}
	a.Warnings, a.Object = r.Warnings, maps.Clone(r.Object)
	for key, value := range map[string]any{"kind": kind, "apiVersion": apiVersion} {
		if value == nil {
			delete(a.Object, key)
		} else if a.Object != nil {
			a.Object[key] = value
		}
	}
	return a, nil
}

// spent returns what the rules have cost for the object of a question, as a judge reports it.
func spent(r *resource.Resource, s *schema.Structural, q *question) ([]string, error) {
	obj, err := object(q.Object)
	if err != nil {
		return nil, err
	}
	old, err := object(q.Old)
	if err != nil {
		return nil, err
	}
	opts := ruleset.EvalOptions{Ratchet: old != nil, Profile: since.ProfileOf(r)}
	return []string{fmt.Sprint("spent: ", ruleset.Prepare(s).Evaluate(context.Background(), obj, old, &opts).Cost)}, nil
}

// object returns an object of a question as crdkit decodes it, or nil.
func object(v any) (map[string]any, error) {
	if v == nil {
		return nil, nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return unstructured.DecodeJSON(text)
}
