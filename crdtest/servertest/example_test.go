package servertest_test

import (
	"testing"

	"github.com/crdkit/crdkit/crdtest"
	"github.com/crdkit/crdkit/crdtest/servertest"
)

// A test with a server, initial objects, and a Go client. Clients in other languages can use the file of
// s.Kubeconfig().
func ExampleServe() {
	_ = func(t *testing.T) {
		s := servertest.Serve(t, crdtest.Load(t, "config/crd/*.yaml"), `
apiVersion: demo.example.com/v1
kind: Widget
metadata: {name: a, namespace: shop}
spec: {size: 3}`)

		answer, err := s.Client().Get("http://server/apis/demo.example.com/v1/namespaces/shop/widgets/a")
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
}
