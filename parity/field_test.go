package parity

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	k8serrors "k8s.io/apimachinery/pkg/api/errors"
	k8sschema "k8s.io/apimachinery/pkg/runtime/schema"
	k8sfield "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/parity/gen"
)

// EMD-001 to EMD-006, GEN-003 to GEN-006: each way to make an error, and the status of several.
func TestErrors(t *testing.T) {
	comparison{
		pkg: "field", functions: "Error, List, Status", reference: "field.Error, ErrorList, errors.NewInvalid", cases: 10000,
		draw: func(s *gen.Source) any {
			l := make([]any, s.Intn(4))
			for i := range l {
				steps := given.List(s.Intn(4), func(int) any { return []any{int64(s.Intn(3)), gen.Key(s)} })
				l[i] = map[string]any{
					"path": steps, "kind": int64(s.Intn(10)), "value": gen.Any(s, 2), "detail": gen.Text(s), "n": int64(s.Intn(4) - 1),
				}
			}
			return map[string]any{"errors": l, "group": gen.Text(s), "kind": "K" + gen.Text(s), "name": gen.Text(s)}
		},
		ask: func(sample any) (outcomes []outcome) {
			m, _ := sample.(map[string]any)
			list, _ := m["errors"].([]any)
			var ours field.List
			var theirs k8sfield.ErrorList
			for _, v := range list {
				a, b := errorPair(v)
				ours, theirs = append(ours, a), append(theirs, b)
				outcomes = append(outcomes,
					outcome{[]string{string(a.Type), a.Error(), a.ErrorBody(), a.Field}, []string{string(b.Type), b.Error(), b.ErrorBody(), b.Field}, true})
			}
			group, _ := m["group"].(string)
			kind, _ := m["kind"].(string)
			name, _ := m["name"].(string)
			status := k8serrors.NewInvalid(k8sschema.GroupKind{Group: group, Kind: kind}, name, theirs)
			one, _ := json.Marshal(ours.Status(group, kind, name))
			other, _ := json.Marshal(status.ErrStatus)
			texts := []string{"", ""}
			if len(theirs) > 0 {
				texts = []string{ours.Err().Error(), theirs.ToAggregate().Error()}
			}
			return append(outcomes, outcome{texts[0], texts[1], false}, outcome{withKind(one), withKind(other), false})
		},
	}.run(t)
}

// withKind returns a status as data, with the kind that a server puts into it as it answers.
func withKind(status []byte) any {
	m, _ := asJSON(status).(map[string]any)
	m["kind"], m["apiVersion"] = "Status", "v1"
	return m
}

// errorPair makes an error on both sides.
func errorPair(v any) (*field.Error, *k8sfield.Error) {
	m, _ := v.(map[string]any)
	var at *field.Path
	var theirAt *k8sfield.Path
	steps, _ := m["path"].([]any)
	for _, s := range steps {
		step, _ := s.([]any)
		if len(step) < 2 {
			continue
		}
		name, _ := step[1].(string)
		switch step[0] {
		case int64(0):
			if theirAt == nil {
				at, theirAt = field.NewPath(name), k8sfield.NewPath(name)
			} else {
				at, theirAt = at.Child(name), theirAt.Child(name)
			}
		case int64(1):
			if theirAt != nil {
				at, theirAt = at.Index(len(name)), theirAt.Index(len(name))
			}
		default:
			if theirAt != nil {
				at, theirAt = at.Key(name), theirAt.Key(name)
			}
		}
	}
	value := m["value"]
	detail, _ := m["detail"].(string)
	n, _ := m["n"].(int64)
	switch m["kind"] {
	case int64(1):
		return field.Required(at, detail), k8sfield.Required(theirAt, detail)
	case int64(2):
		return field.TypeInvalid(at, value, detail), k8sfield.TypeInvalid(theirAt, value, detail)
	case int64(3):
		return field.Duplicate(at, value), k8sfield.Duplicate(theirAt, value)
	case int64(4):
		return field.NotSupported(at, value, "a", detail), k8sfield.NotSupported(theirAt, value, []string{"a", detail})
	case int64(5):
		return field.NotFound(at, value), k8sfield.NotFound(theirAt, value)
	case int64(6):
		return field.Forbidden(at, detail), k8sfield.Forbidden(theirAt, detail)
	case int64(7):
		return field.TooLong(at, n), k8sfield.TooLong(theirAt, "", int(n))
	case int64(8):
		return field.TooMany(at, n+1, n), k8sfield.TooMany(theirAt, int(n+1), int(n))
	case int64(9):
		err := errors.New(detail)
		return field.InternalError(at, err), k8sfield.InternalError(theirAt, err)
	}
	return field.Invalid(at, value, detail), k8sfield.Invalid(theirAt, value, detail)
}

// The types are part of a Status, as reasons of its causes.
func TestErrorTypes(t *testing.T) {
	for ours, theirs := range map[field.ErrorType]k8sfield.ErrorType{
		field.ErrorTypeRequired: k8sfield.ErrorTypeRequired, field.ErrorTypeInvalid: k8sfield.ErrorTypeInvalid,
		field.ErrorTypeTypeInvalid: k8sfield.ErrorTypeTypeInvalid, field.ErrorTypeDuplicate: k8sfield.ErrorTypeDuplicate,
		field.ErrorTypeNotSupported: k8sfield.ErrorTypeNotSupported, field.ErrorTypeNotFound: k8sfield.ErrorTypeNotFound,
		field.ErrorTypeForbidden: k8sfield.ErrorTypeForbidden, field.ErrorTypeTooLong: k8sfield.ErrorTypeTooLong,
		field.ErrorTypeTooShort: k8sfield.ErrorTypeTooShort, field.ErrorTypeTooMany: k8sfield.ErrorTypeTooMany,
		field.ErrorTypeTooFew: k8sfield.ErrorTypeTooFew, field.ErrorTypeInternal: k8sfield.ErrorTypeInternal,
	} {
		require.Equal(t, string(theirs), string(ours))
		require.Equal(t, theirs.String(), (&field.Error{Type: ours, BadValue: field.OmitValue}).ErrorBody(), "the text of type %s", ours)
	}
}
