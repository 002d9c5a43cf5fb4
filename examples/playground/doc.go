// Playground builds a page that runs the library in the browser, and serves it on this machine. The page shows how a
// Kubernetes API server would respond to a definition and an object, while one types. Nothing leaves the browser.
//
//	go run ./examples/playground             # serves http://127.0.0.1:8090/
//	go run ./examples/playground -o site     # writes the files, for any static host
//
// web has the static files, internal/engine computes the answers, and wasm is the program around the engine.
package main
