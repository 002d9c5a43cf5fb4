package resource

import (
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/validity"
)

// A precheck is the result of one walk over a whole object, before anything else is done. Most objects are in normal
// form and valid, so most steps of a request have nothing to do.
type precheck struct {
	// normal: decoding the object, or reading it from storage, changes nothing. The fields below count only if it is
	// true.
	normal bool
	valid  bool               // only the metadata, the scale and the rules are left to validate
	meta   objectmeta.Summary // of the metadata

	// If there is an old object:
	oldNormal bool // reading the old object changes nothing
	same      bool // oldNormal, and the objects are equal except for their metadata
}

// metadataChanged must be called if the object's metadata changes after the precheck. It matters if the schema of v
// declares the whole object an embedded resource.
func (p *precheck) metadataChanged(v *Version) {
	if v.root != nil && v.root.Has&plan.HasEmbedded != 0 {
		p.valid = false
	}
}

// precheck sets p to the precheck of obj.
func (v *Version) precheck(obj map[string]any, p *precheck) {
	*p = precheck{}
	meta, ok := v.metadataOfOwn(obj)
	if !ok || !p.meta.Summarize(meta, nil) {
		return
	}
	p.normal, p.valid = validity.Object(v.root, obj)
}

// precheckUpdate sets p to the precheck of obj and the old object, which is as it is stored or as it was read. With
// ratchet, unchanged values count as valid.
func (v *Version) precheckUpdate(obj, old map[string]any, ratchet bool, p *precheck) {
	oldMeta, ok := v.metadataOfOwn(old)
	if !ok {
		v.precheck(obj, p)
		return
	}
	*p = precheck{}
	meta, ok := v.metadataOfOwn(obj)
	if !ok || !p.meta.Summarize(meta, oldMeta) {
		return
	}
	change := validity.Compare(v.root, obj, old, ratchet)
	if !change.Stored {
		return
	}
	p.normal, p.valid = true, change.Valid
	oldMetaNormal := p.meta.Relabeled && p.meta.Generation != 0 || !p.meta.Relabeled && oldMeta["generation"] != nil && objectmeta.Canonical(oldMeta)
	p.oldNormal = oldMetaNormal && (change.OldStored || validity.StoredObject(v.root, old))
	p.same = p.oldNormal && change.Same
}

// isNormal reports whether reading obj from storage changes nothing.
func (v *Version) isNormal(obj map[string]any) bool {
	meta, ok := v.metadataOfOwn(obj)
	return ok && objectmeta.Canonical(meta) && validity.StoredObject(v.root, obj)
}

// metadataOfOwn returns the metadata of an object that has the kind and the apiVersion of v. It fails for other
// objects, and if a precheck is not possible: without a schema, and if keys could be read as kind or apiVersion.
func (v *Version) metadataOfOwn(obj map[string]any) (meta map[string]any, ok bool) {
	if v.schema == nil || !v.resource.prunes {
		return nil, false
	}
	if textOf(obj, "kind") != v.resource.kind || textOf(obj, "apiVersion") != v.groupText || v.acceptsTypeAliases && hasTypeAlias(obj) {
		return nil, false
	}
	meta = metadata(obj)
	return meta, meta != nil
}
