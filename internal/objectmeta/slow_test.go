package objectmeta_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/field"
	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/internal/test/given"
)

// The types below are OME-001 as encoding/json reads and writes it: the slow, obvious way.

type slowTime struct{ time.Time }

func (t *slowTime) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*t = slowTime{}
		return nil
	}
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return err
	}
	parsed, err := time.Parse(time.RFC3339, s)
	t.Time = parsed
	return err
}

func (t slowTime) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(t.UTC().Format(time.RFC3339))
}

type slowOwner struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	Name               string `json:"name"`
	UID                string `json:"uid"`
	Controller         *bool  `json:"controller,omitempty"`
	BlockOwnerDeletion *bool  `json:"blockOwnerDeletion,omitempty"`
}

type slowManagedFields struct {
	Manager     string           `json:"manager,omitempty"`
	Operation   string           `json:"operation,omitempty"`
	APIVersion  string           `json:"apiVersion,omitempty"`
	Time        *slowTime        `json:"time,omitempty"`
	FieldsType  string           `json:"fieldsType,omitempty"`
	FieldsV1    *json.RawMessage `json:"fieldsV1,omitempty"`
	Subresource string           `json:"subresource,omitempty"`
}

type slowMeta struct {
	Name                       string              `json:"name,omitempty"`
	GenerateName               string              `json:"generateName,omitempty"`
	Namespace                  string              `json:"namespace,omitempty"`
	SelfLink                   string              `json:"selfLink,omitempty"`
	UID                        string              `json:"uid,omitempty"`
	ResourceVersion            string              `json:"resourceVersion,omitempty"`
	Generation                 int64               `json:"generation,omitempty"`
	CreationTimestamp          slowTime            `json:"creationTimestamp,omitzero"`
	DeletionTimestamp          *slowTime           `json:"deletionTimestamp,omitempty"`
	DeletionGracePeriodSeconds *int64              `json:"deletionGracePeriodSeconds,omitempty"`
	Labels                     map[string]string   `json:"labels,omitempty"`
	Annotations                map[string]string   `json:"annotations,omitempty"`
	OwnerReferences            []slowOwner         `json:"ownerReferences,omitempty"`
	Finalizers                 []string            `json:"finalizers,omitempty"`
	ManagedFields              []slowManagedFields `json:"managedFields,omitempty"`
}

const (
	metaKeys = " name generateName namespace selfLink uid resourceVersion generation creationTimestamp deletionTimestamp " +
		"deletionGracePeriodSeconds labels annotations ownerReferences finalizers managedFields "
	ownerKeys   = " apiVersion kind name uid controller blockOwnerDeletion "
	managedKeys = " manager operation apiVersion time fieldsType fieldsV1 subresource "
)

// exact returns v without the keys that are not among those named: encoding/json would take some of them, for their
// lower case.
func exact(v any, keys string) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for k, v := range m {
		if k == "" || !strings.Contains(keys, " "+k+" ") {
			continue
		}
		items := ""
		switch {
		case keys == metaKeys && k == "ownerReferences":
			items = ownerKeys
		case keys == metaKeys && k == "managedFields":
			items = managedKeys
		}
		if list, ok := v.([]any); ok && items != "" {
			all := make([]any, len(list))
			for i := range list {
				all[i] = exact(list[i], items)
			}
			v = all
		}
		out[k] = v
	}
	return out
}

func slowRead(t *testing.T, v any) (meta any, err error) {
	data := given.JSON(t, exact(v, metaKeys))
	var m slowMeta
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	data = given.JSON(t, m)
	meta, err = decodeValue(data)
	require.NoError(t, err)
	return meta, nil
}

// unstable reports whether a server would not read again what it wrote: a time that is zero, or in a year of more or
// less than four digits.
func unstable(meta map[string]any) bool {
	bad := func(v any, found bool) bool {
		return found && !objectmeta.Canonical(map[string]any{"creationTimestamp": v})
	}
	for _, k := range []string{"creationTimestamp", "deletionTimestamp"} {
		v, found := meta[k]
		if bad(v, found) {
			return true
		}
	}
	entries, _ := meta["managedFields"].([]any)
	for _, e := range entries {
		v, found := e.(map[string]any)["time"]
		if bad(v, found) {
			return true
		}
	}
	return false
}

var seeds = []string{
	ordinary, `null`, `{}`, `[]`, `5`, `"x"`, `{"Name": 1, "NAME": "x"}`, `{"name": "A b", "generateName": "_-"}`, `{"generateName": "a-"}`,
	`{"name": "a", "namespace": "b.c", "generation": -1, "labels": {"a/b/c": "x y", "": null}, "annotations": {"B.c/X": "", "/": ""}}`,
	`{"creationTimestamp": "2020-01-01T00:00:00.5+02:00", "deletionTimestamp": "0001-01-01T00:00:00Z"}`,
	`{"creationTimestamp": "9999-12-31T23:59:59-23:59", "labels": 5}`, `{"generation": 1.0, "deletionGracePeriodSeconds": 1e30}`,
	`{"ownerReferences": [null, {"apiVersion": "v1", "kind": "Event", "name": "", "uid": "u", "controller": true}, {"controller": true, "X": 1}]}`,
	`{"finalizers": ["orphan", "foregroundDeletion", "a b", null]}`, `{"finalizers": {}, "name": []}`,
	`{"managedFields": [null, {"manager": "a\tb", "operation": "apply", "fieldsType": "x", "time": "x"}]}`,
	`{"managedFields": [{"operation": "Apply", "apiVersion": "v1", "fieldsType": "FieldsV1", "fieldsV1": {"f:a": {"k:{}": 1.0}, "v:": {}}}]}`,
}

// FuzzRead compares Read with encoding/json, and holds the laws of reading.
func FuzzRead(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if v, err := decodeValue(data); err == nil {
			checkRead(t, v)
		}
	})
}

// checkRead compares Read of v with encoding/json, and holds the laws of reading.
func checkRead(t *testing.T, v any) (readable, canonical bool) {
	before := clone(v)
	want, wantErr := slowRead(t, v)
	meta, changed, err := objectmeta.Read(v, false)
	canonical = objectmeta.Canonical(v)
	require.Equal(t, before, v, "the argument is unmodified")
	require.Equal(t, wantErr == nil, err == nil, "Read: %v, encoding/json: %v, of %#v", err, wantErr, v)
	if err != nil {
		require.False(t, canonical)
		dropped, _, err := objectmeta.Read(v, true)
		if m, ok := v.(map[string]any); ok {
			require.NoError(t, err)
			// Reading what is left of the keys by themselves gives the same.
			for k, v := range m {
				one, _, err := objectmeta.Read(map[string]any{k: v}, false)
				if err != nil {
					require.NotContains(t, dropped, k)
					continue
				}
				require.Equal(t, one[k], dropped[k])
			}
		} else {
			require.Error(t, err)
		}
		return false, false
	}
	require.Equal(t, want, any(meta))
	require.Equal(t, !canonical, changed)
	if canonical {
		require.Equal(t, v, any(meta), "canonical: nothing changes")
		require.Nil(t, objectmeta.Unknown(v))
	}
	if unstable(meta) {
		return true, canonical
	}
	again, _, err := objectmeta.Read(meta, false)
	require.NoError(t, err)
	require.Equal(t, meta, again, "what was written is read as it is")
	require.Empty(t, objectmeta.Unknown(meta))
	return true, canonical
}

// FuzzValidate holds that the verdicts agree with the lists, on any metadata, read or not.
func FuzzValidate(f *testing.F) {
	for i, s := range seeds {
		f.Add([]byte(s), []byte(seeds[(i+1)%len(seeds)]))
		f.Add([]byte(s), []byte(s))
	}
	f.Fuzz(func(t *testing.T, data, oldData []byte) {
		v, err := decodeValue(data)
		oldV, oldErr := decodeValue(oldData)
		if err != nil || oldErr != nil {
			return
		}
		meta, _ := v.(map[string]any)
		old, _ := oldV.(map[string]any)
		before, oldBefore := clone(meta), clone(old)
		for _, namespaced := range []bool{false, true} {
			checkVerdicts(t, meta, old, namespaced)
		}
		for _, obj := range []map[string]any{
			meta,
			{"apiVersion": "v1", "kind": "Pod", "metadata": v},
			{"apiVersion": meta["name"], "kind": meta["namespace"], "metadata": v},
		} {
			checkEmbedded(t, obj)
		}
		objectmeta.Server{}.AppendFinalizerWarnings(nil, meta, old, field.Limit{})
		objectmeta.DeduplicateOwners(meta)
		objectmeta.WithManagedFields(meta, old)
		objectmeta.PrepareCreate(meta, "ns", false)
		objectmeta.Retain(meta, old, true)
		require.Equal(t, before, any(meta))
		require.Equal(t, oldBefore, any(old))
	})
}

// checkVerdicts requires that the verdicts about a create of meta, and an update of old to meta, agree with the lists.
func checkVerdicts(t *testing.T, meta, old map[string]any, namespaced bool) (create, update bool) {
	path := field.NewPath("metadata")
	generic := objectmeta.ValidateCreate(meta, path, namespaced, objectmeta.PathSegment, field.Limit{})
	errs := append(objectmeta.ValidateCreate(meta, path, namespaced, objectmeta.Subdomain, field.Limit{}), generic...)
	create = objectmeta.ValidCreate(meta, namespaced)
	require.Equal(t, len(errs) == 0, create, "%#v: %v", meta, given.Texts(errs))
	created, updated := objectmeta.ValidateUpdate(meta, old, path, namespaced, field.Limit{})
	require.Equal(t, given.Texts(generic), given.Texts(created), "%#v", meta)
	return create, len(created)+len(updated) == 0
}

// validUpdate reports whether an update is valid, also as far as the rules of a create go.
func validUpdate(meta, old map[string]any, namespaced bool) bool {
	create, update := objectmeta.ValidateUpdate(meta, old, nil, namespaced, field.Limit{})
	return len(create)+len(update) == 0
}

// updateErrors returns the errors of an update by itself.
func updateErrors(meta, old map[string]any) field.List {
	_, update := objectmeta.ValidateUpdate(meta, old, metadata, true, field.Limit{})
	return update
}

// checkEmbedded requires that the verdict about an embedded resource agrees with the list.
func checkEmbedded(t *testing.T, obj map[string]any) (valid bool) {
	errs := objectmeta.ValidateEmbedded(obj, nil, field.Limit{})
	valid = objectmeta.ValidEmbedded(obj)
	require.Equal(t, len(errs) == 0, valid, "%#v: %v", obj, given.Texts(errs))
	return valid
}
