package apply_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/apply"
	"github.com/crdkit/crdkit/conversion"
	"github.com/crdkit/crdkit/internal/test/given"
	"github.com/crdkit/crdkit/resource"
	"github.com/crdkit/crdkit/unstructured"
)

var robots = given.Head("Namespaced", "robots.example.com", "Robot") + `
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}
    schema:
      openAPIV3Schema: &schema
        type: object
        properties:
          spec:
            type: object
            properties:
              replicas: {type: integer, maximum: 9}
              color: {type: string, default: red}
              labels: {type: object, additionalProperties: {type: string}}
              size: {type: object, x-kubernetes-map-type: atomic, properties: {x: {type: integer}, z: {type: integer}}}
              words: {type: array, items: {type: string}}
              tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}
              arms:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name, side]
                items:
                  type: object
                  required: [name]
                  properties: {name: {type: string}, side: {type: string, default: left}, reach: {type: integer}, tool: {type: string}}
              port: {x-kubernetes-int-or-string: true}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              pod: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            properties: {phase: {type: string}, replicas: {type: integer}}
  - name: v2
    served: true
    storage: false
    subresources: {status: {}}
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

// rename converts Robots: what is replicas in v1 is count in v2.
func rename(_ context.Context, objects []map[string]any, to string) ([]map[string]any, error) {
	for _, obj := range objects {
		obj["apiVersion"] = to
		from, into := "replicas", "count"
		if to == "example.com/v1" {
			from, into = into, from
		}
		spec, _ := obj["spec"].(map[string]any)
		if v, ok := spec[from]; ok {
			spec[into] = v
			delete(spec, from)
		}
	}
	return objects, nil
}

func compile(t testing.TB) *apply.Resource {
	t.Helper()
	return compileWith(t, rename)
}

func compileWith(t testing.TB, convert conversion.ConverterFunc) *apply.Resource {
	t.Helper()
	r, err := resource.Compile(given.Definition(t, robots))
	require.NoError(t, err)
	a, err := apply.Compile(r.WithConverter(convert))
	require.NoError(t, err)
	return a
}

// A step is a request to a Robot and what becomes of it.
type step struct {
	by string // the manager; with a ! it forces
	// do is the request: apply, apply status, create, update, update status, patch, patch status, update scale, patch
	// scale; with v2, in that version.
	do     string
	spec   string // the fields beside kind, name and namespace, as YAML; a patch as it is
	object string // the spec and status after it, as JSON; empty: what they were
	// owners are the entries after it: manager, operation, subresource, hour of the time, and fields; empty: as before.
	owners string
	err    string // what the refusal says
}

var behaviours = []struct {
	name  string
	steps []step
}{
	// SSA-002, SSA-012, SSA-025
	{"an apply creates, and defaults belong to nobody", []step{
		{by: "a", do: "apply", spec: "spec: {replicas: 1}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "a Apply 1: spec.replicas"},
		{by: "b", do: "apply", spec: "spec: {color: blue}", object: `{"spec":{"color":"blue","replicas":1}}`, owners: "a Apply 1: spec.replicas\nb Apply 2: spec.color"},
		{by: "b", do: "apply", spec: "{}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "a Apply 1: spec.replicas"},
	}},
	// SSA-030
	{"a conflict with an applier, and a take-over", []step{
		{by: "a", do: "apply", spec: "spec: {replicas: 1, port: 80}", object: `{"spec":{"color":"red","port":80,"replicas":1}}`, owners: "a Apply 1: spec.port, spec.replicas"},
		{by: "b", do: "apply", spec: "spec: {replicas: 2}", err: `Apply failed with 1 conflict: conflict with "a": .spec.replicas`},
		{by: "b", do: "apply", spec: "spec: {replicas: 2, port: http}", err: "Apply failed with 2 conflicts: conflicts with \"a\":\n- .spec.port\n- .spec.replicas"},
		{
			by: "b!", do: "apply", spec: "spec: {replicas: 2}",
			object: `{"spec":{"color":"red","port":80,"replicas":2}}`, owners: "a Apply 1: spec.port\nb Apply 4: spec.replicas",
		},
	}},
	// SSA-001
	{"the same value is shared, and no conflict", []step{
		{by: "a", do: "apply", spec: "spec: {replicas: 1}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "a Apply 1: spec.replicas"},
		{by: "b", do: "apply", spec: "spec: {replicas: 1}", owners: "b Apply 2: spec.replicas\na Apply 1: spec.replicas"},
		{by: "a", do: "apply", spec: "{}", owners: "b Apply 2: spec.replicas"},
		{by: "b", do: "apply", spec: "{}", object: `{}`, owners: "-"},
	}},
	// SSA-003
	{"an update owns what it changes, and takes it from others", []step{
		{by: "a", do: "apply", spec: "spec: {replicas: 1, tags: [x, z]}", object: `{"spec":{"color":"red","replicas":1,"tags":["x","z"]}}`, owners: `a Apply 1: spec.replicas, spec.tags[="x"], spec.tags[="z"]`},
		{
			by: "b", do: "update", spec: "spec: {replicas: 2, tags: [x], color: red}",
			object: `{"spec":{"color":"red","replicas":2,"tags":["x"]}}`, owners: "a Apply 1: spec.tags[=\"x\"]\nb Update 2: spec.replicas",
		},
		{by: "a", do: "apply", spec: "spec: {replicas: 1}", err: `conflict with "b" using example.com/v1: .spec.replicas`},
	}},
	{"a create and patches are updates", []step{
		{by: "a", do: "create", spec: "spec: {replicas: 1}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "a Update 1: spec.color, spec.replicas"},
		{by: "b", do: "patch", spec: "{spec: {labels: {k: v}}}", object: `{"spec":{"color":"red","labels":{"k":"v"},"replicas":1}}`, owners: "a Update 1: spec.color, spec.replicas\nb Update 2: spec.labels.k"},
		{by: "b", do: "patch", spec: "{spec: {labels: {k: null}}}", object: `{"spec":{"color":"red","labels":{},"replicas":1}}`, owners: "a Update 1: spec.color, spec.replicas\nb Update 2: spec.labels"},
	}},
	{"nobody names a manager of an update", []step{
		{do: "create", spec: "spec: {replicas: 1}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "unknown Update 1: spec.color, spec.replicas"},
		{do: "apply", spec: "spec: {replicas: 1}", err: "fieldManager: Required value: is required for apply patch"},
	}},
	// SSA-020, SSA-021, SSA-022
	{"a list with keys, one of which has a default", []step{
		{by: "a", do: "apply", spec: "spec: {arms: [{name: l, reach: 1}]}", object: `{"spec":{"arms":[{"name":"l","reach":1,"side":"left"}],"color":"red"}}`,
			owners: `a Apply 1: spec.arms[name="l",side="left"].name, spec.arms[name="l",side="left"].reach`},
		{by: "b", do: "apply", spec: "spec: {arms: [{name: l, side: right, tool: saw}]}",
			object: `{"spec":{"arms":[{"name":"l","reach":1,"side":"left"},{"name":"l","side":"right","tool":"saw"}],"color":"red"}}`},
		{by: "c", do: "apply", spec: "spec: {arms: [{name: l, side: left, tool: pen}]}",
			object: `{"spec":{"arms":[{"name":"l","reach":1,"side":"left","tool":"pen"},{"name":"l","side":"right","tool":"saw"}],"color":"red"}}`},
		{by: "b", do: "apply", spec: "spec: {arms: []}", object: `{"spec":{"arms":[{"name":"l","reach":1,"side":"left","tool":"pen"}],"color":"red"}}`},
		{by: "a", do: "apply", spec: "spec: {arms: [{side: left}]}", err: "spec.arms[1].name: Required value"},
		{by: "a", do: "apply", spec: "spec: {arms: [{name: l}, {name: l}]}", err: `.spec.arms: duplicate entries for key [name="l",side="left"]`},
	}},
	{"atomic lists and maps have one owner", []step{
		{by: "a", do: "apply", spec: "spec: {words: [x, z], size: {x: 1}}", object: `{"spec":{"color":"red","size":{"x":1},"words":["x","z"]}}`, owners: "a Apply 1: spec.size, spec.words"},
		{by: "b", do: "apply", spec: "spec: {words: [x], size: {z: 2}}", err: "- .spec.size\n- .spec.words"},
		{by: "b!", do: "apply", spec: "spec: {size: {z: 2}}", object: `{"spec":{"color":"red","size":{"z":2},"words":["x","z"]}}`, owners: "a Apply 1: spec.words\nb Apply 3: spec.size"},
	}},
	{"what has no schema is owned field by field", []step{
		{by: "a", do: "apply", spec: "spec: {free: {m: {q: 1}, l: [1]}}", object: `{"spec":{"color":"red","free":{"l":[1],"m":{"q":1}}}}`, owners: "a Apply 1: spec.free.l, spec.free.m.q"},
		{by: "b", do: "apply", spec: "spec: {free: {m: {o: 2}}}", object: `{"spec":{"color":"red","free":{"l":[1],"m":{"o":2,"q":1}}}}`},
		{by: "b", do: "apply", spec: "spec: {free: {l: [2]}}", err: `conflict with "a": .spec.free.l`},
	}},
	{"an embedded resource has typed metadata", []step{
		{by: "a", do: "apply", spec: "spec: {pod: {apiVersion: v1, kind: Pod, metadata: {labels: {x: z}}}}",
			object: `{"spec":{"color":"red","pod":{"apiVersion":"v1","kind":"Pod","metadata":{"labels":{"x":"z"}}}}}`,
			owners: "a Apply 1: spec.pod.apiVersion, spec.pod.kind, spec.pod.metadata.labels.x"},
		{by: "a", do: "apply", spec: "spec: {pod: {apiVersion: v1, kind: Pod, metadata: {labels: 1}}}", err: ".spec.pod.metadata.labels: expected map, got &{1}"},
	}},
	// SSA-024
	{"the status has managers of its own", []step{
		{by: "a", do: "apply", spec: "spec: {replicas: 1}\nstatus: {phase: x}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "a Apply 1: spec.replicas"},
		{by: "a", do: "apply status", spec: "spec: {replicas: 5}\nstatus: {phase: w}", object: `{"spec":{"color":"red","replicas":1},"status":{"phase":"w"}}`,
			owners: "a Apply 1: spec.replicas\na Apply status 2: status.phase"},
		{by: "b", do: "update status", spec: "status: {phase: z}", object: `{"spec":{"color":"red","replicas":1},"status":{"phase":"z"}}`,
			owners: "a Apply 1: spec.replicas\nb Update status 3: status.phase"},
		{by: "a", do: "apply status", spec: "status: {phase: w}", err: `conflict with "b" with subresource "status" using example.com/v1: .status.phase`},
		{by: "c", do: "patch status", spec: "{status: {replicas: 1}}", object: `{"spec":{"color":"red","replicas":1},"status":{"phase":"z","replicas":1}}`,
			owners: "a Apply 1: spec.replicas\nb Update status 3: status.phase\nc Update status 5: status.replicas"},
	}},
	{"an apply to the status that takes the metadata away", []step{
		{by: "a", do: "create", object: `{}`},
		{by: "a", do: "patch", spec: "metadata: {managedFields: [{manager: b, operation: Apply, subresource: status, apiVersion: example.com/v1, fieldsType: FieldsV1, fieldsV1: {f:metadata: {.: {}}}}]}",
			object: `{}`, owners: "b Apply status: metadata"},
		{by: "b", do: "apply status", spec: "status: {}", err: "the name of the object (robot based on URL) was undeterminable: name must be provided"},
	}},
	// SSA-012
	{"an apply to the status of nothing", []step{{by: "a", do: "apply status", spec: "status: {phase: w}", err: `robots.example.com "robot" not found`}}},
	// SSA-038
	{"a scale takes the replicas over", []step{
		{by: "a", do: "apply", spec: "spec: {replicas: 1, port: 80}", object: `{"spec":{"color":"red","port":80,"replicas":1}}`, owners: "a Apply 1: spec.port, spec.replicas"},
		{by: "b", do: "update scale", spec: "spec: {replicas: 2}", object: `{"spec":{"color":"red","port":80,"replicas":2}}`,
			owners: "a Apply 1: spec.port\nb Update scale: spec.replicas"},
		{by: "a", do: "apply scale", spec: "spec: {replicas: 3}", err: `conflict with "b" with subresource "scale" using autoscaling/v1: .spec.replicas`},
		{by: "a", do: "apply", spec: "spec: {replicas: 1, port: 80}", err: `conflict with "b" with subresource "scale" using example.com/v1: .spec.replicas`},
		{by: "a!", do: "apply", spec: "spec: {replicas: 1, port: 80}", object: `{"spec":{"color":"red","port":80,"replicas":1}}`,
			owners: "a Apply 5: spec.port, spec.replicas"},
	}},
	{"a scale to what it is changes no manager that applied", []step{
		{by: "a", do: "apply", spec: "spec: {replicas: 1}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "a Apply 1: spec.replicas"},
		{by: "b", do: "update scale", spec: "spec: {replicas: 1}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "a Apply 1: spec.replicas"},
	}},
	{"a scale makes an entry of its own of an update's replicas", []step{
		{by: "a", do: "create", spec: "spec: {replicas: 1, port: 80}", object: `{"spec":{"color":"red","port":80,"replicas":1}}`, owners: "a Update 1: spec.color, spec.port, spec.replicas"},
		{by: "b", do: "update scale", spec: "spec: {replicas: 1}", object: `{"spec":{"color":"red","port":80,"replicas":1}}`,
			owners: "a Update: spec.replicas\na Update 1: spec.color, spec.port"},
	}},
	{"a scale to nothing leaves the replicas to nobody", []step{
		{by: "a", do: "apply", spec: "spec: {replicas: 1, port: 80}", object: `{"spec":{"color":"red","port":80,"replicas":1}}`, owners: "a Apply 1: spec.port, spec.replicas"},
		{by: "b", do: "update scale", spec: "spec: {replicas: 0}", object: `{"spec":{"color":"red","port":80,"replicas":0}}`, owners: "a Apply 1: spec.port"},
	}},
	{"a scale of replicas that nobody owns takes nothing", []step{
		{by: "a", do: "apply", spec: "spec: {port: 80}", object: `{"spec":{"color":"red","port":80}}`, owners: "a Apply 1: spec.port"},
		{by: "b", do: "patch scale", spec: "spec: {replicas: 2}", object: `{"spec":{"color":"red","port":80,"replicas":2}}`, owners: "a Apply 1: spec.port"},
	}},
	{"a Scale cannot be applied where there are no replicas", []step{
		{by: "a", do: "apply", spec: "spec: {port: 80}", object: `{"spec":{"color":"red","port":80}}`, owners: "a Apply 1: spec.port"},
		{by: "b", do: "apply scale", spec: "spec: {replicas: 3}", err: "failed to create manager for existing fields"},
		{by: "b", do: "patch", spec: `metadata: {managedFields: [{manager: c, operation: Update, apiVersion: example.com/v1, fieldsType: FieldsV1,
			fieldsV1: {"f:spec": {"f:replicas": {}}}}]}`, object: `{"spec":{"color":"red","port":80}}`, owners: "c Update: spec.replicas"},
		{by: "b", do: "apply scale", spec: "spec: {replicas: 3}", err: `conflict with "c" using autoscaling/v1: .spec.replicas`},
		{by: "b", do: "apply scale", spec: "spec: {}", err: `the spec replicas field ".spec.replicas" cannot be empty`},
	}},
	{"an applied Scale takes the place and the time of the manager's entry", []step{
		{by: "a", do: "apply", spec: "spec: {port: 80, replicas: 2}", object: `{"spec":{"color":"red","port":80,"replicas":2}}`, owners: "a Apply 1: spec.port, spec.replicas"},
		{by: "b", do: "patch", spec: `metadata: {managedFields: [{manager: c, operation: Apply, subresource: scale, apiVersion: example.com/v1, time: "2026-01-01T20:00:00Z",
			fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:port": {}}}}, {manager: d, operation: Update, apiVersion: example.com/v1, fieldsType: FieldsV1,
			fieldsV1: {"f:spec": {"f:replicas": {}}}}]}`,
			object: `{"spec":{"color":"red","port":80,"replicas":2}}`, owners: "c Apply scale 20: spec.port\nd Update: spec.replicas"},
		{by: "c", do: "apply scale", spec: "spec: {replicas: 2}", object: `{"spec":{"color":"red","port":80,"replicas":2}}`,
			owners: "c Apply scale 20: spec.replicas\nd Update: spec.replicas"},
	}},
	{"an applied Scale without replicas changes nothing", []step{
		{by: "a", do: "apply", spec: "spec: {replicas: 1}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "a Apply 1: spec.replicas"},
		{by: "b", do: "apply scale", spec: "{}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "a Apply 1: spec.replicas"},
	}},
	{"a Scale cannot be applied", []step{
		{by: "a", do: "apply", spec: "spec: {replicas: 1}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "a Apply 1: spec.replicas"},
		{by: "b", do: "apply scale", spec: "spec: {replicas: 3}", err: `conflict with "a": .spec.replicas`},
		{by: "b!", do: "apply scale", spec: "spec: {replicas: 3}", err: "request to convert CR to an invalid group/version: autoscaling/v1"},
	}},
	// SSA-031
	{"an apply of another version takes over the manager's entry", []step{
		{by: "a", do: "apply", spec: "spec: {replicas: 1, port: 80}", object: `{"spec":{"color":"red","port":80,"replicas":1}}`, owners: "a Apply 1: spec.port, spec.replicas"},
		{by: "b", do: "apply v2", spec: "spec: {count: 2}", err: `conflict with "a": .spec.replicas`},
		{by: "a", do: "apply v2", spec: "spec: {count: 2}", object: `{"spec":{"color":"red","count":2}}`, owners: "a Apply 3: spec.count"},
	}},
	// SSA-021, SSA-027
	{"an invalid result is refused like an update", []step{
		{by: "a", do: "apply", spec: "spec: {replicas: 1}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "a Apply 1: spec.replicas"},
		{by: "a", do: "apply", spec: "spec: {replicas: 10}", err: "spec.replicas: Invalid value: 10: spec.replicas in body should be less than or equal to 9"},
		{by: "a", do: "apply", spec: "spec: {replicas: x}", err: ".spec.replicas: expected numeric (int or float), got string"},
		{by: "a", do: "apply", spec: "spec: {height: 1}", err: ".spec.height: field not declared in schema"},
	}},
	// SSA-011
	{"a body that cannot be applied", []step{
		{by: "a", do: "apply", spec: "kind: Other", err: "invalid object type: example.com/v1, Kind=Other"},
		{by: "a", do: "apply", spec: "metadata: {name: robot, managedFields: []}", err: "metadata.managedFields must be nil"},
		{by: "a", do: "apply", spec: "metadata: {name: robot, managedFields: [{}]}", err: "metadata.managedFields must be nil"},
		{by: "a", do: "apply", spec: "spec: {height: 1}\nmetadata: {name: robot, managedFields: [{time: '2020-13-02T03:04:05Z'}]}", err: ".spec.height: field not declared in schema"},
		{by: "a", do: "apply", spec: "spec: {height: 1}\nmetadata: {name: robot, managedFields: [7]}", err: ".spec.height: field not declared in schema"},
		{by: "a", do: "apply", spec: "metadata: {name: other}", err: "the name of the object (other) does not match the name on the URL (robot)"},
		{by: "a", do: "apply", spec: "metadata: {name: robot, uid: u2}", err: "uid mismatch: the provided object specified uid u2, and no existing object was found"},
		{by: "a", do: "apply", spec: "spec: [", err: "error encoding patch: yaml: line 1: did not find expected node content"},
		{by: "a", do: "apply", spec: "spec: {replicas: 1}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "a Apply 9: spec.replicas"},
		{by: "a", do: "apply", spec: `metadata: {name: robot, resourceVersion: "99"}`, err: "the object has been modified"},
	}},
	// SSA-035
	{"an object that nobody manages", []step{
		{by: "a", do: "create", spec: "metadata: {name: robot, namespace: ns}\nspec: {replicas: 1}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "a Update 1: spec.color, spec.replicas"},
		{by: "b", do: "update", spec: "metadata: {name: robot, namespace: ns, managedFields: [{}]}\nspec: {replicas: 2}", object: `{"spec":{"color":"red","replicas":2}}`, owners: "-"},
		{by: "b", do: "update", spec: "spec: {replicas: 3}", object: `{"spec":{"color":"red","replicas":3}}`, owners: "-"},
		{by: "b", do: "apply", spec: "spec: {replicas: 4}", err: `conflict with "before-first-apply" using example.com/v1: .spec.replicas`},
		{by: "b!", do: "apply", spec: "spec: {replicas: 4}", object: `{"spec":{"color":"red","replicas":4}}`,
			owners: "b Apply 5: spec.replicas\nbefore-first-apply Update 5: spec.color"},
	}},
	// SSA-036
	{"managedFields that are sent", []step{
		{by: "a", do: "apply", spec: "spec: {replicas: 1}", object: `{"spec":{"color":"red","replicas":1}}`, owners: "a Apply 1: spec.replicas"},
		{by: "b", do: "update", spec: "metadata: {name: robot, namespace: ns, managedFields: null}\nspec: {replicas: 1}"},
		{by: "b", do: "update", spec: "metadata: {name: robot, namespace: ns, managedFields: [{manager: x, operation: Delete}]}\nspec: {replicas: 1}"},
		{by: "b", do: "update status", spec: "metadata: {name: robot, namespace: ns, managedFields: []}"},
		{by: "b", do: "update", spec: `{metadata: {name: robot, namespace: ns, managedFields: [{manager: x, operation: Apply, apiVersion: example.com/v1, fieldsType: FieldsV1,
			time: "2026-01-01T20:00:00Z", fieldsV1: {"f:spec": {"f:replicas": {}, "f:gone": {}}}}]}, spec: {replicas: 1}}`, owners: "x Apply 20: spec.gone, spec.replicas"},
	}},
	// SSA-034
	{"the oldest of many updates are united", append(manyUpdates(11), step{
		by: "m11", do: "patch", spec: "{spec: {labels: {k11: v}}}", object: "*", owners: "*",
	})},
	// SSA-039
	{"kubectl moves from client-side to server-side apply", []step{
		{by: "kubectl-client-side-apply", do: "create", spec: "metadata: {name: robot, namespace: ns, annotations: {kubectl.kubernetes.io/last-applied-configuration: '" +
			`{"apiVersion":"example.com/v1","kind":"Robot","metadata":{"name":"robot","namespace":"ns"},"spec":{"replicas":1}}` + "'}}\nspec: {replicas: 1}",
			object: `{"spec":{"color":"red","replicas":1}}`, owners: "*"},
		{by: "other", do: "apply", spec: "spec: {replicas: 2}", err: `conflict with "kubectl-client-side-apply" using example.com/v1: .spec.replicas`},
		// The color was a default.
		{by: "kubectl", do: "apply", spec: "spec: {color: blue}", err: `conflict with "kubectl-client-side-apply" using example.com/v1: .spec.color`},
		{by: "kubectl", do: "apply", spec: "spec: {replicas: 2}", object: `{"spec":{"color":"red","replicas":2}}`, owners: "*"},
	}},
}

// manyUpdates returns as many updates, each by a manager of its own.
func manyUpdates(n int) []step {
	steps := []step{{by: "m0", do: "create", spec: "spec: {labels: {k0: v}}", object: "*", owners: "*"}}
	for i := 1; i < n; i++ {
		steps = append(steps, step{by: fmt.Sprint("m", i), do: "patch", spec: fmt.Sprintf("{spec: {labels: {k%d: v}}}", i), object: "*", owners: "*"})
	}
	return steps
}

func TestBehaviours(t *testing.T) {
	for _, b := range behaviours {
		t.Run(b.name, func(t *testing.T) {
			r := robot{t: t, Resource: compile(t)}
			var object, owners string
			for i, s := range b.steps {
				what := fmt.Sprintf("step %d: %s %s %s", i+1, s.by, s.do, s.spec)
				result := r.request(i+1, s)
				if s.err != "" {
					require.ErrorContains(t, result.Err(), s.err, what)
					continue
				}
				require.NoError(t, result.Err(), what)
				if object = either(s.object, object); s.object != "*" {
					require.Equal(t, object, r.text(), what)
				}
				if owners = either(s.owners, owners); s.owners != "*" && !(s.owners == "" && s.object != "") {
					require.Equal(t, owners, r.owners(), what)
				}
			}
		})
	}
}

func either(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// A robot is an object and what is done to it.
type robot struct {
	t *testing.T
	*apply.Resource
	live map[string]any
}

func (r *robot) request(hour int, s step) resource.Result {
	ctx := context.Background()
	manager, force := strings.CutSuffix(s.by, "!")
	o := apply.Options{Manager: manager, Force: force, Now: time.Date(2026, 1, 1, hour, 0, 0, 0, time.UTC)}
	do, v2 := strings.CutSuffix(s.do, " v2")
	version := "v1"
	if v2 {
		version = "v2"
	}
	v := r.Version(version).With(resource.RequestOptions{Namespace: "ns", Name: "robot"})
	object, body := r.body("example.com/"+version, "Robot", s.spec)
	scale, scaleBody := r.body("autoscaling/v1", "Scale", s.spec)
	patch, _ := unstructured.YAMLToJSON([]byte(s.spec))
	if meta, ok := r.live["metadata"].(map[string]any); ok && strings.HasPrefix(do, "update") {
		for _, obj := range []map[string]any{object, scale} {
			obj["metadata"].(map[string]any)["resourceVersion"] = meta["resourceVersion"]
		}
	}
	const merge = "application/merge-patch+json"
	var result resource.Result
	switch do {
	case "apply":
		result = v.Apply(ctx, body, r.live, o)
	case "apply status":
		result = v.ApplyStatus(ctx, body, r.live, o)
	case "apply scale":
		result = v.ApplyScale(ctx, scaleBody, r.live, o)
	case "create":
		result = v.CreateBody(ctx, body, o)
	case "update":
		result = v.Update(ctx, object, r.live, o)
	case "update status":
		result = v.UpdateStatus(ctx, object, r.live, o)
	case "update scale":
		if result = v.UpdateScale(ctx, scale, r.live, o); result.Err() == nil { // it answers with the Scale
			r.live = result.Stored
		}
		return result
	case "patch scale":
		result = v.PatchScale(ctx, merge, patch, r.live, o)
	case "patch":
		result = v.Patch(ctx, merge, patch, r.live, o)
	case "patch status":
		result = v.PatchStatus(ctx, merge, patch, r.live, o)
	default:
		r.t.Fatal("no such request: ", do)
	}
	if result.Err() == nil {
		r.live = result.Object
		meta := r.live["metadata"].(map[string]any)
		meta["uid"], meta["resourceVersion"] = "u", fmt.Sprint(hour)
	}
	return result
}

// body returns what the text says, and as the body of a request, with what names the object where that is not said. A
// text that is no YAML is the body.
func (r *robot) body(apiVersion, kind, text string) (map[string]any, []byte) {
	converted, err := unstructured.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, []byte(text)
	}
	sent, err := unstructured.DecodeJSON(converted)
	require.NoError(r.t, err)
	obj := map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": "robot", "namespace": "ns"}}
	maps.Copy(obj, sent)
	return obj, mustJSON(r.t, obj)
}

func mustJSON(t *testing.T, obj map[string]any) []byte {
	t.Helper()
	return given.JSON(t, obj)
}

// text returns the spec and the status as JSON.
func (r *robot) text() string {
	fields := map[string]any{}
	for _, key := range []string{"spec", "status"} {
		if v, ok := r.live[key]; ok {
			fields[key] = v
		}
	}
	return string(mustJSON(r.t, fields))
}

// owners returns the entries of managedFields, a line each: - for none.
func (r *robot) owners() string {
	list, _ := r.live["metadata"].(map[string]any)["managedFields"].([]any)
	if len(list) == 0 {
		return "-"
	}
	lines := make([]string, len(list))
	for i, item := range list {
		e := item.(map[string]any)
		hour := "" // without a time
		if text, has := e["time"].(string); has {
			when, err := time.Parse(time.RFC3339, text)
			require.NoError(r.t, err)
			hour = fmt.Sprintf(" %d", when.Hour())
		}
		operation := e["operation"]
		if e["subresource"] != nil {
			operation = fmt.Sprint(operation, " ", e["subresource"])
		}
		alone := map[string]any{"metadata": map[string]any{"managedFields": []any{item}}}
		fields, err := apply.Fields(alone, e["manager"].(string))
		require.NoError(r.t, err)
		lines[i] = fmt.Sprintf("%v %v%s: %s", e["manager"], operation, hour, strings.Join(fields, ", "))
	}
	return strings.Join(lines, "\n")
}

// SSA-038: an entry of a version that the definition no longer has gives its time to the one that takes its place.
func TestScaleAfterVersionIsGone(t *testing.T) {
	r := robot{t: t, Resource: compile(t)}
	require.NoError(t, r.request(1, step{by: "a", do: "apply", spec: "spec: {replicas: 2}"}).Err())
	meta := r.live["metadata"].(map[string]any)
	meta["managedFields"] = append(meta["managedFields"].([]any), map[string]any{
		"manager": "b", "operation": "Apply", "subresource": "scale", "apiVersion": "example.com/v0", "time": "2026-01-01T20:00:00Z",
		"fieldsType": "FieldsV1", "fieldsV1": map[string]any{"f:spec": map[string]any{"f:port": map[string]any{}}},
	})
	require.NoError(t, r.request(3, step{by: "b", do: "apply scale", spec: "spec: {replicas: 2}"}).Err())
	require.Equal(t, "a Apply 1: spec.replicas\nb Apply scale 20: spec.replicas", r.owners())
}

// SSA-031: an object is converted once to a version, however many managers have sets of it.
func TestConversionsOfManyManagers(t *testing.T) {
	count := func(managers int) (conversions int) {
		a := compileWith(t, func(ctx context.Context, objects []map[string]any, to string) ([]map[string]any, error) {
			conversions++
			return rename(ctx, objects, to)
		})
		r := &robot{t: t, Resource: a}
		for i := range managers {
			result := r.request(1, step{by: fmt.Sprint("m", i), do: "apply v2", spec: fmt.Sprintf("spec: {f%d: 1}", i)})
			require.NoError(t, result.Err())
		}
		conversions = 0
		require.NoError(t, r.request(2, step{by: "n", do: "apply", spec: "spec: {color: green}"}).Err())
		return conversions
	}
	require.Equal(t, count(2), count(20))
}
