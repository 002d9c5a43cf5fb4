package server

import (
	"strings"
	"sync"

	"github.com/crdkit/crdkit/internal/objectmeta"
)

// mostUnsupported limits how many sentences a server remembers: clients choose them by their requests.
const mostUnsupported = 1000

// An unsupported reports each sentence once. It is safe for concurrent use.
type unsupported struct {
	say func(text string)

	mu   sync.Mutex
	said map[string]bool
}

// once reports a sentence, unless it was reported before.
func (u *unsupported) once(text string) {
	u.mu.Lock()
	fresh := !u.said[text] && len(u.said) < mostUnsupported
	if fresh {
		u.said[text] = true
	}
	u.mu.Unlock()
	if fresh {
		u.say(text)
	}
}

// unserved reports a resource or a subresource that this server does not have, if a Kubernetes server might have it.
func (q *request) unserved(group, version, resource string) {
	if strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io") {
		return
	}
	if q.sub != "" {
		resource += "/" + q.sub
	}
	q.s.unsupported.once("there is no resource " + resource + " in " + objectmeta.APIVersion(group, version))
}
