// Crdkit creates custom objects as a Kubernetes API server would, without one: it prints what the server would store, and the warnings and
// errors that kubectl would show. Asked about definitions alone, it says whether the server would take them, and what their rules may cost.
//
//	go run ./cmd/crdkit -crd config/crd/bases object.yaml
//	go run ./cmd/crdkit -crd config/crd/bases
//
// It has grown from the first example and is not finished: it knows no built-in kinds and no updates.
package main
