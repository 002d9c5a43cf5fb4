package crdlint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/internal/jsonval"
	"github.com/crdkit/crdkit/internal/schemadoc"
	"github.com/crdkit/crdkit/internal/tool/constraint"
	"github.com/crdkit/crdkit/internal/tool/sample"
	"github.com/crdkit/crdkit/schema"
)

var lostBetweenVersions = Lint{
	Name: "lost-between-versions", Severity: Warning, Title: "what one version has and another one loses",
	Why: "With the conversion strategy None, a server changes nothing but the apiVersion. A version that does " +
		"not have a field drops it, when it reads an object and when the object is stored in it.",
	check: checkLostBetweenVersions,
}

func checkLostBetweenVersions(l *linter) { l.eachPair(l.compare) }

// eachPair calls do with each served version and the storage version, and with these exchanged if the storage version
// is
// served, too. It does nothing for definitions with another strategy than None.
func (l *linter) eachPair(do func(from, to *version)) {
	if c := l.d.Spec.Conversion; c != nil && c.Strategy != crd.ConversionNone {
		return
	}
	name, err := l.d.StorageVersion()
	i := slices.IndexFunc(l.versions, func(v *version) bool { return v.Name == name })
	if err != nil || i < 0 {
		return
	}
	stored := l.versions[i]
	for _, v := range l.versions {
		if v == stored || !v.Served || l.checked.Schema(v.Name) == l.checked.Schema(name) {
			continue
		}
		do(v, stored)
		if stored.Served {
			do(stored, v)
		}
	}
}

// A pair is a place of a version, and the schema of the same values in another one, or nil if these are dropped.
type pair struct {
	p *place
	q *schema.JSONSchemaProps
}

// pairsOf returns the pairs of two versions, without what is in a place that is dropped, or kept whatever it is.
func pairsOf(from, to *version) (pairs []pair) {
	counterparts := map[*place]*schema.JSONSchemaProps{}
	for _, p := range from.places {
		q := to.props
		if p.parent != nil {
			above := counterparts[p.parent]
			if above == nil || schemadoc.Preserves(above) || above.XEmbeddedResource {
				continue
			}
			if p.depth == 1 && (p.step.Name == "metadata" || p.step.Name == "apiVersion" || p.step.Name == "kind") {
				continue
			}
			q = counterpart(p, above)
		}
		if q != nil {
			counterparts[p] = q
		}
		pairs = append(pairs, pair{p, q})
	}
	return pairs
}

// compare adds findings about what an object that is written through one version loses in another one.
func (l *linter) compare(from, to *version) {
	var lost []*place
	for _, pair := range pairsOf(from, to) {
		p, q := pair.p, pair.q
		if q == nil {
			if p.step.Name != "" {
				lost = append(lost, p)
			}
			continue
		}
		l.lostEnum(from, to, p, q)
		if from.Name < to.Name || !to.Served || !from.Served {
			l.otherDefault(from, to, p, q)
		}
	}
	if len(lost) > 0 && l.more() {
		l.lostFields(from, to, lost)
	}
}

// counterpart returns the schema in a schema of the other version that p's step leads to. It is nil if values are
// dropped there.
func counterpart(p *place, above *schema.JSONSchemaProps) *schema.JSONSchemaProps {
	switch {
	case p.step.Item:
		if above.Items == nil {
			return nil
		}
		return above.Items.Schema
	case p.step.Other || above.Properties[p.step.Name] == nil:
		if above.AdditionalProperties == nil {
			return nil
		}
		return above.AdditionalProperties.Schema
	}
	return above.Properties[p.step.Name]
}

// maxListed is how many fields a message lists.
const maxListed = 5

// lostFields adds a finding about the fields of a version that the other one does not have.
func (l *linter) lostFields(from, to *version, lost []*place) {
	var names []string
	var witness *Witness
	for i, p := range lost[:min(len(lost), maxListed)] {
		steps := p.steps()
		names = append(names, steps.String())
		if i == 0 {
			witness = l.lossWitness(from, to, p, steps)
		}
	}
	listed := strings.Join(names, ", ")
	if more := len(lost) - len(names); more > 0 {
		listed += fmt.Sprintf(" and %d more", more)
	}
	l.add(from.pathOf(lost[0]), witness, fmt.Sprintf("declare them in %s too, or use a conversion webhook; if a patch adds one, check what kustomize build makes", to.Name),
		"values of these fields of %s are lost in %s, which does not have them: %s", from.Name, to.Name, listed)
}

// lossWitness returns the creation of an object with a value at p through one version, and a read through the other one,
// which does not have it.
func (l *linter) lossWitness(from, to *version, p *place, steps constraint.Steps) *Witness {
	obj, _ := l.objectWith(from, p)
	if obj == nil {
		return nil
	}
	written := l.handler(from.Name).Create(l.ctx, obj)
	all := []Step{{"create", from.Name, obj, written.Object, ""}}
	// A create ignores the status.
	if s, err := l.d.Lookup().Subresources(from.Name); p.inStatus() && err == nil && s.Status != nil &&
		written.Err() == nil {
		sent := maps.Clone(written.Object)
		sent["status"] = obj["status"]
		written = l.handler(from.Name).UpdateStatus(l.ctx, sent, written.Object)
		all = append(all, Step{"update status", from.Name, sent, written.Object, ""})
	}
	path := pathIn(obj, steps)
	if written.Err() != nil || written.Stored == nil || path == nil {
		return nil
	}
	if _, kept := valueAt(written.Object, path); !kept && !to.Storage {
		return nil // for another reason
	}
	read := l.handler(to.Name).Read(written.Stored)
	if _, kept := valueAt(read.Object, path); kept || read.Err() != nil {
		return nil
	}
	return &Witness{append(all, Step{"read", to.Name, nil, read.Object, ""})}
}

// lostEnum adds a finding if the enum of the other version does not have a value of p's.
func (l *linter) lostEnum(from, to *version, p *place, q *schema.JSONSchemaProps) {
	if len(p.Enum) == 0 || len(q.Enum) == 0 {
		return
	}
	for _, value := range p.Enum {
		if value == nil || slices.ContainsFunc(q.Enum, func(v any) bool { return jsonval.Equal(v, value) }) {
			continue
		}
		if !l.more() {
			return
		}
		steps := p.steps()
		l.add(from.pathOf(p)+".enum", l.enumWitness(from, to, p, value), fmt.Sprintf("add it to the enum of %s", to.Name),
			"%s may be %s in %s, which %s does not allow: clients of %s get a value that they do not know, and cannot create the object",
			named(steps), text(value), from.Name, to.Name, to.Name)
		return
	}
}

// enumWitness returns the creation of an object with the value at p, and its read through the other version, which
// refuses to create what it returns.
func (l *linter) enumWitness(from, to *version, p *place, value any) *Witness {
	obj, path := l.objectWith(from, p)
	if obj == nil {
		return nil
	}
	return l.readAndCopied(from, to, sample.Replaced(obj, path, value))
}

// otherDefault adds a finding if both versions have a default, and the defaults differ.
func (l *linter) otherDefault(from, to *version, p *place, q *schema.JSONSchemaProps) {
	if p.Default == nil || q.Default == nil || jsonval.Equal(p.Default, q.Default) || !l.more() {
		return
	}
	l.add(from.pathOf(p)+".default", l.defaultsWitness(from, to, p), "use the same default in both",
		"%s is %s by default in %s, and %s in %s: the same manifest gives different objects", named(p.steps()), text(p.Default), from.Name,
		text(q.Default), to.Name)
}

// defaultsWitness returns the creation of the same object without a value at p through both versions.
func (l *linter) defaultsWitness(from, to *version, p *place) *Witness {
	obj, path := l.objectWith(from, p)
	if obj == nil || len(path) == 0 {
		return nil
	}
	sent, _ := sample.Removed(obj, path).(map[string]any)
	other := maps.Clone(sent)
	other["apiVersion"] = l.d.Spec.Group + "/" + to.Name
	a, b := l.handler(from.Name).Create(l.ctx, sent), l.handler(to.Name).Create(l.ctx, other)
	if a.Err() != nil || b.Err() != nil {
		return nil
	}
	x, _ := valueAt(a.Object, path)
	y, _ := valueAt(b.Object, path)
	if jsonval.Equal(x, y) {
		return nil
	}
	return &Witness{[]Step{{"create", from.Name, sent, a.Object, ""}, {"create", to.Name, other, b.Object, ""}}}
}
