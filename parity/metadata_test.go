package parity

import (
	"context"
	"maps"
	"testing"

	"k8s.io/apimachinery/pkg/api/operation"
	k8svalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	k8sschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	k8sfield "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/embedded"
	"github.com/crdkit/crdkit/internal/format"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/plan"
	"github.com/crdkit/crdkit/internal/refusal"
	"github.com/crdkit/crdkit/parity/gen"
	"github.com/crdkit/crdkit/parity/internal/reference"
)

func metadata(s *gen.Source) any { return gen.Object{Source: s, Odd: 8}.Metadata() }

// OME-001 to OME-005, OME-011.
func TestReadMetadata(t *testing.T) {
	comparison{
		pkg: "internal/objectmeta", functions: "Read, Unknown", reference: "objectmeta.GetObjectMetaWithOptions, SetObjectMeta", cases: 10000,
		draw: metadata,
		ask: func(meta any) []outcome {
			return pure(meta, func() []outcome {
				theirs, unknown, refused := reference.ReadMetadata(meta, false)
				ours, _, failed := objectmeta.Read(meta, false)
				outcomes := []outcome{{errorText(failed), errorText(refused), refused != nil}}
				if refused == nil && failed == nil {
					var paths []string
					for _, p := range objectmeta.Unknown(meta) {
						paths = append(paths, "metadata."+p)
					}
					outcomes = append(outcomes, valueOutcome(meta, any(ours), theirs), outcome{paths, unknown, unknown != nil})
				}
				theirs, _, refused = reference.ReadMetadata(meta, true)
				ours, _, failed = objectmeta.Read(meta, true)
				outcomes = append(outcomes, outcome{errorText(failed), errorText(refused), refused != nil})
				if refused == nil && failed == nil {
					outcomes = append(outcomes, valueOutcome(meta, any(ours), theirs))
				}
				return outcomes
			})
		},
	}.run(t)
}

// OME-010 to OME-012.
func TestNormalizeEmbedded(t *testing.T) {
	comparison{
		pkg: "internal/embedded", functions: "Normalizer.Normalize, Unknown", reference: "objectmeta.CoerceWithOptions", cases: 6000,
		draw: func(s *gen.Source) any { return resources(s) },
		ask: each(func(p *pair, v any) (outcomes []outcome) {
			for _, drop := range []bool{false, true} {
				theirs, unknown, refused := p.theirs.Coerce(v, drop)
				c := embedded.Normalizer{Drop: drop, Track: true}
				ours, failed := c.Normalize(plan.Of(p.inner), v)
				if refused != nil || failed != nil {
					// Of several errors the reference reports a random one.
					var mine, its []string
					if failed != nil {
						mine = listed(field.List{failed})
					}
					if refused != nil {
						its = listedReference(k8sfield.ErrorList{refused})
					}
					outcomes = append(outcomes, outcome{mine, its, true})
					continue
				}
				outcomes = append(outcomes, valueOutcome(v, ours, theirs))
				if !drop { // unknown fields count only in requests
					found, _ := c.Unknown()
					outcomes = append(outcomes, outcome{append([]string{}, found...), append([]string{}, unknown...), len(unknown) > 0})
				}
			}
			return outcomes
		}),
	}.run(t)
}

// readable returns metadata as the reference reads and writes it, or nil.
func readable(meta any) map[string]any {
	m, _, err := reference.ReadMetadata(meta, true)
	if err != nil {
		return nil
	}
	read, _ := m.(map[string]any)
	return read
}

func typed(meta map[string]any) *metav1.ObjectMeta {
	m := &metav1.ObjectMeta{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(meta, m); err != nil {
		return nil
	}
	return m
}

// MET-000 to MET-009, MET-012, MET-014.
func TestMetadataRules(t *testing.T) {
	comparison{
		pkg: "internal/objectmeta", functions: "ValidateCreate, ValidCreate", reference: "ValidateObjectMetaDeclaratively, ValidateObjectMetaAccessor", cases: 10000,
		draw: metadata,
		ask: func(sample any) (outcomes []outcome) {
			meta := readable(sample)
			if meta == nil {
				return nil
			}
			named := meta
			if prefix, _ := meta["generateName"].(string); prefix != "" && meta["name"] == nil {
				// A name that is made of a refused generateName is another mistake to the reference, and none to us
				// (MET-001).
				if pathSegment(prefix, true) != nil || k8svalidation.NameIsDNSSubdomain(prefix, true) != nil {
					meta["name"] = "name"
				} else {
					named = maps.Clone(meta)
					named["name"] = prefix[:min(58, len(prefix))] + "xxxxx"
				}
			}
			at, theirAt := field.NewPath("metadata"), k8sfield.NewPath("metadata")
			for _, namespaced := range []bool{true, false} {
				first := k8svalidation.ValidateObjectMetaDeclaratively(
					context.Background(), operation.Create, typed(named), nil, namespaced, k8svalidation.NameIsDNSSubdomain, theirAt, true)
				second := k8svalidation.ValidateObjectMetaAccessor(
					&unstructured.Unstructured{Object: map[string]any{"metadata": reference.Copy(named)}}, namespaced, pathSegment, theirAt)
				outcomes = append(outcomes,
					errorsOutcome(refusal.DistinctErrors(objectmeta.ValidateCreate(meta, at, namespaced, objectmeta.Subdomain, field.Limit{})), first),
					errorsOutcome(objectmeta.ValidateCreate(meta, at, namespaced, objectmeta.PathSegment, field.Limit{}), second),
					outcome{objectmeta.ValidCreate(meta, namespaced), len(first)+len(second) == 0, false})
			}
			return outcomes
		},
	}.run(t)
}

func pathSegment(name string, prefix bool) []string {
	return path.ValidatePathSegmentName(name, prefix)
}

// MET-006 to MET-012. Where the old object has no resourceVersion or uid, this module asks for none (MET-010); so both
// have them here.
func TestMetadataUpdate(t *testing.T) {
	comparison{
		pkg: "internal/objectmeta", functions: "ValidateUpdate", reference: "ValidateObjectMetaUpdate, ValidateObjectMeta", cases: 10000,
		draw: func(s *gen.Source) any {
			m, _ := metadata(s).(map[string]any)
			changed, _ := metadata(s).(map[string]any)
			old := map[string]any{}
			maps.Copy(old, m)
			for k, v := range changed {
				if _, has := old[k]; !has || k != "name" && k != "namespace" {
					old[k] = v
				}
			}
			return map[string]any{"new": m, "old": old}
		},
		ask: func(sample any) []outcome {
			m, _ := sample.(map[string]any)
			meta, old := readable(m["new"]), readable(m["old"])
			if meta == nil || old == nil {
				return nil
			}
			if old["resourceVersion"] == nil {
				meta["resourceVersion"] = "1"
			}
			if old["uid"] == nil {
				delete(meta, "uid")
			}
			if meta["name"] == nil {
				meta["name"], old["name"] = "name", "name" // an update knows it from its URL
			}
			at := k8sfield.NewPath("metadata")
			theirs := k8svalidation.ValidateObjectMetaUpdate(typed(meta), typed(old), at)
			theirCreate := k8svalidation.ValidateObjectMeta(typed(meta), true, pathSegment, at)
			create, update := objectmeta.ValidateUpdate(meta, old, field.NewPath("metadata"), true, field.Limit{})
			return []outcome{errorsOutcome(create, theirCreate), errorsOutcome(update, theirs)}
		},
	}.run(t)
}

// EMD-008, MET-001, MET-002, MET-004, MET-007, MET-020 to MET-023, DEC-013.
func TestNames(t *testing.T) {
	checks := []struct {
		ours   func(string) []string
		theirs func(string) []string
	}{
		{format.DNS1035Label, validation.IsDNS1035Label},
		{format.DNS1123Label, validation.IsDNS1123Label},
		{format.DNS1123Subdomain, validation.IsDNS1123Subdomain},
		{format.LabelValue, validation.IsValidLabelValue},
		{format.QualifiedName, validation.IsQualifiedName},
		{format.PathSegment, func(s string) []string { return pathSegment(s, false) }},
		{format.PathSegmentPrefix, func(s string) []string { return pathSegment(s, true) }},
		{format.DNS1123SubdomainPrefix, func(s string) []string { return k8svalidation.NameIsDNSSubdomain(s, true) }},
	}
	comparison{
		pkg: "internal/format", functions: "names", reference: "apimachinery/pkg/util/validation", cases: 10000,
		draw: func(s *gen.Source) any { return gen.Name(s) },
		ask: func(sample any) (outcomes []outcome) {
			name, _ := sample.(string)
			for _, c := range checks {
				theirs := c.theirs(name)
				outcomes = append(outcomes, outcome{c.ours(name), theirs, len(theirs) > 0})
			}
			gv, refused := k8sschema.ParseGroupVersion(name)
			group, version, failed := objectmeta.GroupVersion(name)
			return append(outcomes, outcome{[]string{group, version, errorText(failed)}, []string{gv.Group, gv.Version, errorText(refused)}, refused != nil})
		},
	}.run(t)
}
