package controllerruntime

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/crdkit/crdkit/server"
)

// Config returns a configuration for clients whose requests s answers without a network. They use JSON, because the
// server does not answer in protobuf, and have no rate limit.
func Config(s *server.Server) *rest.Config {
	return &rest.Config{
		Host: "http://server", Transport: s.RoundTripper(), QPS: -1,
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON, AcceptContentTypes: runtime.ContentTypeJSON},
	}
}
