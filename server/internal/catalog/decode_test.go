package catalog

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/unstructured"
)

// TestDecode in parity/defaults compares random objects with Kubernetes' decoder.
func TestDecodeStrict(t *testing.T) {
	for _, r := range []struct{ of, text, want string }{
		{"core.v1.Pod", `[]`, "json: cannot unmarshal array into Go value of type v1.Pod"},
		{"core.v1.Pod", `{"spec":"x"}`, "json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec"},
		{"core.v1.Pod", `{"spec":{"restartPolicy":1}}`, "json: cannot unmarshal number into Go struct field PodSpec.spec.restartPolicy of type v1.RestartPolicy"},
		{"core.v1.Pod", `{"spec":{"volumes":[{"hostPath":true}]}}`,
			"json: cannot unmarshal bool into Go struct field Volume.spec.volumes.VolumeSource.hostPath of type v1.HostPathVolumeSource"},
		{"core.v1.Pod", `{"spec":{"priority":3000000000}}`, "json: cannot unmarshal number 3000000000 into Go struct field PodSpec.spec.priority of type int32"},
		{"core.v1.Pod", `{"spec":{"overhead":{"cpu":"x"}}}`, "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"},
		{"core.v1.Pod", `{"metadata":{"creationTimestamp":"x"}}`, `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"`},
		{"core.v1.Pod", `{"metadata":{"creationTimestamp":1}}`,
			"json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string"},
		{"core.v1.Pod", `{"kind":1}`, "json: cannot unmarshal number into Go struct field Pod.TypeMeta.kind of type string"},
		{"core.v1.Secret", `{"data":{"a":"x"}}`, "illegal base64 data at input byte 0"},
		{"core.v1.Secret", `{"data":{"a":[1,300]}}`, "json: cannot unmarshal number 300 into Go struct field Secret.data of type uint8"},
		{"coordination.v1.Lease", `{"spec":{"renewTime":"2024-01-01T00:00:00Z"}}`,
			`parsing time "2024-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"`},
		// The first value of a wrong type counts, unless a type that decodes itself ends the decoding.
		{"core.v1.Pod", `{"spec":{"hostIPC":1,"hostPID":2}}`, "json: cannot unmarshal number into Go struct field PodSpec.spec.hostIPC of type bool"},
		{"core.v1.Pod", `{"spec":{"hostIPC":1,"overhead":{"cpu":"1ee"}}}`, "unable to parse quantity's suffix"},
		{"policy.v1.Eviction", `{"deleteOptions":{"kind":1}}`, "json: cannot unmarshal number into Go struct field DeleteOptions.deleteOptions.TypeMeta.kind of type string"},
		{"policy.v1.Eviction", `{"metadata":{"x":1,"name":"a","name":"b"},"y":{"z":1},"deleteOptions":{"dryRun":[],"preconditions":{"u":1,"u":2}}}`,
			`unknown field "metadata.x"` + "\n" + `duplicate field "metadata.name"` + "\n" + `unknown field "y"` + "\n" + `unknown field "deleteOptions.preconditions.u"`},
		{"core.v1.Binding", `{"metadata":{"labels":{"a":"1","a":"2"},"ownerReferences":[{},{"a":1}]}}`,
			`duplicate field "metadata.labels.a"` + "\n" + `unknown field "metadata.ownerReferences[1].a"`},
		{"core.v1.Pod", `"x"`, "json: cannot unmarshal string into Go value of type v1.Pod"},
		{"core.v1.Pod", `null`, ""},
		{"core.v1.Pod", ``, ""},
		{"core.v1.Pod", "\xff", ""},
		{"core.v1.Pod", `{"spec":`, ""},
		{"core.v1.Pod", strings.Repeat(`{"spec":`, 10_000), ""},
		{"no type", `{"spec":1}`, ""},
		{"core.v1.Pod", `{"spec":{"containers":[{"name":null,"resources":{"limits":null}}]},"status":null}`, ""},
	} {
		findings, err := BuiltInTypes().DecodeStrict(r.of, []byte(r.text))
		require.Equal(t, err, BuiltInTypes().DecodeError(r.of, []byte(r.text)), r.text)
		got := strings.Join(findings, "\n")
		if err != nil {
			require.Empty(t, findings)
			got = err.Error()
		}
		require.Equal(t, r.want, got, r.text)
	}
	many := `{` + strings.TrimSuffix(strings.Repeat(`"x":1,`, 5), ",") + `}`
	findings, err := BuiltInTypes().DecodeStrict("core.v1.Pod", []byte(many))
	require.NoError(t, err)
	require.Equal(t, []string{`unknown field "x"`}, findings)
}

// TestConvert in parity/defaults compares random objects with Kubernetes' converter.
func TestConvertError(t *testing.T) {
	for text, want := range map[string]string{
		`{"spec":"x"}`:                           "cannot restore struct from: string",
		`{"spec":{"containers":{}}}`:             "cannot restore slice from map",
		`{"spec":{"nodeSelector":[]}}`:           "cannot restore map from slice",
		`{"spec":{"restartPolicy":1}}`:           "cannot convert int64 to v1.RestartPolicy",
		`{"spec":{"restartPolicy":1.5}}`:         "unrecognized type: string",
		`{"spec":{"priority":"1"}}`:              "unrecognized type: int32",
		`{"spec":{"priority":1.5}}`:              "cannot convert float64 to int32",
		`{"spec":{"priority":1.0}}`:              "",
		`{"spec":{"hostIPC":"x","hostPID":1}}`:   "unrecognized type: bool",
		`{"spec":{"overhead":{"cpu":"x"}}}`:      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
		`{"status":{"startTime":1}}`:             "json: cannot unmarshal number into Go value of type string",
		`{"status":{"startTime":null},"x":true}`: "",
	} {
		obj, err := unstructured.DecodeJSON([]byte(text))
		require.NoError(t, err)
		got := ""
		if err := BuiltInTypes().ConvertError("core.v1.Pod", obj); err != nil {
			got = err.Error()
		}
		require.Equal(t, want, got, text)
	}
	require.EqualError(t, BuiltInTypes().ConvertError("core.v1.Secret", document{"data": document{"a": "x"}}),
		"error decoding from json: illegal base64 data at input byte 0")
}
