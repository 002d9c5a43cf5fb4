package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/client-go/kubernetes/scheme"
)

// This file writes the names of all built-in kinds for the command crdkit: those that a server has, a line for each
// version of a group, and after two dashes those that were removed, with the minor version that removed them.

// A lifecycle is what the types of beta and alpha versions say about themselves.
type lifecycle interface {
	APILifecycleRemoved() (major, minor int)
}

// minor is the version of Kubernetes of which the kinds are.
const minor = 37

// namesFile is the file with the names.
const namesFile = "../cmd/crdkit/internal/cli/builtin.txt"

var (
	// Kinds whose types are not registered: of the aggregator and of webhooks, and those that are gone.
	otherKinds = map[string][]string{
		"apiregistration.k8s.io/v1":   {"APIService"},
		"imagepolicy.k8s.io/v1alpha1": {"ImageReview"},
		"apiextensions.k8s.io/v1":     {"CustomResourceDefinition"},
	}
	otherRemoved = map[string][]string{
		"apiregistration.k8s.io/v1beta1 22": {"APIService"},
		"autoscaling/v2beta1 25":            {"HorizontalPodAutoscaler"},
		"autoscaling/v2beta2 26":            {"HorizontalPodAutoscaler"},
		"policy/v1beta1 25":                 {"PodSecurityPolicy"},
	}
	// Versions whose types are registered, without an end, although servers do not have them by default.
	unserved = []string{"node.k8s.io/v1alpha1", "rbac.authorization.k8s.io/v1alpha1"}
)

// names returns the text of the file.
func names() string {
	served, removed := map[string][]string{}, map[string][]string{}
	for gvk, of := range scheme.Scheme.AllKnownTypes() {
		_, hasMetadata := of.FieldByName("ObjectMeta")
		version := gvk.GroupVersion().String()
		if !hasMetadata || slices.Contains(unserved, version) {
			continue
		}
		if l, ok := reflect.New(of).Interface().(lifecycle); ok {
			if _, since := l.APILifecycleRemoved(); since <= minor {
				key := fmt.Sprintf("%s %d", version, since)
				removed[key] = append(removed[key], gvk.Kind)
				continue
			}
		}
		served[version] = append(served[version], gvk.Kind)
	}
	for version, kinds := range otherKinds {
		served[version] = append(served[version], kinds...)
	}
	for key, kinds := range otherRemoved {
		removed[key] = append(removed[key], kinds...)
	}
	var text strings.Builder
	write := func(kinds map[string][]string) {
		var lines []string
		for key, names := range kinds {
			slices.Sort(names)
			lines = append(lines, key+" "+strings.Join(names, " ")+"\n")
		}
		slices.Sort(lines)
		text.WriteString(strings.Join(lines, ""))
	}
	write(served)
	text.WriteString("--\n")
	write(removed)
	return text.String()
}
