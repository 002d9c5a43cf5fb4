package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
)

const policyFile = "../../server/internal/rbac/bootstrap.txt"

// policy returns the roles and bindings that every server creates, one in each line, after its key. The times and uids are
// words to replace.
func policy() ([]byte, error) {
	var objects []runtime.Object
	for _, r := range slices.Concat(bootstrappolicy.ClusterRoles(), bootstrappolicy.ControllerRoles()) {
		objects = append(objects, &r)
	}
	for _, b := range slices.Concat(bootstrappolicy.ClusterRoleBindings(), bootstrappolicy.ControllerRoleBindings()) {
		objects = append(objects, &b)
	}
	roles, bindings := bootstrappolicy.NamespaceRoles(), bootstrappolicy.NamespaceRoleBindings()
	for _, namespace := range slices.Sorted(maps.Keys(roles)) {
		for _, r := range roles[namespace] {
			objects = append(objects, &r)
		}
	}
	for _, namespace := range slices.Sorted(maps.Keys(bindings)) {
		for _, b := range bindings[namespace] {
			objects = append(objects, &b)
		}
	}
	var out bytes.Buffer
	for _, obj := range objects {
		kinds, _, err := scheme.ObjectKinds(obj)
		if err != nil {
			return nil, err
		}
		scheme.Default(obj)
		obj.GetObjectKind().SetGroupVersionKind(rbac.SchemeGroupVersion.WithKind(kinds[0].Kind))
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
		if err != nil {
			return nil, err
		}
		meta := fields["metadata"].(map[string]any)
		meta["creationTimestamp"], meta["uid"] = "$TIME", "$UID"
		text, err := json.Marshal(fields) // with sorted keys, as the server stores objects
		if err != nil {
			return nil, err
		}
		key := strings.ToLower(kinds[0].Kind) + "s/"
		if namespace, ok := meta["namespace"].(string); ok {
			key += namespace + "/"
		}
		fmt.Fprintf(&out, "%s%s %s\n", key, meta["name"], text)
	}
	return out.Bytes(), nil
}
