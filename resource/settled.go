package resource

import (
	"bytes"
	"context"
	"math"
	"strconv"

	"github.com/crdkit/crdkit/cel"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/names"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/internal/settled"
)

// Settled reports whether a server would take body, which is JSON, in a create exactly as it stands: without an error or a warning, and
// with nothing pruned, defaulted, dropped or written in another way. What a server sets in the metadata of any new object does not
// count: uid, creationTimestamp, generation, managedFields, and the name that it makes of a generateName. A status that the create would drop
// does count, unless it is the schema's default, which the answer has again. So [Version.CreateBody] of such a body has no errors and no
// warnings, and its object is equal to the body's, but for these.
//
// Settled does not decode the body. It takes a fraction of the time that decoding takes, and allocates nothing unless the schema has
// rules: then it decodes what they read. It may be false for a body that is settled, among others where options or a converter have a
// say: for a body of YAML, a request with Admit, a version that is not the storage version. In the other direction it is exact.
//
// Body must not be modified during the call. Nothing of it is kept.
func (v *Version) Settled(body []byte) bool {
	if v == nil || v.created == nil || !v.settles(body) {
		return false
	}
	s := settled.New(body)
	defer s.Release()
	if !s.Object(v.created) {
		return false
	}
	generated, ok := v.settledCreate(s)
	return ok && v.settledScale(s) && v.obeyed(s, generated, false)
}

// SettledUpdate reports whether a server would take body, which is JSON, as an update of the object that lies in its store as the JSON
// stored, and change nothing: without an error or a warning, and without a use of ratcheting. The two texts must be the same, but for
// blanks around them. Otherwise it is false, as it may be for others, too: see [Version.Settled]. It also says that a read changes nothing
// about the object.
func (v *Version) SettledUpdate(body, stored []byte) bool {
	const blanks = " \t\r\n"
	if v == nil || v.updated == nil || !v.settles(body) || !bytes.Equal(bytes.Trim(body, blanks), bytes.Trim(stored, blanks)) {
		return false
	}
	s := settled.New(body)
	defer s.Release()
	return s.Object(v.updated) && v.settledMetadata(s) && v.settledScale(s) && v.obeyed(s, "", true)
}

// settle prepares v for Settled. A version without a schema, and one that does not prune, is left to CreateBody.
func (v *version) settle() {
	if v.schema == nil || !v.resource.prunes {
		return
	}
	v.updated = &settled.Root{Node: v.schema.Root, Kind: v.resource.kind, APIVersion: v.groupText}
	created := *v.updated
	created.DropsStatus = v.hasStatus
	if v.statusOptional && v.statusDefaultNormal {
		created.StatusDefault = v.statusDefault
	}
	v.created = &created
}

// settles reports whether the bytes of that body say all about a request.
func (v *Version) settles(body []byte) bool {
	isYAML, known := v.options.ContentType == "application/yaml", v.options.ContentType == ""
	if !known {
		isYAML, known = mediaType(v.options.ContentType)
	}
	return known && !isYAML && len(body) <= refusal.MaxBody && v.version == v.resource.storage && v.deprecation == "" && v.options.Admit == nil && len(v.options.invalid()) == 0
}

// settledCreate reports whether a create leaves the metadata as it is, and returns the name that it makes up.
func (v *Version) settledCreate(s *settled.Scan) (generated string, ok bool) {
	m := s.Meta()
	if m.Plain && m.GenerateName == "" {
		namespace, refused := v.namespace(m.Namespace)
		return "", refused == nil && namespace == m.Namespace && names.IsDNS1123Subdomain(m.Name) && v.takesNamespace(m.Namespace)
	}
	meta := s.Metadata()
	delete(meta, "generation") // A create sets it, whatever it was.
	own, _ := meta["namespace"].(string)
	namespace, refused := v.namespace(own)
	if refused != nil || own != namespace || !objectmeta.Canonical(meta) || meta["resourceVersion"] != nil {
		return "", false
	}
	prepared, _, duplicates := objectmeta.PrepareCreate(meta, namespace)
	for k := range meta {
		if _, kept := prepared[k]; !kept && k != "uid" && k != "creationTimestamp" && k != "managedFields" {
			return "", false
		}
	}
	return objectmeta.GeneratedName(prepared), len(duplicates) == 0 && objectmeta.ValidCreate(prepared, v.resource.namespaced) &&
		len(objectmeta.AppendFinalizerWarnings(nil, prepared, nil, field.Limit{})) == 0
}

// takesNamespace reports whether an object may be in that namespace, empty for none.
func (v *Version) takesNamespace(namespace string) bool {
	if v.resource.namespaced {
		return names.IsDNS1123Label(namespace)
	}
	return namespace == ""
}

// settledMetadata reports whether an update that changes nothing leaves the metadata as it is.
func (v *Version) settledMetadata(s *settled.Scan) bool {
	m := s.Meta()
	if m.Generation <= 0 || !v.names(m.Name) || m.Namespace != v.options.Namespace && (v.options.Namespace != "" || !v.resource.namespaced) {
		return false
	}
	if m.Plain && m.GenerateName == "" {
		return names.IsPathSegment(m.Name) && v.takesNamespace(m.Namespace)
	}
	meta := s.Metadata()
	if version, has := meta["resourceVersion"].(string); has {
		if n, err := strconv.ParseUint(version, 10, 64); err != nil || n == 0 {
			return false
		}
	}
	if _, duplicates := objectmeta.DeduplicateOwners(meta); len(duplicates) > 0 || !objectmeta.Canonical(meta) {
		return false
	}
	return sameMap(objectmeta.Retain(withManagedFields(meta, meta, meta), meta), meta) && objectmeta.ValidUpdate(meta, meta, v.resource.namespaced) &&
		!deletes(meta, meta)
}

// settledScale does what validateScale does.
func (v *Version) settledScale(s *settled.Scan) bool {
	return v.scale == nil || s.Integer(v.scale.specReplicas.keys, 0, math.MaxInt32) && s.Integer(v.scale.statusReplicas.keys, 0, math.MaxInt32) &&
		(v.scale.selector == nil || s.String(v.scale.selector.keys))
}

// obeyed reports whether the object fulfils the rules of its schema, as a new object or as one that an update leaves as it is.
func (v *Version) obeyed(s *settled.Scan, generated string, update bool) bool {
	if !v.ruled {
		return true
	}
	obj := s.Ruled(generated)
	var old map[string]any
	if update {
		old = obj
	}
	r := v.rules.Evaluate(context.Background(), obj, old, &cel.EvalOptions{Ratchet: update})
	return len(r.Errors) == 0 && len(r.Warnings) == 0
}
