package server

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	plainJob = `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"NAME"},"spec":{"template":{"spec":{"restartPolicy":"Never",` + oneContainer + `}}}}`
	events   = "/api/v1/namespaces/default/events"
	event    = `{"apiVersion":"v1","kind":"Event","metadata":{"name":"NAME","finalizers":["orphan"]},"involvedObject":{"namespace":"default"}}`

	oneContainer = `"containers":[{"name":"a","image":"a"}]`
)

// Jobs and ReplicationControllers orphan their dependents by default, other built-in kinds do not, and events have no
// propagation at all.
func TestDefaultPropagation(t *testing.T) {
	_, c := start(t, Options{KeepGarbage: true})
	make := func(collection, body, name string) {
		must(t, c, 201, "POST", collection, strings.ReplaceAll(body, "NAME", name), "Content-Type", "application/json")
	}
	const (
		controllers = "/api/v1/namespaces/default/replicationcontrollers"
		controller  = `{"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"NAME"},"spec":{"selector":{"a":"b"},
			"template":{"metadata":{"labels":{"a":"b"}},"spec":{` + oneContainer + `}}}}`
	)
	for _, o := range []struct {
		collection, body, query, finalizer string
	}{
		{jobs, plainJob, "", "orphan"},
		{jobs, plainJob, "?propagationPolicy=Background", ""},
		{jobs, plainJob, "?orphanDependents=false", ""},
		{jobs, plainJob, "?propagationPolicy=Foreground", "foregroundDeletion"},
		{jobs, strings.Replace(plainJob, `"NAME"`, `"NAME","finalizers":["foregroundDeletion"]`, 1), "", "foregroundDeletion"},
		{controllers, controller, "", "orphan"},
		{configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME"}}`, "", ""},
		{events, event, "", ""},
		{events, event, "?propagationPolicy=Orphan", ""},
	} {
		make(o.collection, o.body, "a")
		must(t, c, 200, "DELETE", o.collection+"/a"+o.query, "")
		if o.finalizer == "" {
			require.False(t, there(t, c, o.collection+"/a"), o)
			continue
		}
		left := must(t, c, 200, "GET", o.collection+"/a", "")
		require.Equal(t, []any{o.finalizer}, at(left, "metadata", "finalizers"), o)
		must(t, c, 200, "PATCH", o.collection+"/a", `{"metadata":{"finalizers":null}}`, "Content-Type", mergePatch)
	}
	make(events, event, "b")
	must(t, c, 422, "DELETE", events+"/b?propagationPolicy=Other", "")
}

// A deletion of Jobs without a policy has a warning.
func TestWarningOfJobs(t *testing.T) {
	_, c := start(t, Options{})
	for path, warns := range map[string]bool{jobs + "/a": true, jobs: true, jobs + "?propagationPolicy=Orphan": false, jobs + "?orphanDependents=true": false} {
		made := send(t, c, "POST", jobs, strings.ReplaceAll(plainJob, "NAME", "a"))
		made.Body.Close()
		answer := send(t, c, "DELETE", path, "")
		answer.Body.Close()
		require.Equal(t, warns, strings.Contains(answer.Header.Get("Warning"), "child pods are preserved by default"), path)
		require.Equal(t, 200, answer.StatusCode, path)
		gone(t, c, jobs+"/a")
	}
}

// The collector has no default: it deletes a Job whose owner is gone in the background.
func TestCollectedJobs(t *testing.T) {
	_, c := start(t, Options{})
	owner := must(t, c, 201, "POST", configMaps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)
	owned := func(owner object, body string) string {
		reference := fmt.Sprintf(`"NAME","ownerReferences":[{"apiVersion":%q,"kind":%q,"name":"a","uid":%q}]`,
			owner["apiVersion"], owner["kind"], at(owner, "metadata", "uid"))
		return strings.ReplaceAll(strings.Replace(body, `"NAME"`, reference, 1), "NAME", "a")
	}
	of := must(t, c, 201, "POST", jobs, owned(owner, plainJob))
	must(t, c, 201, "POST", secrets, owned(of, `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"NAME"}}`))
	must(t, c, 200, "DELETE", configMaps+"/a", "")
	gone(t, c, jobs+"/a")
	gone(t, c, secrets+"/a")
}
