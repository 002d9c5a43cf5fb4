package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func service(name, spec string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Service","metadata":{"name":%q},"spec":%s}`, name, spec)
}

// What kube-apiserver 1.37.2 sets in the spec of a Service.
func TestServiceAddresses(t *testing.T) {
	_, c := start(t, Options{})
	const ports = `"ports":[{"port":80}]`
	for name, row := range map[string]struct {
		spec string
		want object // without a free address and free ports
	}{
		"plain":           {`{` + ports + `}`, object{"type": "ClusterIP", "ipFamilies": []any{"IPv4"}, "ipFamilyPolicy": "SingleStack"}},
		"headless":        {`{"clusterIP":"None",` + ports + `}`, object{"clusterIP": "None", "clusterIPs": []any{"None"}, "ipFamilies": []any{"IPv4", "IPv6"}, "ipFamilyPolicy": "RequireDualStack"}},
		"selects":         {`{"clusterIP":"None","selector":{"a":"b"}}`, object{"clusterIPs": []any{"None"}, "ipFamilies": []any{"IPv4"}, "ipFamilyPolicy": "SingleStack"}},
		"external":        {`{"type":"ExternalName","externalName":"a.b"}`, object{"clusterIP": nil, "clusterIPs": nil, "ipFamilies": nil, "ipFamilyPolicy": nil}},
		"its-own-address": {`{"clusterIPs":["10.0.0.77"],` + ports + `}`, object{"clusterIP": "10.0.0.77", "clusterIPs": []any{"10.0.0.77"}}},
	} {
		made := must(t, c, 201, "POST", services, service(name, row.spec))
		for field, want := range row.want {
			require.Equal(t, want, at(made, "spec", field), "%s: %s", name, field)
		}
		require.Equal(t, name != "external", at(made, "spec", "clusterIP") != nil, name)
		for _, of := range at(made, "metadata", "managedFields").([]any) {
			require.NotContains(t, at(of, "fieldsV1", "f:spec"), "f:ipFamilies", "nobody owns what a server chooses")
		}
	}
	for spec, want := range map[string]string{
		`{"clusterIP":"10.0.0.77",` + ports + `}`:                 `spec.clusterIPs: Invalid value: ["10.0.0.77"]: failed to allocate IP 10.0.0.77: provided IP is already allocated`,
		`{"clusterIP":"10.9.0.77",` + ports + `}`:                 `spec.clusterIPs: Invalid value: ["10.9.0.77"]: failed to allocate IP 10.9.0.77: the provided network does not match the current range`,
		`{"type":"NodePort","ports":[{"port":80,"nodePort":80}]}`: `spec.ports[0].nodePort: Invalid value: 80: provided port is not in the valid range. The range of valid ports is 30000-32767`,
	} {
		require.Equal(t, `Service "x" is invalid: `+want, must(t, c, 422, "POST", services, service("x", spec))["message"])
	}
	const first = `{"clusterIP":"10.0.0.1",` + ports + `}`
	require.Contains(t, must(t, c, 422, "POST", services, service("x", first))["message"], "failed to allocate IP 10.0.0.1: provided IP is already allocated")
	must(t, c, 201, "POST", services, service("kubernetes", first)) // whose address it is
	dry := must(t, c, 201, "POST", services+"?dryRun=All", service("dry", `{`+ports+`}`))
	require.Equal(t, "10.0.0.0", at(dry, "spec", "clusterIP"))
}

// What was chosen for a Service stays its own, as far as its type has it.
func TestServiceUpdates(t *testing.T) {
	_, c := start(t, Options{})
	made := must(t, c, 201, "POST", services, service("a", `{"type":"NodePort","ports":[{"port":80,"name":"a"},{"port":81,"name":"b"}]}`))
	address, ports := at(made, "spec", "clusterIP"), at(made, "spec", "ports").([]any)
	require.NotEqual(t, at(ports[0], "nodePort"), at(ports[1], "nodePort"))
	require.NotNil(t, at(ports[1], "nodePort"))

	put := must(t, c, 200, "PUT", services+"/a", service("a", `{"type":"NodePort","ports":[{"port":82,"name":"b"}]}`))
	require.Equal(t, address, at(put, "spec", "clusterIP"))
	require.Equal(t, at(ports[1], "nodePort"), at(at(put, "spec", "ports").([]any)[0], "nodePort"))

	twice := must(t, c, 422, "PUT", services+"/a", service("a", fmt.Sprintf(`{"type":"NodePort","ports":[{"port":1,"name":"a","nodePort":%[1]v},{"port":2,"name":"b","nodePort":%[1]v}]}`, at(ports[1], "nodePort"))))
	require.Contains(t, twice["message"], "spec.ports[1].nodePort: Duplicate value: ")

	plain := must(t, c, 200, "PATCH", services+"/a", `{"spec":{"type":"ClusterIP"}}`, "Content-Type", mergePatch)
	require.Nil(t, at(at(plain, "spec", "ports").([]any)[0], "nodePort"))
	require.Equal(t, address, at(plain, "spec", "clusterIP"))

	external := must(t, c, 200, "PATCH", services+"/a", `{"spec":{"type":"ExternalName","externalName":"a.b"}}`, "Content-Type", mergePatch)
	require.Nil(t, at(external, "spec", "clusterIP"))
	again := must(t, c, 200, "PATCH", services+"/a", `{"spec":{"type":"ClusterIP"}}`, "Content-Type", mergePatch)
	require.NotNil(t, at(again, "spec", "clusterIP"))
}

// Ports with one number share a node port, and what clients choose is not given to others.
func TestNodePorts(t *testing.T) {
	_, c := start(t, Options{})
	dns := must(t, c, 201, "POST", services, service("dns", `{"type":"NodePort","ports":[{"name":"a","port":53,"protocol":"UDP"},
		{"name":"b","port":53},{"name":"c","port":54,"nodePort":30087}]}`))
	ports := at(dns, "spec", "ports").([]any)
	require.Equal(t, at(ports[0], "nodePort"), at(ports[1], "nodePort"))
	require.NotEqual(t, at(ports[0], "nodePort"), at(ports[2], "nodePort"))
	taken := must(t, c, 422, "POST", services, service("x", `{"type":"NodePort","ports":[{"name":"a","port":1,"nodePort":30087},{"name":"b","port":2,"nodePort":1}]}`))
	require.Equal(t, `Service "x" is invalid: spec.ports[0].nodePort: Invalid value: 30087: provided port is already allocated`, taken["message"])
	must(t, c, 200, "PUT", services+"/dns", service("dns", `{"type":"NodePort","ports":[{"name":"c","port":55,"nodePort":30087}]}`)) // it is its own
	made := must(t, c, 201, "POST", services, service("x", `{"type":"NodePort","ports":[{"port":1}]}`))
	require.GreaterOrEqual(t, at(at(made, "spec", "ports").([]any)[0], "nodePort"), 30086.0)
}

// The addresses of a Service do not change, and agree.
func TestWrongServiceAddresses(t *testing.T) {
	_, c := start(t, Options{})
	must(t, c, 201, "POST", services, service("a", `{"clusterIP":"10.0.0.77","ports":[{"port":80}]}`))
	for spec, want := range map[string]string{
		`{"clusterIP":"10.0.0.78","ports":[{"port":80}]}`:                            "spec.clusterIPs[0]: Invalid value: [\"10.0.0.78\"]: may not change once set",
		`{"clusterIP":"10.0.0.78","clusterIPs":["10.0.0.78"],"ports":[{"port":80}]}`: "spec.clusterIPs[0]: Invalid value: [\"10.0.0.78\"]: may not change once set",
		`{"clusterIPs":["10.0.0.78"],"ports":[{"port":80}]}`:                         "spec.clusterIPs: Invalid value: [\"10.0.0.78\"]: first value must match `clusterIP`",
		`{"clusterIP":"x","clusterIPs":["10.0.0.77"],"ports":[{"port":80}]}`:         `spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)`,
		`{"type":"ExternalName","externalName":"a","clusterIP":"10.0.0.1"}`:          "spec.clusterIPs: Forbidden: may not be set for ExternalName services",
	} {
		require.Equal(t, `Service "a" is invalid: `+want, must(t, c, 422, "PUT", services+"/a", service("a", spec))["message"])
	}
}

// Each Service has an address of its own, until there are none. As long as there are many, concurrent requests have
// different ones.
func TestServiceAddressesAreFree(t *testing.T) {
	_, c := start(t, Options{})
	const n, together = 253, 220 // from 10.0.0.2 to 10.0.0.254
	var all sync.WaitGroup
	for worker := range 11 {
		all.Go(func() {
			for i := range together / 11 {
				body := strings.NewReader(service(fmt.Sprintf("s%d-%d", worker, i), `{"ports":[{"port":80}]}`))
				answer, err := c.Post("http://server"+services, jsonType, body)
				if err != nil || answer.StatusCode != http.StatusCreated {
					t.Errorf("service %d-%d: %v %v", worker, i, answer, err)
					return
				}
				answer.Body.Close()
			}
		})
	}
	all.Wait()
	for i := range n - together {
		must(t, c, 201, "POST", services, service(fmt.Sprintf("last-%d", i), `{"ports":[{"port":80}]}`))
	}
	used := map[any]bool{}
	for _, s := range must(t, c, 200, "GET", services, "")["items"].([]any) {
		used[at(s, "spec", "clusterIP")] = true
	}
	require.Len(t, used, n)
	full := must(t, c, 500, "POST", services, service("one-more", `{"ports":[{"port":80}]}`))
	require.Equal(t, `Internal error occurred: failed to allocate a serviceIP for Service "one-more": range is full`, full["message"])
	must(t, c, 200, "DELETE", services+"/s0-0", "")
	must(t, c, 201, "POST", services, service("one-more", `{"ports":[{"port":80}]}`))
}

// A PUT creates a Service that does not exist, and objects of some other kinds.
func TestCreateByPut(t *testing.T) {
	_, c := start(t, Options{})
	made := must(t, c, 201, "PUT", services+"/a", `{"metadata":{"name":"a","resourceVersion":"7"},"spec":{"ports":[{"port":80}]}}`)
	require.NotNil(t, at(made, "spec", "clusterIP"))
	must(t, c, 201, "PUT", "/apis/rbac.authorization.k8s.io/v1/clusterroles/r", `{"metadata":{"name":"r"}}`)
	must(t, c, 404, "PUT", "/api/v1/namespaces/default/configmaps/c", `{"metadata":{"name":"c"}}`)
	must(t, c, 404, "PUT", services+"/b/status", `{"metadata":{"name":"b"}}`)
	nameless := must(t, c, 400, "PUT", services+"/b", `{"spec":{"ports":[{"port":80}]}}`)
	require.Equal(t, "the name of the object (b based on URL) was undeterminable: name must be provided", nameless["message"])
	wrong := must(t, c, 400, "PUT", services+"/b", `{"metadata":{"name":"c"},"spec":{"ports":[{"port":80}]}}`)
	require.Equal(t, "the name of the object (c) does not match the name on the URL (b)", wrong["message"])
	conflict := must(t, c, 409, "PUT", services+"/b", `{"metadata":{"name":"b","uid":"u"},"spec":{"ports":[{"port":80}]}}`)
	require.Contains(t, conflict["message"], "Key: /registry/services/specs/default/b, ResourceVersion: 0, AdditionalErrorMsg: "+
		"Precondition failed: UID in precondition: u, UID in object meta: ")
}

// Who may only update does not create by a PUT or an apply.
func TestWhoMayCreate(t *testing.T) {
	_, c := start(t, Options{Authorize: func(_ context.Context, _ User, info RequestInfo) (bool, string) {
		return info.Resource != "services" || info.Verb != "create", ""
	}})
	const body = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"b"},"spec":{"ports":[{"port":80}]}}`
	for _, refused := range []object{
		must(t, c, 403, "PUT", services+"/b", body),
		must(t, c, 403, "PATCH", services+"/b?fieldManager=me", body, "Content-Type", applyPatch),
	} {
		require.Contains(t, refused["message"], "cannot create resource")
	}
}

// A body of null is an object without a kind.
func TestNullBody(t *testing.T) {
	_, c := start(t, Options{})
	for _, method := range []string{"POST", "PUT"} {
		path := services
		if method == "PUT" {
			path += "/a"
		}
		answer := send(t, c, method, path, "null", "Content-Type", jsonType)
		answer.Body.Close()
		require.Less(t, answer.StatusCode, 500, method)
	}
}
