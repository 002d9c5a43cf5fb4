package compat

import (
	"maps"
	"slices"
)

// This file tries objects that were not made for a question: they may show a difference that no question was about.

// givenObjects checks those of [Options.Objects] that are of the compared version.
func (p *pair) givenObjects() {
	for _, o := range p.c.options.Objects {
		if o != nil && o["kind"] == p.old.d.Spec.Names.Kind && o["apiVersion"] == p.old.apiVersion() {
			p.checkObject(o)
		}
	}
}

// maxMadeObjects bounds how many objects madeObjects checks, apart from full ones.
const maxMadeObjects = 100

// madeObjects checks the objects that were made for questions, and a full object of each side.
func (p *pair) madeObjects() {
	if !p.questions || p.c.tooLarge {
		return
	}
	p.c.effort, p.c.reserve = max(p.c.effort, p.c.reserve), 0
	if p.c.effort <= 0 {
		return
	}
	for _, u := range p.refusedUpdates {
		p.checkUpdate(u)
	}
	checked := 0
	for _, v := range []*version{p.old, p.now} {
		full, err := v.samples().Full(p.c.ctx)
		if err == nil {
			p.checkObject(full)
		}
		for _, key := range slices.Sorted(maps.Keys(v.bases)) {
			if b := v.bases[key]; b.err == nil && checked < maxMadeObjects {
				checked++
				p.checkObject(b.object)
			}
		}
	}
}

// checkObject sends an object to both sides, and adds findings for differences of a kind that has no finding yet.
func (p *pair) checkObject(o map[string]any) {
	if p.c.effort <= 0 || p.c.ctx.Err() != nil {
		return
	}
	r := createOf(p.old.withAPIVersion(o))
	before, after := p.old.handle(r), p.now.handle(r)
	switch {
	case !accepted(before) && !accepted(after):
	case !accepted(before):
		if !p.has(Loosens, "") {
			p.checkRefused(r, Loosens, p.now, p.old, "An object is accepted that was refused.")
		}
	case !accepted(after):
		if !p.has(Breaks, requestCreate) {
			p.checkRefused(r, Breaks, p.old, p.now, "An object is refused that was accepted.")
		}
	case !p.has(LosesData, "") && !p.has(Changes, "") && !p.old.dropsFields(r.object):
		p.checkStored(r)
	}
	update := noopUpdateOf(before.Object)
	if accepted(before) {
		p.checkUpdate(update)
	}
}

// checkUpdate adds a finding if only the new side refuses an update that changes nothing, and there is no such finding
// yet.
func (p *pair) checkUpdate(update request) {
	if !p.has(Breaks, requestUpdate) && p.old.accepts(update) {
		if again := p.now.handle(update); !accepted(again) {
			p.addObject(Breaks, update, p.now.errorPath(again.Errors), "An update of a stored object is refused even if it changes nothing.")
		}
	}
}

// has reports whether there is a finding with a verdict, and of a request unless that is empty.
func (p *pair) has(v Verdict, request string) bool {
	return slices.ContainsFunc(p.c.report.Findings[p.before:], func(f Finding) bool {
		return f.Verdict == v && (request == "" || f.Request == request) && f.Version == p.label
	})
}

// addObject adds a finding about an object.
func (p *pair) addObject(v Verdict, r request, path, detail string) {
	p.c.add(Finding{Verdict: v, Request: r.kind, Version: p.label, Path: path, Check: combinedCheck, Detail: detail, Witness: r.witness()})
}

// checkRefused adds a finding if accepting, which is one of the sides, accepts a create without dropping anything, and
// refusing, the other side, refuses it.
func (p *pair) checkRefused(r request, verdict Verdict, accepting, refusing *version, detail string) {
	holds := func(r request) bool {
		return p.old.accepts(r) == (accepting == p.old) && p.now.accepts(r) == (accepting == p.now) && !accepting.dropsFields(r.object)
	}
	if holds(r) {
		r = p.shrink(r, holds)
		p.addObject(verdict, r, refusing.errorPath(refusing.handle(r).Errors), detail)
	}
}

// checkStored adds a finding if both sides accept a create, and store different objects.
func (p *pair) checkStored(r request) {
	differs := func(r request) bool {
		before, after, ok := p.storedByBoth(r)
		return ok && !equalExceptAPIVersion(before, after) && !p.old.dropsFields(r.object)
	}
	if !differs(r) {
		return
	}
	r = p.shrink(r, differs)
	before, after, _ := p.storedByBoth(r)
	verdict := Changes
	if lacks(after, before) {
		verdict = LosesData
	}
	p.addObject(verdict, r, "", "An object is stored otherwise.")
}
