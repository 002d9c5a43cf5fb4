package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	rbac "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac/bootstrappolicy"
)

const policyFile = "../../server/internal/rbac/bootstrap.jsonl"

// policy returns the roles and bindings that every server creates, one in each line.
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
		text, err := json.Marshal(obj)
		if err != nil {
			return nil, err
		}
		out.Write(append(text, '\n'))
	}
	return out.Bytes(), nil
}
