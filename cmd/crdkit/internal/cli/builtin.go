package cli

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/crdkit/crdkit/internal/tool/explain"
)

// builtinText has the built-in kinds that a server of Kubernetes 1.37 has, a line for each version of a group, and after
// two dashes those that were removed, with the minor version that removed them. They are facts of k8s.io/api: its
// registered types with metadata, and the versions in their lifecycles. parity/cmd/builtins writes the file.
//
//go:embed builtin.txt
var builtinText string

// builtinKinds has the kinds by apiVersion, and the minor versions that removed kinds by apiVersion and kind.
var builtinKinds = sync.OnceValues(func() (kinds map[string][]string, removed map[[2]string]string) {
	kinds, removed = map[string][]string{}, map[[2]string]string{}
	served, gone, _ := strings.Cut(builtinText, "--\n")
	for line := range strings.Lines(served) {
		words := strings.Fields(line)
		kinds[words[0]] = words[1:]
	}
	for line := range strings.Lines(gone) {
		words := strings.Fields(line)
		for _, kind := range words[2:] {
			removed[[2]string{words[0], kind}] = words[1]
		}
	}
	return kinds, removed
})

// toolKinds are kinds of apiVersion v1 whose files are kept among manifests and are never sent to a server.
var toolKinds = []string{"Config", "List"}

// builtinError returns why a server has no kind of a built-in group, or an empty text: it has the kind, or it may be
// newer than the table, or the group is not a built-in one.
func builtinError(apiVersion, kind string) string {
	kinds, removed := builtinKinds()
	known := kinds[apiVersion]
	minor := removed[[2]string{apiVersion, kind}]
	switch {
	case slices.Contains(known, kind), apiVersion == "v1" && slices.Contains(toolKinds, kind), strings.HasSuffix(kind, "List") && slices.Contains(known, strings.TrimSuffix(kind, "List")):
		return ""
	case known == nil && minor == "":
		return ""
	}
	text := fmt.Sprintf("no matches for kind %q in version %q", kind, apiVersion)
	if minor == "" {
		return text + explain.Suggestion(kind, known)
	}
	text += ": Kubernetes 1." + minor + " removed it"
	var others []string
	for version, kinds := range kinds {
		if slices.Contains(kinds, kind) && (groupOf(version) == groupOf(apiVersion) || groupOf(apiVersion) == "extensions") {
			others = append(others, version)
		}
	}
	slices.Sort(others)
	if len(others) > 0 {
		text += ", and has it in " + strings.Join(others, " and ")
	}
	return text
}
