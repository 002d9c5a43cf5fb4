package compat

import (
	"maps"
	"slices"
)

// objects asks both sides about the objects that people have.
func (p *pair) givenObjects() {
	for _, o := range p.c.options.Objects {
		if o != nil && o["kind"] == p.old.d.Spec.Names.Kind && o["apiVersion"] == p.old.apiVersion() {
			p.checkObject(o)
		}
	}
}

// maxSwept bounds how many of the objects that were made for questions are asked about in general.
const maxMadeObjects = 100

// sweep asks both sides about the objects that were made for questions, and about full ones: they may show what no question was about.
func (p *pair) madeObjects() {
	if !p.questions {
		return
	}
	swept := 0
	for _, v := range []*version{p.old, p.now} {
		full, err := v.samples().Full(p.c.ctx)
		if err == nil {
			p.checkObject(full)
		}
		for _, key := range slices.Sorted(maps.Keys(v.bases)) {
			if b := v.bases[key]; b.err == nil && swept < maxMadeObjects {
				swept++
				p.checkObject(b.object)
			}
		}
	}
}

// object adds findings for what an object shows, if there is no finding of that kind.
func (p *pair) checkObject(o map[string]any) {
	if p.c.effort <= 0 || p.c.ctx.Err() != nil {
		return
	}
	has := func(v Verdict, request string) bool {
		return slices.ContainsFunc(p.c.report.Findings, func(f Finding) bool {
			return f.Verdict == v && (request == "" || f.Request == request) && f.Version == p.label
		})
	}
	add := func(v Verdict, kind, path, detail string, w *Witness) {
		p.c.add(Finding{Verdict: v, Request: kind, Version: p.label, Path: path, Check: "object", Detail: detail, Witness: w})
	}
	o = p.old.withAPIVersion(o)
	before, after := p.old.handle(Create, o, nil), p.now.handle(Create, o, nil)
	switch {
	case before.Err() != nil && after.Err() != nil:
		return
	case before.Err() != nil:
		loosened := func(r request) bool {
			return p.old.handle(Create, r.object, nil).Err() != nil && p.now.handle(Create, r.object, nil).Err() == nil && !p.now.dropsFields(r.object)
		}
		if r := (request{kind: Create, object: o}); !has(Loosens, "") && loosened(r) {
			r = p.shrink(r, loosened)
			add(Loosens, Create, p.old.errorPath(p.old.handle(Create, r.object, nil).Errors), "An object is accepted that was refused.", r.witness())
		}
		return
	case after.Err() != nil:
		refused := func(r request) bool {
			return p.old.handle(Create, r.object, nil).Err() == nil && p.now.handle(Create, r.object, nil).Err() != nil && !p.old.dropsFields(r.object)
		}
		if r := (request{kind: Create, object: o}); !has(Breaks, Create) && refused(r) {
			r = p.shrink(r, refused)
			add(Breaks, Create, p.now.errorPath(p.now.handle(Create, r.object, nil).Errors), "An object is refused that was accepted.", r.witness())
		}
	case !has(LosesData, "") && !has(Changes, "") && !p.old.dropsFields(o):
		changed := func(r request) bool {
			before, after, ok := p.storedByBoth(r)
			return ok && !equalExceptAPIVersion(before, after) && !p.old.dropsFields(r.object)
		}
		if r := (request{kind: Create, object: o}); changed(r) {
			r = p.shrink(r, changed)
			before, after, _ := p.storedByBoth(r)
			verdict := Changes
			if lacks(after, before) {
				verdict = LosesData
			}
			add(verdict, Create, "", "An object is stored otherwise.", r.witness())
		}
	}
	stored := before.Object
	if !has(Breaks, Update) && p.old.handle(Update, stored, stored).Err() == nil {
		if again := p.now.handle(Update, stored, stored); again.Err() != nil {
			add(Breaks, Update, p.now.errorPath(again.Errors), "An update of a stored object is refused even if it changes nothing.", &Witness{stored, stored})
		}
	}
}
