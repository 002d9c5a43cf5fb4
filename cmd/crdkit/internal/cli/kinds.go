package cli

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/crdkit/crdkit/internal/tool/explain"
)

// A groupKind identifies a kind.
type groupKind struct{ group, kind string }

// builtIn are the API groups of Kubernetes other than the core group, and those of tools whose files are kept among
// manifests and are never sent to a server.
var builtIn = []string{
	"admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "apps", "authentication.k8s.io", "authorization.k8s.io",
	"autoscaling", "batch", "certificates.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "events.k8s.io", "extensions",
	"flowcontrol.apiserver.k8s.io", "imagepolicy.k8s.io", "internal.apiserver.k8s.io", "networking.k8s.io", "node.k8s.io", "policy",
	"rbac.authorization.k8s.io", "resource.k8s.io", "scheduling.k8s.io", "storage.k8s.io", "storagemigration.k8s.io",
	"kustomize.config.k8s.io", "kind.x-k8s.io", "kubeadm.k8s.io", "kubelet.config.k8s.io", "audit.k8s.io", "client.authentication.k8s.io",
}

// isBuiltIn reports whether an apiVersion belongs to Kubernetes or a tool, so that no definition is expected.
func isBuiltIn(apiVersion string) bool {
	return !strings.Contains(apiVersion, "/") || slices.Contains(builtIn, groupOf(apiVersion))
}

// groupOf returns the API group of an apiVersion.
func groupOf(apiVersion string) string {
	if group, _, ok := strings.Cut(apiVersion, "/"); ok {
		return group
	}
	return ""
}

// countUndefined counts an object of a kind without a definition.
func (e *env) countUndefined(apiVersion, kind string) {
	if isBuiltIn(apiVersion) {
		e.report.Summary.BuiltIn++
		return
	}
	e.report.Summary.Undefined[kind+"."+groupOf(apiVersion)]++
}

// kindOptions are the flags of commands about kinds.
type kindOptions struct {
	definitions []string
	version     string
}

func (o *kindOptions) flags(flags *flag.FlagSet) {
	listFlag(flags, &o.definitions, "crd", "`NAME` of definitions: a file, a directory, a pattern; may be repeated")
	flags.StringVar(&o.version, "version", "", "`VERSION` of the kind (default: the one that is stored)")
}

// readKinds returns the definitions for a command about the kinds in args. question is the error if there are none.
func (e *env) readKinds(command string, o *kindOptions, args []string, question usageError) ([]*definition, error) {
	switch {
	case len(o.definitions) == 0:
		return nil, usageError("which definitions? Name them with -crd")
	case len(args) == 0:
		return nil, question
	}
	return e.readValidDefinitions(command, o.definitions)
}

// findKind returns the definition of the kind that a name starts with, and the rest of the name.
func findKind(definitions []*definition, name string) (*definition, string, error) {
	var kinds []string
	for _, d := range definitions {
		n := &d.crd.Spec.Names
		for _, word := range slices.Concat([]string{n.Kind, n.Plural, n.Singular}, n.ShortNames) {
			for _, full := range []string{word + "." + d.crd.Spec.Group, word} {
				if len(name) < len(full) || !strings.EqualFold(name[:len(full)], full) {
					continue
				}
				if rest := name[len(full):]; word != "" && (rest == "" || rest[0] == '.') {
					return d, strings.TrimPrefix(rest, "."), nil
				}
			}
		}
		kinds = append(kinds, n.Kind)
	}
	word, _, _ := strings.Cut(name, ".")
	return nil, "", fmt.Errorf("no definition of %s%s", word, explain.Suggestion(word, kinds))
}
