package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// healthChecks are the checks of health, which also have paths of their own.
var healthChecks = []string{"ping", "log", "etcd"}

// healthCheck answers the path of one check. Unlike /healthz, /livez and /readyz themselves, it needs authorization.
func (q *request) healthCheck(path []string) {
	if len(path) != 2 || !slices.Contains(healthChecks, path[1]) || strings.HasSuffix(q.r.URL.Path, "/") {
		q.noPath()
		return
	}
	q.w.Header().Set("Content-Type", textType+"; charset=utf-8")
	fmt.Fprint(q.w, "ok")
}

// writeHealth answers /healthz, /livez and /readyz, with ?verbose by check. A server that answers is healthy.
func writeHealth(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", textType+"; charset=utf-8")
	if !r.URL.Query().Has("verbose") {
		fmt.Fprint(w, "ok")
		return
	}
	w.Header().Set("X-Content-Type-Options", "nosniff")
	for _, check := range healthChecks {
		fmt.Fprintf(w, "[+]%s ok\n", check)
	}
	fmt.Fprintf(w, "%s check passed\n", strings.TrimPrefix(r.URL.Path, "/"))
}
