package openapi

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/crdkit/crdkit/crd"
)

// operations returns the operations of a document, by method and path.
func operations(t *testing.T, doc *Document) map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]any{}
	for path, item := range at(t, doc, "paths").(map[string]any) {
		for method, op := range item.(map[string]any) {
			if method != "parameters" {
				all[method+" "+strings.TrimPrefix(path, "/apis/shop.example.com/v1")] = op.(map[string]any)
			}
		}
	}
	return all
}

func namesOfParameters(list any) (names []string) {
	items, _ := list.([]any)
	for _, p := range items {
		m := p.(map[string]any)
		name, ok := m["name"].(string)
		if !ok {
			name, _, _ = strings.Cut(strings.TrimPrefix(m["$ref"].(string), "#/parameters/"), "-")
		}
		names = append(names, name)
	}
	return names
}

// PV3-011: the paths, and the order of methods in the document (PV3-050).
func TestPaths(t *testing.T) {
	for _, c := range []struct {
		name, scope string
		sub         *crd.Subresources
		want        map[string]string
	}{
		{"namespaced", crd.NamespaceScoped, nil, map[string]string{
			"/shirts":                               "get parameters",
			"/namespaces/{namespace}/shirts":        "get post delete parameters",
			"/namespaces/{namespace}/shirts/{name}": "get put delete patch parameters",
		}},
		{"cluster", crd.ClusterScoped, &crd.Subresources{}, map[string]string{
			"/shirts":        "get post delete parameters",
			"/shirts/{name}": "get put delete patch parameters",
		}},
		{"another scope, all subresources", "Galaxy", &crd.Subresources{Status: &crd.SubresourceStatus{}, Scale: &crd.SubresourceScale{}},
			map[string]string{
				"/shirts":               "get post delete parameters",
				"/shirts/{name}":        "get put delete patch parameters",
				"/shirts/{name}/status": "get put patch parameters",
				"/shirts/{name}/scale":  "get put patch parameters",
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := shirts(t, "")
			d.Spec.Scope, d.Spec.Versions[0].Subresources = c.scope, c.sub
			for _, doc := range []*Document{v3(t, d, "v1"), v2(t, d)} {
				got := map[string]string{}
				paths := keys(t, doc, "paths")
				require.True(t, slices.IsSorted(paths))
				for _, path := range paths {
					got[strings.TrimPrefix(path, "/apis/shop.example.com/v1")] = strings.Join(keys(t, doc, "paths", path), " ")
				}
				require.Equal(t, c.want, got)
			}
		})
	}
}

// PV3-012, PV3-014, PV3-016, PV3-017, PV3-019: each row is one operation: its id, description, body, responses and own
// parameters.
func TestOperations(t *testing.T) {
	const object = "/namespaces/{namespace}/shirts/{name}"
	list := "allowWatchBookmarks continue fieldSelector labelSelector limit resourceVersion resourceVersionMatch sendInitialEvents shardSelector timeoutSeconds watch"
	write := "dryRun fieldManager fieldValidation"
	remove := "dryRun gracePeriodSeconds ignoreStoreReadErrorWithClusterBreakingPotential orphanDependents propagationPolicy"
	rows := map[string]struct{ action, id, text, body, answers, parameters string }{
		"get /shirts":                           {"list", "listShopExampleComV1ShirtForAllNamespaces", "list objects of kind Shirt", "", "200 ShirtList", ""},
		"get /namespaces/{namespace}/shirts":    {"list", "listShopExampleComV1NamespacedShirt", "list objects of kind Shirt", "", "200 ShirtList", list},
		"post /namespaces/{namespace}/shirts":   {"post", "createShopExampleComV1NamespacedShirt", "create a Shirt", "Shirt", "200 201 202 Shirt", write},
		"delete /namespaces/{namespace}/shirts": {"deletecollection", "deleteShopExampleComV1CollectionNamespacedShirt", "delete collection of Shirt", "", "200 Status", list},
		"get " + object:                         {"get", "readShopExampleComV1NamespacedShirt", "read the specified Shirt", "", "200 Shirt", "resourceVersion"},
		"put " + object:                         {"put", "replaceShopExampleComV1NamespacedShirt", "replace the specified Shirt", "Shirt", "200 201 Shirt", write},
		"delete " + object:                      {"delete", "deleteShopExampleComV1NamespacedShirt", "delete a Shirt", "DeleteOptions", "200 202 Status", remove},
		"patch " + object:                       {"patch", "patchShopExampleComV1NamespacedShirt", "partially update the specified Shirt", "Patch", "200 Shirt", write + " force"},
		"get " + object + "/status":             {"get", "readShopExampleComV1NamespacedShirtStatus", "read status of the specified Shirt", "", "200 Shirt", "resourceVersion"},
		"put " + object + "/status":             {"put", "replaceShopExampleComV1NamespacedShirtStatus", "replace status of the specified Shirt", "Shirt", "200 201 Shirt", write},
		"patch " + object + "/status":           {"patch", "patchShopExampleComV1NamespacedShirtStatus", "partially update status of the specified Shirt", "Patch", "200 Shirt", write + " force"},
		"get " + object + "/scale":              {"get", "readShopExampleComV1NamespacedShirtScale", "read scale of the specified Shirt", "", "200 Scale", "resourceVersion"},
		"put " + object + "/scale":              {"put", "replaceShopExampleComV1NamespacedShirtScale", "replace scale of the specified Shirt", "Scale", "200 201 Scale", write},
		"patch " + object + "/scale":            {"patch", "patchShopExampleComV1NamespacedShirtScale", "partially update scale of the specified Shirt", "Patch", "200 Scale", write + " force"},
	}
	d := shirts(t, "")
	d.Spec.Versions[0].Subresources = &crd.Subresources{Status: &crd.SubresourceStatus{}, Scale: &crd.SubresourceScale{}}
	three, two := operations(t, v3(t, d, "v1")), operations(t, v2(t, d))
	require.ElementsMatch(t, slices.Collect(maps.Keys(rows)), slices.Collect(maps.Keys(three)))
	require.ElementsMatch(t, slices.Collect(maps.Keys(rows)), slices.Collect(maps.Keys(two)))
	last := func(ref any) string {
		name := ref.(map[string]any)["$ref"].(string)
		return name[strings.LastIndexByte(name, '.')+1:]
	}
	for name, row := range rows {
		for _, op := range []map[string]any{three[name], two[name]} {
			require.Equal(t, row.action, op["x-kubernetes-action"], name)
			require.Equal(t, row.id, op["operationId"], name)
			require.Equal(t, row.text, op["description"], name)
			require.Equal(t, []any{"shopExampleCom_v1"}, op["tags"], name) // PV3-015
			require.Equal(t, map[string]any{"group": "shop.example.com", "version": "v1", "kind": "Shirt"}, op["x-kubernetes-group-version-kind"], name)
		}
		// Version 3: PV3-013.
		op := three[name]
		require.Equal(t, row.parameters, strings.Join(namesOfParameters(op["parameters"]), " "), name)
		if row.body == "" {
			require.NotContains(t, op, "requestBody", name)
		} else {
			body := op["requestBody"].(map[string]any)
			require.Equal(t, row.action != "delete", body["required"] == true, name)
			types := "application/json application/yaml"
			if row.action == "patch" {
				types = "application/apply-patch+yaml application/json-patch+json application/merge-patch+json"
			}
			require.Equal(t, types, strings.Join(sortedKeys(body["content"]), " "), name)
			for _, media := range body["content"].(map[string]any) {
				require.Equal(t, row.body, last(media.(map[string]any)["schema"]), name)
			}
		}
		answers := ""
		for _, code := range sortedKeys(op["responses"]) {
			response := op["responses"].(map[string]any)[code].(map[string]any)
			require.Equal(t, map[string]string{"200": "OK", "201": "Created", "202": "Accepted", "401": "Unauthorized"}[code], response["description"], name)
			if code == "401" {
				require.Len(t, response, 1, name)
				continue
			}
			content := response["content"].(map[string]any)
			require.Equal(t, []string{"application/json", "application/yaml"}, sortedKeys(content), name)
			for _, media := range content {
				if what := last(media.(map[string]any)["schema"]); !strings.HasSuffix(answers, what) {
					answers = strings.TrimSpace(answers) + " " + what
				}
			}
			answers = strings.Replace(answers, " "+last(content["application/json"].(map[string]any)["schema"]), "", 1) + " " + code + " " +
				last(content["application/json"].(map[string]any)["schema"])
			answers = strings.TrimSpace(answers)
		}
		require.Equal(t, row.answers, answers, name)

		// PV2-010: in version 2 the body is a parameter, and the media types are in lists.
		op = two[name]
		own := row.parameters
		if row.body != "" {
			own = "body " + own
			require.Equal(t, "body", namesOfParameters(op["parameters"])[0], name)
		}
		require.Equal(t, own, strings.Join(namesOfParameters(op["parameters"]), " "), name)
		require.Equal(t, []any{"application/json", "application/yaml"}, op["produces"], name)
		require.Equal(t, []any{"https"}, op["schemes"], name)
		consumes := []any{"application/json", "application/yaml"}
		if row.action == "patch" {
			consumes = []any{"application/json-patch+json", "application/merge-patch+json", "application/apply-patch+yaml"}
		}
		require.Equal(t, consumes, op["consumes"], name)
	}
}

// PV3-019: parameters of all operations of a path are at the path, sorted by name.
func TestParametersOfPaths(t *testing.T) {
	d := shirts(t, "")
	for _, doc := range []*Document{v3(t, d, "v1"), v2(t, d)} {
		item := func(path string) string {
			return strings.Join(namesOfParameters(at(t, doc, "paths", "/apis/shop.example.com/v1"+path, "parameters")), " ")
		}
		require.Equal(t, "allowWatchBookmarks continue fieldSelector labelSelector limit pretty resourceVersion resourceVersionMatch sendInitialEvents shardSelector timeoutSeconds watch", item("/shirts"))
		require.Equal(t, "namespace pretty", item("/namespaces/{namespace}/shirts"))
		require.Equal(t, "name namespace pretty", item("/namespaces/{namespace}/shirts/{name}"))
	}
	// PV3-018
	const path = "/apis/shop.example.com/v1/namespaces/{namespace}/shirts/{name}"
	name := at(t, v3(t, d, "v1"), "paths", path, "parameters").([]any)[0]
	require.Equal(t, map[string]any{"name": "name", "in": "path", "required": true, "description": "name of the Shirt",
		"schema": map[string]any{"type": "string", "uniqueItems": true}}, name)
	name = at(t, v2(t, d), "paths", path, "parameters").([]any)[0]
	require.Equal(t, map[string]any{"name": "name", "in": "path", "required": true, "description": "name of the Shirt", "type": "string", "uniqueItems": true}, name)
}

// PV2-011: shared and inline parameters of version 2.
func TestSharedParameters(t *testing.T) {
	want := strings.Fields(`allowWatchBookmarks-HC2hJt-J body-2Y1dVQaQ body-78PwaGsr continue-QfD61s0i fieldManager-7c6nTn1T fieldManager-Qy4HdaTW
		fieldSelector-xIcQKXFG force-tOGGb0Yi gracePeriodSeconds--K5HaBOS ignoreStoreReadErrorWithClusterBreakingPotential-QbNkfIqj
		labelSelector-5Zw57w4C limit-1NfNmdNH namespace-vgWSWtn3 orphanDependents-uRB25kX5 pretty-tJGM1-ng propagationPolicy-6jk3prlO
		resourceVersion-5WAnf1kx resourceVersionMatch-t8XhRHeC sendInitialEvents-rLXlEK_k shardSelector-Kgyki_3_ timeoutSeconds-yvYezaOC watch-XNNPZGbK`)
	d := shirts(t, "")
	require.Equal(t, want, keys(t, v2(t, d), "parameters"))
	d.Spec.Scope = crd.ClusterScoped
	require.Equal(t, slices.DeleteFunc(slices.Clone(want), func(s string) bool { return strings.HasPrefix(s, "namespace-") }), keys(t, v2(t, d), "parameters"))

	for _, op := range operations(t, v2(t, d)) {
		list, _ := op["parameters"].([]any)
		for _, p := range list {
			if ref, ok := p.(map[string]any)["$ref"].(string); ok {
				require.Contains(t, want, strings.TrimPrefix(ref, "#/parameters/"))
			} else {
				require.Contains(t, []string{"body", "dryRun", "fieldValidation"}, p.(map[string]any)["name"])
			}
		}
	}
	require.Equal(t, map[string]any{"name": "body", "in": "body", "schema": map[string]any{"$ref": "#/definitions/" + metaV1 + "DeleteOptions"}},
		at(t, v2(t, d), "parameters", "body-2Y1dVQaQ"))
	require.Equal(t, map[string]any{"name": "body", "in": "body", "required": true, "schema": map[string]any{"$ref": "#/definitions/" + metaV1 + "Patch"}},
		at(t, v2(t, d), "parameters", "body-78PwaGsr"))
	for _, p := range append(slices.Concat(listParameters, getParameters, writeParameters, patchParameters, deleteParameters), pretty, namespace) {
		require.NotEmpty(t, p.text, p.name)
	}
}

// PV3-014, PV3-015: ids and tags of unusual groups, versions and kinds.
func TestOperationIDs(t *testing.T) {
	for _, c := range []struct{ group, version, kind, scope, id, collection, tag string }{
		{"auto.example.com", "v1", "Scaler", "Namespaced", "createAutoExampleComV1NamespacedScaler", "deleteAutoExampleComV1CollectionNamespacedScaler", "autoExampleCom_v1"},
		{"snapshot.storage.k8s.io", "v1", "Status", "Namespaced", "createSnapshotStorageV1NamespacedStatus", "deleteSnapshotStorageV1CollectionNamespacedStatus", "snapshotStorage_v1"},
		{"k8s.io", "v1", "Foo", "Cluster", "createK8sIoV1Foo", "deleteK8sIoV1CollectionFoo", "k8sIo_v1"},
		{"3scale.net", "v1alpha1", "Apple", "Cluster", "createScaleNetV1alpha1Apple", "deleteScaleNetV1alpha1CollectionApple", "ScaleNet_v1alpha1"},
		{"my-group.x_y.io", "v1", "CLASS", "Namespaced", "createMyGroupX_yIoV1NamespacedCLASS", "deleteMyGroupX_yIoV1CollectionNamespacedCLASS", "myGroupX_yIo_v1"},
		{"g.io", "x-1", "my-kind", "Cluster", "createGIoX1MyKind", "deleteGIoX1CollectionmyKind", "gIo_x1"},
		{"g.io", "v1", "ünder", "Cluster", "createGIoV1Ünder", "deleteGIoV1Collectionünder", "gIo_v1"},
	} {
		d := shirts(t, "")
		d.Spec.Group, d.Spec.Names.Kind, d.Spec.Scope, d.Spec.Versions[0].Name = c.group, c.kind, c.scope, c.version
		collection := "/apis/" + c.group + "/" + c.version + "/shirts"
		if c.scope == "Namespaced" {
			collection = "/apis/" + c.group + "/" + c.version + "/namespaces/{namespace}/shirts"
		}
		for _, doc := range []*Document{v3(t, d, c.version), v2(t, d)} {
			require.Equal(t, c.id, at(t, doc, "paths", collection, "post", "operationId"))
			require.Equal(t, c.collection, at(t, doc, "paths", collection, "delete", "operationId"))
			require.Equal(t, []any{c.tag}, at(t, doc, "paths", collection, "post", "tags"))
		}
	}
}

// PV3-012: the article depends on letters. PV3-020: names of definitions.
func TestNames(t *testing.T) {
	for kind, want := range map[string]string{"Status": "", "Class": "a ", "Apple": "an ", "umbrella": "an ", "Os": "", "": "a ", "Über": "a ", "Hour": "a "} {
		require.Equal(t, want, article(kind), kind)
	}
	require.Equal(t, "com.example.stable.v1.CronTab", definitionName("stable.example.com", "v1", "CronTab"))
	require.Equal(t, "g.v1.K", definitionName("g", "v1", "K"))
}
