package controllerruntime

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"

	"github.com/crdkit/crdkit/server"
)

// Config returns a configuration of clients whose requests s answers without a network. They send and read JSON: the server does not answer
// in protobuf. They have no limit of requests in a second.
func Config(s *server.Server) *rest.Config {
	return &rest.Config{
		Host: "http://server", Transport: s.RoundTripper(), QPS: -1,
		ContentConfig: rest.ContentConfig{ContentType: runtime.ContentTypeJSON, AcceptContentTypes: runtime.ContentTypeJSON},
	}
}
