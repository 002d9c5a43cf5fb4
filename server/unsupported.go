package server

import (
	"strings"
	"sync"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// maxUnsupported limits how many sentences a server remembers, because clients determine them by their requests.
const maxUnsupported = 1000

// An unsupported reports each sentence once. It is safe for concurrent use.
type unsupported struct {
	report func(text string)

	mu       sync.Mutex
	reported map[string]bool
}

// once reports a sentence, unless it was reported before.
func (u *unsupported) once(text string) {
	u.mu.Lock()
	fresh := !u.reported[text] && len(u.reported) < maxUnsupported
	if fresh {
		u.reported[text] = true
	}
	u.mu.Unlock()
	if fresh {
		u.report(text)
	}
}

// unserved reports a resource or subresource that this server does not have, if a Kubernetes server might have it.
func (q *request) unserved(group, version, resource string) {
	if strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io") {
		return
	}
	if q.sub != "" {
		resource += "/" + q.sub
	}
	q.s.unsupported.once("there is no resource " + resource + " in " + objectmeta.APIVersion(group, version))
}
