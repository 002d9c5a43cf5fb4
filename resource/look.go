package resource

import (
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/verdict"
	"github.com/crdkit/crdkit/schema"
)

// This file looks at whole objects: mostly there is nothing to do for one, and nothing wrong with it, and one walk finds that out.

// A look is what such a walk finds.
type look struct {
	// formed: there is nothing to do for the object, neither when it is decoded nor when it comes from storage. Where it is false,
	// nothing else counts.
	formed bool
	holds  verdict.Ask // what is certainly in order, of checks; with an old object, of what ratcheting asks about
	meta   objectmeta.Summary

	// What comes with an old object:
	same bool // they are equal but for their metadata
	was  bool // there is nothing to do for the old one either
	// forgiven: nothing that breaks the schema is new, if anything does, and ratcheting lets all of it stay.
	forgiven bool
}

// checks are what there is to validate in an object beside its metadata.
const checks = verdict.Schema | verdict.Embedded | verdict.Lists

// clean reports whether nothing is left to check but the metadata, the scale and the rules.
func (l *look) clean() bool { return l.holds == checks }

// lacks reports whether that check is to be made.
func (l *look) lacks(check verdict.Ask) bool { return l.holds&check == 0 }

// prepared says that the metadata is another since the look. That matters to the checks of an object of v that is itself declared to be an
// embedded resource.
func (l *look) prepared(v *Version) {
	if v.schema != nil && v.schema.Root.Has&schema.HasEmbedded != 0 {
		l.holds &^= verdict.Embedded
	}
}

// metadata returns the metadata of obj, which l is a look at.
func (l *look) metadata(obj map[string]any) map[string]any {
	if l.formed {
		return l.meta.Meta
	}
	return metadata(obj)
}

// lookAt looks at an object.
func (v *Version) lookAt(obj map[string]any, l *look) {
	*l = look{}
	meta, ok := v.head(obj)
	if !ok || !l.meta.Summarize(meta, nil) {
		return
	}
	if verdict.OK(v.schema.Root, obj, checks|verdict.Stored|verdict.Headed) {
		l.formed, l.holds = true, checks
		return
	}
	holds := verdict.Look(v.schema.Root, obj, checks|verdict.Stored|verdict.Headed)
	if l.formed = holds&verdict.Stored != 0; l.formed {
		l.holds = holds & checks
	}
}

// compare sets c.look, a look at an object and the old one, which is as it lies in the store.
func (v *Version) compare(obj, old map[string]any, c *change) {
	l := &c.look
	*l = look{}
	oldMeta, was := v.head(old)
	if !was {
		v.lookAt(obj, l)
		return
	}
	meta, ok := v.head(obj)
	if !ok || !l.meta.Summarize(meta, oldMeta) {
		return
	}
	ask := checks | verdict.Stored | verdict.Headed
	if !c.status {
		ask |= verdict.Lenient
	}
	found := verdict.Compare(v.schema.Root, obj, old, ask)
	if l.formed = found.Holds&verdict.Stored != 0; !l.formed {
		return
	}
	l.holds = found.Holds & checks
	if l.meta.Same {
		l.was = found.Was && l.meta.Generation != 0
	} else {
		l.was = found.Was && oldMeta["generation"] != nil && objectmeta.Canonical(oldMeta)
	}
	l.same, l.forgiven = l.was && found.Same, l.was && found.Forgiven
}

// isFormed reports whether there is nothing to do for obj.
func (v *Version) isFormed(obj map[string]any) bool {
	meta, ok := v.head(obj)
	return ok && objectmeta.Canonical(meta) && verdict.Look(v.schema.Root, obj, verdict.Stored|verdict.Headed) != 0
}

// head returns the metadata of an object that says that it is one of v's, and can be judged by looking at it.
func (v *Version) head(obj map[string]any) (meta map[string]any, ok bool) {
	if v.schema == nil || !v.resource.prunes {
		return nil, false
	}
	if kind, _ := obj["kind"].(string); kind != v.resource.kind {
		return nil, false
	}
	if apiVersion, _ := obj["apiVersion"].(string); apiVersion != v.groupText || v.takesOddKeys && hasOddKey(obj) {
		return nil, false
	}
	meta, _ = obj["metadata"].(map[string]any)
	return meta, meta != nil
}
