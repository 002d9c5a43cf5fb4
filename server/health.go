package server

import (
	"fmt"
	"net/http"
	"strings"
)

// writeHealth answers /healthz, /livez and /readyz, with ?verbose by check. A server that answers is healthy.
func writeHealth(w http.ResponseWriter, r *http.Request) {
	if !r.URL.Query().Has("verbose") {
		fmt.Fprint(w, "ok")
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	for _, check := range []string{"ping", "log", "etcd"} {
		fmt.Fprintf(w, "[+]%s ok\n", check)
	}
	fmt.Fprintf(w, "%s check passed\n", strings.TrimPrefix(r.URL.Path, "/"))
}
