package parity

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	k8svalidation "k8s.io/apimachinery/pkg/api/validation"
	k8sschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/crdkit/crdkit/crd"
	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/parity/gen"
	"github.com/crdkit/crdkit/parity/internal/reference"
	"github.com/crdkit/crdkit/resource"
)

// ORD-002, STR-001, STR-002, STR-008 to STR-011, DEC-020, DEC-022: a request to create an object, from its decoding to
// the object that is read back.
//
// Left out is what the reference does in packages that would bring etcd's client with them: warnings about finalizers
// (STR-016), duplicate owner references (STR-009), managed fields, scale (SCL-005), and what storage says to a
// resourceVersion (STR-001).
func TestCreate(t *testing.T) {
	definitions := reference.NewDefinitions()
	comparison{
		pkg: "resource", functions: "Compile, Version.Create", reference: "rest.ValidateCreate with the functions above", cases: 4000,
		draw: func(s *gen.Source) any {
			p := gen.Schema(s, gen.Schemas{})
			objects := make([]any, 4)
			for i := range objects {
				obj := gen.Object{Source: s, Odd: gen.Pick(s, []int{60, 12, 6})}.Whole(p)
				if meta, ok := obj["metadata"].(map[string]any); ok {
					delete(meta, "managedFields")
					delete(meta, "resourceVersion")
				}
				obj["apiVersion"], obj["kind"] = "g.io/v1", "K"
				if s.OneIn(20) {
					obj["kind"] = "Other"
				}
				objects[i] = obj
			}
			return map[string]any{"definition": gen.DefinitionV1(s, p), "objects": objects, "namespace": gen.Pick(s, []string{"", "", "ns"})}
		},
		ask: func(sample any) []outcome {
			m, _ := sample.(map[string]any)
			text, err := json.Marshal(m["definition"])
			if err != nil {
				return nil
			}
			theirs, refused := parseReference(definitions, text)
			ours, failed := parseOurs(text)
			if refused != nil || theirs.Kind != (k8sschema.GroupVersionKind{Group: "g.io", Version: "v1", Kind: "K"}) {
				return nil // not what this test is about
			}
			if failed != nil {
				return []outcome{{ours: failed.Error()}}
			}
			var outcomes []outcome
			objects, _ := m["objects"].([]any)
			namespace, _ := m["namespace"].(string)
			for _, v := range objects {
				if obj, ok := v.(map[string]any); ok && obj["apiVersion"] == "g.io/v1" {
					outcomes = append(outcomes, pure(v, func() []outcome { return createBoth(ours, theirs, namespace, obj) })...)
				}
			}
			return outcomes
		},
	}.run(t)
}

func parseReference(definitions *reference.Definitions, text []byte) (*reference.Resource, error) {
	d, err := definitions.Parse(text)
	if err != nil {
		return nil, err
	}
	return reference.NewResource(d, "v1")
}

func parseOurs(text []byte) (*resource.Version, error) {
	d, err := crd.Parse(text)
	if err != nil {
		return nil, err
	}
	r, err := resource.Compile(d)
	if err != nil {
		return nil, err
	}
	v := r.Version("v1")
	if v == nil {
		return nil, fmt.Errorf("no version v1")
	}
	return v, nil
}

func createBoth(ours *resource.Version, theirs *reference.Resource, namespace string, obj map[string]any) []outcome {
	meta, _ := obj["metadata"].(map[string]any)
	if kind, ok := obj["kind"].(string); !ok || kind == "" || hasDuplicates(meta["ownerReferences"]) || !isUTF8(obj) {
		return nil
	}
	name, _ := meta["name"].(string)
	if prefix, _ := meta["generateName"].(string); name == "" && prefix != "" && k8svalidation.NameIsDNSSubdomain(prefix, true) != nil {
		// The reference also refuses the name that is made of a refused generateName; this library does not (MET-001).
		return nil
	}
	own, _ := meta["namespace"].(string)
	if !theirs.Namespaced {
		namespace = ""
	}
	in := namespace
	if in == "" && theirs.Namespaced {
		in = own // the object's namespace is the request's, if that has none
	}
	want := theirs.Create(context.Background(), in, obj)
	got := ours.With(resource.RequestOptions{Namespace: namespace}).Create(context.Background(), obj)

	var warnings, wantWarnings []string
	for _, w := range got.Warnings {
		if !strings.HasPrefix(w, "metadata.finalizers: ") {
			warnings = append(warnings, w)
		}
	}
	for _, path := range want.Unknown {
		if w := reference.Warning(path); !slices.Contains(wantWarnings, w) { // a server sends no warning twice
			wantWarnings = append(wantWarnings, w)
		}
	}
	switch status := got.Status(); {
	case want.Decode != nil:
		// DEC-014 puts a sentence in front.
		if status == nil || got.Failure == nil || !strings.HasSuffix(status.Message, ": "+want.Decode.Error()) {
			return []outcome{{status, want.Decode.Error(), true}}
		}
		return []outcome{{found: true}}
	case want.Status != nil:
		texts := statusTexts(statusOf(want))
		return []outcome{{statusTexts(status), texts, true}, {warnings, wantWarnings, len(wantWarnings) > 0}}
	case status != nil:
		return []outcome{{ours: statusTexts(status)}}
	}
	return []outcome{valueOutcome(obj, got.Object, want.Object), {warnings, wantWarnings, len(wantWarnings) > 0}}
}

// isUTF8 reports whether all text in v could come from a request.
func isUTF8(v any) bool {
	switch x := v.(type) {
	case string:
		return utf8.ValidString(x)
	case map[string]any:
		for k, c := range x {
			if !utf8.ValidString(k) || !isUTF8(c) {
				return false
			}
		}
	case []any:
		return !slices.ContainsFunc(x, func(c any) bool { return !isUTF8(c) })
	}
	return true
}

// hasDuplicates reports whether two owner references are equal once they have been read.
func hasDuplicates(v any) bool {
	meta, _, err := reference.ReadMetadata(map[string]any{"ownerReferences": v}, true)
	m, _ := meta.(map[string]any)
	owners, _ := m["ownerReferences"].([]any)
	if err != nil {
		return false
	}
	for i, o := range owners {
		if slices.ContainsFunc(owners[:i], func(other any) bool { return reflect.DeepEqual(o, other) }) {
			return true
		}
	}
	return false
}

// statusOf returns a status of the reference as ours.
func statusOf(r reference.Result) *field.Status {
	its := r.Status.ErrStatus
	s := &field.Status{Code: int(its.Code), Reason: string(its.Reason), Message: its.Message}
	if its.Details != nil {
		for _, c := range its.Details.Causes {
			s.Causes = append(s.Causes, field.StatusCause{Reason: string(c.Type), Message: c.Message, Field: c.Field})
		}
	}
	return s
}

// statusTexts returns a status as texts. The message of several errors has them in the order in which the reference walked
// its maps.
func statusTexts(s *field.Status) []string {
	if s == nil {
		return nil
	}
	texts := []string{fmt.Sprint(s.Code, " ", s.Reason)}
	if len(s.Causes) == 0 {
		texts = append(texts, s.Message)
	}
	for _, c := range s.Causes {
		texts = append(texts, c.Reason+" "+c.Field+": "+c.Message)
	}
	slices.Sort(texts)
	return texts
}
