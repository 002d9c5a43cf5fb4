package crdlint

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/crdkit/crdkit/internal/objectmeta"
	"github.com/crdkit/crdkit/schema"
)

var boundsOfSize = Lint{
	Name: "size", Severity: Warning, Title: "too large to be applied or stored",
	Why: "kubectl apply stores the whole definition in an annotation, and annotations may have 262144 bytes " +
		"together; etcd refuses a request of more than 1.5 MiB.",
	check: checkSize,
}

const (
	lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	// maxRequest is the default limit of etcd, its --max-request-bytes.
	maxRequest = 3 << 19
)

func checkSize(l *linter) {
	whole := l.size(l.d.Value())
	annotations := len(lastApplied) + whole
	if own, ok := l.d.Metadata["annotations"].(map[string]any); ok {
		for key, v := range own {
			if text, ok := v.(string); ok && key != lastApplied {
				annotations += len(key) + len(text)
			}
		}
	}
	room := ""
	if described := descriptions(l.versions); described > whole/10 {
		room = fmt.Sprintf("; descriptions take %d %% of it", 100*described/whole)
	}
	fix := "use kubectl apply --server-side, which needs no annotation"
	if room != "" {
		fix = "shorten the descriptions (controller-gen crd:maxDescLen=0 leaves them out), or " + fix
	}
	switch {
	case whole > maxRequest:
		fix = "leave out descriptions (controller-gen crd:maxDescLen=0) and versions that nobody uses"
		l.add("", nil, fix, "the definition has %d bytes as JSON, and etcd takes %d in a request%s", whole, maxRequest, room)
	case annotations > objectmeta.MaxAnnotations:
		l.add("", nil, fix, "kubectl apply is refused: with its annotation there are %d bytes of annotations, and %d are allowed%s",
			annotations, objectmeta.MaxAnnotations, room)
	case annotations > objectmeta.MaxAnnotations/5*4:
		l.add("", nil, fix, "kubectl apply needs %d of the %d bytes that annotations may have, which is %d %%%s",
			annotations, objectmeta.MaxAnnotations, 100*annotations/objectmeta.MaxAnnotations, room)
	}
}

// size returns the length of a definition as kubectl keeps it: its JSON without what only a server sets, and a line
// feed.
func (l *linter) size(value map[string]any) int {
	delete(value, "status")
	if annotations, ok := l.d.Metadata["annotations"].(map[string]any); ok && annotations[lastApplied] != nil {
		metadata := map[string]any{}
		for key, v := range l.d.Metadata {
			metadata[key] = v
		}
		rest := map[string]any{}
		for key, v := range annotations {
			if key != lastApplied {
				rest[key] = v
			}
		}
		metadata["annotations"] = rest
		value["metadata"] = metadata
	}
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(value); err != nil {
		return 0 // a definition that was decoded has a JSON
	}
	return b.Len()
}

// descriptions returns the bytes of all descriptions outside of combinators.
func descriptions(versions []*version) (n int) {
	seen := map[*schema.JSONSchemaProps]bool{}
	for _, v := range versions {
		if seen[v.props] {
			continue
		}
		seen[v.props] = true
		for _, p := range v.places {
			if p.Description != "" {
				n += len(p.Description) + len(`"description":"",`)
			}
		}
	}
	return n
}
