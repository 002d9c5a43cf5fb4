package catalog

import (
	"fmt"
	"strings"

	"github.com/crdkit/crdkit/internal/query"
)

// scaleSelector returns the selector of an object with Pods as the text that its Scale has. The selector is a map of
// labels, as that of a ReplicationController, or has matchLabels and matchExpressions. It returns "" without a selector
// and for one that is not valid.
func scaleSelector(obj map[string]any) string {
	in := child(child(obj, "spec"), "selector")
	equal, expressions := child(in, "matchLabels"), children(in, "matchExpressions")
	if equal == nil && in["matchExpressions"] == nil {
		equal = in
	}
	var requirements []string
	for key, value := range equal {
		requirements = append(requirements, fmt.Sprintf("%s=%v", key, value))
	}
	for _, e := range expressions {
		requirement, ok := query.Requirement(text(e, "key", ""), text(e, "operator", ""), listed(e["values"]))
		if !ok {
			return ""
		}
		requirements = append(requirements, requirement)
	}
	labels, err := query.ParseLabels(strings.Join(requirements, ","))
	if err != nil {
		return ""
	}
	return labels.String()
}
