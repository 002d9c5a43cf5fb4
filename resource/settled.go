package resource

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/resource/internal/settled"
)

// Settled reports whether a server would accept body, the JSON of an object, in a create exactly as it is: without
// errors and warnings, and with nothing pruned, defaulted, dropped or normalized. If it is true, [Version.CreateBody]
// returns no errors and no warnings, and an object that is equal to that of the body. Members of metadata that a server
// sets in any new object are ignored: uid, creationTimestamp, generation, managedFields, and the name that it generates
// from generateName. A status that a create drops is a change, unless it is the default of the schema, which the answer
// has again.
//
// Settled does not decode the body. It allocates nothing if the schema has no rules. Otherwise it decodes what the
// rules of a value read, unless these have passed before for an equal value: v keeps a few thousand such values, in
// five megabytes at most. Its cost is linear in the body, in addition to that of evaluations, which has a server's
// limits.
//
// It may be a false negative, never a false positive. It is false for all bodies if v is not the storage version, is
// deprecated or has no schema, if the definition preserves unknown fields, and for requests with Admit or of YAML. It
// is also false for numbers that have another form than a server writes (1.0, 1e3), for escapes in keys of metadata,
// and for objects nested deeper than 400 levels.
//
// The body must not be modified during the call. It is not kept.
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
	return ok && v.settledScale(s) && v.passes(s, generated, false)
}

// SettledUpdate reports whether a server would accept body, the JSON of an object, as an update of the object whose
// JSON in the store is stored, and would change nothing: without errors and warnings, and valid without ratcheting. It
// is false if the texts differ, except for white space around them. If it is true, a read of the object changes
// nothing, either. It may be a false negative, never a false positive. [Version.Settled] says when, and what it costs.
func (v *Version) SettledUpdate(body, stored []byte) bool {
	const blanks = " \t\r\n"
	if v == nil || v.updated == nil || !v.settles(body) || !bytes.Equal(bytes.Trim(body, blanks), bytes.Trim(stored, blanks)) {
		return false
	}
	s := settled.New(body)
	defer s.Release()
	return s.Object(v.updated) && v.settledMetadata(s, false) && v.settledScale(s) && v.passes(s, "", true)
}

// SettledStored reports whether the definition suits an object, whose JSON in the store is stored: reading it, and
// updating it without a change, change nothing ([Version.SettledUpdate]), and a create of it would be accepted, without
// a status that belongs to a subresource and without what only a server sets in metadata. The generation may be
// missing, and warnings about finalizers are ignored. Package audit calls this first. It may be a false negative, never
// a false positive: see [Version.Settled]. It is false once ctx has ended.
//
// It costs what Settled costs. Rules are evaluated a second time if one has optionalOldSelf, or if the whole object has
// rules.
func (v *Version) SettledStored(ctx context.Context, stored []byte) bool {
	if v == nil || v.updated == nil || !v.settles(stored) || ctx.Err() != nil {
		return false
	}
	s := settled.New(stored)
	defer s.Release()
	if !s.Object(v.updated) || !v.settledMetadata(s, true) || !v.settledScale(s) {
		return false
	}
	drops := v.hasStatus && s.HasStatus()
	request := settled.Request{Rules: v.rules, Profile: v.resource.profile()}
	switch {
	case drops && (!v.statusOptional || v.statusDefault != nil && !v.statusDefaultNormal):
		return false
	case !v.hasRules:
		return true
	}
	// The result for a create may differ: rules may have optionalOldSelf, and those of the whole object see another
	// status and other metadata.
	differs := v.optionalOld || len(v.root.Rules) > 0
	if v.transitions || differs {
		request.Update = true
		if s.Meta().Generation == 0 { // as in a read
			request.OtherMetadata = func() map[string]any { return with(s.Metadata(), "generation", int64(1)) }
		}
		if !s.Passes(ctx, request) {
			return false
		}
		if !differs {
			return true // The update evaluates all rules that the create does.
		}
	}
	request.Update, request.DropsStatus = false, drops && differs
	if len(v.root.Rules) > 0 {
		request.OtherMetadata = func() map[string]any { return v.createdMetadata(s, "") }
	}
	return s.Passes(ctx, request)
}

// createdMetadata returns the metadata that the rules of a create see. generated is the name that it generates.
func (v *Version) createdMetadata(s *settled.Scan, generated string) map[string]any {
	meta := s.Metadata()
	delete(meta, "resourceVersion")
	namespace, _ := v.namespace(s.Meta().Namespace)
	meta, _, _ = objectmeta.PrepareCreate(meta, namespace, false)
	if generated != "" {
		meta = with(meta, "name", generated)
	}
	return meta
}

// settle prepares v for Settled. It does nothing for versions without a schema and for those that do not prune, so
// Settled returns false for these.
func (v *version) settle() {
	if v.schema == nil || !v.resource.prunes {
		return
	}
	v.setSettled()
	v.transitions = hasRule(v.root, func(r plan.Rule) bool { return strings.Contains(r.Rule, "oldSelf") })
	v.optionalOld = hasRule(v.root, func(r plan.Rule) bool { return r.OptionalOldSelf != nil && *r.OptionalOldSelf })
}

// setSettled sets the texts that v accepts.
func (v *version) setSettled() {
	if !v.resource.prunes {
		return
	}
	v.updated = &settled.Root{Node: v.root, Kind: v.resource.kind, APIVersion: v.groupText}
	created := *v.updated
	created.DropsStatus = v.hasStatus
	if v.statusOptional && v.statusDefaultNormal {
		created.StatusDefault = v.statusDefault
		created.StatusText, _ = json.Marshal(v.statusDefault)
	}
	v.created = &created
}

// settles reports whether the answer to the request depends on its body alone.
func (v *Version) settles(body []byte) bool {
	return v.acceptsJSON(body) && v.version == v.resource.storage && v.deprecation == "" && v.options.Admit == nil
}

// acceptsJSON reports whether the request accepts a body of that size and reads it as JSON.
func (v *Version) acceptsJSON(body []byte) bool {
	isYAML, known := mediaType(v.options.ContentType)
	return known && !isYAML && len(body) <= refusal.MaxBody && len(v.options.invalid()) == 0
}

// settledCreate reports whether a create leaves the metadata unchanged, and returns the name that it generates.
func (v *Version) settledCreate(s *settled.Scan) (generated string, ok bool) {
	m := s.Meta()
	if m.Plain && m.GenerateName == "" {
		namespace, refused := v.namespace(m.Namespace)
		return "", refused == nil && namespace == m.Namespace && m.ResourceVersion == "" && m.ValidCreate(v.resource.namespaced)
	}
	meta := s.Metadata()
	delete(meta, "generation") // A create sets it in any case.
	own, _ := meta["namespace"].(string)
	namespace, refused := v.namespace(own)
	if refused != nil || own != namespace || !objectmeta.Canonical(meta) || meta["resourceVersion"] != nil {
		return "", false
	}
	prepared, _, duplicates := objectmeta.PrepareCreate(meta, namespace, false)
	for _, m := range objectmeta.Metadata.Members {
		if meta[m.Name] != nil && prepared[m.Name] == nil && !m.Generated() {
			return "", false
		}
	}
	return objectmeta.GeneratedName(prepared), len(duplicates) == 0 && objectmeta.ValidCreate(prepared, v.resource.namespaced) &&
		len(objectmeta.Server{}.AppendFinalizerWarnings(nil, prepared, nil, field.Limit{})) == 0
}

// settledMetadata reports whether an update that changes nothing else leaves the metadata unchanged. If anew is set, a
// create must also accept the name, and the generation may be missing.
func (v *Version) settledMetadata(s *settled.Scan, anew bool) bool {
	m := s.Meta()
	namespace, refused := v.namespace(m.Namespace)
	if m.Generation == 0 && !anew || refused != nil || namespace != m.Namespace ||
		m.Name == "" || m.Name != cmp.Or(v.options.Name, m.Name) {
		return false
	}
	if m.ResourceVersion != "" {
		if n, err := strconv.ParseUint(m.ResourceVersion, 10, 64); err != nil || n == 0 {
			return false
		}
	}
	if m.Plain {
		return m.ValidUpdate(v.resource.namespaced) && (!anew || m.ValidCreate(v.resource.namespaced))
	}
	meta := s.Metadata()
	if m.Generation == 0 && meta["generation"] != nil {
		return false
	}
	var is objectmeta.Summary
	if _, duplicates := objectmeta.DeduplicateOwners(meta); len(duplicates) > 0 || !is.Summarize(meta, nil) {
		return false
	}
	retained := objectmeta.Retain(objectmeta.WithManagedFields(meta, meta), meta, false)
	return sameMap(retained, meta) && !deletes(meta, meta) &&
		is.ValidUpdate(v.resource.namespaced) && (!anew || is.ValidCreate(v.resource.namespaced))
}

// settledScale reports whether validateScale would find no errors.
func (v *Version) settledScale(s *settled.Scan) bool {
	return v.scale == nil || s.Integer(v.scale.specReplicas.keys, 0, math.MaxInt32) &&
		s.Integer(v.scale.statusReplicas.keys, 0, math.MaxInt32) && (v.scale.selector == nil || s.String(v.scale.selector.keys))
}

// passes reports whether the object passes the rules of its schema, as a new object or as an update that changes
// nothing.
func (v *Version) passes(s *settled.Scan, generated string, update bool) bool {
	if !v.hasRules {
		return true
	}
	request := settled.Request{Rules: v.rules, Profile: v.resource.profile(), Update: update, Name: generated}
	if !update {
		request.DropsStatus = v.hasStatus && s.HasStatus()
	}
	if !update && len(v.root.Rules) > 0 {
		request.OtherMetadata = func() map[string]any { return v.createdMetadata(s, generated) }
	}
	return s.Passes(context.Background(), request)
}

// hasRule reports whether is returns true for a rule at n or below it.
func hasRule(n *plan.Node, is func(plan.Rule) bool) bool {
	if n == nil || n.Below&plan.HasRules == 0 {
		return false
	}
	return slices.ContainsFunc(n.Rules, is) || slices.ContainsFunc(n.Props, func(p plan.Prop) bool { return hasRule(p.Node, is) }) ||
		hasRule(n.Items, is) || hasRule(n.Additional, is)
}
