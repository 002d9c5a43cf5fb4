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
	valid  bool // nothing is left to check but the metadata, the scale and the rules
	meta   objectmeta.Summary

	// What comes with an old object:
	same bool // they are equal but for their metadata
	was  bool // there is nothing to do for the old one either
}

// prepared says that the metadata is another since the look. That matters to the checks of an object of v that is itself declared to be an
// embedded resource.
func (l *look) prepared(v *Version) {
	if v.schema != nil && v.schema.Root.Has&schema.HasEmbedded != 0 {
		l.valid = false
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
	l.formed, l.valid = verdict.Object(v.schema.Root, obj)
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
	c1 := verdict.Compare(v.schema.Root, obj, old, !c.status)
	if l.formed, l.valid = c1.Stored, c1.Valid; !l.formed {
		return
	}
	l.was = c1.OldStored || verdict.StoredObject(v.schema.Root, old)
	l.same = c1.Same
	if l.meta.Same {
		l.was = l.was && l.meta.Generation != 0
	} else {
		l.was = l.was && oldMeta["generation"] != nil && objectmeta.Canonical(oldMeta)
	}
	l.same = l.same && l.was
}

// isFormed reports whether there is nothing to do for obj.
func (v *Version) isFormed(obj map[string]any) bool {
	meta, ok := v.head(obj)
	return ok && objectmeta.Canonical(meta) && verdict.StoredObject(v.schema.Root, obj)
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
