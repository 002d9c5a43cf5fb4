package v1_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/resource/internal/autoscaling/v1"
)

// SCL-006, SCL-007: the fields that count, and all others in the order of the text. The texts are those of a server's
// decoder.
func TestDecode(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       v1.Scale
		findings   []string
		err        string
	}{{
		name: "a Scale", text: `{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"a"},"spec":{"replicas":4},"status":{"replicas":3,"selector":"a=b"}}`,
		want: v1.Scale{
			Kind: "Scale", APIVersion: "autoscaling/v1", Metadata: map[string]any{"name": "a"},
			Spec: v1.ScaleSpec{Replicas: 4}, Status: v1.ScaleStatus{Replicas: 3, Selector: "a=b"},
		},
	}, {
		name: "keys are case-sensitive, and nulls are nothing", text: `{"Kind":"Scale","spec":{"Replicas":4,"replicas":null},"status":null,"metadata":null}`,
		findings: []string{`unknown field "Kind"`, `unknown field "spec.Replicas"`},
	}, {
		name: "all that metadata may have", text: `{"metadata":{"name":"a","generateName":"a","namespace":"a","selfLink":"a","uid":"a","resourceVersion":"a","generation":1,
			"creationTimestamp":null,"deletionTimestamp":null,"deletionGracePeriodSeconds":1,"labels":{"a":"b"},"annotations":{"a":"b"},
			"ownerReferences":[{"apiVersion":"a","kind":"a","name":"a","uid":"a","controller":true,"blockOwnerDeletion":true}],"finalizers":["a"],
			"managedFields":[{"manager":"a","operation":"a","apiVersion":"a","time":null,"fieldsType":"a","fieldsV1":{"f:a":{},"f:a":{}},"subresource":"a"}]}}`,
		want: v1.Scale{Metadata: map[string]any{
			"name": "a", "generateName": "a", "namespace": "a", "selfLink": "a", "uid": "a", "resourceVersion": "a", "generation": int64(1),
			"creationTimestamp": nil, "deletionTimestamp": nil, "deletionGracePeriodSeconds": int64(1), "labels": map[string]any{"a": "b"}, "annotations": map[string]any{"a": "b"},
			"ownerReferences": []any{map[string]any{"apiVersion": "a", "kind": "a", "name": "a", "uid": "a", "controller": true, "blockOwnerDeletion": true}},
			"finalizers":      []any{"a"},
			"managedFields": []any{map[string]any{"manager": "a", "operation": "a", "apiVersion": "a", "time": nil, "fieldsType": "a",
				"fieldsV1": map[string]any{"f:a": map[string]any{}}, "subresource": "a"}},
		}},
	}, {
		name:     "unknown fields and duplicates",
		text:     `{"metadata":{"zz":1,"labels":{"a":"b","a":"b"},"ownerReferences":[{"uid":"u","zz":1}]},"spec":{"replicas":4,"zz":1,"replicas":4},"zz":1}`,
		want:     v1.Scale{Spec: v1.ScaleSpec{Replicas: 4}},
		findings: []string{`unknown field "metadata.zz"`, `duplicate field "metadata.labels.a"`, `unknown field "metadata.ownerReferences[0].zz"`, `unknown field "spec.zz"`, `duplicate field "spec.replicas"`, `unknown field "zz"`},
	}, {
		name:     "metadata need not come first, nor once",
		text:     `{"spec":{"zz":1},"metadata":{"zz":1,"aa":2},"metadata":{"zz":1,"managedFields":[{"zz":1}]}}`,
		findings: []string{`unknown field "spec.zz"`, `unknown field "metadata.zz"`, `unknown field "metadata.aa"`, `duplicate field "metadata"`, `unknown field "metadata.managedFields[0].zz"`},
	}, {
		name: "replicas that are no integer", text: `{"spec":{"replicas":6.0}}`, err: "json: cannot unmarshal number 6.0 into Go struct field ScaleSpec.spec.replicas of type int32",
	}, {
		name: "a selector that is no text", text: `{"status":{"selector":5}}`, err: "json: cannot unmarshal number into Go struct field ScaleStatus.status.selector of type string",
	}, {
		name: "no JSON", text: `{`, err: "unexpected end of JSON input",
	}} {
		t.Run(c.name, func(t *testing.T) {
			s, findings, err := v1.Decode([]byte(c.text))
			if c.err != "" {
				require.EqualError(t, err, c.err)
				return
			}
			require.NoError(t, err)
			if c.want.Metadata == nil {
				s.Metadata = nil
			}
			require.Equal(t, c.want, *s)
			require.Equal(t, c.findings, findings)
		})
	}
}
