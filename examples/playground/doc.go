// Playground builds a page that runs the library in the browser, and serves it on this machine: what a Kubernetes API server would say of a
// definition and of an object, while one types, with nothing sent anywhere.
//
//	go run ./examples/playground             # serves http://127.0.0.1:8090/
//	go run ./examples/playground -o site     # writes the files, for any static host
//
// web has the static files, internal/engine the answers, and wasm the program around them, which is a module of its own.
package main
